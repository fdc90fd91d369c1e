// One call of an operator from C: its checks, the kernels for this machine, and the run.
#pragma once

#include <climits>
#include <cstdarg>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <pyptogen/sizes.hpp>
#include <pyptogen/status.h>
#include <pyptogen/tensor.hpp>

#include "native/chip.hpp"

namespace pyptogen {

// A step of a processor's instruction sets: the features it needs, as /proc/cpuinfo has them, with spaces between.
struct Level {
    const char* name;
    const char* needs;
};

// The entries of all operators, in the library's order, for the best level that this machine has. Loaded at the first
// use from the file beside this library; null where there is none, with the reason in `said`.
const pto_rt::native::Entry* kernels(const char* library, std::initializer_list<Level> best_first);
// The name of that level; the empty text where there is none.
const char* level_name();

// What the last call of this thread that failed said.
const char* message();
int failed(int status, const char* format, ...) __attribute__((format(printf, 2, 3)));

using Chip = pto_rt::native::Chip;

// A chip with so many cores, all processors of this process for 0. Null where threads cannot be started.
std::unique_ptr<Chip> make_chip(int32_t cores);
// The chip of callers who have none.
Chip* shared_chip();

// The product of sizes; more than memory has where it does not fit 64 bits.
int64_t count_of(std::initializer_list<int64_t> sizes);
// From the first to the last element of an array with strides.
int64_t span_of(std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> strides);
// Elements of matrices in packed form.
int64_t packed_count(std::initializer_list<int64_t> sizes, int64_t element_bytes);

// The checks of one call. The first that fails is kept.
class Call {
public:
    explicit Call(const char* name) : operator_(name) {}

    bool wrong() const { return status_ != PYPTOGEN_OK; }
    int status() const { return status_; }

    void size(const char* name, int64_t value, int64_t least, int64_t most, int64_t multiple);
    void whole(const char* name, int64_t value, int64_t least, int64_t most);
    void number(const char* name, double value, double beyond);
    void array(
        const char* name, const void* data, int64_t elements, int64_t element_bytes, int64_t alignment, bool written);
    void holds(bool condition, const char* text);

    // Indices from `least` to below `size`; `value` makes what is looked at of an element.
    template <class T, class Value>
    void indices(
        const char* name, const T* data, int64_t elements, int64_t least, int64_t size, const char* target, Value value)
    {
        if (wrong()) return;
        for (int64_t i = 0; i < elements; ++i) {
            const int64_t index = value(static_cast<int64_t>(data[i]));
            if (index < least || index >= size) {
                status_ = failed(
                    PYPTOGEN_INDEX, "%s: the index from %s is %lld, expected %s0 to %lld: positions of `%s`", operator_,
                    name, static_cast<long long>(index), least < 0 ? "-1 (skip), or " : "",
                    static_cast<long long>(size - 1), target);
                return;
            }
        }
    }

    // Runs the operator. `chip` may be null: the shared one.
    int run(Chip* chip, pto_rt::native::Entry entry, pto_rt::native::Policy policy, const void* args);

private:
    struct Range {
        const char* name;
        uintptr_t begin, end;
        bool written;
    };

    bool overlapping();

    const char* operator_;
    int status_ = PYPTOGEN_OK;
    std::vector<Range> ranges_;
};

}  // namespace pyptogen
