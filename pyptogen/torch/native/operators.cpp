// Operators in PyTorch without Python in between. Calls whose shapes have been seen, of tensors that lie as the
// contract says, go to the chip from here; all others to the form of the operator that Python implements, which checks
// everything, and tells this one what it found out about the shapes.
//
// There are two ways in: the dispatcher's, for everybody, and a function of Python for calls in which the dispatcher
// would do nothing but go on to this kernel.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/EmptyTensor.h>
#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <nz_fractals.hpp>
#include <index_bound.hpp>
#include <python_api.hpp>
#include <small_blocks.hpp>

#include <algorithm>
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
using SharedChip = void* (*)(int cores);

using Key = std::vector<int64_t>;

struct Hash {
    size_t operator()(const Key& key) const
    {
        uint64_t hash = 14695981039346656037u;
        for (const int64_t part : key) hash = (hash ^ static_cast<uint64_t>(part)) * 1099511628211u;
        return hash ^ hash >> 32;
    }
};

using pto_rt::native::Fractals;
using pto_rt::native::IndexBound;
using pto_rt::native::IndexInput;
using pto_rt::native::Method;
using pto_rt::native::Object;
using pto_rt::native::Python;

// What follows from the shapes: the dynamic dims, for each new output its sizes and its strides, the fractals of those
// that kernels write packed, and a bound for each index.
struct Sizes {
    std::vector<int64_t> dims, outputs;
    std::vector<Fractals> fractals;
    std::vector<IndexBound> bounds;
    mutable std::atomic<double> seconds{1};  // of the last run
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
constexpr double kBrief = 1e-4;  // seconds; a call like one that took less is not interrupted

thread_local Key missed;  // of this thread's last call that went to Python, empty where its shapes were known

struct Attr {
    int32_t floating, has_default;
    int64_t usual;  // its bits
};

struct Operator {
    Run run;
    SharedChip chip;
    int64_t entry;
    int32_t policy, threads;
    std::vector<Tensor> inputs, outputs;
    std::string packed;  // the head of packed weights that it takes
    std::vector<Attr> attrs;
    c10::OperatorHandle checked, recorded;
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

using Tensors = c10::SmallVector<const at::Tensor*, 16>;
using Numbers = c10::SmallVector<int64_t, 4>;

// A call of known shapes: what its tensors are and lie like, what it makes, and its run.
class KnownCall {
public:
    std::vector<at::Tensor> made;

    KnownCall(Operator& op, const Tensors& given, const Numbers& attrs) : op_(op), given_(given), attrs_(attrs) {}

    // False where Python has to look at the call. Its shapes are then in `missed`, where that is all.
    bool prepare()
    {
        thread_local Key key;
        thread_local std::vector<Range> ranges;
        key.clear();
        ranges.clear();
        missed.clear();
        for (size_t i = 0; i < given_.size(); ++i) {
            const at::Tensor& tensor = *given_[i];
            const Tensor& rule = op_.inputs[i];
            if (!lies_as_it_should(tensor, rule)) return false;
            for (const int64_t size : tensor.sizes()) key.push_back(size);
            if (rule.form == Form::Strided) {
                for (const int64_t step : tensor.strides()) key.push_back(step);
            }
            ranges.push_back(range_of(tensor));
            if (rule.form == Form::Packed && !add_record(ranges.back(), rule.rank, key)) return false;
            slots_.push_back(reinterpret_cast<int64_t>(ranges.back().begin));
        }
        key.insert(key.end(), attrs_.begin(), attrs_.end());
        sizes_ = op_.sizes(key);
        chip_ = op_.chip(op_.threads);
        if (sizes_ == nullptr || chip_ == nullptr) {
            missed = key;
            return false;
        }
        if (overlapping(ranges) || any_wrong_index(ranges)) return false;
        make_outputs();
        slots_.append(sizes_->dims.begin(), sizes_->dims.end());
        slots_.append(attrs_.begin(), attrs_.end());
        return true;
    }

    // Without the interpreter lock. False where it failed: `message` then says why.
    bool run()
    {
        Call call{};
        message[0] = '\0';
        call.entry = op_.entry;
        call.args = slots_.data();
        call.policy = op_.policy;
        call.message = message;
        call.message_bytes = sizeof message;
        call.log_file = -1;
        call.brief = sizes_->seconds.load(std::memory_order_relaxed) < kBrief ? 1 : 0;
        if (op_.run(chip_, &call) != 0) return false;
        op_.seconds.store(call.seconds, std::memory_order_relaxed);
        sizes_->seconds.store(call.seconds, std::memory_order_relaxed);
        unpack_outputs();
        for (size_t i = 0; i < given_.size(); ++i) {
            if (op_.inputs[i].updated) given_[i]->unsafeGetTensorImpl()->bump_version();
        }
        return true;
    }

    char message[1024];

private:
    // Adds what the record behind a packed weight says of its sizes. Whether they fit its length the call by way of
    // Python has seen: both are in the key.
    bool add_record(const Range& range, int64_t rank, Key& key) const
    {
        Record record;
        if (range.end - range.begin < static_cast<int64_t>(sizeof record)) return false;
        std::memcpy(&record, range.end - sizeof record, sizeof record);
        if (std::memcmp(record.head, op_.packed.data(), sizeof record.head) != 0 || record.rank != rank) return false;
        key.insert(key.end(), record.sizes, record.sizes + rank);
        return true;
    }

    // Tensors are plain ones: what kernels write packed has memory of its own until it is unpacked.
    void make_outputs()
    {
        static auto& blocks = *new SmallBlocks;  // tensors may outlive what a process destroys at its end
        constexpr c10::DispatchKeySet plain(c10::DispatchKey::CPU);
        made.reserve(op_.outputs.size());
        const int64_t* next = sizes_->outputs.data();
        auto fractals = sizes_->fractals.begin();
        for (const Tensor& rule : op_.outputs) {
            const c10::IntArrayRef shape(next, rule.rank), strides(next + rule.rank, rule.rank);
            next += 2 * rule.rank;
            made.emplace_back(
                rule.form == Form::Rows || rule.form == Form::Packed
                    ? at::detail::empty_generic(shape, &blocks, plain, rule.dtype, std::nullopt)
                    : at::detail::empty_strided_generic(shape, strides, &blocks, plain, rule.dtype));
            char* data = data_of(made.back());
            if (rule.form == Form::Packed) {
                packed_.push_back({data, blocks.allocate(static_cast<size_t>(fractals->bytes()))});
                data = static_cast<char*>(packed_.back().memory.get());
                fractals++->clear_unfilled(data);
            }
            slots_.push_back(reinterpret_cast<int64_t>(data));
        }
    }

    void unpack_outputs() const
    {
        auto fractals = sizes_->fractals.begin();
        for (const Packed& one : packed_) fractals++->unpack(static_cast<const char*>(one.memory.get()), one.plain);
    }

    static char* data_of(const at::Tensor& tensor)
    {
        return static_cast<char*>(tensor.unsafeGetTensorImpl()->mutable_data());
    }

    // Whether an index names no place; Python then says which one.
    bool any_wrong_index(const std::vector<Range>& ranges) const
    {
        const auto input_of = [&](int64_t place) {
            const auto input = static_cast<size_t>(place);
            return IndexInput{
                reinterpret_cast<int64_t>(ranges[input].begin), reinterpret_cast<int64_t>(ranges[input].end),
                static_cast<int64_t>(at::elementSize(op_.inputs[input].dtype))};
        };
        return std::any_of(sizes_->bounds.begin(), sizes_->bounds.end(), [&](const IndexBound& bound) {
            return bound.broken_by(input_of);
        });
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

    // Where kernels write an output `@ nz`, and where its plain matrices go.
    struct Packed {
        char* plain;
        c10::DataPtr memory;
    };

    Operator& op_;
    const Tensors& given_;
    const Numbers& attrs_;
    std::vector<Packed> packed_;
    std::shared_ptr<const Sizes> sizes_;
    void* chip_ = nullptr;
    c10::SmallVector<int64_t, 40> slots_;
};

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
        Tensors tensors;
        Numbers attrs;
        for (size_t i = 0; i < op_.inputs.size(); ++i) tensors.push_back(&given[i].toTensor());
        for (size_t i = 0; i < op_.attrs.size(); ++i) {
            const c10::IValue& value = given[op_.inputs.size() + i];
            attrs.push_back(op_.attrs[i].floating ? c10::bit_cast<int64_t>(value.toDouble()) : value.toInt());
        }
        KnownCall call(op_, tensors, attrs);
        if (!call.prepare()) return false;
        TORCH_CHECK(call.run(), "pyptogen: ", call.message);
        torch::jit::drop(stack, count);
        for (at::Tensor& tensor : call.made) stack.emplace_back(std::move(tensor));
        return true;
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

// Of libtorch_python, whose headers want those of Python.
struct _object;
extern _object *THPVariableClass, *ParameterClass;
_object* THPVariable_Wrap(at::TensorBase&& tensor);

// What the function of Python needs besides the operator.
struct pto_direct {
    Operator* op;
    Object parameters;  // the names of inputs and attrs, a tuple
    Object results;  // the class of the results, a tuple; null: the one new output as it is
    Object failure;  // the exception of a run that fails
    std::vector<int32_t> places;  // of each result: which new output it is, or, behind these, which input
};

namespace {

Python python;  // of this process

// Calls by Python in which the dispatcher would only look for the kernel above: plain tensors on the CPU, none of which
// gets a gradient, and nobody who watches or changes what operators do (modes, transforms, autocast, profilers).
class DirectCall {
public:
    explicit DirectCall(const pto_direct& direct) : direct_(direct), op_(*direct.op) {}

    // False where the dispatcher has to take the call.
    bool read(const Object* arguments, int64_t count, Object names)
    {
        if (!nobody_watches()) return false;
        c10::SmallVector<Object, 16> given(op_.inputs.size() + op_.attrs.size(), nullptr);
        const int64_t named = names == nullptr ? 0 : python.tuple_size(names);
        if (count + named > static_cast<int64_t>(given.size())) return false;
        std::copy(arguments, arguments + count, given.begin());
        for (int64_t i = 0; i < named; ++i) {
            const int64_t place = place_of(python.tuple_item(names, i));
            if (place < 0 || given[static_cast<size_t>(place)] != nullptr) return false;
            given[static_cast<size_t>(place)] = arguments[count + i];
        }
        const bool records = at::GradMode::is_enabled();
        for (size_t i = 0; i < op_.inputs.size(); ++i) {
            if (given[i] == nullptr) return false;
            const void* type = python.type_of(given[i]);
            if (type != THPVariableClass && type != ParameterClass) return false;
            const auto* tensor = reinterpret_cast<const at::Tensor*>(given[i] + python.head);
            if (!tensor->defined() || tensor->key_set() != plain() || (records && tensor->requires_grad()))
                return false;
            tensors.push_back(tensor);
        }
        for (size_t i = 0; i < op_.attrs.size(); ++i) {
            if (!add_attr(op_.attrs[i], given[op_.inputs.size() + i])) return false;
        }
        return true;
    }

    // The results of a call that went well; null with an exception set.
    Object results(std::vector<at::Tensor>& made)
    {
        if (direct_.results == nullptr) return result(0, made);
        const Object all = python.new_tuple(static_cast<int64_t>(direct_.places.size()));
        for (size_t i = 0; all != nullptr && i < direct_.places.size(); ++i) {
            const Object one = result(i, made);
            if (one == nullptr) {
                python.drop(all);
                return nullptr;
            }
            python.set_item(all, static_cast<int64_t>(i), one);
        }
        if (all == nullptr) return nullptr;
        const Object record = python.record(direct_.results, all);
        python.drop(all);
        return record;
    }

    Tensors tensors;
    Numbers attrs;

private:
    static bool nobody_watches()
    {
        const auto keys = c10::impl::tls_local_dispatch_key_set();
        return keys.included_ == c10::default_included_set && keys.excluded_ == c10::default_excluded_set &&
               !at::impl::torch_function_mode_enabled() &&
               !at::getStepCallbacksUnlessEmpty(at::RecordScope::FUNCTION).has_value();
    }

    // The keys of a tensor on the CPU that is nothing else besides.
    static c10::DispatchKeySet plain()
    {
        static const c10::DispatchKeySet keys = at::detail::empty_cpu({0}, at::kFloat).key_set();
        return keys;
    }

    // Names are one object each, in calls as in the tuple.
    int64_t place_of(Object name) const
    {
        const int64_t count = python.tuple_size(direct_.parameters);
        for (int64_t i = 0; i < count; ++i) {
            if (python.tuple_item(direct_.parameters, i) == name) return i;
        }
        return -1;
    }

    bool add_attr(const Attr& rule, Object given)
    {
        if (given == nullptr) {
            attrs.push_back(rule.usual);
            return rule.has_default != 0;
        }
        if (python.type_of(given) != (rule.floating ? python.floating : python.whole)) return false;
        int overflow = 0;
        attrs.push_back(
            rule.floating ? c10::bit_cast<int64_t>(python.as_double(given)) : python.as_whole(given, &overflow));
        return overflow == 0;
    }

    // A new tensor, or the one that was given for an input, as Python has it.
    Object result(size_t index, std::vector<at::Tensor>& made) const
    {
        const auto place = static_cast<size_t>(direct_.places[index]);
        if (place < made.size()) return reinterpret_cast<Object>(THPVariable_Wrap(std::move(made[place])));
        return python.kept(reinterpret_cast<Object>(tensors[place - made.size()]) - python.head);
    }

    const pto_direct& direct_;
    Operator& op_;
};

constexpr const char* kDirect = "direct";

Object direct(Object self, const Object* arguments, int64_t count, Object names)
{
    const auto* own = static_cast<const pto_direct*>(python.pointer(self, kDirect));
    if (own == nullptr) return nullptr;
    DirectCall given(*own);
    if (!given.read(arguments, count, names)) return python.kept(python.none);
    KnownCall call(*own->op, given.tensors, given.attrs);
    try {
        if (!call.prepare()) return python.kept(python.none);
    } catch (const std::exception&) {  // no memory, say: the dispatcher tells it as torch does
        return python.kept(python.none);
    }
    void* state = python.save();
    const bool went_well = call.run();
    python.restore(state);
    return went_well ? given.results(call.made)
                     : python.raised(own->failure, (std::string("pyptogen: ") + call.message).c_str());
}

constexpr Method kDirectMethod{kDirect, direct};

void forget_direct(Object capsule)
{
    const auto* own = static_cast<const pto_direct*>(python.pointer(capsule, kDirect));
    python.drop(own->parameters);
    python.drop(own->failure);
    if (own->results != nullptr) python.drop(own->results);
    delete own;
}

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
// `packed`: the 16 bytes that the records of packed weights begin with. `fast`: whether calls may go to the chip from
// here. Null when something is missing.
PTO_API Operator* pto_torch_define(
    const char* name, Run run, SharedChip chip, int64_t entry, int policy, int threads, const pto_tensor_rule* rules,
    int inputs, int outputs, const char* packed, const Attr* attrs, int attr_count, int fast)
{
    try {
        auto& dispatcher = c10::Dispatcher::singleton();
        const std::string whole = std::string("pyptogen::") + name;
        auto* op = new Operator{
            run,
            chip,
            entry,
            policy,
            threads,
            {},
            {},
            {packed, sizeof Record::head},
            {attrs, attrs + attr_count},
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

// Finds what functions of Python need. `head`: the bytes that its objects begin with. False where something is missing.
// All with the interpreter lock from here on to `pto_torch_direct`.
PTO_API int pto_torch_load_python(int64_t head) { return python.load(head) ? 1 : 0; }

// Whether a tensor of Python is read rightly, as a tensor of this address.
PTO_API int pto_torch_reads(Object tensor, int64_t address)
{
    int64_t found;
    std::memcpy(&found, tensor + python.head, sizeof found);
    return found == address ? 1 : 0;
}

// A function of Python that takes the operator's arguments: its results, the dispatcher's class of results being
// `results` or None for a lone output, and None where the dispatcher has to take the call. Null with an exception set.
PTO_API Object
pto_torch_direct(Operator* op, Object parameters, Object results, Object failure, const int32_t* places, int count)
{
    const bool bare = results == python.none;
    for (const Object one : {parameters, failure}) python.keep(one);
    if (!bare) python.keep(results);
    auto* own = new pto_direct{op, parameters, bare ? nullptr : results, failure, {places, places + count}};
    return python.function(kDirectMethod, own, forget_direct);
}

// Whether this thread's last call went to Python because its shapes were not known.
PTO_API int pto_torch_missed() { return missed.empty() ? 0 : 1; }

// What has come out for the shapes of this thread's last call: of each output sizes and strides, then the fractals of
// those `@ nz`, and `bound_count` bounds of indices.
PTO_API void pto_torch_learn(
    Operator* op, const int64_t* dims, int dim_count, const int64_t* outputs, int output_count, const int64_t* fractals,
    const int64_t* bounds, int bound_count)
{
    auto sizes = std::make_shared<Sizes>();
    sizes->dims.assign(dims, dims + dim_count);
    sizes->outputs.assign(outputs, outputs + output_count);
    for (const Tensor& rule : op->outputs) {
        if (rule.form == Form::Packed) sizes->fractals.push_back(Fractals::read(fractals));
    }
    for (int i = 0; i < bound_count; ++i) sizes->bounds.push_back(IndexBound::read(bounds));
    std::unique_lock guard(op->lock);
    if (op->known.size() >= kMostShapes) op->known.clear();
    op->known[missed] = std::move(sizes);
}

// Seconds in native code of the last call; Python notes those of its own.
PTO_API void pto_torch_note(Operator* op, double seconds) { op->seconds.store(seconds, std::memory_order_relaxed); }
PTO_API double pto_torch_seconds(Operator* op) { return op->seconds.load(std::memory_order_relaxed); }
