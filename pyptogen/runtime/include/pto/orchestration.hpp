// What orchestration written by hand sees: its arguments. The entry point is
//     extern "C" void orchestrate(pto_rt::Runtime& rt, const pto_rt::Arguments& args);
// Kernels are functions that it declares and calls. The usual form of this kind of runtime, for files that exist already,
// is in <pto/field.hpp>.
#ifndef PTO_ORCHESTRATION_HPP
#define PTO_ORCHESTRATION_HPP

#include <cstring>
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

}  // namespace pto_rt

#endif
