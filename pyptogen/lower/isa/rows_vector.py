"""Vector instructions beside arithmetic: bits, comparison and selection, along rows and columns, partial, generated.

`a2a3` and `a5` are what the static checks and pages of the public A2/A3 and A5 headers take; `cpu` is what the
bundled headers take.
"""

from __future__ import annotations

from pyptogen.lower.isa.instruction import (
    ALL,
    ARITH,
    EQUAL,
    FLOATS,
    FLOATS_3,
    INT_8_32,
    INT_16_32,
    INT_ANY,
    NONE,
    SUMMED,
    TWO_OR_4_BYTES,
    UP_TO_4_BYTES,
    Bound,
    Group,
    Types,
)

_32_BITS: Types = frozenset({"int32", "uint32"})
_ROW_SUMS: Types = ARITH | {"int64", "uint64"}

_BITS = (
    *Group("dst, a, b", UP_TO_4_BYTES - {"fp32"}, UP_TO_4_BYTES, ALL)(TAND="a & b, of floats their bits"),
    *Group("dst, a, b", INT_8_32, UP_TO_4_BYTES, INT_ANY)(TOR="a | b"),
    *Group("dst, a, b", INT_8_32, INT_ANY, INT_ANY)(TSHL="a << b, b unsigned", TSHR="a >> b with a's sign"),
    *Group("dst, a, b, tmp", INT_8_32, INT_8_32, INT_ANY, effects="wrrt")(TXOR="a ^ b"),
    *Group("dst, a", INT_8_32, INT_8_32, INT_ANY)(TNOT="~a"),
    *Group("dst, a, scalar", INT_16_32, UP_TO_4_BYTES, INT_ANY)(TANDS="a & s", TORS="a | s"),
    *Group("dst, a, scalar", INT_16_32, INT_ANY, INT_ANY)(TSHLS="a << s, s unsigned", TSHRS="a >> s with a's sign"),
    *Group("dst, a, scalar, tmp", INT_8_32, UP_TO_4_BYTES, INT_ANY, effects="wrt")(TXORS="a ^ s"),
)
_COMPARISONS = (
    *Group("bits, a, b, cmp", FLOATS | {"int32"}, ALL, ALL, typed="read")(TCMP="packed bits of a cmp b"),
    *Group("bits, a, scalar, cmp | bits, a, b, cmp", ARITH | {"uint16"}, ALL, ALL, typed="read")(
        TCMPS="packed bits of a cmp s, or of a cmp b's first element"
    ),
    *Group("dst, bits, a, b, tmp", TWO_OR_4_BYTES, ALL, ALL, effects="wrrrt")(TSEL="a where the bit is set, else b"),
    *Group("dst, bits, a, tmp, scalar", TWO_OR_4_BYTES, ALL - {"bf16"}, ALL, effects="wrrt")(
        TSELS="a where the bit is set, else s"
    ),
)
_REDUCTIONS = (
    *Group("dst, a, tmp", ARITH, _ROW_SUMS, ALL, effects="wrt", layouts="dn nd", bound=SUMMED)(TROWSUM="sum of a row"),
    *Group("dst, a, tmp", ARITH, _ROW_SUMS | {"int8", "uint8"}, ALL, effects="wrt", layouts="dn nd", bound=EQUAL)(
        TROWMAX="its largest", TROWMIN="its least"
    ),
    *Group("dst, a, tmp", ARITH, ARITH, ALL, effects="wrt", layouts="dn nd", bound=Bound("relative", 2.0**-17))(
        TROWPROD="product of a row"
    ),
    *Group("idx, a, tmp | dst, idx, a, tmp", ARITH, FLOATS, ALL, effects="wrt|wwrt", layouts="dn dn nd", typed="read")(
        TROWARGMAX="column of the first largest of a row, and the largest",
        TROWARGMIN="column of the first least of a row, and the least",
    ),
    *Group("dst, a | dst, a, tmp, binary", ARITH, ALL, ALL, effects="wrt", bound=SUMMED)(TCOLSUM="sum of a column"),
    *Group("dst, a", ARITH, ALL, ALL, bound=EQUAL)(TCOLMAX="its largest", TCOLMIN="its least"),
    *Group("dst, a", ARITH, FLOATS_3 | INT_16_32, ALL, bound=Bound("relative", 2.0**-17))(
        TCOLPROD="product of a column"
    ),
    *Group(
        "idx, a, tmp | dst, idx, a, tmp",
        FLOATS | {"uint16", "uint32"},
        UP_TO_4_BYTES,
        ALL,
        effects="wrt|wwrt",
        typed="read",
    )(
        TCOLARGMAX="row of the first largest of a column, and the largest",
        TCOLARGMIN="row of the first least of a column, and the least",
    ),
    *Group("dst, a", FLOATS, FLOATS, ALL)(TPAIRREDUCESUM="sums of neighbours in the left half, 0 in the right"),
)
_EXPANDED = {"ADD": "+", "SUB": "-", "MUL": "*", "DIV": "/", "MAX": "max", "MIN": "min"}
_SPREAD = (
    *Group("dst, col", UP_TO_4_BYTES, ALL, ALL, layouts="nd dn")(TROWEXPAND="a column copied to every column"),
    *Group("dst, row", UP_TO_4_BYTES, ALL, ALL)(TCOLEXPAND="a row copied to every row"),
    *Group("dst, a, col | dst, a, col, tmp", ARITH, UP_TO_4_BYTES, ALL, effects="wrrt", layouts="nd nd dn nd").rows(
        {f"TROWEXPAND{name}": f"a {sign} col, row by row" for name, sign in _EXPANDED.items()}
    ),
    *Group("dst, a, row", ARITH, UP_TO_4_BYTES, ALL).rows(
        {f"TCOLEXPAND{name}": f"a {sign} row, column by column" for name, sign in _EXPANDED.items()}
    ),
    *Group(
        "dst, a, col | dst, a, col, tmp", FLOATS, FLOATS, FLOATS_3, effects="wrrt", layouts="nd nd dn nd",
        bound=Bound("ulps", 1.0),
    )(TROWEXPANDEXPDIF="e^(a - col), row by row"),
    *Group("dst, a, row", FLOATS, FLOATS, FLOATS_3, bound=Bound("ulps", 1.0))(
        TCOLEXPANDEXPDIF="e^(a - row), column by column"
    ),
)  # fmt: skip
_PARTIAL = (
    *Group("dst, a, b", ARITH, ALL, ALL)(
        TPARTADD="a + b where both are valid", TPARTMAX="the larger, likewise", TPARTMIN="the smaller, likewise"
    ),
    *Group("dst, a, b", ARITH, UP_TO_4_BYTES, ALL)(TPARTMUL="a * b, likewise"),
    *Group("dst, a, b, idx, ai, bi", FLOATS, FLOATS, ALL, effects="wrrwrr")(
        TPARTARGMAX="the larger and its index, likewise", TPARTARGMIN="the smaller and its index, likewise"
    ),
)
_GENERATED = (
    *Group("dst, start | dst, start, tmp", INT_16_32, INT_16_32, TWO_OR_4_BYTES, effects="wt", pipe="S")(
        TCI="start, start + 1, ..., or descending; one row"
    ),
    *Group("dst, diagonal", FLOATS | INT_16_32, ALL, ALL, effects="w")(TTRI="1 below (above) a diagonal, 0 elsewhere"),
    *Group("dst, key, counter", NONE, _32_BITS, _32_BITS, effects="w")(TRANDOM="random bits, Philox 4x32"),
)

ROWS = (*_BITS, *_COMPARISONS, *_REDUCTIONS, *_SPREAD, *_PARTIAL, *_GENERATED)
