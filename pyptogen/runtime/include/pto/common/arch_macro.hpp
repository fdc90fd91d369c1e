// Which parts of a core this build plays; see type.hpp.
#pragma once

#include <pto/common/type.hpp>
