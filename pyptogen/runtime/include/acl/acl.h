// The path under which test mains and launchers of the public library include the host API.
#pragma once

#include <pto/cpu/core/host_api.hpp>
