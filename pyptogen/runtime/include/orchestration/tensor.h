// For kernel files that name this header: see <pto/field.hpp>.
#pragma once

#include <pto/field_tensor.hpp>

using pto_rt::field::from_u64;
using pto_rt::field::to_u64;
using Tensor = pto_rt::field::KernelTensor;
using ChipTensor = pto_rt::field::KernelTensor;
