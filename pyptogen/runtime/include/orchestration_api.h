// For orchestration files that name this header: see <pto/orchestration.hpp>.
#pragma once

#include <pto/orchestration.hpp>

using pto_rt::rt_submit_aic_task;
using pto_rt::rt_submit_aiv_task;
using pto_rt::field::ChipTaskArgs;
using pto_rt::field::CoreTaskArgs;
using pto_rt::field::DataType;
using pto_rt::field::TaskOutputTensors;
using pto_rt::field::TensorCreateInfo;
using Tensor = pto_rt::field::TensorRef;
