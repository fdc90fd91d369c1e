// Indices that a call gives, looked at before it runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace pto_rt::native {

// An index is a number from `least` to below `places`. Numbers below `lifted` count as that.
struct IndexBound {
    int64_t lifted, least, places;

    // Whether any of the numbers of `size` bytes (4 or 8) at these addresses is no index.
    bool broken_by(int64_t begin, int64_t end, int64_t size) const
    {
        return size == 8 ? broken<int64_t>(begin, end) : broken<int32_t>(begin, end);
    }

private:
    template <typename Number>
    bool broken(int64_t begin, int64_t end) const
    {
        Number smallest = std::numeric_limits<Number>::max(), largest = std::numeric_limits<Number>::min();
        for (auto* at = reinterpret_cast<const Number*>(begin); at != reinterpret_cast<const Number*>(end); ++at) {
            smallest = std::min(smallest, *at);
            largest = std::max(largest, *at);
        }
        return std::max<int64_t>(smallest, lifted) < least || std::max<int64_t>(largest, lifted) >= places;
    }
};

}  // namespace pto_rt::native
