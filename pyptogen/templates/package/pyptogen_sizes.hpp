// Arithmetic of sizes.
#ifndef PYPTOGEN_SIZES_HPP
#define PYPTOGEN_SIZES_HPP

#include <algorithm>
#include <cstdint>

namespace pyptogen {

// Rounded down, and what is left then; 0 where a size that nobody has looked at yet is 0.
inline int64_t floor_div(int64_t a, int64_t b)
{
    return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
inline int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }
inline int64_t power(int64_t base, int64_t exponent) { return exponent > 0 ? base * power(base, exponent - 1) : 1; }

}  // namespace pyptogen

#endif
