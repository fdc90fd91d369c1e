// linear_w4a16: the C++ entry. Made by pyptogen from linear_w4a16.yaml: changes belong there.
//
// A linear layer whose weights have four bits (W4A16, as Frantar et al., "GPTQ", and Lin et al., "AWQ", make
// them): two neighbours in a row share a byte, and a group of 128 numbers of the depth has a scale for each
// column. Weights become bf16 on the way to the product, which is exact; a group's product is scaled as it is
// added to the sum, in fp32.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct linear_w4a16_args {
  // inputs
  const uint16_t* x;      // bf16[t, group * groups]
  const uint8_t* w;       // int4[groups, group, n], two in a byte
  const uint16_t* scale;  // bf16[groups, n]

  // outputs
  uint16_t* y;            // bf16[t, n]

  // sizes
  int64_t t;              // 1 to 65536
};
static_assert(sizeof(linear_w4a16_args) == 5 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void linear_w4a16_cpu(pto_rt::Runtime& runtime, const linear_w4a16_args& args);
extern "C" void linear_w4a16_a2a3(pto_rt::Runtime& runtime, const linear_w4a16_args& args);
