// For orchestration files that name this header: see <pto/field.hpp>.
#pragma once

#include <pto/field.hpp>

using pto_rt::field::alloc_tensors;
using pto_rt::field::ChipTaskArgs;
using pto_rt::field::CoreTaskArgs;
using pto_rt::field::CoreTaskArgsWithDeps;
using pto_rt::field::DataType;
using pto_rt::field::from_u64;
using pto_rt::field::get_tensor_data;
using pto_rt::field::INVALID_KERNEL_ID;
using pto_rt::field::make_tensor_external;
using pto_rt::field::MixedKernels;
using pto_rt::field::OrchestrationConfig;
using pto_rt::field::rt_available_aiv_count;
using pto_rt::field::rt_available_cluster_count;
using pto_rt::field::rt_submit_aic_task;
using pto_rt::field::rt_submit_aiv_task;
using pto_rt::field::rt_submit_dummy_task;
using pto_rt::field::rt_submit_task;
using pto_rt::field::ScopeGuard;
using pto_rt::field::ScopeMode;
using pto_rt::field::set_tensor_data;
using pto_rt::field::TaskId;
using pto_rt::field::TaskOutputTensors;
using pto_rt::field::TensorCreateInfo;
using pto_rt::field::to_u64;
using Tensor = pto_rt::field::TensorRef;

// Names of other years for the same things.
using Arg = CoreTaskArgs;
using L0TaskArgs = CoreTaskArgs;
template <size_t N = 16>
using L0TaskArgsWithDeps = CoreTaskArgsWithDeps<N>;
using ChipStorageTaskArgs = ChipTaskArgs;
using L2TaskArgs = ChipTaskArgs;
using PTO2OrchestrationConfig = OrchestrationConfig;
using PTO2ScopeGuard = ScopeGuard;
using PTO2ScopeMode = ScopeMode;
using PTO2TaskId = TaskId;
inline Tensor from_tensor_arg(const Tensor& tensor) { return tensor; }
inline TaskOutputTensors pto2_rt_submit_task(const MixedKernels& kernels, const CoreTaskArgs& args)
{
    return rt_submit_task(kernels, args);
}
inline TaskOutputTensors pto2_rt_submit_aic_task(int32_t kernel, const CoreTaskArgs& args)
{
    return rt_submit_aic_task(kernel, args);
}
inline TaskOutputTensors pto2_rt_submit_aiv_task(int32_t kernel, const CoreTaskArgs& args)
{
    return rt_submit_aiv_task(kernel, args);
}

#define PTO_JOIN_NAMES(a, b) a##b
#define PTO_SCOPE_NAME(number) PTO_JOIN_NAMES(pto_scope_, number)
#define PTO2_SCOPE_GUARD() [[maybe_unused]] const ScopeGuard PTO_SCOPE_NAME(__COUNTER__)
#define PTO2_SCOPE(...) if ([[maybe_unused]] const ScopeGuard PTO_SCOPE_NAME(__COUNTER__){__VA_ARGS__}; true)
#define SIMPLER_SCOPE_GUARD PTO2_SCOPE_GUARD
#define SIMPLER_SCOPE PTO2_SCOPE

// A program that prints is nobody's wish here.
#define LOG_ERROR(...) static_cast<void>(0)
#define LOG_WARN(...) static_cast<void>(0)
#define LOG_TIMING(...) static_cast<void>(0)
#define LOG_INFO(...) static_cast<void>(0)
#define LOG_DEBUG(...) static_cast<void>(0)
