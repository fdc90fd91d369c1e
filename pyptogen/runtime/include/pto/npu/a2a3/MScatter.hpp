// Kernels include this by its path on a device; here the instructions of all platforms are in one place.
#pragma once

#include <pto/pto-inst.hpp>
