// Four vectors beside each other, of a TPASS<4>: what is done to one is done to all four before the next operation. A
// processor looks some hundred operations ahead; along one vector after the other these would mostly wait for each other.
#pragma once

#include <pto/cpu/lanes/simd.hpp>

namespace pto::cpu {

template <typename V>
struct Beside {
    V v[4];
};

template <typename T>
inline constexpr bool is_beside = false;
template <typename V>
inline constexpr bool is_beside<Beside<V>> = true;

/// One of four; anything else is the same for all of them.
template <int I, typename T>
PTO_INLINE decltype(auto) one_of(const T& values)
{
    if constexpr (is_beside<T>) {
        return (values.v[I]);
    } else {
        return (values);
    }
}

/// f of each of four.
template <typename F, typename... Args>
PTO_INLINE auto each_of(F f, const Args&... args)
{
    return Beside<decltype(f(one_of<0>(args)...))>{
        f(one_of<0>(args)...), f(one_of<1>(args)...), f(one_of<2>(args)...), f(one_of<3>(args)...)};
}

template <typename F, typename... Args>
PTO_INLINE void do_each_of(F f, const Args&... args)
{
    f(one_of<0>(args)...);
    f(one_of<1>(args)...);
    f(one_of<2>(args)...);
    f(one_of<3>(args)...);
}

template <typename A, typename B>
concept AnyBeside = is_beside<A> || is_beside<B>;

template <typename A, typename B>
    requires AnyBeside<A, B>
PTO_INLINE auto operator+(const A& a, const B& b)
{
    return each_of([](const auto& x, const auto& y) { return x + y; }, a, b);
}
template <typename A, typename B>
    requires AnyBeside<A, B>
PTO_INLINE auto operator-(const A& a, const B& b)
{
    return each_of([](const auto& x, const auto& y) { return x - y; }, a, b);
}
template <typename A, typename B>
    requires AnyBeside<A, B>
PTO_INLINE auto operator*(const A& a, const B& b)
{
    return each_of([](const auto& x, const auto& y) { return x * y; }, a, b);
}
template <typename A, typename B>
    requires AnyBeside<A, B>
PTO_INLINE auto operator/(const A& a, const B& b)
{
    return each_of([](const auto& x, const auto& y) { return x / y; }, a, b);
}
template <typename V>
PTO_INLINE auto operator-(const Beside<V>& a)
{
    return each_of([](const auto& x) { return -x; }, a);
}

}  // namespace pto::cpu
