"""Layout and movement: loads, stores, moves, insertion and extraction, padding, transposition, gathering and
scattering, sorting, histograms and the operands of convolutions.

`a2a3` and `a5` are what the static checks and pages of the public A2/A3 and A5 headers take; `cpu` is what the
bundled headers take. Dtypes are those of the moved elements.
"""

from __future__ import annotations

from pyptogen.lower.isa.instruction import (
    ALL,
    EVERY,
    FLOATS,
    FLOATS_3,
    FP4,
    FP8,
    INT_8_32,
    NONE,
    TWO_OR_4_BYTES,
    UP_TO_4_BYTES,
    Group,
    Types,
)
from pyptogen.lower.isa.rows_numbers import FROM_WORDS

_A5: Types = ALL | FP8 | FP4 | {"fp8_e8m0"}
_CUBE: Types = frozenset({"fp32", "fp16", "bf16", "int8"})
_SORTED: Types = FLOATS_3 | {"int16", "int32"}
_QUANTISED: Types = frozenset({"int8", "uint8", "int16", "fp16"})
_A5_QUANTISED: Types = frozenset({"int8", "uint8", "fp16", "bf16", "fp32", "hif8", "fp8_e4m3"})
_COUNTED: Types = frozenset({"uint16", "uint32"})
_TABLE_TYPES: Types = UP_TO_4_BYTES | FP8
_WHOLE_BYTES: Types = ALL | FP8 | {"fp8_e8m0"}
_INSERTED: Types = UP_TO_4_BYTES
_A5_INSERTED: Types = UP_TO_4_BYTES | {"fp8_e8m0"} | FP8 | FP4

_MOVES = (
    *Group("dst, gm", ALL, _A5, EVERY, pipe="MTE2", layouts="any gm")(TLOAD="GM to UB or L1 (cpu: also to L0A, L0B)"),
    *Group(
        "gm, src | gm, src, word", ALL, _A5, EVERY, pipe="source", layouts="gm any", typed="read"
    )(TSTORE="UB or L0C to GM; an accumulator may be rounded, quantised, under relu, or added"),
    *Group("dst, src, row, col", ALL, _A5, _A5, pipe="place", layouts="any")(
        TEXTRACT="part of an L1 tile to L0A or L0B; of an accumulator or UB tile to UB"
    ),
    *Group("dst, src | dst, src, word", ALL, _A5, _A5, pipe="place", layouts="any")(
        TMOV="tile to tile: L1 to L0; UB to UB; L0C to UB or L1, as TSTORE; UB to L0A on cpu"
    ),
    *Group("dst, a, row, col", _INSERTED, _A5_INSERTED, _A5, effects="ur", pipe="place", layouts="any")(
        TINSERT="dst at (row, col) and on = a"
    ),
    *Group("dst, acc, words", _QUANTISED, _A5_QUANTISED, FROM_WORDS, pipe="place", layouts="any nz nd")(
        TMOV_FP="acc under one quantisation word a column"
    ),
    *Group(
        "dst, acc, words, row, col", _QUANTISED, _A5_QUANTISED, FROM_WORDS, pipe="place",
        layouts="any nz nd",
    )(TEXTRACT_FP="as TMOV_FP, acc at (row, col) and on"),
    *Group(
        "dst, acc, words, row, col", _QUANTISED, _A5_QUANTISED, FROM_WORDS, effects="urr", pipe="place",
        layouts="any nz nd",
    )(TINSERT_FP="as TMOV_FP, to dst at (row, col) and on"),
    *Group("dst, a", EVERY, EVERY, EVERY, effects="--", pipe="S", layouts="any")(
        TRESHAPE="a's bytes in another shape, without a copy"
    ),
    *Group("dst, a, row, col", EVERY, EVERY, EVERY, effects="--", pipe="S", layouts="any")(
        TSUBVIEW="a from (row, col) on, without a copy"
    ),
    *Group("dst, gm", ALL, _A5, _A5, effects="-r", pipe="MTE2", layouts="any gm")(
        TPREFETCH="global memory into the cache; dst is scratch"
    ),
    *Group("gm, context", ALL, _A5, _A5, effects="r", pipe="MTE2", layouts="gm")(
        TPREFETCH_ASYNC="global memory into the cache"
    ),
)  # fmt: skip
_LAYOUT = (
    *Group("dst, a", UP_TO_4_BYTES, UP_TO_4_BYTES, _A5)(
        TFILLPAD="a's valid region, dst's pad value in the rest of dst",
        TFILLPAD_INPLACE="as TFILLPAD, both tiles on the same bytes",
        TFILLPAD_EXPAND="as TFILLPAD into a larger dst",
    ),
    *Group("dst, a, tmp", UP_TO_4_BYTES, UP_TO_4_BYTES, _WHOLE_BYTES, effects="wrt")(TTRANS="a transposed"),
    *Group(
        "dst, a, b | dst, a, b, ai, bi | dst, a, b, idx, ai, bi",
        UP_TO_4_BYTES,
        UP_TO_4_BYTES,
        ALL,
        effects="wrr|wrrwrr",
    )(TCONCAT="a's columns, then b's; with index tiles as many of each as they say"),
    *Group("dst1, dst0, b, a", NONE, UP_TO_4_BYTES, ALL, effects="wwrr")(
        TINTERLEAVE="dst0, then dst1 = elements of a and b in turn"
    ),
    *Group("dst1, dst0, b, a | dst1, dst0, a", NONE, UP_TO_4_BYTES, ALL, effects="wwrr|wwr")(
        TDEINTERLEAVE="even (dst0) and odd (dst1) elements of a, then b"
    ),
)
_INDEXED = (
    *Group(
        "dst, a, idx, tmp | dst, a | dst, a, key, counts, tmp, offset", TWO_OR_4_BYTES, _A5, _A5, effects="wrrt|wrrwt"
    )(TGATHER="a at flat positions; or by pattern; or positions of matches"),
    *Group("dst, a, offset", UP_TO_4_BYTES, UP_TO_4_BYTES, ALL)(TGATHERB="32-byte blocks of a at byte offsets"),
    *Group("dst, a, idx | dst, a", UP_TO_4_BYTES, ALL, _WHOLE_BYTES)(
        TSCATTER="a to flat positions of zeros; or by pattern"
    ),
    *Group("dst, gm, idx", UP_TO_4_BYTES, _TABLE_TYPES, _WHOLE_BYTES, layouts="any gm any")(
        MGATHER="rows or elements of global memory"
    ),
    *Group("gm, a, idx", UP_TO_4_BYTES, _TABLE_TYPES, _WHOLE_BYTES, layouts="gm any", typed="read")(
        MSCATTER="rows or elements of global memory = a, or combined"
    ),
)
_SORTING = (
    *Group("pairs, a, idx | pairs, a, idx, tmp", FLOATS, FLOATS, _SORTED, effects="wrrt")(
        TSORT32="32 values at a time, descending, with their indices"
    ),
    *Group("pairs, taken, tmp, a, b[, c[, d]] | pairs, a, block", FLOATS, FLOATS, _SORTED, effects="wtrrrr|wr")(
        TMRGSORT="two to four sorted lists in one"
    ),
    *Group("dst, a, filter", NONE, _COUNTED, _COUNTED, typed="read")(
        THISTOGRAM="running counts of a byte's values in each row"
    ),
)
_CONVOLUTION = (
    *Group("dst, map, m, k", _CUBE, _CUBE | INT_8_32, UP_TO_4_BYTES, pipe="MTE1", layouts="nz any")(
        TIMG2COL="rows of a convolution's A operand"
    ),
    *Group("map", _CUBE, _CUBE | INT_8_32, UP_TO_4_BYTES, effects="-", pipe="S", layouts="any")(
        SETFMATRIX="size and padding of the feature map (cpu: taken from TIMG2COL's source)",
        SET_IMG2COL_RPT="repetition of TIMG2COL (cpu: not needed)",
        SET_IMG2COL_PADDING="pad value of TIMG2COL (cpu: taken from its source)",
    ),
)

ROWS = (*_MOVES, *_LAYOUT, *_INDEXED, *_SORTING, *_CONVOLUTION)
