// Every name of the usual form once, over tiles of 16 floats: mixed tasks, scopes, tensors made on the way, blocks,
// dependencies by hand, and data that the orchestration looks at.
#include "pto_orchestration_api.h"

namespace {

constexpr int kScale = 0;  // y = 2 x, block b only its quarter
constexpr int kAdd = 1;    // z = x + y
constexpr int kLane = 2;   // w = lane of this core + 10 * lanes
constexpr uint32_t kTile = 16;

}  // namespace

extern "C" {

__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipStorageTaskArgs& args)
{
    (void)args;
    return PTO2OrchestrationConfig{.expected_arg_count = 6};
}

__attribute__((visibility("default"))) void aicpu_orchestration_entry(const L2TaskArgs& args)
{
    const Tensor& x = args.tensor(0).ref();
    const Tensor& y = args.tensor(1).ref();
    const Tensor lanes = args.tensor(2).ref();
    const Tensor seen = args.tensor(3).ref();
    const Tensor order = args.tensor(4).ref();
    const auto rounds = static_cast<uint32_t>(args.scalar(0));
    uint32_t tile[1] = {kTile};
    const TensorCreateInfo made(tile, 1, DataType::FLOAT32);
    LOG_INFO("[demo] %u rounds", rounds);
    for (uint32_t i = 0; i < rounds; ++i) {
        PTO2_SCOPE() {
            uint32_t offset[1] = {i * kTile};
            const Tensor from = x.view(tile, offset), to = y.view(tile, offset), lane = lanes.view(tile, offset);
            // Doubled by four blocks on a cube core, into a tensor of this scope; once more into another.
            L0TaskArgs twice;
            twice.add_input(from);
            twice.add_output(made);
            twice.launch_spec.set_block_num(4);
            const TaskOutputTensors doubled = rt_submit_aic_task(kScale, twice);
            TaskOutputTensors spare = alloc_tensors(made);
            L0TaskArgs again;
            again.add_input(doubled.get_ref(0));
            again.add_output(spare.get_ref(0));
            again.launch_spec.set_core_num(4);
            pto2_rt_submit_aiv_task(kScale, again);
            // to = 2 from + 4 from on the cube core, while both vector cores say who they are.
            MixedKernels kernels;
            kernels.aic_kernel_id = kAdd;
            kernels.aiv0_kernel_id = kLane;
            kernels.aiv1_kernel_id = kLane;
            Arg both;
            both.add_input(doubled.get_ref(0), spare.get_ref(0));
            both.add_inout(to, lane);
            rt_submit_task(kernels, both);
        }
    }
    // What the last task has written, and the first element of all, twice.
    uint32_t last[1] = {rounds * kTile - 1}, first[1] = {0};
    const float value = get_tensor_data<float>(y, 1, last);
    set_tensor_data(seen, 1, first, value);
    // A chain that nothing but its own edges orders.
    PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
        PTO2TaskId before = PTO2TaskId::invalid();
        for (uint32_t i = 0; i < 8; ++i) {
            L0TaskArgsWithDeps<4> step;
            step.add_input(order);
            step.add_output(order);
            step.launch_spec.set_block_num(4);
            if (before.is_valid()) step.add_dep(before);
            before = rt_submit_aiv_task(kScale, step).task_id();
        }
        CoreTaskArgs end;
        end.set_dependencies(&before, 1);
        rt_submit_dummy_task(end);
    }
}

}  // extern "C"
