#include "gemm.hpp"

extern "C" __global__ AICORE void gemm_fp16(__gm__ float* c, __gm__ half* a, __gm__ half* b) { product(c, a, b); }
