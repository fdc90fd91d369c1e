"""An operator made without the compiler: its Tensor program, its kernels and its orchestration, written by
hand.
"""

from __future__ import annotations

import sympy

from pyptogen.diagnostics import Span
from pyptogen.lower.tensor.ir import Attr, Dim, Program, Value

N, BLOCKS, D, K = (sympy.Symbol(name, integer=True, positive=True) for name in ("n", "blocks", "d", "k"))


def at(line: int, col: int = 3) -> Span:
    """A place in the imagined spec."""
    return Span("toy.yaml", line, col, line, col + 1)


def program() -> Program:
    """y = x * scale + bias, z = w with its rows in the packed order, state += n, one slot per row of the
    cache.

    ``n`` is shown by ``x``; ``blocks`` only by a multiple, in ``cache``.
    """
    x = Value("x", "fp32", (N, D), "nd", at(10))
    bias = Value("bias", "bf16", (D,), "nd", at(11))
    w = Value("w", "int8", (K, D), "nz", at(12))
    state = Value("state", "int32", (N,), "nd", at(13))
    cache = Value("cache", "fp16", (BLOCKS * 4, D), "nd", at(14))
    y = Value("y", "fp32", (N, D), "nd", at(16))
    z = Value("z", "int8", (K, D), "nd", at(17))
    return Program(
        name="toy",
        doc="A toy.",
        dims=(
            Dim("n", None, 1, 64, 1, None, at(3)),
            Dim("blocks", None, 1, 8, 2, None, at(4)),
            Dim("d", 8, 8, 8, 1, None, at(5)),
            Dim("k", 16, 16, 16, 1, None, at(6)),
            Dim("slots", None, 1, 1 << 30, 1, BLOCKS * 4, at(7)),
        ),
        attrs=(Attr("scale", "fp32", 2.0, at(8)), Attr("step", "int32", None, at(9))),
        inputs=(x, bias, w, state, cache),
        outputs=(("y", y), ("state", state), ("z", z)),
        inplace={"state": "state"},
        stages=(),
        ops=(),
        tiling=(),
        schedule={},
        targets=("cpu",),
        span=at(2),
    )


KERNEL = """
extern "C" void rows(float* y, const float* x, const uint16_t* bias, int32_t* state, double scale,
                     int64_t step)
{
    const int64_t row = get_block_idx();
    for (int j = 0; j < 8; ++j) {
        const uint32_t bits = static_cast<uint32_t>(bias[j]) << 16;
        y[row * 8 + j] = x[row * 8 + j] * static_cast<float>(scale) + __builtin_bit_cast(float, bits);
    }
    state[row] += static_cast<int32_t>(step);
}

extern "C" void unpacked(int8_t* z, const int8_t* w)
{
    for (int k = 0; k < 16; ++k)
        for (int n = 0; n < 8; ++n) z[k * 8 + n] = w[k / 4 * 64 + n * 4 + k % 4];
}
"""

ORCHESTRATION = """
#include <cstdint>
#include <cstddef>
#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include "../wrapper.hpp"

extern "C" void rows(float*, const float*, const uint16_t*, int32_t*, double, int64_t);
extern "C" void unpacked(int8_t*, const int8_t*);

extern "C" void toy_cpu(pto_rt::Runtime& rt, const toy_args& args)
{
    const toy_args a = args;
    rt.launch("rows", pto_rt::Core::Vector, static_cast<int>(a.n),
              [=] { rows(a.y, a.x, a.bias, a.state, a.scale, a.step); });
    rt.launch("unpacked", pto_rt::Core::Vector, 1, [=] { unpacked(a.z, a.w); });
}
"""


def sources() -> dict[str, str]:
    """The operator's sources; the argument struct is the one that the wrapper template writes."""
    from pyptogen.templates import wrapper_hpp

    return {
        "cpu/kernels/rows.cpp": KERNEL,
        "cpu/orchestration.cpp": ORCHESTRATION,
        "wrapper.hpp": wrapper_hpp.render(program(), ("cpu",), "toy.yaml"),
    }
