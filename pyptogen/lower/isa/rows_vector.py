"""Vector instructions beside the plain arithmetic of `table.py`: bitwise, fused, remainder and power, comparison and
selection, positions of extremes, products, partial and generating instructions.

`a2a3` is what the static checks of the public A2/A3 headers take (an instruction that they lack has an empty set);
`cpu` is what the bundled headers take.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.isa.table import FLOATS, Instruction

_NONE: frozenset[str] = frozenset()
_INT_16_32 = frozenset({"int16", "uint16", "int32", "uint32"})
_INT_8_32 = _INT_16_32 | {"int8", "uint8"}
_INT_ANY = _INT_8_32 | {"int64", "uint64"}
_ARITH = FLOATS | {"int16", "int32"}
_ANY = FLOATS | {"bf16"} | _INT_ANY
_ANY_FLOAT = FLOATS | {"bf16"}
_FP32 = frozenset({"fp32"})
_TWO_OR_FOUR_BYTES = FLOATS | {"bf16"} | _INT_16_32


def _rows(form: str, a2a3: frozenset[str], cpu: frozenset[str], meanings: Mapping[str, str]) -> tuple[Instruction, ...]:
    dtypes = {"a2a3": a2a3, "cpu": cpu}
    return tuple(Instruction(name, form, dtypes, doc) for name, doc in meanings.items())


_BITWISE = (
    *_rows("dst, a, b", _INT_8_32, _INT_ANY, {"TAND": "a & b", "TOR": "a | b"}),
    *_rows("dst, a, b", _INT_8_32, _INT_ANY, {"TSHL": "a << b, b unsigned", "TSHR": "a >> b with a's sign"}),
    *_rows("dst, a, b, tmp", _INT_8_32, _INT_ANY, {"TXOR": "a ^ b"}),
    *_rows("dst, a", _INT_8_32, _INT_ANY, {"TNOT": "~a"}),
    *_rows("dst, a, scalar", _INT_16_32, _INT_ANY, {"TANDS": "a & s", "TORS": "a | s"}),
    *_rows("dst, a, scalar", _INT_16_32, _INT_ANY, {"TSHLS": "a << s, s unsigned", "TSHRS": "a >> s with a's sign"}),
    *_rows("dst, a, scalar, tmp", _INT_8_32, _INT_ANY, {"TXORS": "a ^ s"}),
)
_FUSED = (
    *_rows("dst, a, b", FLOATS, _ANY, {"TMULADDDST": "dst = a * b + dst", "TFUSEDMULADD": "dst = a * dst + b"}),
    *_rows("dst, a, b", FLOATS, _ANY, {"TFUSEDMULADDRELU": "dst = max(a * dst + b, 0)", "TSUBRELU": "max(a - b, 0)"}),
    *_rows("dst, a, scalar", FLOATS, _ANY, {"TAXPY": "dst = s * a + dst", "TLRELU": "a where a > 0, else s * a"}),
    *_rows("dst, a, b, tmp", FLOATS, _ANY, {"TPRELU": "a where a > 0, else a * b"}),
    *_rows("dst, a, b, c", _NONE, _ANY, {"TADDC": "a + b + c", "TSUBC": "a - b + c"}),
    *_rows("dst, a, scalar, b", _NONE, _ANY, {"TADDSC": "a + s + b", "TSUBSC": "a - s + b"}),
)
_REMAINDER = (
    *_rows("dst, a, b", _FP32, _ANY, {"TFMOD": "remainder of a / b with a's sign"}),
    *_rows("dst, a, scalar", _FP32, _ANY, {"TFMODS": "remainder of a / s with a's sign"}),
    *_rows("dst, a, b, tmp", _FP32 | {"int32"}, _ANY, {"TREM": "remainder of a / b with b's sign"}),
    *_rows("dst, a, scalar, tmp", _FP32 | {"int32"}, _ANY, {"TREMS": "remainder of a / s with s's sign"}),
    *_rows("dst, a, b, tmp", _FP32 | _INT_8_32, _ANY, {"TPOW": "a to the power b"}),
    *_rows("dst, a, scalar, tmp", _FP32 | _INT_8_32, _ANY, {"TPOWS": "a to the power s"}),
)
_COMPARE = (
    *_rows("bits, a, b, mode", FLOATS | {"int32"}, _ANY, {"TCMP": "packed bits of a mode b"}),
    *_rows("bits, a, scalar, mode", _ARITH | {"uint16"}, _ANY, {"TCMPS": "packed bits of a mode s"}),
    *_rows("dst, bits, a, b, tmp", _TWO_OR_FOUR_BYTES, _ANY, {"TSEL": "a where the bit is set, else b"}),
    *_rows("dst, bits, a, tmp, scalar", _TWO_OR_FOUR_BYTES, _ANY, {"TSELS": "a where the bit is set, else s"}),
)
_ALONG_AXES = (
    *_rows("idx, a, tmp | dst, idx, a, tmp", _ARITH, _ANY, {"TROWARGMAX": "column of the first largest of a row"}),
    *_rows("idx, a, tmp | dst, idx, a, tmp", _ARITH, _ANY, {"TROWARGMIN": "column of the first least of a row"}),
    *_rows(
        "idx, a, tmp | dst, idx, a, tmp",
        FLOATS | {"uint16", "uint32"},
        _ANY,
        {"TCOLARGMAX": "row of the first largest of a column", "TCOLARGMIN": "row of the first least of a column"},
    ),
    *_rows("dst, a, tmp", _ARITH, _ANY, {"TROWPROD": "product of a row"}),
    *_rows("dst, a", _ARITH, _ANY, {"TCOLPROD": "product of a column"}),
    *_rows("dst, a", FLOATS, _ANY, {"TPAIRREDUCESUM": "sums of neighbours in the left half, 0 in the right"}),
    *_rows("dst, a, col", FLOATS, _ANY_FLOAT, {"TROWEXPANDEXPDIF": "e^(a - col), row by row"}),
    *_rows("dst, a, row", FLOATS, _ANY_FLOAT, {"TCOLEXPANDEXPDIF": "e^(a - row), column by column"}),
)
_PARTIAL = (
    *_rows("dst, a, b", _ARITH, _ANY, {"TPARTADD": "a + b where both are valid", "TPARTMUL": "a * b, likewise"}),
    *_rows("dst, a, b", _ARITH, _ANY, {"TPARTMAX": "the larger, likewise", "TPARTMIN": "the smaller, likewise"}),
    *_rows(
        "dst, a, b, idx, a_idx, b_idx",
        FLOATS,
        _ANY,
        {"TPARTARGMAX": "the larger and its index, likewise", "TPARTARGMIN": "the smaller and its index, likewise"},
    ),
)
_GENERATE = (
    *_rows("dst, start | dst, start, tmp", _TWO_OR_FOUR_BYTES, _ANY, {"TCI": "start, start + 1, ..., or descending"}),
    *_rows("dst, diagonal", FLOATS | _INT_16_32, _ANY, {"TTRI": "1 below (above) a diagonal, 0 elsewhere"}),
    *_rows("dst, key, counter", _NONE, frozenset({"int32", "uint32"}), {"TRANDOM": "random bits, Philox 4x32"}),
)

ROWS: tuple[Instruction, ...] = (
    *_BITWISE, *_FUSED, *_REMAINDER, *_COMPARE, *_ALONG_AXES, *_PARTIAL, *_GENERATE,
)  # fmt: skip
