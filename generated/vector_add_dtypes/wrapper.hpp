// vector_add_dtypes: the C++ entry. Made by pyptogen from vector_add_dtypes.yaml: changes belong there.
//
// Sum of two vectors in each of the other types of numbers that all platforms add; whole numbers wrap around.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct vector_add_dtypes_args {
  // inputs
  const uint16_t* a_fp16;  // fp16[n]
  const uint16_t* b_fp16;  // fp16[n]
  const uint16_t* a_bf16;  // bf16[n]
  const uint16_t* b_bf16;  // bf16[n]
  const int32_t* a_int32;  // int32[n]
  const int32_t* b_int32;  // int32[n]
  const int16_t* a_int16;  // int16[n]
  const int16_t* b_int16;  // int16[n]
  const int8_t* a_int8;    // int8[n]
  const int8_t* b_int8;    // int8[n]
  const uint8_t* a_uint8;  // uint8[n]
  const uint8_t* b_uint8;  // uint8[n]

  // outputs
  uint16_t* c_fp16;        // fp16[n]
  uint16_t* c_bf16;        // bf16[n]
  int32_t* c_int32;        // int32[n]
  int16_t* c_int16;        // int16[n]
  int8_t* c_int8;          // int8[n]
  uint8_t* c_uint8;        // uint8[n]

  // sizes
  int64_t n;               // 1 to 1073741824
};
static_assert(sizeof(vector_add_dtypes_args) == 19 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void vector_add_dtypes_cpu(pto_rt::Runtime& runtime, const vector_add_dtypes_args& args);
extern "C" void vector_add_dtypes_a2a3(pto_rt::Runtime& runtime, const vector_add_dtypes_args& args);
