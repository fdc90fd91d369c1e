"""Matrix products and quantisation.

`a2a3` and `a5` are what the static checks and pages of the public A2/A3 and A5 headers take; `cpu` is what the
bundled headers take. Dtypes are those of the destination; which operands a product takes stands in `table.PRODUCTS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.isa.instruction import EVERY, FLOATS_3, FP32, NONE, SUMMED, Group, Types

_ACC: Types = frozenset({"fp32", "int32"})
_INT8: Types = frozenset({"int8", "uint8"})
_NARROW: Types = frozenset({"fp16", "int8"})
_MX: Types = frozenset({"fp8_e4m3", "fp4_e2m1"})
_FIXPIPE: Types = frozenset({"int8", "uint8", "fp16", "bf16", "int16"})
CAST_FROM_ACC: Mapping[str, Types] = {"fp32": FLOATS_3, "int32": frozenset({"int32"})}
"""What becomes of an accumulator on its way out without quantisation words, on every platform."""
REQUANTISED: Mapping[str, Types] = {
    "fp32": frozenset({"int8", "uint8", "fp16", "bf16", "fp32", "fp8_e4m3", "hif8"}),
    "int32": frozenset({"int8", "uint8", "fp16", "bf16", "int16"}),
}
"""What the bundled headers make of an accumulator under quantisation words, as A2/A3 or A5 do."""
FROM_WORDS: Types = frozenset().union(*REQUANTISED.values())
_A5_FIXPIPE: Types = frozenset({"int8", "uint8", "fp16", "bf16", "fp32", "hif8", "fp8_e4m3"})
_SCALES: Types = frozenset({"fp8_e8m0"})
_FRACTALS = "nz nz zn"

_PRODUCTS = (
    *Group("acc, left, right", _ACC, _ACC, _ACC, pipe="M", layouts=_FRACTALS, bound=SUMMED)(
        TMATMUL="acc = left @ right", TGEMV="acc = left @ right, one row"
    ),
    *Group("acc, acc, left, right", _ACC, _ACC, _ACC, effects="wrrr", pipe="M", layouts="nz nz nz zn", bound=SUMMED)(
        TGEMV_ACC="acc = acc + left @ right, one row"
    ),
    *Group(
        "acc, acc, left, right | acc, left, right", _ACC, _ACC, _ACC, effects="urr|wrrr", pipe="M",
        layouts="nz nz nz zn", bound=SUMMED,
    )(TMATMUL_ACC="acc = acc + left @ right"),
    *Group("acc, left, right, bias", _ACC, _ACC, _ACC, pipe="M", layouts=f"{_FRACTALS} nd", bound=SUMMED)(
        TMATMUL_BIAS="acc = left @ right + bias", TGEMV_BIAS="acc = left @ right + bias, one row"
    ),
    *Group(
        "acc, left, ls, right, rs | acc, acc, left, ls, right, rs | acc, left, ls, right, rs, bias",
        NONE, FP32, FP32, pipe="M", layouts="nz nz zz zn nn", bound=SUMMED,
    )(
        TMATMUL_MX="product of fp8 or fp4 operands with a scale for 32 elements of K",
        TGEMV_MX="TMATMUL_MX of one row",
    ),
    *Group("scales, operand", NONE, _SCALES, _SCALES, effects="--", pipe="S", layouts="any")(
        TGET_SCALE_ADDR="puts a scale tile where it belongs"
    ),
)  # fmt: skip
_QUANTISATION = (
    *Group(
        "dst, a, scale[, offset] | dst, a, scale, tmp[, offset] | dst, a, exp, max, scaling",
        _INT8,
        _INT8 | _MX,
        _INT8 | _MX,
    )(TQUANT="round(a * scale + offset) by rows; or groups of 32 with a shared exponent"),
    *Group("dst, a, scale, offset", FP32, FP32, FP32)(TDEQUANT="(a - offset) * scale by rows"),
    *Group("dst, a, b, scalar, tmp", frozenset({"fp16"}), frozenset({"fp16"}), frozenset({"fp16"}), effects="wrrt")(
        TADDDEQRELU="max((a + b) * s, 0) of int32 sources"
    ),
    *Group("dst, a, b", _NARROW, _NARROW, _NARROW)(
        TADDRELUCONV="max(a + b, 0) narrowed", TSUBRELUCONV="max(a - b, 0) narrowed"
    ),
)
_UNDER_WORDS = (
    *Group("gm, acc, words", _FIXPIPE, _A5_FIXPIPE, FROM_WORDS, pipe="FIX", layouts="gm nz nd")(
        TSTORE_FP="L0C to GM, one quantisation word for each column"
    ),
    *Group("scalar", EVERY, EVERY, EVERY, effects="", pipe="S")(
        SET_QUANT_SCALAR="the word of further pushes, for all columns"
    ),
    *Group("words", EVERY, EVERY, EVERY, effects="r", pipe="S")(
        SET_QUANT_VECTOR="the words of further pushes, one for each column"
    ),
)

ROWS = (*_PRODUCTS, *_QUANTISATION, *_UNDER_WORDS)
