// Kernels of the public library include this for what its headers share; here they need nothing of it.
#pragma once

#include <pto/pto-inst.hpp>
