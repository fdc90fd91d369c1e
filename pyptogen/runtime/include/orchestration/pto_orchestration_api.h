// The same header by another name.
#pragma once

#include "orchestration_api.h"
