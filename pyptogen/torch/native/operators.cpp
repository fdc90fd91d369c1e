// Operators in PyTorch without Python in between. Calls whose shapes have been seen, of tensors that lie as the contract
// says, go to the chip from here; all others to the form of the operator that Python implements, which checks everything,
// and tells this one what it found out about the shapes.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/EmptyTensor.h>
#include <torch/library.h>

#include <index_bound.hpp>

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

// As `native/c_api.cpp` has it.
struct Call {
    int64_t entry;
    const void* args;
    const char* trace_path;
    const char* graph_path;
    const char* process_name;
    int64_t pid;
    int32_t policy;
    uint32_t message_bytes;
    char* message;
    double seconds, submit_seconds;
    uint64_t launches, ring;
    uint64_t log_task;
    int32_t log_file;
    int32_t brief;
};
using Run = int (*)(void* chip, Call* call);

using Key = std::vector<int64_t>;

struct Hash {
    size_t operator()(const Key& key) const
    {
        uint64_t hash = 14695981039346656037u;
        for (const int64_t part : key) hash = (hash ^ static_cast<uint64_t>(part)) * 1099511628211u;
        return hash ^ hash >> 32;
    }
};

using pto_rt::native::IndexBound;

// What follows from the shapes: the dynamic dims, for each new output its sizes and its strides, and a bound for each
// index.
struct Sizes {
    std::vector<int64_t> dims, outputs;
    std::vector<IndexBound> bounds;
};

enum class Form : int32_t {
    Rows,  // one after the other
    Strided,  // rows may lie apart, and strides decide over dims
    Columns,  // of each matrix one after the other
    Packed  // a tensor of one axis that ends with a `Record`
};

struct Tensor {
    at::ScalarType dtype;
    int64_t rank;  // of what is packed: that of the plain matrices
    Form form;
    bool updated;
};

// How a packed weight ends (`layout/packed_array.py`).
struct Record {
    char head[16];  // what it is, and the platform
    int64_t rank;
    int64_t sizes[13];
};
static_assert(sizeof(Record) == 128);

constexpr size_t kMostShapes = 4096;

thread_local Key missed;  // of this thread's last call that went to Python, empty where its shapes were known

struct Operator {
    Run run;
    int64_t entry;
    int32_t policy;
    std::vector<Tensor> inputs, outputs;
    std::string packed;  // the head of packed weights that it takes
    std::string attrs;  // a letter each: d for double, q for int64
    std::vector<int32_t> indices;  // which inputs are looked at for wrong indices; one may stand here twice
    c10::OperatorHandle checked, recorded;
    std::atomic<void*> chip{nullptr};
    std::atomic<double> seconds{0};
    std::shared_mutex lock;
    std::unordered_map<Key, std::shared_ptr<const Sizes>, Hash> known;

    std::shared_ptr<const Sizes> sizes(const Key& key)
    {
        std::shared_lock guard(lock);
        const auto found = known.find(key);
        return found == known.end() ? nullptr : found->second;
    }
};

bool columns_lie_together(const at::Tensor& tensor)
{
    const int64_t rank = tensor.dim();
    int64_t step = 1;
    for (int64_t i = 0; i < rank; ++i) {
        const int64_t axis = i == 0 ? rank - 2 : i == 1 ? rank - 1 : rank - 1 - i;
        if (tensor.size(axis) != 1 && tensor.stride(axis) != step) return false;
        step *= tensor.size(axis);
    }
    return true;
}

bool lies_as_it_should(const at::Tensor& tensor, const Tensor& rule)
{
    const int64_t rank = rule.form == Form::Packed ? 1 : rule.rank;
    if (tensor.scalar_type() != rule.dtype || tensor.dim() != rank || tensor.numel() == 0) return false;
    switch (rule.form) {
        case Form::Strided: return tensor.stride(-1) == 1;
        case Form::Columns: return columns_lie_together(tensor);
        default: return tensor.is_contiguous();
    }
}

struct Range {
    const char *begin, *end;
};

Range range_of(const at::Tensor& tensor)
{
    int64_t last = 0;
    for (int64_t axis = 0; axis < tensor.dim(); ++axis) last += (tensor.size(axis) - 1) * tensor.stride(axis);
    const char* data = static_cast<const char*>(tensor.const_data_ptr());
    return {data, data + (last + 1) * static_cast<int64_t>(tensor.itemsize())};
}

class OnChip final : public c10::OperatorKernel {
public:
    explicit OnChip(Operator* op) : op_(*op) {}

    void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack)
    {
        if (!run(*stack)) op_.checked.callBoxed(stack);
    }

private:
    // False where Python has to look at the call; the stack is then as it was.
    bool run(torch::jit::Stack& stack)
    {
        const size_t count = op_.inputs.size() + op_.attrs.size();
        const c10::IValue* given = stack.data() + (stack.size() - count);
        thread_local Key key;
        thread_local std::vector<int64_t> slots;
        thread_local std::vector<Range> ranges;
        key.clear();
        slots.clear();
        ranges.clear();
        missed.clear();
        for (size_t i = 0; i < op_.inputs.size(); ++i) {
            const at::Tensor& tensor = given[i].toTensor();
            if (!lies_as_it_should(tensor, op_.inputs[i])) return false;
            for (const int64_t size : tensor.sizes()) key.push_back(size);
            if (op_.inputs[i].form == Form::Strided) {
                for (const int64_t step : tensor.strides()) key.push_back(step);
            }
            ranges.push_back(range_of(tensor));
            if (op_.inputs[i].form == Form::Packed && !add_record(ranges.back(), op_.inputs[i].rank, key)) return false;
            slots.push_back(reinterpret_cast<int64_t>(ranges.back().begin));
        }
        for (size_t i = 0; i < op_.attrs.size(); ++i) {
            const c10::IValue& value = given[op_.inputs.size() + i];
            key.push_back(op_.attrs[i] == 'd' ? c10::bit_cast<int64_t>(value.toDouble()) : value.toInt());
        }
        const auto sizes = op_.sizes(key);
        void* chip = op_.chip.load(std::memory_order_acquire);
        if (sizes == nullptr || chip == nullptr) {
            missed = key;
            return false;
        }
        if (overlapping(ranges) || any_wrong_index(ranges, *sizes)) return false;
        std::vector<at::Tensor> made = outputs(*sizes);
        for (const at::Tensor& tensor : made) slots.push_back(reinterpret_cast<int64_t>(tensor.data_ptr()));
        slots.insert(slots.end(), sizes->dims.begin(), sizes->dims.end());
        slots.insert(slots.end(), key.end() - static_cast<int64_t>(op_.attrs.size()), key.end());
        start(chip, slots.data());
        for (size_t i = 0; i < op_.inputs.size(); ++i) {
            if (op_.inputs[i].updated) given[i].toTensor().unsafeGetTensorImpl()->bump_version();
        }
        torch::jit::drop(stack, count);
        for (at::Tensor& tensor : made) stack.emplace_back(std::move(tensor));
        return true;
    }

    // Adds what the record behind a packed weight says of its sizes. Whether they fit its length the call by way of Python
    // has seen: both are in the key.
    bool add_record(const Range& range, int64_t rank, Key& key) const
    {
        Record record;
        if (range.end - range.begin < static_cast<int64_t>(sizeof record)) return false;
        std::memcpy(&record, range.end - sizeof record, sizeof record);
        if (std::memcmp(record.head, op_.packed.data(), sizeof record.head) != 0 || record.rank != rank) return false;
        key.insert(key.end(), record.sizes, record.sizes + rank);
        return true;
    }

    std::vector<at::Tensor> outputs(const Sizes& sizes) const
    {
        std::vector<at::Tensor> made;
        made.reserve(op_.outputs.size());
        const int64_t* next = sizes.outputs.data();
        for (const Tensor& rule : op_.outputs) {
            const c10::IntArrayRef shape(next, rule.rank), strides(next + rule.rank, rule.rank);
            made.emplace_back(at::detail::empty_strided_cpu(shape, strides, rule.dtype));
            next += 2 * rule.rank;
        }
        return made;
    }

    // Whether an index names no place; Python then says which one.
    bool any_wrong_index(const std::vector<Range>& ranges, const Sizes& sizes) const
    {
        for (size_t i = 0; i < op_.indices.size(); ++i) {
            const auto input = static_cast<size_t>(op_.indices[i]);
            const auto begin = reinterpret_cast<int64_t>(ranges[input].begin);
            const auto end = reinterpret_cast<int64_t>(ranges[input].end);
            const auto size = static_cast<int64_t>(at::elementSize(op_.inputs[input].dtype));
            if (sizes.bounds[i].broken_by(begin, end, size)) return true;
        }
        return false;
    }

    // Whether memory that is written may be another argument's, too. New tensors have their own.
    bool overlapping(const std::vector<Range>& ranges) const
    {
        for (size_t i = 0; i < ranges.size(); ++i) {
            if (!op_.inputs[i].updated) continue;
            for (size_t j = 0; j < ranges.size(); ++j) {
                if (j != i && ranges[i].begin < ranges[j].end && ranges[j].begin < ranges[i].end) return true;
            }
        }
        return false;
    }

    void start(void* chip, const int64_t* slots)
    {
        char message[1024] = "";
        Call call{};
        call.entry = op_.entry;
        call.args = slots;
        call.policy = op_.policy;
        call.message = message;
        call.message_bytes = sizeof message;
        call.log_file = -1;
        const int status = op_.run(chip, &call);
        TORCH_CHECK(status == 0, "pyptogen: ", message);
        op_.seconds.store(call.seconds, std::memory_order_relaxed);
    }

    Operator& op_;
};

class OfAutograd final : public c10::OperatorKernel {
public:
    explicit OfAutograd(Operator* op) : op_(*op) {}

    void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack)
    {
        const size_t count = op_.inputs.size() + op_.attrs.size();
        const c10::IValue* given = stack->data() + (stack->size() - count);
        bool recorded = false;
        for (size_t i = 0; i < op_.inputs.size(); ++i) recorded |= given[i].toTensor().requires_grad();
        if (recorded && at::GradMode::is_enabled()) {
            op_.recorded.callBoxed(stack);
        } else {
            handle.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
        }
    }

private:
    Operator& op_;
};

at::ScalarType dtype_of(int code) { return static_cast<at::ScalarType>(code); }

}  // namespace

#define PTO_API extern "C" __attribute__((visibility("default")))

struct pto_tensor_rule {
    int32_t dtype, rank, form, updated;
};

// The number by which torch knows the dtype of a tensor of this name; -1 for none.
PTO_API int pto_torch_dtype(const char* name)
{
    for (int code = 0; code < static_cast<int>(at::ScalarType::NumOptions); ++code) {
        if (std::string(c10::toString(dtype_of(code))) == name) return code;
    }
    return -1;
}

// Registers kernels for `pyptogen::name`, beside which the operators `name_checked` and `name_recorded` are defined.
// `packed`: the 16 bytes that the records of packed weights begin with. `indices`: inputs of 4 or 8 bytes whose elements are indices. `fast`: whether calls may go to the chip from here. Null
// when something is missing.
PTO_API Operator* pto_torch_define(
    const char* name, Run run, int64_t entry, int policy, const pto_tensor_rule* rules, int inputs, int outputs,
    const char* packed, const char* attrs, const int32_t* indices, int index_count, int fast)
{
    try {
        auto& dispatcher = c10::Dispatcher::singleton();
        const std::string whole = std::string("pyptogen::") + name;
        auto* op = new Operator{
            run,
            entry,
            policy,
            {},
            {},
            {packed, sizeof Record::head},
            attrs,
            {indices, indices + index_count},
            dispatcher.findSchemaOrThrow((whole + "_checked").c_str(), ""),
            dispatcher.findSchemaOrThrow((whole + "_recorded").c_str(), "")};
        for (int i = 0; i < inputs + outputs; ++i) {
            auto& kind = i < inputs ? op->inputs : op->outputs;
            kind.push_back(
                {dtype_of(rules[i].dtype), rules[i].rank, static_cast<Form>(rules[i].form), rules[i].updated != 0});
        }
        auto* library = new torch::Library(torch::Library::IMPL, "pyptogen", std::nullopt, __FILE__, __LINE__);
        if (fast != 0) {
            library->impl(
                name, c10::DispatchKey::CPU, torch::CppFunction::makeFromBoxedFunctor(std::make_unique<OnChip>(op)));
        }
        library->impl(
            name, c10::DispatchKey::Autograd,
            torch::CppFunction::makeFromBoxedFunctor(std::make_unique<OfAutograd>(op)));
        return op;
    } catch (const std::exception&) {
        return nullptr;
    }
}

// Whether this thread's last call went to Python because its shapes were not known.
PTO_API int pto_torch_missed() { return missed.empty() ? 0 : 1; }

// What has come out for the shapes of this thread's last call, three numbers for each index, and the chip to run on.
PTO_API void pto_torch_learn(
    Operator* op, void* chip, const int64_t* dims, int dim_count, const int64_t* outputs, int output_count,
    const IndexBound* bounds)
{
    auto sizes = std::make_shared<Sizes>();
    sizes->dims.assign(dims, dims + dim_count);
    sizes->outputs.assign(outputs, outputs + output_count);
    sizes->bounds.assign(bounds, bounds + op->indices.size());
    std::unique_lock guard(op->lock);
    if (op->known.size() >= kMostShapes) op->known.clear();
    op->known[missed] = std::move(sizes);
    op->chip.store(chip, std::memory_order_release);
}

// After a fork: the chip is the parent's.
PTO_API void pto_torch_forget(Operator* op) { op->chip.store(nullptr, std::memory_order_release); }

// Seconds in native code of the last call; Python notes those of its own.
PTO_API void pto_torch_note(Operator* op, double seconds) { op->seconds.store(seconds, std::memory_order_relaxed); }
PTO_API double pto_torch_seconds(Operator* op) { return op->seconds.load(std::memory_order_relaxed); }
