// Calls with numpy arrays whose shapes have been seen: checked and started here, without Python in between.
//
// Arrays and tuples are read as numpy and CPython lay them out in memory (`PyArrayObject_fields` is part of numpy's ABI,
// `PyTupleObject` of CPython's); Python tells the sizes of their heads and checks on real ones that they are read rightly
// before anything relies on it. Everything here runs with the interpreter lock, but for the kernels.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "chip_call.hpp"

#define PTO_API extern "C" __attribute__((visibility("default")))

namespace {

using Object = const char*;  // an object of Python

// What numpy keeps of an array behind the head that all objects have.
struct Array {
    char* data;
    int32_t rank;
    const int64_t* sizes;
    const int64_t* strides;
    void* base;
    const void* dtype;
    int32_t flags;
};
constexpr int32_t kContiguous = 0x1, kAligned = 0x100, kWriteable = 0x400;
constexpr int64_t kAlignment = 64;

struct Tensor {
    const void* dtype;
    int64_t itemsize;
    int32_t rank;
    int32_t strided;  // rows may lie apart, and strides decide over dims
    int32_t updated;
};

using Key = std::vector<int64_t>;
struct Hash {
    size_t operator()(const Key& key) const
    {
        uint64_t hash = 14695981039346656037u;
        for (const int64_t part : key) hash = (hash ^ static_cast<uint64_t>(part)) * 1099511628211u;
        return hash ^ hash >> 32;
    }
};

struct Range {
    int64_t begin, end;
    bool written;
};

}  // namespace

extern "C" int pto_chip_run(pto_rt::native::Chip* chip, pto_chip_call* call);

struct pto_array_operator {
    pto_rt::native::Entry entry;
    int32_t policy;
    int64_t object_head, tuple_head;
    const void* array_type;
    std::vector<Tensor> inputs, outputs;
    int64_t attr_count;  // their bits are part of the key
    std::unordered_map<Key, int64_t, Hash> known;
    std::vector<std::vector<int64_t>> dims, shapes;  // of each known key: the dims, and sizes of all outputs
    double* seconds;
    void* (*save)();
    void (*restore)(void*);
    char message[1024];
};

namespace {

// The array, or null for anything else than an aligned array of this dtype.
const Array* array_of(const pto_array_operator& op, Object object, const Tensor& rule)
{
    const void* type;
    std::memcpy(&type, object + op.object_head - sizeof(void*), sizeof type);
    if (type != op.array_type) return nullptr;
    const auto* array = reinterpret_cast<const Array*>(object + op.object_head);
    const bool fits = array->dtype == rule.dtype && array->rank == rule.rank && (array->flags & kAligned) != 0;
    return fits ? array : nullptr;
}

Object item(const pto_array_operator& op, Object tuple, size_t index)
{
    Object found;
    std::memcpy(&found, tuple + op.tuple_head + static_cast<int64_t>(index * sizeof found), sizeof found);
    return found;
}

// Bytes from the first to the last element; empty arrays have none.
Range range_of(const Array& array, int64_t itemsize, bool written)
{
    int64_t last = itemsize;
    for (int32_t axis = 0; axis < array.rank; ++axis) last += (array.sizes[axis] - 1) * array.strides[axis];
    const auto begin = reinterpret_cast<int64_t>(array.data);
    return {begin, begin + last, written};
}

bool lies_as_it_should(const Array& array, const Tensor& rule)
{
    for (int32_t axis = 0; axis < array.rank; ++axis) {
        if (array.sizes[axis] == 0) return false;
    }
    if (rule.updated != 0 && (array.flags & kWriteable) == 0) return false;
    if (rule.strided == 0) return (array.flags & kContiguous) != 0;
    for (int32_t axis = 0; axis < array.rank; ++axis) {
        if (array.strides[axis] <= 0 || array.strides[axis] % rule.itemsize != 0) return false;
    }
    return array.rank > 0 && array.strides[array.rank - 1] == rule.itemsize;
}

// The shapes and attrs of a call in `key`, and where its inputs are in `slots`. False where Python has to look at it.
bool read_inputs(const pto_array_operator& op, Object inputs, const int64_t* attrs, Key& key, std::vector<int64_t>& slots,
                 std::vector<Range>& ranges)
{
    key.clear();
    slots.clear();
    ranges.clear();
    for (size_t i = 0; i < op.inputs.size(); ++i) {
        const Tensor& rule = op.inputs[i];
        const Array* array = array_of(op, item(op, inputs, i), rule);
        if (array == nullptr || !lies_as_it_should(*array, rule)) return false;
        key.insert(key.end(), array->sizes, array->sizes + array->rank);
        if (rule.strided != 0) key.insert(key.end(), array->strides, array->strides + array->rank);
        slots.push_back(reinterpret_cast<int64_t>(array->data));
        ranges.push_back(range_of(*array, rule.itemsize, rule.updated != 0));
    }
    key.insert(key.end(), attrs, attrs + op.attr_count);
    return true;
}

bool overlapping(const std::vector<Range>& ranges)
{
    for (size_t i = 0; i < ranges.size(); ++i) {
        if (!ranges[i].written) continue;
        for (size_t j = 0; j < ranges.size(); ++j) {
            if (j != i && ranges[i].begin < ranges[j].end && ranges[j].begin < ranges[i].end) return true;
        }
    }
    return false;
}

struct Scratch {
    Key key;
    std::vector<int64_t> slots;
    std::vector<Range> ranges;
};

int run(pto_array_operator& op, pto_rt::native::Chip* chip, std::vector<int64_t>& slots)
{
    thread_local char message[sizeof op.message];
    message[0] = '\0';
    pto_chip_call call{};
    call.entry = op.entry;
    call.args = slots.data();
    call.policy = op.policy;
    call.message = message;
    call.message_bytes = sizeof message;
    call.log_file = -1;
    void* state = op.save();
    const int status = pto_chip_run(chip, &call);
    op.restore(state);
    if (status != 0) std::memcpy(op.message, message, sizeof message);
    *op.seconds = call.report.seconds;
    return status;
}

}  // namespace

// Null where this process does not tell how to release the interpreter lock. The rules are copied; `seconds` takes the
// time of each run, and the dtypes must live as long as the operator.
PTO_API pto_array_operator* pto_arrays_define(int64_t entry, int policy, int64_t object_head, int64_t tuple_head,
                                              const void* array_type, const Tensor* rules, int inputs, int outputs,
                                              int attrs, double* seconds)
{
    auto save = reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "PyEval_SaveThread"));
    auto restore = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "PyEval_RestoreThread"));
    if (save == nullptr || restore == nullptr) return nullptr;
    auto* op = new pto_array_operator{};
    op->entry = reinterpret_cast<pto_rt::native::Entry>(entry);
    op->policy = policy;
    op->object_head = object_head;
    op->tuple_head = tuple_head;
    op->array_type = array_type;
    op->inputs.assign(rules, rules + inputs);
    op->outputs.assign(rules + inputs, rules + inputs + outputs);
    op->attr_count = attrs;
    op->seconds = seconds;
    op->save = save;
    op->restore = restore;
    return op;
}

PTO_API void pto_arrays_destroy(pto_array_operator* op) { delete op; }

// What is read of an array: its address, rank, flags, and all sizes and strides, for Python to compare with its own.
PTO_API void pto_arrays_read(int64_t object_head, int64_t tuple_head, Object tuple, int64_t* found)
{
    Object object;
    std::memcpy(&object, tuple + tuple_head, sizeof object);
    const auto* array = reinterpret_cast<const Array*>(object + object_head);
    *found++ = reinterpret_cast<int64_t>(array->data);
    *found++ = array->rank;
    *found++ = array->flags;
    *found++ = reinterpret_cast<int64_t>(array->dtype);
    for (int32_t axis = 0; axis < array->rank; ++axis) *found++ = array->sizes[axis];
    for (int32_t axis = 0; axis < array->rank; ++axis) *found++ = array->strides[axis];
}

// Which of the known calls one with these inputs is; -1 for none.
PTO_API int64_t pto_arrays_find(pto_array_operator* op, Object inputs, const int64_t* attrs)
{
    thread_local Scratch scratch;
    if (!read_inputs(*op, inputs, attrs, scratch.key, scratch.slots, scratch.ranges)) return -1;
    const auto found = op->known.find(scratch.key);
    return found == op->known.end() ? -1 : found->second;
}

// What Python has found out for the shapes of these inputs: the dims, and the sizes of all outputs. Returns the number of
// the call, -1 where it cannot be known.
PTO_API int64_t pto_arrays_learn(pto_array_operator* op, Object inputs, const int64_t* attrs, const int64_t* dims,
                                 int dim_count, const int64_t* sizes, int size_count)
{
    Scratch scratch;
    if (!read_inputs(*op, inputs, attrs, scratch.key, scratch.slots, scratch.ranges)) return -1;
    const auto number = static_cast<int64_t>(op->dims.size());
    if (!op->known.emplace(scratch.key, number).second) return -1;
    op->dims.emplace_back(dims, dims + dim_count);
    op->shapes.emplace_back(sizes, sizes + size_count);
    return number;
}

// Forgets all known calls.
PTO_API void pto_arrays_forget(pto_array_operator* op)
{
    op->known.clear();
    op->dims.clear();
    op->shapes.clear();
}

// Runs the known call `number` with these inputs. `fresh` != 0: the outputs are arrays of bytes with room for the result
// from the next multiple of 64 on; else they are the results themselves. Returns, where it went well, how many bytes lie
// before each fresh result, 6 bits for each; -1 where Python has to look at the call; -2 where it failed.
PTO_API int64_t pto_arrays_run(pto_array_operator* op, pto_rt::native::Chip* chip, int64_t number, Object inputs,
                               Object outputs, int fresh, const int64_t* attrs)
{
    thread_local std::vector<int64_t> slots;
    thread_local Key key;
    thread_local std::vector<Range> ranges;
    if (!read_inputs(*op, inputs, attrs, key, slots, ranges)) return -1;
    const auto found = op->known.find(key);
    if (found == op->known.end() || found->second != number) return -1;
    const int64_t* sizes = op->shapes[static_cast<size_t>(number)].data();
    int64_t before = 0;
    for (size_t i = 0; i < op->outputs.size(); ++i) {
        const Tensor& rule = op->outputs[i];
        Object object = item(*op, outputs, i);
        if (fresh != 0) {
            const auto* array = reinterpret_cast<const Array*>(object + op->object_head);
            const auto start = reinterpret_cast<int64_t>(array->data);
            const int64_t shift = -start & (kAlignment - 1);
            before |= shift << (6 * i);
            slots.push_back(start + shift);
        } else {
            const Array* array = array_of(*op, object, rule);
            if (array == nullptr || (array->flags & kWriteable) == 0 || (array->flags & kContiguous) == 0) return -1;
            if (!std::equal(array->sizes, array->sizes + array->rank, sizes)) return -1;
            slots.push_back(reinterpret_cast<int64_t>(array->data));
            ranges.push_back(range_of(*array, rule.itemsize, true));
        }
        sizes += rule.rank;
    }
    if (overlapping(ranges)) return -1;
    const std::vector<int64_t>& dims = op->dims[static_cast<size_t>(number)];
    slots.insert(slots.end(), dims.begin(), dims.end());
    slots.insert(slots.end(), attrs, attrs + op->attr_count);
    std::vector<int64_t> own = slots;  // while the lock is released another call of this thread may begin
    return run(*op, chip, own) == 0 ? before : -2;
}

// What the last run that failed said.
PTO_API const char* pto_arrays_message(const pto_array_operator* op) { return op->message; }
