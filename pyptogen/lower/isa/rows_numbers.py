"""Quantising instructions, further forms of the matrix product, and moves under quantisation words.

`a2a3` is what the static checks of the public A2/A3 headers take (an instruction that they lack has an empty set);
`cpu` is what the bundled headers take. `dtypes` are those of the destination.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.isa.table import Instruction

_NONE: frozenset[str] = frozenset()
_ACC = frozenset({"fp32", "int32"})
_FP32 = frozenset({"fp32"})
_INT8 = frozenset({"int8", "uint8"})
_NARROW = frozenset({"fp16", "int8"})
_MX = frozenset({"e4m3", "e2m1"})
_FIXPIPE = frozenset({"int8", "uint8", "fp16", "bf16", "int16"})


def _rows(form: str, a2a3: frozenset[str], cpu: frozenset[str], meanings: Mapping[str, str]) -> tuple[Instruction, ...]:
    dtypes = {"a2a3": a2a3, "cpu": cpu}
    return tuple(Instruction(name, form, dtypes, doc) for name, doc in meanings.items())


_QUANTISING = (
    *_rows(
        "dst, a, scale | dst, a, scale, tmp | dst, a, scale, offset | dst, a, exp, max, scaling",
        _INT8,
        _INT8 | _MX,
        {"TQUANT": "round(a * scale + offset) by rows; or groups of 32 with a shared exponent"},
    ),
    *_rows("dst, a, scale, offset", _FP32, _FP32, {"TDEQUANT": "(a - offset) * scale by rows"}),
    *_rows("dst, a, b, scalar, tmp", frozenset({"fp16"}), frozenset({"fp16"}), {"TADDDEQRELU": "max((a + b) * s, 0)"}),
    *_rows(
        "dst, a, b",
        _NARROW,
        _NARROW,
        {"TADDRELUCONV": "max(a + b, 0) narrowed", "TSUBRELUCONV": "max(a - b, 0) narrowed"},
    ),
)
_PRODUCTS = (
    *_rows(
        "acc, left, right, bias",
        _ACC,
        _ACC,
        {"TMATMUL_BIAS": "acc = left @ right + bias", "TGEMV_BIAS": "acc = left @ right + bias, one row"},
    ),
    *_rows("acc, left, right", _ACC, _ACC, {"TGEMV": "acc = left @ right, one row"}),
    *_rows("acc, acc, left, right", _ACC, _ACC, {"TGEMV_ACC": "acc += left @ right, one row"}),
    *_rows(
        "acc, left, ls, right, rs | acc, acc, left, ls, right, rs | acc, left, ls, right, rs, bias",
        _NONE,
        _FP32,
        {
            "TMATMUL_MX": "product of fp8 or fp4 operands with a scale for 32 elements of K",
            "TGEMV_MX": "TMATMUL_MX of one row",
        },
    ),
    *_rows("scales, operand", _NONE, frozenset({"e8m0"}), {"TGET_SCALE_ADDR": "puts a scale tile where it belongs"}),
)
_UNDER_WORDS = (
    *_rows("gm, acc, words", _FIXPIPE, _FIXPIPE, {"TSTORE_FP": "L0C to GM, one quantisation word for each column"}),
    *_rows("scalar", _FIXPIPE, _FIXPIPE, {"SET_QUANT_SCALAR": "the word of further pushes, for all columns"}),
    *_rows("words", _FIXPIPE, _FIXPIPE, {"SET_QUANT_VECTOR": "the words of further pushes, one for each column"}),
)

ROWS: tuple[Instruction, ...] = (*_QUANTISING, *_PRODUCTS, *_UNDER_WORDS)
