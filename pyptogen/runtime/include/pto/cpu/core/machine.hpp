// What an object is compiled for, in the names of what it shares with other objects of the process.
//
// g++ emits the variables of inline functions, inline variables and their guards as unique symbols: the dynamic linker
// makes one of all of a name in a process, also of libraries that were loaded apart. Code for another machine, another
// mode or a matrix unit in software would then find answers that are not its own. So every variable of these headers
// that can change is one of two:
//
//   PTO_CPU_OWN       hidden: each library has its own
//   PTO_CPU_OF_ALIKE  one for the libraries of a process that are compiled alike: the name tells how
//
// tests/runtime/isa/test_shared_state.py finds those that are neither.
#pragma once

#define PTO_CPU_OWN __attribute__((visibility("hidden")))
#define PTO_CPU_OF_ALIKE __attribute__((visibility("default"), abi_tag(PTO_CPU_MACHINE)))

#define PTO_CPU_TEXT_OF(X) #X
#define PTO_CPU_TEXT(X) PTO_CPU_TEXT_OF(X)

#if defined(PTO_PORTABLE) || !defined(__AVX2__)
#define PTO_CPU_MACHINE_VECTORS "portable"
#elif !defined(__AVX512F__)
#define PTO_CPU_MACHINE_VECTORS "avx2"
#else
#define PTO_CPU_MACHINE_VECTORS "avx512"
#endif

#if defined(__AVX512VNNI__)
#define PTO_CPU_MACHINE_VNNI "_vnni"
#else
#define PTO_CPU_MACHINE_VNNI ""
#endif
#if defined(__AVX512VBMI__)
#define PTO_CPU_MACHINE_VBMI "_vbmi"
#else
#define PTO_CPU_MACHINE_VBMI ""
#endif
#if defined(__AVX512BF16__)
#define PTO_CPU_MACHINE_BF16 "_bf16"
#else
#define PTO_CPU_MACHINE_BF16 ""
#endif
#if defined(__AVX512FP16__)
#define PTO_CPU_MACHINE_FP16 "_fp16"
#else
#define PTO_CPU_MACHINE_FP16 ""
#endif
#if defined(__AMX_TILE__) && defined(__AMX_INT8__) && defined(__AMX_BF16__)
#define PTO_CPU_MACHINE_AMX "_amx"
#else
#define PTO_CPU_MACHINE_AMX ""
#endif

#if defined(PTO_CHECKED_A2A3)
#define PTO_CPU_MACHINE_MODE "_checked_a2a3"
#elif defined(PTO_CHECKED_A5)
#define PTO_CPU_MACHINE_MODE "_checked_a5"
#elif defined(PTO_CHECKED)
#define PTO_CPU_MACHINE_MODE "_checked"
#else
#define PTO_CPU_MACHINE_MODE ""
#endif

// A word of whoever compiles, for what the compiler's macros do not tell.
#if defined(PTO_CPU_VARIANT)
#define PTO_CPU_MACHINE_VARIANT "_" PTO_CPU_TEXT(PTO_CPU_VARIANT)
#else
#define PTO_CPU_MACHINE_VARIANT ""
#endif

#define PTO_CPU_MACHINE \
    PTO_CPU_MACHINE_VECTORS PTO_CPU_MACHINE_VNNI PTO_CPU_MACHINE_VBMI PTO_CPU_MACHINE_BF16 PTO_CPU_MACHINE_FP16 \
        PTO_CPU_MACHINE_AMX PTO_CPU_MACHINE_MODE PTO_CPU_MACHINE_VARIANT
