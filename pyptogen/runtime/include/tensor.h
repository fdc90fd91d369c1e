// For kernel files that name this header: see <pto/orchestration.hpp>.
#pragma once

#include <pto/orchestration.hpp>

using Tensor = pto_rt::field::KernelTensor;
