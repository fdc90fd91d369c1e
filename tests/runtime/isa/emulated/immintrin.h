// Takes the place of the compiler's header of this name: the same, but instructions that few machines have are functions.
//
// __AVX512FP16__ is given on the command line and must not reach the compiler's header, which would take it for an option.
#pragma once

#pragma push_macro("__AVX512FP16__")
#undef __AVX512FP16__
#include_next <immintrin.h>
#pragma pop_macro("__AVX512FP16__")

#include "halves.h"
#include "matrix_unit.h"
