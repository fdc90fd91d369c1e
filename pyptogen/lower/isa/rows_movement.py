"""Layout and movement instructions: moves, insertion and extraction, padding, transposition, gathering and scattering,
sorting, histograms and the operands of convolutions.

`a2a3` is what the public A2/A3 headers and pages take (an instruction that they lack has an empty set); `cpu` is what
the bundled headers take. Dtypes are those of the moved elements. TLOAD, TSTORE, TMOV and TEXTRACT stand in `table.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.isa.table import ANY, Instruction

_NONE: frozenset[str] = frozenset()
_ALL = ANY | {"uint64"}
_FLOATS = frozenset({"fp32", "fp16"})
_TWO_OR_FOUR_BYTES = frozenset({"fp32", "fp16", "bf16", "int16", "uint16", "int32", "uint32"})
_UP_TO_FOUR_BYTES = _TWO_OR_FOUR_BYTES | {"int8", "uint8"}
_CUBE = frozenset({"fp32", "fp16", "bf16", "int8"})
_OPERAND = _UP_TO_FOUR_BYTES
_SORTED = frozenset({"fp32", "fp16", "bf16", "int16", "int32"})
_QUANTISED = frozenset({"int8", "uint8", "int16", "fp16"})
_COUNTED = frozenset({"uint16", "uint32"})


def _rows(form: str, a2a3: frozenset[str], cpu: frozenset[str], meanings: Mapping[str, str]) -> tuple[Instruction, ...]:
    dtypes = {"a2a3": a2a3, "cpu": cpu}
    return tuple(Instruction(name, form, dtypes, doc) for name, doc in meanings.items())


_MOVES = (
    *_rows("dst, a, row, col", frozenset({"fp16", "bf16"}), _ALL, {"TINSERT": "dst at (row, col) and on = a"}),
    *_rows("dst, acc, fp", _QUANTISED, _QUANTISED | {"bf16"}, {"TMOV_FP": "acc under one quantisation word a column"}),
    *_rows(
        "dst, acc, fp, row, col",
        _QUANTISED,
        _QUANTISED | {"bf16"},
        {
            "TEXTRACT_FP": "as TMOV_FP, acc at (row, col) and on",
            "TINSERT_FP": "as TMOV_FP, to dst at (row, col) and on",
        },
    ),
    *_rows("dst, a", _ALL, _ALL, {"TRESHAPE": "a's bytes in another shape, without a copy"}),
    *_rows("dst, a, row, col", _ALL, _ALL, {"TSUBVIEW": "a from (row, col) on, without a copy"}),
    *_rows("dst, gm", _ALL, _ALL, {"TPREFETCH": "global memory into the cache; dst is scratch"}),
    *_rows("gm, context", _ALL, _ALL, {"TPREFETCH_ASYNC": "global memory into the cache"}),
)
_LAYOUT = (
    *_rows(
        "dst, a",
        _UP_TO_FOUR_BYTES,
        _ALL,
        {
            "TFILLPAD": "a's valid region, dst's pad value in the rest of dst",
            "TFILLPAD_INPLACE": "as TFILLPAD, both tiles on the same bytes",
            "TFILLPAD_EXPAND": "as TFILLPAD into a larger dst",
        },
    ),
    *_rows("dst, a, tmp", _UP_TO_FOUR_BYTES, _ALL, {"TTRANS": "a transposed"}),
    *_rows("dst, a, b", _UP_TO_FOUR_BYTES, _ALL, {"TCONCAT": "a's columns, then b's"}),
    *_rows("dst1, dst0, b, a", _NONE, _ALL, {"TINTERLEAVE": "dst0, then dst1 = elements of a and b in turn"}),
    *_rows("dst1, dst0, b, a", _NONE, _ALL, {"TDEINTERLEAVE": "even (dst0) and odd (dst1) elements of a, then b"}),
)
_INDEXED = (
    *_rows("dst, a, index, tmp", _TWO_OR_FOUR_BYTES, _ALL, {"TGATHER": "a at flat positions; or by pattern or match"}),
    *_rows("dst, a, offset", _UP_TO_FOUR_BYTES, _ALL, {"TGATHERB": "32-byte blocks of a at byte offsets"}),
    *_rows("dst, a, index", _UP_TO_FOUR_BYTES, _ALL, {"TSCATTER": "a to flat positions of zeros; or by pattern"}),
    *_rows("dst, gm, index", _UP_TO_FOUR_BYTES, _ALL, {"MGATHER": "rows or elements of global memory"}),
    *_rows("gm, a, index", _UP_TO_FOUR_BYTES, _ALL, {"MSCATTER": "rows or elements of global memory = a, or combined"}),
)
_SORTING = (
    *_rows("pairs, a, index", _FLOATS, _SORTED, {"TSORT32": "32 values at a time, descending, with their indices"}),
    *_rows("pairs, taken, tmp, a, b", _FLOATS, _SORTED, {"TMRGSORT": "two to four sorted lists in one"}),
    *_rows("dst, a, filter", _NONE, _COUNTED, {"THISTOGRAM": "running counts of a byte's values in each row"}),
)
_CONVOLUTION = (
    *_rows("dst, map, m, k", _CUBE, _OPERAND, {"TIMG2COL": "rows of a convolution's A operand"}),
    *_rows(
        "map",
        _CUBE,
        _OPERAND,
        {
            "SETFMATRIX": "size and padding of the feature map (cpu: taken from TIMG2COL's source)",
            "SET_IMG2COL_RPT": "repetition of TIMG2COL (cpu: not needed)",
            "SET_IMG2COL_PADDING": "pad value of TIMG2COL (cpu: taken from its source)",
        },
    ),
)

ROWS: tuple[Instruction, ...] = (*_MOVES, *_LAYOUT, *_INDEXED, *_SORTING, *_CONVOLUTION)
