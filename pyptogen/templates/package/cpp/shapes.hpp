// What the typed operators of a library share: their result, and the check of the shapes of a call.
#ifndef PYPTOGEN_SHAPES_HPP
#define PYPTOGEN_SHAPES_HPP

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "sizes.hpp"
#include "status.h"
#include "tensor.hpp"

namespace pyptogen {

// How a call went: a code of `status.h`, and what went wrong in words.
class [[nodiscard]] Status {
public:
    Status() = default;
    Status(int code, std::string message) : code_(code), message_(std::move(message)) {}

    bool ok() const { return code_ == PYPTOGEN_OK; }
    explicit operator bool() const { return ok(); }
    int code() const { return code_; }
    const std::string& message() const { return message_; }

#if defined(__cpp_exceptions)
    // For those who like exceptions. This is code of the caller: the library throws none.
    void or_throw() const
    {
        if (!ok()) throw std::runtime_error(message_);
    }
#endif

private:
    int code_ = PYPTOGEN_OK;
    std::string message_;
};

// The shapes of one call: solves the sizes that only a call knows, and keeps the first that does not fit.
class Shapes {
public:
    explicit Shapes(const char* name) : operator_(name) {}

    // The dim of which an axis has `scale * dim + offset` elements.
    int64_t solved(const char* dim, const char* tensor, int64_t size, int64_t offset, int64_t scale)
    {
        if (scale > 0 && (size - offset) % scale == 0) return (size - offset) / scale;
        wrong(std::string(tensor) + ": no whole number `" + dim + "` gives a size of " + std::to_string(size));
        return 1;
    }

    // An array whose elements lie one after the other; `columns`: in memory the last two axes are exchanged.
    template <class T, size_t Rank>
    void fits(
        const char* name, const Tensor<T, Rank>& tensor, const std::array<int64_t, Rank>& sizes, bool columns = false)
    {
        std::array<int64_t, Rank> strides{};
        std::array<size_t, Rank> order{};
        for (size_t axis = 0; axis < Rank; ++axis) order[axis] = axis;
        if constexpr (Rank >= 2) {
            if (columns) std::swap(order[Rank - 1], order[Rank - 2]);
        }
        int64_t step = 1;
        for (size_t i = Rank; i-- > 0;) {
            strides[order[i]] = step;
            step *= sizes[order[i]];
        }
        fits(name, tensor, sizes, strides);
    }

    // An array with the strides that are given.
    template <class T, size_t Rank>
    void fits(
        const char* name, const Tensor<T, Rank>& tensor, const std::array<int64_t, Rank>& sizes,
        const std::array<int64_t, Rank>& strides)
    {
        if (!same_sizes(name, tensor.sizes(), sizes)) return;
        for (size_t axis = 0; axis < Rank; ++axis) {
            if (sizes[axis] <= 1 || tensor.stride(axis) == strides[axis]) continue;
            wrong(
                std::string(name) + ": the stride of axis " + std::to_string(axis) + " is " +
                std::to_string(tensor.stride(axis)) + ", expected " + std::to_string(strides[axis]));
            return;
        }
    }

    template <class T, size_t Rank>
    void fits(const char* name, const Packed<T, Rank>& tensor, const std::array<int64_t, Rank>& sizes)
    {
        (void)same_sizes(name, tensor.sizes(), sizes);
    }

    bool ok() const { return said_.empty(); }
    Status status() const { return {PYPTOGEN_SIZE, said_}; }

private:
    template <size_t Rank>
    bool same_sizes(const char* name, const std::array<int64_t, Rank>& got, const std::array<int64_t, Rank>& expected)
    {
        for (size_t axis = 0; axis < Rank; ++axis) {
            if (got[axis] == expected[axis]) continue;
            wrong(
                std::string(name) + ": axis " + std::to_string(axis) + " has " + std::to_string(got[axis]) +
                " elements, expected " + std::to_string(expected[axis]));
            return false;
        }
        return true;
    }

    void wrong(const std::string& text)
    {
        if (said_.empty()) said_ = std::string(operator_) + ": " + text;
    }

    const char* operator_;
    std::string said_;
};

}  // namespace pyptogen

#endif
