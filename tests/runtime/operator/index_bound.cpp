// One bound of native code, for tests to ask.
#include <index_bound.hpp>

// `inputs`: begin, end and bytes of an element of each.
extern "C" int broken(const int64_t* numbers, const int64_t* inputs)
{
    const auto input_of = [&](int64_t place) {
        const int64_t* one = inputs + 3 * place;
        return pto_rt::native::IndexInput{one[0], one[1], one[2]};
    };
    return pto_rt::native::IndexBound::read(numbers).broken_by(input_of) ? 1 : 0;
}
