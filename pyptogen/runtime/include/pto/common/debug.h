// Assertions of kernels: PTO_ASSERT in builds with _DEBUG and in checked ones, PTO_CPU_ASSERT always, PTO_STATIC_ASSERT
// at compile time.
#ifndef PTO_DEBUG_H
#define PTO_DEBUG_H

#include <stdio.h>
#include <stdlib.h>

#define PTO_CPU_CHECK_(condition, text)                                                        \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: pto: %s [%s]\n", __FILE__, __LINE__, (text), #condition); \
            abort();                                                                           \
        }                                                                                      \
    } while (0)

#define PTO_CPU_CHECK_1_(condition) PTO_CPU_CHECK_(condition, "assertion failed")
#define PTO_STATIC_CHECK_1_(condition) static_assert((condition), #condition)
#define PTO_STATIC_CHECK_2_(condition, text) static_assert((condition), text)
#define PTO_PICK_(first, second, name, ...) name

#define DEBUG_CHECK(condition, message) PTO_CPU_CHECK_(condition, message)
#define PTO_CPU_ASSERT(...) PTO_PICK_(__VA_ARGS__, PTO_CPU_CHECK_, PTO_CPU_CHECK_1_, )(__VA_ARGS__)
#define PTO_STATIC_ASSERT(...) PTO_PICK_(__VA_ARGS__, PTO_STATIC_CHECK_2_, PTO_STATIC_CHECK_1_, )(__VA_ARGS__)

#if defined(_DEBUG) || defined(PTO_CHECKED)
#define PTO_ASSERT(condition, message) DEBUG_CHECK(condition, message)
#else
#define PTO_ASSERT(condition, message) ((void)0)
#endif

#endif
