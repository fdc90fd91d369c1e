"""TCVT as C++: one function for each pair of element types, with the mode and the saturation as arguments."""

from __future__ import annotations

from collections.abc import Iterable

import ml_dtypes
import numpy as np

from pyptogen.lower.isa.table import CPU_CASTS

from ..arrays import DTYPES, Array
from ..test_numbers import E1M2, E2M1, FORMATS
from .source import CPP, HEADER

ROWS, COLS = 32, 160
CPP_TYPES = CPP | {
    "fp8_e4m3": "float8_e4m3_t", "fp8_e5m2": "float8_e5m2_t", "hif8": "hifloat8_t", "fp4_e2m1": "float4_e2m1x2_t",
    "fp4_e1m2": "float4_e1m2x2_t", "int4": "int4b_t",
}  # fmt: skip
PAIRS = tuple(sorted(CPU_CASTS))
NIBBLES = ("fp4_e2m1", "fp4_e1m2", "int4")
DECODED = {
    "fp8_e4m3": FORMATS["e4m3"].decoded, "fp8_e5m2": FORMATS["e5m2"].decoded, "hif8": FORMATS["hif8"].decoded,
    "fp4_e2m1": E2M1, "fp4_e1m2": E1M2, "int4": [*range(8), *range(-8, 0)],
}  # fmt: skip
"""Value of every code, from the definitions of the formats."""


def symbol(pair: tuple[str, str]) -> str:
    return f"cast_{pair[0]}_{pair[1]}"


def _function(pair: tuple[str, str]) -> str:
    return f"""
extern "C" void {symbol(pair)}(void* to, const void* from, int rows, int cols, int mode, int saturation)
{{
    Full<{CPP_TYPES[pair[1]]}> dst(rows, cols);
    Full<{CPP_TYPES[pair[0]]}> src(rows, cols);
    Full<float> tmp(rows, cols);
    put(dst, 0, to);
    put(src, 1, from);
    TASSIGN(tmp, 0x20000);
    const auto round = static_cast<RoundMode>(mode);
    switch (saturation) {{
        case 0: TCVT(dst, src, round); break;
        case 1: TCVT(dst, src, round, SaturationMode::ON); break;
        case 2: TCVT(dst, src, tmp, round, SaturationMode::OFF); break;
        default: TCVT<false>(dst, src, tmp, round);
    }}
    get(dst, to);
}}"""


def sources() -> dict[str, str]:
    """A translation unit for each source type."""
    froms = dict.fromkeys(pair[0] for pair in PAIRS)
    return {f"from_{f}.cpp": "\n".join([HEADER, *(_function(p) for p in PAIRS if p[0] == f)]) for f in froms}


def exports() -> Iterable[str]:
    return [symbol(pair) for pair in PAIRS]


def storage(dtype: str) -> tuple[tuple[int, int], np.dtype[np.generic]]:
    """Shape and numpy type of a whole tile in memory. Rows of int4 start a whole row of bytes apart."""
    if dtype in DECODED:
        return (ROWS, COLS // 2 if dtype in NIBBLES[:2] else COLS), np.dtype(np.uint8)
    return (ROWS, COLS), DTYPES[dtype]


def decoded(whole: Array, dtype: str, rows: int, cols: int) -> Array:
    """The valid elements as the meanings hold them."""
    if dtype not in DECODED:
        return whole[:rows, :cols]
    codes = whole
    if dtype in NIBBLES:
        codes = np.stack([whole & 15, whole >> 4], axis=-1).reshape(ROWS, -1)
    values = np.array(DECODED[dtype])[codes[:rows, :cols]]
    kinds = {"fp8_e4m3": ml_dtypes.float8_e4m3fn, "fp8_e5m2": ml_dtypes.float8_e5m2,
             "fp4_e2m1": ml_dtypes.float4_e2m1fn, "int4": ml_dtypes.int4}  # fmt: skip
    return values.astype(kinds.get(dtype, np.float32))
