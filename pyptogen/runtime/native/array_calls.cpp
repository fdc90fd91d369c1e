// Calls whose shapes have been seen: checked and started here, without Python in between.
//
// Arguments come as the dict that Python makes of them, and are looked up by CPython's stable ABI (`python_api.hpp`).
// Arrays of numpy are read as numpy lays them out in memory (`PyArrayObject_fields` is part of its ABI), tensors of
// PyTorch by the C functions that DLPack has for it (`array_view.hpp`); Python tells the sizes of the heads and checks
// on real ones that all are read rightly before anything relies on it. Everything here runs with the interpreter lock,
// but for the kernels.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "array_maker.hpp"
#include "array_view.hpp"
#include "nz_fractals.hpp"
#include "chip_call.hpp"
#include "index_bound.hpp"
#include "python_api.hpp"
#include "shared_chips.hpp"

#define PTO_API extern "C" __attribute__((visibility("default")))

namespace {

using pto_rt::native::ArrayForm;
using pto_rt::native::ArrayMaker;
using pto_rt::native::ArrayPlan;
using pto_rt::native::ArrayReader;
using pto_rt::native::ArrayRule;
using pto_rt::native::ArrayView;
using pto_rt::native::Chip;
using pto_rt::native::Fractals;
using pto_rt::native::IndexBound;
using pto_rt::native::IndexInput;
using pto_rt::native::Method;
using pto_rt::native::Object;
using pto_rt::native::Owned;
using pto_rt::native::Python;
using pto_rt::native::shared_chip;
using pto_rt::native::TensorType;

constexpr int64_t kUnknown = -1;  // what is said of calls that nobody has seen
constexpr double kBrief = 1e-4;  // seconds; a call like one that took less is not interrupted

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

// A new output: the array, and of a packed weight, whose data that is, its own sizes and its fractals.
struct OutputPlan {
    ArrayPlan array;
    std::vector<int64_t> sizes;
    Fractals fractals;
};

// What follows from the shapes of a call: the dynamic dims, all outputs, and a bound for each index.
struct Known {
    std::vector<int64_t> dims;
    std::vector<OutputPlan> outputs;
    std::vector<IndexBound> bounds;
    double seconds;  // of the last run
};

Python python;  // of this process
ArrayMaker maker(python);

}  // namespace

extern "C" int pto_chip_run(pto_rt::native::Chip* chip, pto_chip_call* call);

// An attr: its default as it lies in the argument struct, if it has one.
struct pto_attr_rule {
    int32_t floating, has_default;
    int64_t usual;
};

// What an operator says in Python's own terms. Tuples of texts are names.
struct pto_array_names {
    Object inputs, attrs, outputs;
    Object results;  // the class of the results, a tuple
    Object failure;  // the exception of a run that fails
    Object weight;  // the class of packed weights
    Object target;  // the platform that they must be packed for
    Object layout;  // the layout that they have
    Object data, shape, dtype, weight_target;  // their attributes
};

struct pto_array_operator {
    pto_rt::native::Entry entry;
    int32_t policy, threads;
    ArrayReader reader;
    std::vector<ArrayRule> inputs, outputs;
    std::vector<pto_attr_rule> attrs;
    std::vector<int32_t> places;  // of each result: which new output it is, or, behind these, which input
    pto_array_names names;
    double* seconds;
    std::unordered_map<Key, int64_t, Hash> numbers;
    std::vector<Known> known;

    Object named(Object texts, Object given, size_t index) const
    {
        return python.dict_item(given, python.tuple_item(texts, static_cast<int64_t>(index)));
    }
};

namespace {

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
    if (rule.form == ArrayForm::Rows || rule.form == ArrayForm::Packed) return array.contiguous;
    if (rule.form == ArrayForm::Columns) return array.in_columns(rule.itemsize);
    for (int32_t axis = 0; axis < array.rank; ++axis) {
        if (array.step(axis) <= 0 || array.step(axis) % rule.itemsize != 0) return false;
    }
    return array.rank > 0 && array.step(array.rank - 1) == rule.itemsize;
}

bool add_whole(Object number, std::vector<int64_t>& numbers)
{
    int overflow = 0;
    if (python.type_of(number) != python.whole) return false;
    numbers.push_back(python.as_whole(number, &overflow));
    return overflow == 0;
}

// A packed weight of the operator's platform and of the dtype of `rule`; false for anything else.
class Weight {
public:
    Weight(const pto_array_operator& op, const ArrayRule& rule, Object object)
        : data_(python, attribute(op, object, op.names.data)), shape_(python, attribute(op, object, op.names.shape))
    {
        constexpr int kEqual = 2;  // Py_EQ
        const Owned dtype(python, attribute(op, object, op.names.dtype));
        const Owned target(python, attribute(op, object, op.names.weight_target));
        fits_ = data_ && shape_ && dtype && target && dtype.get() == static_cast<Object>(rule.dtype) &&
                python.type_of(shape_.get()) == python.tuple;
        if (fits_ && target.get() != op.names.target) {
            fits_ = python.compare(target.get(), op.names.target, kEqual) == 1;
        }
        python.clear();
    }

    explicit operator bool() const { return fits_; }
    Object data() const { return data_.get(); }  // the weight keeps it

    // False where a size is no number of 64 bits.
    bool add_sizes(std::vector<int64_t>& sizes) const
    {
        bool fits = true;
        for (int64_t axis = 0; fits && axis < python.tuple_size(shape_.get()); ++axis) {
            fits = add_whole(python.tuple_item(shape_.get(), axis), sizes);
        }
        python.clear();
        return fits;
    }

private:
    static Object attribute(const pto_array_operator& op, Object object, Object name)
    {
        return python.type_of(object) == static_cast<const void*>(op.names.weight) ? python.attribute(object, name)
                                                                                   : nullptr;
    }

    Owned data_, shape_;
    bool fits_;
};

// Where the inputs of a call are, and what they and its attrs are known by.
struct Inputs {
    Key key;  // ends with the attrs
    std::vector<int64_t> slots;
    std::vector<Range> ranges;

    // False where Python has to look at the call.
    bool read(const pto_array_operator& op, Object given)
    {
        key.clear();
        slots.clear();
        ranges.clear();
        for (size_t i = 0; i < op.inputs.size(); ++i) {
            const Object argument = op.named(op.names.inputs, given, i);
            if (argument == nullptr) return false;
            const ArrayRule& rule = op.inputs[i];
            if (!(rule.form == ArrayForm::Packed ? add_packed(op, rule, argument) : add(op, rule, argument)))
                return false;
        }
        size_t count = op.inputs.size();
        for (size_t i = 0; i < op.attrs.size(); ++i) {
            const Object argument = op.named(op.names.attrs, given, i);
            if (argument != nullptr) ++count;
            if (!add_attr(op.attrs[i], argument)) return false;
        }
        return python.dict_size(given) == static_cast<int64_t>(count);
    }

private:
    bool add(const pto_array_operator& op, const ArrayRule& rule, Object argument)
    {
        ArrayView array;
        if (!op.reader.read(argument, rule, array) || !lies_as_it_should(array, rule)) return false;
        key.insert(key.end(), array.sizes, array.sizes + array.rank);
        for (int32_t axis = 0; rule.form == ArrayForm::Strided && axis < array.rank; ++axis)
            key.push_back(array.step(axis));
        slots.push_back(array.data);
        ranges.push_back(range_of(array, rule.itemsize, rule.updated != 0));
        return true;
    }

    // The shape of its matrices is in the key, too, which the data does not tell.
    bool add_packed(const pto_array_operator& op, const ArrayRule& rule, Object weight)
    {
        const Weight found(op, rule, weight);
        return found && found.add_sizes(key) && add(op, rule, found.data());
    }

    bool add_attr(const pto_attr_rule& rule, Object argument)
    {
        if (argument == nullptr) {
            key.push_back(rule.usual);
            return rule.has_default != 0;
        }
        if (rule.floating == 0) return add_whole(argument, key);
        if (python.type_of(argument) != python.floating) return false;
        const double value = python.as_double(argument);
        int64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        key.push_back(bits);
        return true;
    }
};

// Whether an index names no place; Python then says which one.
bool any_wrong(const pto_array_operator& op, const Known& known, const std::vector<Range>& ranges)
{
    const auto input_of = [&](int64_t place) {
        const auto input = static_cast<size_t>(place);
        return IndexInput{ranges[input].begin, ranges[input].end, op.inputs[input].itemsize};
    };
    return std::any_of(
        known.bounds.begin(), known.bounds.end(), [&](const IndexBound& bound) { return bound.broken_by(input_of); });
}

// Whether an array can take an output.
bool takes(const ArrayView& array, const ArrayRule& rule, const ArrayPlan& expected)
{
    if (!array.writeable || !std::equal(array.sizes, array.sizes + array.rank, expected.sizes.begin())) return false;
    if (rule.form == ArrayForm::Rows || rule.form == ArrayForm::Packed) return array.contiguous;
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

// The known call that one with these inputs is; null for none.
Known* known_call(pto_array_operator& op, Inputs& read, Object given)
{
    if (!read.read(op, given)) return nullptr;
    const auto found = op.numbers.find(read.key);
    return found == op.numbers.end() ? nullptr : &op.known[static_cast<size_t>(found->second)];
}

// Runs a known call whose outputs stand in the slots already. False with an exception set where it failed.
bool start(pto_array_operator& op, Chip* chip, Known& known, const Inputs& read)
{
    std::vector<int64_t> slots = read.slots;
    slots.reserve(slots.size() + known.dims.size() + op.attrs.size());
    slots.insert(slots.end(), known.dims.begin(), known.dims.end());
    slots.insert(slots.end(), read.key.end() - static_cast<int64_t>(op.attrs.size()), read.key.end());
    char message[1024];
    message[0] = '\0';
    pto_chip_call call{};
    call.entry = op.entry;
    call.args = slots.data();
    call.policy = op.policy;
    call.message = message;
    call.message_bytes = sizeof message;
    call.log_file = -1;
    call.brief = known.seconds < kBrief ? 1 : 0;
    const size_t number = static_cast<size_t>(&known - op.known.data());
    void* state = python.save();  // from here on others may learn calls, so `known` may move
    const int status = pto_chip_run(chip, &call);
    python.restore(state);
    *op.seconds = call.report.seconds;
    if (number < op.known.size()) op.known[number].seconds = call.report.seconds;
    if (status != 0) python.raised(op.names.failure, message);
    return status == 0;
}

enum class Outcome { Made, Unknown, Failed };  // Unknown: Python has to look at it; Failed: with an exception set

// A call as Python makes it, by the dict of its arguments and that of `out`.
//
// Where the process ends, a thread that wants the lock back ends inside of `run`, by unwinding: so nothing here drops
// an object of Python by itself.
class Call {
public:
    Call(pto_array_operator& op, Object given, Object out)
        : op_(op), given_(given), out_(out == python.none ? nullptr : out)
    {
    }

    // `results`: a new tuple, which gets the results.
    Outcome run(Object results)
    {
        Chip* chip = shared_chip(op_.threads).load(std::memory_order_acquire);
        if (chip == nullptr || (out_ != nullptr && !is_room())) return Outcome::Unknown;
        thread_local Inputs read;
        Known* known = known_call(op_, read, given_);
        if (known == nullptr) return Outcome::Unknown;
        for (size_t i = 0; i < op_.places.size(); ++i) {
            const auto place = static_cast<size_t>(op_.places[i]);
            if (place < op_.outputs.size()) continue;
            put(results, i, python.kept(op_.named(op_.names.inputs, given_, place - op_.outputs.size())));
        }
        for (size_t i = 0; i < op_.outputs.size(); ++i) {
            const Outcome made =
                out_ != nullptr ? add_given(i, *known, read, results) : add_new(i, *known, read, results);
            if (made != Outcome::Made) return made;
        }
        if (overlapping(read.ranges) || any_wrong(op_, *known, read.ranges)) return Outcome::Unknown;
        return start(op_, chip, *known, read) ? Outcome::Made : Outcome::Failed;
    }

    // The results of a run that went well, whose packed weights stand there as their data: a new tuple. Any code of
    // Python may run here. Null with an exception set.
    Object whole(Object results) const
    {
        if (unwrapped_.empty()) return python.kept(results);
        const Object all = python.new_tuple(static_cast<int64_t>(op_.places.size()));
        auto next = unwrapped_.begin();
        for (size_t i = 0; all != nullptr && i < op_.places.size(); ++i) {
            const Object one = python.tuple_item(results, static_cast<int64_t>(i));
            const bool is_data = next != unwrapped_.end() && next->place == i;
            const Object made = is_data ? weight(*next++, one) : python.kept(one);
            if (made == nullptr) {
                python.drop(all);
                return nullptr;
            }
            put(all, i, made);
        }
        return all;
    }

private:
    static constexpr size_t kParts = 5;  // of a packed weight: its data, shape, dtype, layout and platform

    // The data of a packed weight among the results.
    struct Unwrapped {
        size_t place;
        Object dtype;
        std::vector<int64_t> sizes;
    };

    static void put(Object results, size_t place, Object object)
    {
        python.set_item(results, static_cast<int64_t>(place), object);
    }

    bool is_room() const
    {
        return python.type_of(out_) == python.dict &&
               python.dict_size(out_) == static_cast<int64_t>(op_.outputs.size());
    }

    // The array that was given for an output.
    Outcome add_given(size_t index, const Known& known, Inputs& read, Object results)
    {
        const Object given = op_.named(op_.names.outputs, out_, index);
        const ArrayRule& rule = op_.outputs[index];
        const OutputPlan& plan = known.outputs[index];
        ArrayView array;
        const bool fits = given != nullptr && (rule.form == ArrayForm::Packed ? read_weight(given, rule, plan, array)
                                                                              : op_.reader.read(given, rule, array));
        if (!fits || !takes(array, rule, plan.array)) return Outcome::Unknown;
        read.slots.push_back(array.data);
        read.ranges.push_back(range_of(array, rule.itemsize, true));
        put(results, place_of(index), python.kept(given));
        return Outcome::Made;
    }

    // The array of a packed weight that was given for an output.
    bool read_weight(Object given, const ArrayRule& rule, const OutputPlan& plan, ArrayView& array) const
    {
        const Weight weight(op_, rule, given);
        std::vector<int64_t> sizes;
        return weight && weight.add_sizes(sizes) && sizes == plan.sizes && op_.reader.read(weight.data(), rule, array);
    }

    Outcome add_new(size_t index, const Known& known, Inputs& read, Object results)
    {
        int64_t data = 0;
        const OutputPlan& plan = known.outputs[index];
        const Object made = maker.array(plan.array, op_.outputs[index].dtype, data);
        if (made == nullptr) return Outcome::Failed;
        if (op_.outputs[index].form == ArrayForm::Packed) {
            plan.fractals.clear_unfilled(reinterpret_cast<char*>(data));
            unwrapped_.push_back({place_of(index), static_cast<Object>(op_.outputs[index].dtype), plan.sizes});
        }
        read.slots.push_back(data);
        put(results, place_of(index), made);
        return Outcome::Made;
    }

    size_t place_of(size_t output) const
    {
        return static_cast<size_t>(
            std::find(op_.places.begin(), op_.places.end(), static_cast<int32_t>(output)) - op_.places.begin());
    }

    // A packed weight of this data. Null with an exception set.
    Object weight(const Unwrapped& one, Object data) const
    {
        const Object shape = python.new_tuple(static_cast<int64_t>(one.sizes.size()));
        if (shape == nullptr) return nullptr;
        for (size_t axis = 0; axis < one.sizes.size(); ++axis) put(shape, axis, python.new_whole(one.sizes[axis]));
        const Object arguments = python.new_tuple(kParts);
        if (arguments == nullptr) {
            python.drop(shape);
            return nullptr;
        }
        const std::array<Object, kParts> parts{
            python.kept(data), shape, python.kept(one.dtype), python.kept(op_.names.layout),
            python.kept(op_.names.target)};
        for (size_t i = 0; i < kParts; ++i) put(arguments, i, parts[i]);
        const Object made = python.call(op_.names.weight, arguments);
        python.drop(arguments);
        return made;
    }

    pto_array_operator& op_;
    Object given_, out_;
    std::vector<Unwrapped> unwrapped_;
};

constexpr const char* kName = "take";

Object take(Object self, const Object* arguments, int64_t count, Object names)
{
    auto* op = static_cast<pto_array_operator*>(python.pointer(self, kName));
    if (op == nullptr) return nullptr;
    if (count != 2 || names != nullptr || python.type_of(arguments[0]) != python.dict) return python.kept(python.none);
    // The collector may run here, and any code of Python with it: so before anything is read.
    const Object results = python.new_tuple(static_cast<int64_t>(op->places.size()));
    if (results == nullptr) return nullptr;
    Call call(*op, arguments[0], arguments[1]);
    const Outcome outcome = call.run(results);
    const Object whole = outcome == Outcome::Made ? call.whole(results) : nullptr;
    const Object made = whole != nullptr              ? python.record(op->names.results, whole)
                        : outcome == Outcome::Unknown ? python.kept(python.none)
                                                      : nullptr;
    if (whole != nullptr) python.drop(whole);
    python.drop(results);
    return made;
}

constexpr Method kTake{kName, take};

std::vector<int64_t> read_list(const int64_t*& numbers, int64_t count)
{
    std::vector<int64_t> list(numbers, numbers + count);
    numbers += count;
    return list;
}

void destroy(Object capsule)
{
    auto* op = static_cast<pto_array_operator*>(python.pointer(capsule, kName));
    const pto_array_names& names = op->names;
    for (const Object one :
         {names.inputs, names.attrs, names.outputs, names.results, names.failure, names.weight, names.target,
          names.layout, names.data, names.shape, names.dtype, names.weight_target}) {
        python.drop(one);
    }
    delete op;
}

}  // namespace

// Tells how objects and arrays are read and made: the bytes of an object's head, numpy's class of arrays, its table of
// functions, its dtype of bytes. False where this process has not what it takes.
PTO_API int pto_arrays_load(int64_t object_head, const void* array_type, void* const* api, const void* bytes)
{
    maker.load(api, array_type, bytes);
    return python.load(object_head) ? 1 : 0;
}

// A function of Python that takes the dict of a call's arguments and that of `out`, or None, and the operator behind
// it, which lives as long. The rules are copied, what `names` has is kept; `seconds` takes the time of each run, and it
// and the dtypes must live as long. Null with an exception set.
PTO_API Object pto_arrays_define(
    int64_t entry, int policy, int threads, const void* array_type, const ArrayRule* rules, int inputs, int outputs,
    const pto_attr_rule* attrs, int attr_count, const int32_t* places, int place_count, const pto_array_names* names,
    double* seconds, pto_array_operator** defined)
{
    auto* op = new pto_array_operator{
        reinterpret_cast<pto_rt::native::Entry>(entry),
        policy,
        threads,
        {python, array_type},
        {rules, rules + inputs},
        {rules + inputs, rules + inputs + outputs},
        {attrs, attrs + attr_count},
        {places, places + place_count},
        *names,
        seconds,
        {},
        {}};
    for (const Object one :
         {names->inputs, names->attrs, names->outputs, names->results, names->failure, names->weight, names->target,
          names->layout, names->data, names->shape, names->dtype, names->weight_target}) {
        python.keep(one);
    }
    *defined = op;
    return python.function(kTake, op, destroy);
}

// From now on objects of exactly this type are read by its DLPack function `read`, too. False where there is no room
// for another one.
PTO_API int pto_arrays_exchange(const void* type, void* read)
{
    return TensorType::add({type, reinterpret_cast<pto_rt::native::ReadTensor>(read)}) ? 1 : 0;
}

// What is read of an array or tensor, as `rule` says: its address, rank, whether it is contiguous, whether it may be
// written, and all sizes and strides in bytes, for Python to compare with its own. False for what is not read.
PTO_API int pto_arrays_read(const void* array_type, Object object, const ArrayRule* rule, int64_t* found)
{
    ArrayView array;
    if (!ArrayReader{python, array_type}.read(object, *rule, array)) return 0;
    *found++ = array.data;
    *found++ = array.rank;
    *found++ = array.contiguous ? 1 : 0;
    *found++ = array.writeable ? 1 : 0;
    for (int32_t axis = 0; axis < array.rank; ++axis) *found++ = array.sizes[axis];
    for (int32_t axis = 0; axis < array.rank; ++axis) *found++ = array.step(axis);
    return 1;
}

// Which of the known calls one with these arguments is; -1 for none.
PTO_API int64_t pto_arrays_find(pto_array_operator* op, Object given)
{
    Inputs read;
    const Known* known = known_call(*op, read, given);
    return known == nullptr ? kUnknown : known - op->known.data();
}

// What Python has found out for the shapes of these arguments: the dims, of each output the bytes to get for it, its
// sizes and, where its rows do not lie one after the other, its strides in bytes, of a packed weight the rank and the
// sizes of its matrices and its fractals, and `bound_count` bounds of indices.
// `attrs`: as Python reads them. Returns the number of the call, -1 where it cannot be known.
PTO_API int64_t pto_arrays_learn(
    pto_array_operator* op, Object given, const int64_t* attrs, const int64_t* dims, int dim_count,
    const int64_t* outputs, const int64_t* bounds, int bound_count)
{
    Inputs read;
    if (!read.read(*op, given)) return kUnknown;
    if (!std::equal(attrs, attrs + op->attrs.size(), read.key.end() - static_cast<int64_t>(op->attrs.size())))
        return kUnknown;
    const auto number = static_cast<int64_t>(op->known.size());
    if (!op->numbers.emplace(read.key, number).second) return kUnknown;
    Known known{{dims, dims + dim_count}, {}, {}, 1.0};
    for (int i = 0; i < bound_count; ++i) known.bounds.push_back(IndexBound::read(bounds));
    for (const ArrayRule& rule : op->outputs) {
        OutputPlan plan{};
        plan.array.room = *outputs++;
        plan.array.sizes = read_list(outputs, rule.rank);
        if (rule.form == ArrayForm::Strided || rule.form == ArrayForm::Columns) {
            plan.array.strides = read_list(outputs, rule.rank);
        } else if (rule.form == ArrayForm::Packed) {
            const int64_t rank = *outputs++;
            plan.sizes = read_list(outputs, rank);
            plan.fractals = Fractals::read(outputs);
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

// An array as known calls make them: for Python to look at. Null with an exception set.
PTO_API Object pto_arrays_new(const ArrayRule* rule, int64_t room, const int64_t* sizes, const int64_t* strides)
{
    ArrayPlan plan{{sizes, sizes + rule->rank}, {}, room};
    if (strides != nullptr) plan.strides.assign(strides, strides + rule->rank);
    int64_t data;
    return maker.array(plan, rule->dtype, data);
}
