// Indices that name no place of what they count. Whoever reads one notes it and goes on with one that does, so that no
// memory outside is accessed and no other core waits in vain; the block's launch fails when the block is over.
#pragma once

#include <pto/cpu/core/core.hpp>

#include <exception>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/// What generated kernels say of an index: whether it is wrong, the index, its bound, the number of the operation.
#if defined(PTO_CHECKED)
#define PTO_WRONG_INDEX(wrong, index, bound, site) \
    do { \
        if (wrong) { \
            pto::cpu::end_by_index(__FILE__, __LINE__, index, bound, site); \
        } \
    } while (0)
#else
#define PTO_WRONG_INDEX(wrong, index, bound, site) \
    do { \
        if (__builtin_expect(wrong, 0)) { \
            pto::cpu::note_index(index, bound, site); \
        } \
    } while (0)
#endif

namespace pto::cpu {

/// What the checked mode does where an index is wrong.
[[noreturn]] inline void end_by_index(const char* file, int line, int64_t index, int64_t bound, int32_t site)
{
    fprintf(
        stderr, "%s:%d: pto check: wrong index: %lld of %lld, site %d\n", file, line, static_cast<long long>(index),
        static_cast<long long>(bound), static_cast<int>(site));
    abort();
}

/// Keeps the first wrong index of a block. `site` is 0 where it is not known.
__attribute__((noinline, cold)) inline void note_index(int64_t index, int64_t bound, int32_t site)
{
    WrongIndex& wrong = core_state().wrong_index;
    if (!wrong.noted) {
        wrong = {index, bound, site, true};
    }
}

}  // namespace pto::cpu

namespace pto::cpu_sim {

/// What a launch fails with; `native/binding.py` reads the text.
class WrongIndexError : public std::exception {
public:
    explicit WrongIndexError(const cpu::WrongIndex& wrong)
    {
        snprintf(
            text_, sizeof(text_), "wrong index: %lld of %lld, site %d", static_cast<long long>(wrong.index),
            static_cast<long long>(wrong.bound), static_cast<int>(wrong.site));
    }
    const char* what() const noexcept override { return text_; }

private:
    char text_[96];
};

/// To be called when a block is over: throws if one of its indices was wrong.
inline void tell_wrong_index()
{
    cpu::WrongIndex& wrong = cpu::core_state().wrong_index;
    if (__builtin_expect(wrong.noted, 0)) {
        const cpu::WrongIndex first = wrong;
        wrong.noted = false;
        throw WrongIndexError(first);
    }
}

}  // namespace pto::cpu_sim
