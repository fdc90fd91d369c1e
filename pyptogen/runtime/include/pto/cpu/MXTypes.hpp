// A header path of the public library: its fp8, fp4 and scale types.
#pragma once

#include <pto/common/small_floats.hpp>
