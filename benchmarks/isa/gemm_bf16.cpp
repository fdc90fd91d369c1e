#include "gemm.hpp"

extern "C" __global__ AICORE void gemm_bf16(__gm__ float* c, __gm__ bfloat16_t* a, __gm__ bfloat16_t* b)
{
    product(c, a, b);
}
