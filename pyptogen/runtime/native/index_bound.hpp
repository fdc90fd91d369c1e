// Indices that a call gives, and those that follow from them element by element, looked at before it runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace pto_rt::native {

// Where the numbers of an input are, rows one after the other, and how many bytes each has: 4 or 8.
struct IndexInput {
    int64_t begin, end, size;
};

// What is done element by element, in 64 bits; the codes of `index_plans.py`.
enum class IndexStepKind : int64_t {
    Copy,
    Add,
    Sub,
    Mul,
    Maximum,
    Minimum,
    Neg,
    Abs,
    Where,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or
};

// One value, of numbers, of inputs and of earlier values.
struct IndexStep {
    // Elements of the value `source`, from `offset` on and by strides; or, where `source` is negative, the number
    // `offset`.
    struct Operand {
        int64_t source, offset;
        std::vector<int64_t> strides;
    };

    IndexStepKind kind;
    std::vector<int64_t> sizes;
    std::vector<Operand> operands;
};

// An index is a number from `least` to below `bound`.
class IndexBound {
public:
    // As `index_plans.py` writes one; moves on behind it.
    static IndexBound read(const int64_t*& numbers)
    {
        IndexBound bound;
        for (int64_t* one : {&bound.input_, &bound.lifted_, &bound.least_, &bound.bound_}) *one = *numbers++;
        bound.inputs_ = list(numbers);
        bound.steps_.resize(static_cast<size_t>(*numbers++));
        for (IndexStep& step : bound.steps_) {
            step.kind = static_cast<IndexStepKind>(*numbers++);
            step.sizes = list(numbers);
            step.operands.resize(static_cast<size_t>(*numbers++));
            for (IndexStep::Operand& operand : step.operands) {
                operand.source = *numbers++;
                operand.offset = *numbers++;
                operand.strides = list(numbers);
            }
        }
        return bound;
    }

    // Whether any index is wrong. `input_of` gives the `IndexInput` of an input by its place.
    template <typename InputOf>
    bool broken_by(const InputOf& input_of) const
    {
        if (!steps_.empty()) return computed_broken_by(input_of);
        const IndexInput input = input_of(input_);
        return input.size == 8 ? broken<int64_t>(input.begin, input.end) : broken<int32_t>(input.begin, input.end);
    }

private:
    using Values = std::vector<int64_t>;

    static Values list(const int64_t*& numbers)
    {
        const int64_t count = *numbers++;
        Values found(numbers, numbers + count);
        numbers += count;
        return found;
    }

    template <typename Number>
    bool broken(int64_t begin, int64_t end) const
    {
        Number smallest = std::numeric_limits<Number>::max(), largest = std::numeric_limits<Number>::min();
        for (auto* at = reinterpret_cast<const Number*>(begin); at != reinterpret_cast<const Number*>(end); ++at) {
            smallest = std::min(smallest, *at);
            largest = std::max(largest, *at);
        }
        return std::max<int64_t>(smallest, lifted_) < least_ || std::max<int64_t>(largest, lifted_) >= bound_;
    }

    template <typename InputOf>
    bool computed_broken_by(const InputOf& input_of) const
    {
        thread_local std::vector<Values> values;
        thread_local Values operands[3];
        if (values.size() < steps_.size()) values.resize(steps_.size());
        for (size_t i = 0; i < steps_.size(); ++i) {
            const IndexStep& step = steps_[i];
            int64_t count = 1;
            for (const int64_t size : step.sizes) count *= size;
            for (size_t j = 0; j < step.operands.size(); ++j) {
                operands[j].resize(static_cast<size_t>(count));
                gather(step, step.operands[j], values, input_of, operands[j]);
            }
            values[i].resize(static_cast<size_t>(count));
            compute(step.kind, operands, values[i]);
        }
        const Values& indices = values[steps_.size() - 1];
        const auto [smallest, largest] = std::minmax_element(indices.begin(), indices.end());
        return !indices.empty() && (*smallest < least_ || *largest >= bound_);
    }

    template <typename InputOf>
    void gather(
        const IndexStep& step, const IndexStep::Operand& operand, const std::vector<Values>& values,
        const InputOf& input_of, Values& found) const
    {
        const int64_t before = static_cast<int64_t>(inputs_.size());
        if (operand.source < 0) {
            std::fill(found.begin(), found.end(), operand.offset);
        } else if (operand.source >= before) {
            take(step.sizes, operand, values[static_cast<size_t>(operand.source - before)].data(), found);
        } else {
            const IndexInput input = input_of(inputs_[static_cast<size_t>(operand.source)]);
            if (input.size == 8)
                take(step.sizes, operand, reinterpret_cast<const int64_t*>(input.begin), found);
            else
                take(step.sizes, operand, reinterpret_cast<const int32_t*>(input.begin), found);
        }
    }

    template <typename Number>
    static void take(const Values& sizes, const IndexStep::Operand& operand, const Number* from, Values& found)
    {
        const size_t rank = sizes.size();
        const int64_t inner = rank == 0 ? 1 : sizes[rank - 1], stride = rank == 0 ? 0 : operand.strides[rank - 1];
        thread_local Values at;
        at.assign(rank, 0);
        int64_t offset = operand.offset;
        for (size_t done = 0; done < found.size();) {
            for (int64_t i = 0; i < inner; ++i) found[done++] = from[offset + i * stride];
            for (size_t axis = rank < 2 ? 0 : rank - 1; axis-- > 0;) {  // on to the next row
                offset += operand.strides[axis];
                if (++at[axis] < sizes[axis]) break;
                offset -= sizes[axis] * operand.strides[axis];
                at[axis] = 0;
            }
        }
    }

    // What does not fit 64 bits wraps, as in numpy.
    static void compute(IndexStepKind kind, const Values* given, Values& made)
    {
        const auto each = [&](auto function) {
            for (size_t i = 0; i < made.size(); ++i) made[i] = static_cast<int64_t>(function(i));
        };
        const auto a = [&](size_t i) { return given[0][i]; };
        const auto b = [&](size_t i) { return given[1][i]; };
        const auto bits = [](int64_t number) { return static_cast<uint64_t>(number); };
        switch (kind) {
            case IndexStepKind::Copy: return each(a);
            case IndexStepKind::Add: return each([&](size_t i) { return bits(a(i)) + bits(b(i)); });
            case IndexStepKind::Sub: return each([&](size_t i) { return bits(a(i)) - bits(b(i)); });
            case IndexStepKind::Mul: return each([&](size_t i) { return bits(a(i)) * bits(b(i)); });
            case IndexStepKind::Maximum: return each([&](size_t i) { return std::max(a(i), b(i)); });
            case IndexStepKind::Minimum: return each([&](size_t i) { return std::min(a(i), b(i)); });
            case IndexStepKind::Neg: return each([&](size_t i) { return 0 - bits(a(i)); });
            case IndexStepKind::Abs: return each([&](size_t i) { return a(i) < 0 ? 0 - bits(a(i)) : bits(a(i)); });
            case IndexStepKind::Where: return each([&](size_t i) { return a(i) != 0 ? b(i) : given[2][i]; });
            case IndexStepKind::Less: return each([&](size_t i) { return a(i) < b(i); });
            case IndexStepKind::LessEqual: return each([&](size_t i) { return a(i) <= b(i); });
            case IndexStepKind::Greater: return each([&](size_t i) { return a(i) > b(i); });
            case IndexStepKind::GreaterEqual: return each([&](size_t i) { return a(i) >= b(i); });
            case IndexStepKind::Equal: return each([&](size_t i) { return a(i) == b(i); });
            case IndexStepKind::NotEqual: return each([&](size_t i) { return a(i) != b(i); });
            case IndexStepKind::And: return each([&](size_t i) { return a(i) & b(i); });
            case IndexStepKind::Or: return each([&](size_t i) { return a(i) | b(i); });
        }
    }

    int64_t input_, lifted_, least_, bound_;  // without steps: the input, whose numbers below `lifted_` count as that
    Values inputs_;  // the first values
    std::vector<IndexStep> steps_;
};

}  // namespace pto_rt::native
