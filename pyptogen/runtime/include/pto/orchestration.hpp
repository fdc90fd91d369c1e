// What orchestration written by hand sees: its arguments, and kernels by number.
//
// Two forms of entry point are known. The own one,
//     extern "C" void orchestrate(pto_rt::Runtime& rt, const pto_rt::Arguments& args);
// and the one that is usual for this kind of runtime, for files that exist already (they include
// "orchestration_api.h", their kernels "tensor.h"; the names at the end of this header are for them):
//     extern "C" void aicpu_orchestration_entry(const ChipTaskArgs& args);
// A kernel is a function `extern "C" void kernel_entry(int64_t* args)` in a file of its own, known by its number in the
// list that was registered; or any function, declared and called by the orchestration.
#ifndef PTO_ORCHESTRATION_HPP
#define PTO_ORCHESTRATION_HPP

#include <cstring>
#include <new>
#include <stdexcept>

#include <pto/runtime.hpp>

namespace pto_rt {

enum class Kind : uint8_t { Tensor, Integer, Float };

// One argument of a run, by position.
struct Argument {
    Tensor tensor;
    int64_t bits;  // of an int64_t or a double
    Kind kind;
};

class Arguments {
public:
    uint64_t count() const { return count_; }

    // The argument at a position, which must be a tensor.
    const Tensor& tensor(uint64_t position) const
    {
        const Argument& argument = at(position);
        if (argument.kind != Kind::Tensor) throw std::invalid_argument("an argument is a number, not a tensor");
        return argument.tensor;
    }

    // The number at a position.
    template <class T>
    T scalar(uint64_t position) const
    {
        const Argument& argument = at(position);
        if (argument.kind == Kind::Tensor) throw std::invalid_argument("an argument is a tensor, not a number");
        if (argument.kind == Kind::Integer) return static_cast<T>(argument.bits);
        double value;
        std::memcpy(&value, &argument.bits, sizeof(value));
        return static_cast<T>(value);
    }

    const Argument& at(uint64_t position) const
    {
        if (position >= count_) throw std::out_of_range("the orchestration asks for an argument that was not given");
        return list_[position];
    }

private:
    const Argument* list_;
    uint64_t count_;
};

namespace field {

using KernelFunction = void (*)(int64_t* args);

// The kernels of the program, by number. Defined next to the entry when a program is registered.
extern const KernelFunction kernel_table[];
extern const uint32_t kernel_count;

inline thread_local Runtime* current = nullptr;

enum class DataType : uint8_t { FLOAT32, FLOAT16, BFLOAT16, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64 };

inline uint32_t bytes_of(DataType type)
{
    constexpr uint8_t kBytes[] = {4, 2, 2, 1, 1, 2, 2, 4, 4, 8, 8};
    return kBytes[static_cast<size_t>(type)];
}

// A tensor as kernels get it: `reinterpret_cast<Tensor*>(args[i])`. The first element of the box is at
// `buffer.addr` plus `start_offset` elements.
struct KernelTensor {
    struct Buffer {
        uint64_t addr;
        uint64_t size;
    } buffer;
    uint64_t start_offset;
    uint32_t ndims;
    uint32_t shapes[kMaxRank];
};

// A tensor as the orchestration has it.
struct TensorRef : Tensor {
    TensorRef() = default;
    explicit TensorRef(const Tensor& box) : Tensor(box) {}

    TensorRef& ref() { return *this; }
    const TensorRef& ref() const { return *this; }

    TensorRef view(const uint32_t* extents, const uint32_t* offsets) const
    {
        TensorRef box = *this;
        for (uint32_t axis = 0; axis < rank; ++axis) {
            box.offset[axis] += offsets[axis];
            box.extent[axis] = extents[axis];
        }
        return box;
    }

    KernelTensor for_kernel() const
    {
        KernelTensor result{};
        uint64_t elements = 1;
        for (uint32_t axis = 0; axis < rank; ++axis) {
            elements *= shape[axis];
            result.start_offset = result.start_offset * shape[axis] + offset[axis];
            result.shapes[axis] = static_cast<uint32_t>(extent[axis]);
        }
        result.buffer = {reinterpret_cast<uint64_t>(data), elements * element_bytes};
        result.ndims = rank;
        return result;
    }
};

// What a new tensor is like; the runtime makes it when a task is submitted that writes it.
struct TensorCreateInfo {
    TensorCreateInfo(const uint32_t* sizes, uint32_t axes, DataType type = DataType::FLOAT32)
    {
        box.element_bytes = bytes_of(type);
        box.rank = axes;
        for (uint32_t axis = 0; axis < axes; ++axis) box.shape[axis] = box.extent[axis] = sizes[axis];
    }
    Tensor box;
};

class ChipTaskArgs {
public:
    explicit ChipTaskArgs(const Arguments& args) : args_(args) {}
    // Tensors and numbers are counted apart.
    TensorRef tensor(uint64_t index) const { return TensorRef(nth(index, true).tensor); }
    template <class T>
    T scalar(uint64_t index) const
    {
        const Argument& argument = nth(index, false);
        return args_.scalar<T>(static_cast<uint64_t>(&argument - &args_.at(0)));
    }

private:
    const Argument& nth(uint64_t index, bool tensor) const
    {
        for (uint64_t i = 0;; ++i) {
            const Argument& argument = args_.at(i);
            if ((argument.kind == Kind::Tensor) == tensor && index-- == 0) return argument;
        }
    }
    const Arguments& args_;
};

// The arguments of one task: tensors first, then numbers, each in the order in which they were added.
class CoreTaskArgs {
public:
    static constexpr uint32_t kTensors = 16;
    static constexpr uint32_t kScalars = 32;

    void add_input(const TensorRef& tensor) { add(in(tensor)); }
    void add_output(const TensorRef& tensor) { add(out(tensor)); }
    void add_inout(const TensorRef& tensor) { add(inout(tensor)); }
    // A new tensor, alive until the run ends; the submitted task gives it.
    void add_output(const TensorCreateInfo& info)
    {
        Tensor made = info.box;
        uint64_t bytes = made.element_bytes;
        for (uint32_t axis = 0; axis < made.rank; ++axis) bytes *= made.shape[axis];
        made.data = current->workspace(bytes);
        add(out(made));
    }
    template <class T>
    void add_scalar(T value)
    {
        static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "a scalar has at most eight bytes");
        if (scalar_count_ == kScalars) throw std::length_error("a task has at most 32 scalars");
        int64_t bits = 0;
        std::memcpy(&bits, &value, sizeof(value));
        scalars_[scalar_count_++] = bits;
    }
    // A task that must be over first.
    void add_dep(Launch before) { after_ = after_.id == 0 ? before : current->join({after_, before}); }

private:
    friend struct Submit;

    void add(const Use& use)
    {
        if (use_count_ == kTensors) throw std::length_error("a task has at most 16 tensors");
        uses_[use_count_++] = use;
    }

    Use uses_[kTensors];
    int64_t scalars_[kScalars];
    uint32_t use_count_ = 0;
    uint32_t scalar_count_ = 0;
    Launch after_;
};

// A submitted task: its written tensors in the order in which they were added, and its handle.
class TaskOutputTensors {
public:
    const TensorRef& get_ref(uint32_t index) const { return outputs_[index]; }
    Launch task_id() const { return launch_; }

private:
    friend struct Submit;
    TensorRef outputs_[CoreTaskArgs::kTensors];
    Launch launch_;
};

struct Submit {
    // Few arguments travel in the launch itself, many in global memory.
    template <uint32_t kTensors, uint32_t kScalars>
    struct Body {
        KernelFunction kernel;
        uint32_t tensor_count;
        uint32_t scalar_count;
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
        body.tensor_count = args.use_count_;
        body.scalar_count = args.scalar_count_;
        for (uint32_t i = 0; i < args.use_count_; ++i) body.tensors[i] = TensorRef(args.uses_[i].tensor).for_kernel();
        for (uint32_t i = 0; i < args.scalar_count_; ++i) body.scalars[i] = args.scalars_[i];
    }

    static TaskOutputTensors task(uint32_t number, Core core, const CoreTaskArgs& args, int blocks)
    {
        if (number >= kernel_count) throw std::out_of_range("the orchestration submits a kernel that does not exist");
        const KernelFunction kernel = kernel_table[number];
        TaskOutputTensors result;
        uint32_t outputs = 0;
        for (uint32_t i = 0; i < args.use_count_; ++i) {
            if (args.uses_[i].mode != Mode::Input) result.outputs_[outputs++] = TensorRef(args.uses_[i].tensor);
        }
        const uint32_t after = args.after_.id != 0;
        if (args.use_count_ <= 4 && args.scalar_count_ <= 8) {
            Body<4, 8> body{};
            fill(body, kernel, args);
            result.launch_ = current->task("kernel", core, blocks, body, args.uses_, args.use_count_, &args.after_, after);
        } else {
            using Large = Body<CoreTaskArgs::kTensors, CoreTaskArgs::kScalars>;
            Large* body = new (current->workspace(sizeof(Large))) Large{};
            fill(*body, kernel, args);
            result.launch_ = current->task("kernel", core, blocks, [=] { (*body)(); }, args.uses_, args.use_count_,
                                           &args.after_, after);
        }
        return result;
    }
};

}  // namespace field

// Submits kernel `number` of the registered list as a task of `blocks` blocks.
inline field::TaskOutputTensors rt_submit_aic_task(uint32_t number, const field::CoreTaskArgs& args, int blocks = 1)
{
    return field::Submit::task(number, Core::Cube, args, blocks);
}
inline field::TaskOutputTensors rt_submit_aiv_task(uint32_t number, const field::CoreTaskArgs& args, int blocks = 1)
{
    return field::Submit::task(number, Core::Vector, args, blocks);
}

}  // namespace pto_rt

#endif
