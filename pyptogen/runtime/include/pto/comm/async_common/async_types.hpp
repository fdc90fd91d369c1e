// The public path of what asynchronous transfers take and give.
#pragma once

#include <pto/comm/comm_types.hpp>
