// For kernel files that name this header: see <pto/field.hpp>.
#pragma once

#include <pto/field_tensor.hpp>

using Tensor = pto_rt::field::KernelTensor;
using ChipTensor = pto_rt::field::KernelTensor;
