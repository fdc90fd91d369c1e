// Templates whose bodies are compiled once for all kernels where the runtime compiles them; see PTO_CPU_SHARED.
#pragma once

#include <pto/cpu/cube/matmul_amx.hpp>
#include <pto/cpu/cube/matmul_avx2.hpp>
#include <pto/cpu/cube/matmul_dots.hpp>
#include <pto/cpu/cube/matmul_split.hpp>
#include <pto/cpu/cube/matmul_vector.hpp>
#include <pto/cpu/cube/matmul_widened.hpp>
#include <pto/cpu/layout/pack.hpp>

#if defined(PTO_CPU_BODIES) || defined(PTO_CPU_BODIES_APART)

namespace pto::cpu {

#if defined(PTO_CPU_BODIES_APART)
#define PTO_CPU_BODY extern template
#else
#define PTO_CPU_BODY template
#endif

#define PTO_CPU_PACK(T) \
    PTO_CPU_BODY void pack_fractal<T>(char*, int64_t, const T*, int64_t, int64_t, int64_t, int64_t, int64_t);
PTO_CPU_PACK(float)
PTO_CPU_PACK(half)
PTO_CPU_PACK(bfloat16_t)
PTO_CPU_PACK(int8_t)
#undef PTO_CPU_PACK

#if defined(PTO_CPU_AVX2)
PTO_CPU_BODY void multiply_registers<float>(const TilePlan&);
PTO_CPU_BODY void multiply_registers<half>(const TilePlan&);
PTO_CPU_BODY void multiply_registers<bfloat16_t>(const TilePlan&);
PTO_CPU_BODY void multiply_registers<int8_t>(const TilePlan&);
#else
PTO_CPU_BODY void multiply_vectors<MultiplyAdds<float> >(const TilePlan&, const int32_t*);
#endif

#if defined(PTO_CPU_AMX)
PTO_CPU_BODY void multiply_tiles<bfloat16_t, false>(const TilePlan&);
PTO_CPU_BODY void multiply_tiles<bfloat16_t, true>(const TilePlan&);
PTO_CPU_BODY void multiply_tiles<int8_t, false>(const TilePlan&);
PTO_CPU_BODY void multiply_tiles<int8_t, true>(const TilePlan&);
#endif

// What neither the matrix unit nor dot products do.
#if defined(PTO_CPU_AMX) || defined(PTO_CPU_AVX2)  // for AVX2, of MX products alone
#define PTO_CPU_WIDENED multiply_widened_small
#else
#define PTO_CPU_WIDENED multiply_widened
#endif

#define PTO_CPU_WIDE(T, C) \
    PTO_CPU_BODY void PTO_CPU_WIDENED<T, C>( \
        char*, int64_t, const char*, int64_t, const char*, int64_t, int, int, int, bool);
PTO_CPU_WIDE(half, float)
#if defined(PTO_CPU_BF16) && !defined(PTO_CPU_AMX)
PTO_CPU_BODY void multiply_dots<bfloat16_t>(const TilePlan&);
#else
PTO_CPU_WIDE(bfloat16_t, float)
#endif
#if defined(PTO_CPU_VNNI) && !defined(PTO_CPU_AMX)
PTO_CPU_BODY void multiply_dots<int8_t>(const TilePlan&);
#else
PTO_CPU_WIDE(int8_t, int32_t)
#endif
#undef PTO_CPU_WIDE
#undef PTO_CPU_WIDENED
#undef PTO_CPU_BODY

}  // namespace pto::cpu

#endif
