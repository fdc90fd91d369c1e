"""Instructions that the bundled headers add to the public API for CPUs: kernels for `cpu` alone may use them."""

from __future__ import annotations

from pyptogen.lower.isa.instruction import FLOATS_3, INT_8_32, NONE, Group, Types

_WIDE: Types = frozenset({"fp32", "int32", "uint32", "int64", "uint64"})

ROWS = (
    *Group(
        "idx, gm, tmp", NONE, NONE, (FLOATS_3 | INT_8_32) - {"uint32"}, effects="wrt", layouts="nd gm nd", typed="read"
    )(
        TTOPK="positions of the greatest elements of a row in falling order; the first of equal ones first",
        TBOTTOMK="positions of the least elements of a row in rising order, likewise",
    ),
    *Group("dst, a, before", NONE, NONE, _WIDE, effects="wrr")(
        TROWCUMSUM="running sums of a row, from left to right, going on from the last column of before",
        TROWCUMPROD="running products, likewise",
    ),
)
