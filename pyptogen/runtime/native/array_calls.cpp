// Calls whose shapes have been seen: checked and started here, without Python in between.
//
// Arrays of numpy and tuples are read as numpy and CPython lay them out in memory (`PyArrayObject_fields` is part of
// numpy's ABI, `PyTupleObject` of CPython's), tensors of PyTorch by the C functions that DLPack has for it
// (`array_view.hpp`); Python tells the sizes of the heads and checks on real ones that all are read rightly before anything
// relies on it. Everything here runs with the interpreter lock, but for the kernels.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "array_maker.hpp"
#include "array_view.hpp"
#include "chip_call.hpp"
#include "index_bound.hpp"

#define PTO_API extern "C" __attribute__((visibility("default")))

namespace {

using pto_rt::native::ArrayForm;
using pto_rt::native::ArrayMaker;
using pto_rt::native::ArrayPlan;
using pto_rt::native::ArrayReader;
using pto_rt::native::ArrayRule;
using pto_rt::native::ArrayView;
using pto_rt::native::IndexBound;
using pto_rt::native::Object;
using pto_rt::native::TensorType;

constexpr int64_t kUnknown = -1, kFailed = -2;  // what is said of calls that were not made

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

// What follows from the shapes of a call: the dynamic dims, all outputs, and a bound for each index.
struct Known {
    std::vector<int64_t> dims;
    std::vector<ArrayPlan> outputs;
    std::vector<IndexBound> bounds;
};

ArrayMaker maker;  // of this process

}  // namespace

extern "C" int pto_chip_run(pto_rt::native::Chip* chip, pto_chip_call* call);

struct pto_array_operator {
    pto_rt::native::Entry entry;
    int32_t policy;
    ArrayReader reader;
    int64_t tuple_head;
    std::vector<ArrayRule> inputs, outputs;
    int attrs, count;  // numbers of a call: bits of the attrs, and behind them what else Python tells calls by
    std::vector<int32_t> indices;  // which inputs are looked at for wrong indices; one may stand here twice
    std::unordered_map<Key, int64_t, Hash> numbers;
    std::vector<Known> known;
    double* seconds;
    void* (*save)();
    void (*restore)(void*);
    char message[1024];
};

namespace {

Object item(const pto_array_operator& op, Object tuple, size_t index)
{
    Object found;
    std::memcpy(&found, tuple + op.tuple_head + static_cast<int64_t>(index * sizeof found), sizeof found);
    return found;
}

// Bytes from the first to the last element; empty arrays have none.
Range range_of(const ArrayView& array, int64_t itemsize, bool written)
{
    int64_t last = itemsize;
    for (int32_t axis = 0; axis < array.rank; ++axis) last += (array.sizes[axis] - 1) * array.step(axis);
    return {array.data, array.data + last, written};
}

bool lies_as_it_should(const ArrayView& array, const ArrayRule& rule)
{
    for (int32_t axis = 0; axis < array.rank; ++axis) {
        if (array.sizes[axis] == 0) return false;
    }
    if (rule.updated != 0 && !array.writeable) return false;
    if (rule.form == ArrayForm::Rows) return array.contiguous;
    if (rule.form == ArrayForm::Columns) return array.in_columns(rule.itemsize);
    for (int32_t axis = 0; axis < array.rank; ++axis) {
        if (array.step(axis) <= 0 || array.step(axis) % rule.itemsize != 0) return false;
    }
    return array.rank > 0 && array.step(array.rank - 1) == rule.itemsize;
}

// Where the inputs of a call are, and what they and its numbers are known by.
struct Inputs {
    Key key;
    std::vector<int64_t> slots;
    std::vector<Range> ranges;

    // False where Python has to look at the call.
    bool read(const pto_array_operator& op, Object inputs, const int64_t* numbers)
    {
        key.clear();
        slots.clear();
        ranges.clear();
        for (size_t i = 0; i < op.inputs.size(); ++i) {
            const ArrayRule& rule = op.inputs[i];
            ArrayView array;
            if (!op.reader.read(item(op, inputs, i), rule, array) || !lies_as_it_should(array, rule)) return false;
            key.insert(key.end(), array.sizes, array.sizes + array.rank);
            for (int32_t axis = 0; rule.form == ArrayForm::Strided && axis < array.rank; ++axis)
                key.push_back(array.step(axis));
            slots.push_back(array.data);
            ranges.push_back(range_of(array, rule.itemsize, rule.updated != 0));
        }
        key.insert(key.end(), numbers, numbers + op.count);
        return true;
    }
};

// Whether an index names no place; Python then says which one.
bool any_wrong(const pto_array_operator& op, const Known& known, const std::vector<Range>& ranges)
{
    for (size_t i = 0; i < op.indices.size(); ++i) {
        const auto input = static_cast<size_t>(op.indices[i]);
        if (known.bounds[i].broken_by(ranges[input].begin, ranges[input].end, op.inputs[input].itemsize)) return true;
    }
    return false;
}

// Whether an array can take an output.
bool takes(const ArrayView& array, const ArrayRule& rule, const ArrayPlan& expected)
{
    if (!array.writeable || !std::equal(array.sizes, array.sizes + array.rank, expected.sizes.begin())) return false;
    if (rule.form == ArrayForm::Rows) return array.contiguous;
    if (rule.form == ArrayForm::Columns) return array.in_columns(rule.itemsize);
    for (int32_t axis = 0; axis < array.rank; ++axis) {
        if (array.step(axis) != expected.strides[static_cast<size_t>(axis)]) return false;
    }
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
// time of each run, and the dtypes must live as long as the operator. A call has `count` numbers: the bits of `attrs`
// attrs, and what else Python tells calls by. `indices`: inputs of 4 or 8 bytes whose elements are indices.
PTO_API pto_array_operator* pto_arrays_define(
    int64_t entry, int policy, int64_t object_head, int64_t tuple_head, const void* array_type, const ArrayRule* rules,
    int inputs, int outputs, int attrs, int count, const int32_t* indices, int index_count, double* seconds)
{
    auto save = reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "PyEval_SaveThread"));
    auto restore = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "PyEval_RestoreThread"));
    if (save == nullptr || restore == nullptr) return nullptr;
    auto* op = new pto_array_operator{};
    op->entry = reinterpret_cast<pto_rt::native::Entry>(entry);
    op->policy = policy;
    op->reader = {object_head, array_type};
    op->tuple_head = tuple_head;
    op->inputs.assign(rules, rules + inputs);
    op->outputs.assign(rules + inputs, rules + inputs + outputs);
    op->attrs = attrs;
    op->count = count;
    op->indices.assign(indices, indices + index_count);
    op->seconds = seconds;
    op->save = save;
    op->restore = restore;
    return op;
}

PTO_API void pto_arrays_destroy(pto_array_operator* op) { delete op; }

// From now on objects of exactly this type are read by its DLPack function `read`, too. False where there is no room for
// another one.
PTO_API int pto_arrays_exchange(const void* type, void* read)
{
    return TensorType::add({type, reinterpret_cast<pto_rt::native::ReadTensor>(read)}) ? 1 : 0;
}

// What is read of an array or tensor, as `rule` says: its address, rank, whether it is contiguous, whether it may be
// written, and all sizes and strides in bytes, for Python to compare with its own. False for what is not read.
PTO_API int pto_arrays_read(
    int64_t object_head, int64_t tuple_head, const void* array_type, Object tuple, const ArrayRule* rule,
    int64_t* found)
{
    Object object;
    std::memcpy(&object, tuple + tuple_head, sizeof object);
    ArrayView array;
    if (!ArrayReader{object_head, array_type}.read(object, *rule, array)) return 0;
    *found++ = array.data;
    *found++ = array.rank;
    *found++ = array.contiguous ? 1 : 0;
    *found++ = array.writeable ? 1 : 0;
    for (int32_t axis = 0; axis < array.rank; ++axis) *found++ = array.sizes[axis];
    for (int32_t axis = 0; axis < array.rank; ++axis) *found++ = array.step(axis);
    return 1;
}

// Which of the known calls one with these inputs is; -1 for none.
PTO_API int64_t pto_arrays_find(pto_array_operator* op, Object inputs, const int64_t* numbers)
{
    thread_local Inputs read;
    if (!read.read(*op, inputs, numbers)) return kUnknown;
    const auto found = op->numbers.find(read.key);
    return found == op->numbers.end() ? kUnknown : found->second;
}

// What Python has found out for the shapes of these inputs: the dims, of each output the bytes to get for it, its sizes and,
// where its rows do not lie one after the other, its strides in bytes, and three numbers for each index. Returns the number
// of the call, -1 where it cannot be known.
PTO_API int64_t pto_arrays_learn(
    pto_array_operator* op, Object inputs, const int64_t* numbers, const int64_t* dims, int dim_count,
    const int64_t* outputs, const IndexBound* bounds)
{
    Inputs read;
    if (!read.read(*op, inputs, numbers)) return kUnknown;
    const auto number = static_cast<int64_t>(op->known.size());
    if (!op->numbers.emplace(read.key, number).second) return kUnknown;
    Known known{{dims, dims + dim_count}, {}, {bounds, bounds + op->indices.size()}};
    for (const ArrayRule& rule : op->outputs) {
        ArrayPlan plan;
        plan.room = *outputs++;
        plan.sizes.assign(outputs, outputs + rule.rank);
        outputs += rule.rank;
        if (rule.form != ArrayForm::Rows) {
            plan.strides.assign(outputs, outputs + rule.rank);
            outputs += rule.rank;
        }
        known.outputs.push_back(std::move(plan));
    }
    op->known.push_back(std::move(known));
    return number;
}

// Forgets all known calls.
PTO_API void pto_arrays_forget(pto_array_operator* op)
{
    op->numbers.clear();
    op->known.clear();
}

namespace {

// The known call that one with these inputs is; null for none.
const Known* known_call(pto_array_operator* op, Inputs& read, Object inputs, const int64_t* numbers)
{
    if (!read.read(*op, inputs, numbers)) return nullptr;
    const auto found = op->numbers.find(read.key);
    return found == op->numbers.end() ? nullptr : &op->known[static_cast<size_t>(found->second)];
}

// Runs a known call whose outputs stand in `slots` already. While the lock is released another call of this thread may
// begin, so nothing of the thread's own is read then.
int64_t start(
    pto_array_operator* op, pto_rt::native::Chip* chip, const Known& known, const Inputs& read,
    std::vector<int64_t>& slots, const int64_t* numbers)
{
    if (overlapping(read.ranges) || any_wrong(*op, known, read.ranges)) return kUnknown;
    slots.insert(slots.end(), known.dims.begin(), known.dims.end());
    slots.insert(slots.end(), numbers, numbers + op->attrs);
    return run(*op, chip, slots) == 0 ? 0 : kFailed;
}

}  // namespace

// How new arrays are made. False where this process has not what it takes.
PTO_API int pto_arrays_make(void* const* api, const void* array_type, const void* bytes, int64_t object_head)
{
    maker.set_head(object_head);
    return maker.load(api, array_type, bytes) ? 1 : 0;
}

// An array as known calls make them: for Python to look at. Null with an exception set.
PTO_API Object pto_arrays_new(const ArrayRule* rule, int64_t room, const int64_t* sizes, const int64_t* strides)
{
    ArrayPlan plan{{sizes, sizes + rule->rank}, {}, room};
    if (strides != nullptr) plan.strides.assign(strides, strides + rule->rank);
    int64_t data;
    return maker.array(plan, rule->dtype, data);
}

// Runs a known call with these inputs, the outputs being the results. 0 where it went well, -1 where Python has to look at
// the call, -2 where it failed.
PTO_API int64_t pto_arrays_into(
    pto_array_operator* op, pto_rt::native::Chip* chip, Object inputs, Object outputs, const int64_t* numbers)
{
    thread_local Inputs read;
    const Known* known = known_call(op, read, inputs, numbers);
    if (known == nullptr) return kUnknown;
    std::vector<int64_t> slots = read.slots;
    for (size_t i = 0; i < op->outputs.size(); ++i) {
        const ArrayRule& rule = op->outputs[i];
        ArrayView array;
        if (!op->reader.read(item(*op, outputs, i), rule, array) || !takes(array, rule, known->outputs[i])) {
            return kUnknown;
        }
        slots.push_back(array.data);
        read.ranges.push_back(range_of(array, rule.itemsize, true));
    }
    return start(op, chip, *known, read, slots, numbers);
}

// Runs a known call with these inputs. A tuple of its results, new arrays; or the number that says why not, as above; null
// with an exception set.
PTO_API Object pto_arrays_run(pto_array_operator* op, pto_rt::native::Chip* chip, Object inputs, const int64_t* numbers)
{
    // The collector may run here, and any code of Python with it: so before anything is read.
    const Object results = maker.tuple(static_cast<int64_t>(op->outputs.size()));
    if (results == nullptr) return nullptr;
    thread_local Inputs read;
    const Known* known = known_call(op, read, inputs, numbers);
    if (known == nullptr) {
        maker.drop(results);
        return maker.number(kUnknown);
    }
    std::vector<int64_t> slots = read.slots;
    for (size_t i = 0; i < op->outputs.size(); ++i) {
        int64_t data = 0;
        const Object made = maker.array(known->outputs[i], op->outputs[i].dtype, data);
        if (made == nullptr) {
            maker.drop(results);
            return nullptr;
        }
        maker.set(results, static_cast<int64_t>(i), made);
        slots.push_back(data);
    }
    const int64_t status = start(op, chip, *known, read, slots, numbers);
    if (status == 0) return results;
    maker.drop(results);
    return maker.number(status);
}

// What the last run that failed said.
PTO_API const char* pto_arrays_message(const pto_array_operator* op) { return op->message; }
