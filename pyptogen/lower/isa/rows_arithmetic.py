"""Elementwise arithmetic: of tiles, with a scalar, of one tile, in two steps, remainders and powers, casts.

`a2a3` and `a5` are what the static checks and pages of the public A2/A3 and A5 headers take; `cpu` is what the
bundled headers take.
"""

from __future__ import annotations

from pyptogen.lower.isa.instruction import (
    ALL,
    ARITH,
    FLOATS,
    FLOATS_3,
    FP4,
    FP8,
    FP32,
    INT_8_32,
    INT_16_32,
    NONE,
    UP_TO_4_BYTES,
    Bound,
    Group,
    Types,
)

_BYTES: Types = frozenset({"int8", "uint8"})
_WIDE: Types = frozenset({"int64", "uint64"})
_NO_BYTES: Types = ALL - _BYTES
_NO_BF16: Types = ALL - _BYTES - {"bf16"}
_CLOSE = Bound("ulps", 1.0)

_TILES = (
    *Group("dst, a, b", ARITH, ALL, ALL)(TADD="a + b", TSUB="a - b", TMAX="the larger", TMIN="the smaller"),
    *Group("dst, a, b", ARITH, _NO_BYTES, ALL)(TMUL="a * b"),
    *Group("dst, a, b", ARITH, _NO_BF16, ALL)(TDIV="a / b; integers toward zero, and 0 for b = 0"),
)
_SCALARS = (
    *Group("dst, a, scalar", ARITH, ALL, ALL)(TADDS="a + s", TSUBS="a - s", TMAXS="the larger", TMINS="the smaller"),
    *Group("dst, a, scalar", ARITH, _NO_BYTES, ALL)(TMULS="a * s"),
    *Group("dst, a, scalar | dst, scalar, a", ARITH, _NO_BF16, ALL)(TDIVS="a / s, or s / a"),
    *Group("dst, scalar", UP_TO_4_BYTES, ALL, ALL, effects="w")(TEXPANDS="every element = s; in L1 of the whole tile"),
)
_ONE = (
    *Group("dst, a", FLOATS, FLOATS, ALL, bound=_CLOSE)(TEXP="e^a", TLOG="ln a"),
    *Group("dst, a", FLOATS, FLOATS, ALL)(TSQRT="root"),
    *Group("dst, a | dst, a, tmp", FLOATS, FLOATS, ALL, effects="wrt", bound=Bound("ulps", 1.5))(TRSQRT="1 / root"),
    *Group("dst, a", ARITH, _NO_BF16, ALL)(TRECIP="1 / a"),
    *Group("dst, a", FLOATS, FLOATS | {"int8", "int16", "int32"}, ALL)(TABS="|a|"),
    *Group("dst, a", ARITH, ARITH | {"bf16", "int8"}, ALL)(TNEG="-a"),
    *Group("dst, a", FLOATS | {"int32"}, FLOATS | {"int32"}, ALL)(TRELU="max(a, 0)"),
)
_TWO_STEPS = (
    *Group("dst, a, b", FLOATS, FLOATS, ALL, effects="urr")(
        TMULADDDST="dst = a * b + dst", TFUSEDMULADD="dst = a * dst + b", TFUSEDMULADDRELU="dst = max(a * dst + b, 0)"
    ),
    *Group("dst, a, b", FLOATS, FLOATS, ALL)(TSUBRELU="max(a - b, 0)"),
    *Group("dst, a, scalar", FLOATS, FLOATS, ALL, effects="ur")(TAXPY="dst = s * a + dst"),
    *Group("dst, a, scalar", FLOATS, FLOATS, ALL)(TLRELU="a where a > 0, else s * a"),
    *Group("dst, a, b, tmp", FLOATS, FLOATS, ALL, effects="wrrt")(TPRELU="a where a > 0, else a * b"),
    *Group("dst, a, b, c", NONE, NONE, ALL)(TADDC="a + b + c", TSUBC="a - b + c"),
    *Group("dst, a, scalar, b", NONE, NONE, ALL)(TADDSC="a + s + b", TSUBSC="a - s + b"),
)
_REMAINDERS = (
    *Group("dst, a, b", FP32, FLOATS | INT_16_32, ALL)(TFMOD="remainder of a / b with a's sign"),
    *Group("dst, a, scalar", FP32, FLOATS_3 | INT_16_32, ALL)(TFMODS="remainder of a / s with a's sign"),
    *Group("dst, a, b, tmp", FP32 | {"int32"}, FLOATS | INT_16_32 | _WIDE, ALL, effects="wrrt")(
        TREM="remainder of a / b with b's sign"
    ),
    *Group("dst, a, scalar, tmp", FP32 | {"int32"}, FLOATS_3 | INT_16_32 | _WIDE, ALL, effects="wrt")(
        TREMS="remainder of a / s with s's sign"
    ),
    *Group("dst, a, b, tmp", FP32 | INT_8_32, FLOATS_3 | INT_8_32, ALL, effects="wrrt", bound=_CLOSE)(
        TPOW="a to the power b"
    ),
    *Group("dst, a, scalar, tmp", FP32 | INT_8_32, FLOATS_3 | INT_8_32, ALL, effects="wrt", bound=_CLOSE)(
        TPOWS="a to the power s"
    ),
)
_A2A3_CAST_TO: Types = FLOATS_3 | {"int8", "uint8", "int16", "int32", "int64", "int4"}
_A5_CAST_TO: Types = ALL - {"uint64"} | FP8 | FP4
_CAST = Group(
    "dst, a, mode[, saturation] | dst, a, tmp, mode[, saturation]",
    _A2A3_CAST_TO, _A5_CAST_TO, ALL | FP8 | FP4 | {"int4"}, effects="wrt",
)(TCVT="conversion with a round mode; which pairs: `CASTS`")  # fmt: skip

ROWS = (*_TILES, *_SCALARS, *_ONE, *_TWO_STEPS, *_REMAINDERS, *_CAST)
