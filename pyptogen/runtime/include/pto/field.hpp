// The usual form of orchestration and kernels for this kind of runtime, so that files which exist already need no change:
//     extern "C" void aicpu_orchestration_entry(const ChipTaskArgs& args);       with "orchestration_api.h" (by any name)
//     extern "C" void kernel_entry(int64_t* args);                               with "tensor.h"
// A kernel is known by its number in the list that was registered. Names that are hints to a device's scheduler are
// accepted and do nothing.
#ifndef PTO_FIELD_HPP
#define PTO_FIELD_HPP

#include <vector>

#include <pto/field_tensor.hpp>
#include <pto/orchestration.hpp>
#include <pto/side_by_side.hpp>

namespace pto_rt::field {

using KernelFunction = void (*)(int64_t* args);

// The kernels of the program, by number, and what traces call them. Defined next to the entry when it is registered.
extern const KernelFunction kernel_table[];
extern const char* const kernel_names[];
extern const uint32_t kernel_count;

__attribute__((visibility("hidden"))) inline thread_local Runtime* current = nullptr;
// Inside a manual scope tasks wait for nothing but what they are told to.
__attribute__((visibility("hidden"))) inline thread_local bool manual = false;

struct TaskId : Launch {
    TaskId() = default;
    TaskId(Launch launch) : Launch(launch) {}
    static TaskId invalid() { return {}; }
    bool is_valid() const { return id != 0; }
};

// The arguments of the run. Tensors and numbers are counted apart.
class ChipTaskArgs {
public:
    explicit ChipTaskArgs(const Arguments& args) : args_(args)
    {
        for (uint64_t position = 0; position < args.count(); ++position) {
            if (args.at(position).kind == Kind::Tensor) {
                tensors_.emplace_back(args.at(position).tensor);
            } else {
                scalars_.push_back(position);
            }
        }
    }

    const TensorRef& tensor(uint64_t index) const { return tensors_.at(index); }
    template <class T = uint64_t>
    T scalar(uint64_t index) const
    {
        return args_.scalar<T>(scalars_.at(index));
    }
    int32_t tensor_count() const { return static_cast<int32_t>(tensors_.size()); }
    int32_t scalar_count() const { return static_cast<int32_t>(scalars_.size()); }

private:
    const Arguments& args_;
    std::vector<TensorRef> tensors_;
    std::vector<uint64_t> scalars_;
};

// How a task is spread over cores.
class LaunchSpec {
public:
    int block_num() const { return blocks_; }
    int core_num() const { return blocks_; }
    void set_block_num(int blocks) { blocks_ = blocks; }
    void set_core_num(int blocks) { blocks_ = blocks; }
    void set_require_sync_start(bool) {}

private:
    int blocks_ = 1;
};

// The arguments of one task: tensors first, then numbers, each in the order in which they were added.
class CoreTaskArgs {
public:
    static constexpr uint32_t kTensors = 32;
    static constexpr uint32_t kScalars = 32;
    static constexpr uint32_t kDependencies = 64;

    LaunchSpec launch_spec;

    template <class... More>
    void add_input(const TensorRef& tensor, const More&... more)
    {
        add(in(tensor.box()));
        (add(in(more.box())), ...);
    }
    template <class... More>
    void add_inout(const TensorRef& tensor, const More&... more)
    {
        add(inout(tensor.box()));
        (add(inout(more.box())), ...);
    }
    // Passed on, and waited for by nobody.
    void add_no_dep(const TensorRef& tensor) { add(untracked(inout(tensor.box()))); }
    void add_output(const TensorRef& tensor) { add(out(tensor.box())); }
    // A new tensor, alive until the scope ends; the submitted task gives it.
    void add_output(const TensorCreateInfo& info)
    {
        Tensor made = info.box;
        made.data = current->workspace(made.element_bytes * TensorRef(made).numel());
        add(out(made));
        created_[created_count_++] = use_count_ - 1;
    }

    template <class T, class... More>
    void add_scalar(T value, More... more)
    {
        static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "a scalar has at most eight bytes");
        if (scalar_count_ == kScalars) throw std::length_error("a task has at most 32 scalars");
        int64_t bits = 0;
        std::memcpy(&bits, &value, sizeof(value));
        scalars_[scalar_count_++] = bits;
        if constexpr (sizeof...(more) > 0) add_scalar(more...);
    }
    template <class T>
    void add_scalars(const T* values, int count)
    {
        for (int i = 0; i < count; ++i) add_scalar(values[i]);
    }

    // Tasks that must be over first.
    template <class... More>
    void add_dep(TaskId before, More... more)
    {
        if (after_count_ == kDependencies) throw std::length_error("a task names at most 64 others");
        after_[after_count_++] = before;
        (add_dep(more), ...);
    }
    void set_dependencies(const TaskId* before, uint32_t count)
    {
        after_count_ = 0;
        for (uint32_t i = 0; i < count; ++i) add_dep(before[i]);
    }

    void set_allow_early_resolve(bool) {}
    void set_task_timing_slot(int) {}

private:
    friend struct Submit;

    void add(const Use& use)
    {
        if (use_count_ == kTensors) throw std::length_error("a task has at most 32 tensors");
        uses_[use_count_++] = manual ? untracked(use) : use;
    }

    Use uses_[kTensors];
    int64_t scalars_[kScalars];
    uint32_t created_[kTensors];
    Launch after_[kDependencies];
    uint32_t use_count_ = 0;
    uint32_t scalar_count_ = 0;
    uint32_t created_count_ = 0;
    uint32_t after_count_ = 0;
};

template <size_t>
struct CoreTaskArgsWithDeps : CoreTaskArgs {};

// A submitted task: the tensors that were made for it, in the order in which they were added, and its handle.
class TaskOutputTensors {
public:
    const TensorRef& get_ref(uint32_t index) const { return made_[index]; }
    TaskId task_id() const { return id_; }

private:
    friend struct Submit;
    TensorRef made_[CoreTaskArgs::kTensors];
    TaskId id_;
};

inline constexpr int32_t INVALID_KERNEL_ID = -1;

// Up to three kernels that share the arguments of one task: one for a cube core, two for vector cores.
struct MixedKernels {
    int32_t aic_kernel_id = INVALID_KERNEL_ID;
    int32_t aiv0_kernel_id = INVALID_KERNEL_ID;
    int32_t aiv1_kernel_id = INVALID_KERNEL_ID;
};

struct Submit {
    // Few arguments travel in the launch itself, many in global memory.
    template <uint32_t kTensors, uint32_t kScalars>
    struct Body {
        KernelFunction kernel;
        uint16_t tensor_count;
        uint16_t scalar_count;
        KernelTensor tensors[kTensors];
        int64_t scalars[kScalars];

        void operator()() const
        {
            int64_t args[kTensors + kScalars];
            for (uint32_t i = 0; i < tensor_count; ++i) args[i] = reinterpret_cast<int64_t>(&tensors[i]);
            for (uint32_t i = 0; i < scalar_count; ++i) args[tensor_count + i] = scalars[i];
            kernel(args);
        }
    };

    template <class Body>
    static void fill(Body& body, KernelFunction kernel, const CoreTaskArgs& args)
    {
        body.kernel = kernel;
        body.tensor_count = static_cast<uint16_t>(args.use_count_);
        body.scalar_count = static_cast<uint16_t>(args.scalar_count_);
        for (uint32_t i = 0; i < args.use_count_; ++i) body.tensors[i] = TensorRef(args.uses_[i].tensor).for_kernel();
        for (uint32_t i = 0; i < args.scalar_count_; ++i) body.scalars[i] = args.scalars_[i];
    }

    // The number of a kernel that exists.
    static int32_t known(int32_t number)
    {
        if (number >= 0 && static_cast<uint32_t>(number) < kernel_count) return number;
        throw std::out_of_range("the orchestration submits a kernel that does not exist");
    }

    // One kernel with the arguments of a task.
    static Launch kernel(int32_t number, Core core, const CoreTaskArgs& args)
    {
        const char* name = kernel_names[known(number)];
        const int blocks = args.launch_spec.block_num();
        const auto launch = [&](const auto& body) {
            return current->task(name, core, blocks, body, args.uses_, args.use_count_, args.after_, args.after_count_);
        };
        if (args.use_count_ <= 4 && args.scalar_count_ <= 8) {
            Body<4, 8> body{};
            fill(body, kernel_table[number], args);
            return launch(body);
        }
        const Large* body = large(number, args);
        return launch([=] { (*body)(); });
    }

    // Memory of the launch for a kernel with many arguments.
    using Large = Body<CoreTaskArgs::kTensors, CoreTaskArgs::kScalars>;
    static const Large* large(int32_t number, const CoreTaskArgs& args)
    {
        Large* body = new (current->workspace(sizeof(Large))) Large{};
        fill(*body, kernel_table[known(number)], args);
        return body;
    }

    static TaskOutputTensors task(const MixedKernels& kernels, const CoreTaskArgs& args)
    {
        TaskOutputTensors result;
        for (uint32_t i = 0; i < args.created_count_; ++i) {
            result.made_[i] = TensorRef(args.uses_[args.created_[i]].tensor);
        }
        const int32_t numbers[] = {kernels.aic_kernel_id, kernels.aiv0_kernel_id, kernels.aiv1_kernel_id};
        int active = 0;
        for (const int32_t number : numbers) active += number != INVALID_KERNEL_ID;
        for (int slot = 0; slot < 3 && active == 1; ++slot) {
            if (numbers[slot] == INVALID_KERNEL_ID) continue;
            const Core core = slot == 0 ? Core::Cube : Core::Vector;
            result.id_ = kernel(numbers[slot], core, args);
        }
        if (active == 0) result.id_ = dependency(args);
        if (active > 1) result.id_ = mixed(numbers, args);
        return result;
    }

    // Several kernels of one block at a time, side by side: they may wait for each other in fifos.
    static Launch mixed(const int32_t (&numbers)[3], const CoreTaskArgs& args)
    {
        const Large* bodies[3] = {};
        for (int slot = 0; slot < 3; ++slot) {
            if (numbers[slot] != INVALID_KERNEL_ID) bodies[slot] = large(numbers[slot], args);
        }
        const auto cube = [=] {
            if (bodies[0] != nullptr) (*bodies[0])();
        };
        const auto vector = [=] { (*bodies[get_subblockid() == 0 ? 1 : 2])(); };
        const char* name = kernel_names[numbers[0] != INVALID_KERNEL_ID ? numbers[0] : numbers[1]];
        const int blocks = args.launch_spec.block_num();
        const auto launch = [&](const auto& body) {
            return current->task(
                name, Core::Mixed, blocks, body, args.uses_, args.use_count_, args.after_, args.after_count_);
        };
        if (numbers[1] != INVALID_KERNEL_ID && numbers[2] != INVALID_KERNEL_ID) {
            return launch([=] { side_by_side<2>(cube, vector); });
        }
        const int one = numbers[1] != INVALID_KERNEL_ID ? 1 : 2;
        return launch([=] { side_by_side<1>(cube, [=] { (*bodies[one])(); }); });
    }

    // A task that runs nothing.
    static Launch dependency(const CoreTaskArgs& args)
    {
        return current->task(
            "dependency", Core::Mixed, 0, [] {}, args.uses_, args.use_count_, args.after_, args.after_count_);
    }
};

enum class ScopeMode : uint8_t { AUTO, MANUAL };

// Tensors that are made while it lives are gone when it has ended and its tasks are over.
class ScopeGuard {
public:
    explicit ScopeGuard(ScopeMode mode = ScopeMode::AUTO) : scope_(*current), before_(manual)
    {
        manual = manual || mode == ScopeMode::MANUAL;
    }
    ~ScopeGuard() { manual = before_; }

private:
    Scope scope_;
    bool before_;
};

struct OrchestrationConfig {
    int expected_arg_count;
};

inline TaskOutputTensors rt_submit_task(const MixedKernels& kernels, const CoreTaskArgs& args)
{
    return Submit::task(kernels, args);
}
inline TaskOutputTensors rt_submit_aic_task(int32_t kernel, const CoreTaskArgs& args)
{
    return Submit::task({kernel, INVALID_KERNEL_ID, INVALID_KERNEL_ID}, args);
}
inline TaskOutputTensors rt_submit_aiv_task(int32_t kernel, const CoreTaskArgs& args)
{
    return Submit::task({INVALID_KERNEL_ID, kernel, INVALID_KERNEL_ID}, args);
}
// Takes part in the order of tasks and runs nothing.
inline TaskOutputTensors rt_submit_dummy_task(const CoreTaskArgs& args) { return Submit::task(MixedKernels{}, args); }

// New tensors, without a task that writes them.
template <class... More>
TaskOutputTensors alloc_tensors(const TensorCreateInfo& first, const More&... more)
{
    CoreTaskArgs args;
    args.add_output(first);
    (args.add_output(more), ...);
    return rt_submit_dummy_task(args);
}
inline TaskOutputTensors alloc_tensors(const TensorCreateInfo* infos, uint32_t count)
{
    CoreTaskArgs args;
    for (uint32_t i = 0; i < count; ++i) args.add_output(infos[i]);
    return rt_submit_dummy_task(args);
}

// One element, once the tasks that write it are over.
template <class T = uint64_t>
T get_tensor_data(const TensorRef& tensor, uint32_t axes, const uint32_t* index)
{
    current->wait(current->task("read by the orchestration", Core::Mixed, 0, [] {}, {in(tensor.box())}));
    T value{};
    std::memcpy(&value, tensor.element(axes, index), std::min<size_t>(sizeof(T), tensor.element_bytes));
    return value;
}
// Sets one element, once the tasks that use it are over.
template <class T = uint64_t>
void set_tensor_data(const TensorRef& tensor, uint32_t axes, const uint32_t* index, T value)
{
    current->wait(current->task("written by the orchestration", Core::Mixed, 0, [] {}, {inout(tensor.box())}));
    std::memcpy(tensor.element(axes, index), &value, std::min<size_t>(sizeof(T), tensor.element_bytes));
}

inline int32_t rt_available_cluster_count() { return current->cores(Core::Cube); }
inline int32_t rt_available_aiv_count() { return current->cores(Core::Vector); }

}  // namespace pto_rt::field

#endif
