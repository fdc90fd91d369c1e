"""Every documented call form compiles, in checked mode, too; what an instruction does not take is refused in one
readable line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pyptogen.lower.isa.table import FAMILIES, INSTRUCTIONS

from .agreement.cases import CASES, COVERED, Case
from .agreement.source import CPP, HEADER, function
from .reading import STRICT, read

FORMS = Path(__file__).parent / "forms"
FLAGS = (*STRICT, "-Wno-unused-function", "-DPTO_PORTABLE")


def said(text: str, *flags: str) -> list[str]:
    """The lines that the compiler says about a text, which it calls <stdin>."""
    return read(text, *FLAGS, *flags).stderr.splitlines()


def errors(lines: list[str]) -> list[str]:
    return [line.partition("error: ")[2] for line in lines if "error:" in line]


@pytest.mark.parametrize("mode", ["", "PTO_CHECKED"])
@pytest.mark.parametrize("source", ["tiles", "orders", "explicit"])
def test_every_form_compiles(source: str, mode: str) -> None:
    assert errors(said((FORMS / f"{source}.cpp").read_text(), *([f"-D{mode}"] if mode else []))) == []


def test_every_name_of_the_table_has_its_forms() -> None:
    """Those of regular instructions are the cases of test_agreement.py."""
    written = "".join(path.read_text() for path in FORMS.glob("*.cpp"))
    called = set(re.findall(r"((?:comm::)?[A-Z][A-Z0-9_]+)[(<]", written))
    own = {row.name for row in FAMILIES["extensions"]}
    assert set(INSTRUCTIONS) - COVERED - own - called == set()


def in_its_own_namespace(number: int, case: Case, dtype: str) -> str:
    """A case with tiles of its own height: an assertion about tiles that failed before is not said again."""
    types = HEADER.partition("namespace {")[2].rpartition("}  // namespace")[0]
    own = re.sub(r"kRows = \d+", f"kRows = {32 * number + 64}", types)
    return f"namespace case_{number} {{{own}{function(case, dtype)}\n}}\n"


@pytest.mark.parametrize("dtype", list(CPP))
def test_an_element_type_that_the_table_lacks_is_refused(dtype: str) -> None:
    """With the text of a static_assert, and nothing else, for each instruction."""
    text, owners = HEADER.partition("namespace {")[0], {}
    for number, case in enumerate(case for case in CASES if dtype not in case.row.dtypes["cpu"]):
        first = text.count("\n") + 1
        text += in_its_own_namespace(number, case, dtype)
        owners |= dict.fromkeys(range(first, text.count("\n") + 1), case.row.name)
    lines = said(text)
    places = (re.match(r"<stdin>:(\d+):", line) for line in lines)
    refused = {owners[int(place[1])] for place in places if place and int(place[1]) in owners}
    assert refused == set(owners.values())
    assert [error for error in errors(lines) if not error.startswith("static assertion failed")] == []


OPEN = "must be a tile that is not Left or Right: the matrix unit alone reads those"
BY_WORDS = "TMOV, TEXTRACT, TINSERT, TSTORE and TPUSH"
QUANTISED = (
    "quantise fp32 to fp32, half, bfloat16_t, int8, uint8, float8_e4m3_t or hifloat8_t, and int32 to half, bfloat16_t, "
    "int8, uint8 or int16"
)
REFUSED = {
    "TLOAD(tile, bytes)": "TLOAD: src needs elements of the size of those of dst",
    "TSTORE(bytes, tile)": "TSTORE: src needs elements of the size of those of dst",
    "TSTORE(wide, sums)": "TSTORE of an Acc tile casts fp32 to fp32, half or bfloat16_t, and int32 to int32",
    "TADD(tile, tile, whole)": "TADD: src1 needs the element type of dst",
    "TMATMUL(sums, left, whole_right)": "TMATMUL needs the same element type in both operands, or e4m3 and e5m2",
    "TMATMUL(whole_sums, left, right)": "TMATMUL multiplies fp32, half, bfloat16_t, e4m3, e5m2 or hifloat8_t "
    "into fp32, or int8 into int32",
    "TMATMUL(sums, left, short_right)": "TMATMUL: the valid parts must be M x N, M x K and K x N",
    "TMATMUL(left, sums, right)": "TMATMUL takes an Acc, a Left and a Right tile",
    "TMATMUL_BIAS(sums, left, right, tile)": "TMATMUL and TGEMV: bias must be a row-major Bias tile of one row",
    "MGATHER(tile, floats, tile)": "MGATHER: indexes must have integer elements",
    "MSCATTER(floats, tile, tile)": "MSCATTER: indexes must have integer elements",
    "TTRANS(tile, tile, tile)": "TTRANS: dst needs as many rows as src has valid columns, and as many columns as it "
    "has valid rows",
    "TRESHAPE(tile, mat)": "TRESHAPE: src needs the memory of dst",
    "TSUBVIEW(sums, sums, 0, 0)": "TSUBVIEW: dst must be a tile that is not Left, Right or Acc: TEXTRACT takes parts "
    "of those",
    "(TTRI<Vec, 2>(tile, 0))": "TTRI: isUpperOrLower must be 0 (lower) or 1 (upper)",
    "TMOV<2>(tile, tile, tile)": "TMOV takes the axis of the groups: 0 (rows) or 1 (columns)",
    "TEXTRACT(left, right, 0, 0)": f"TEXTRACT: src {OPEN}",
    "TINSERT(tile, left, 0, 0)": f"TINSERT: src {OPEN}",
    "TGATHERB(tile, tile, tile)": "TGATHERB: offset must have integer elements",
    "TSCATTER(tile, tile, tile)": "TSCATTER: indexes must have integer elements",
    "TGATHER(tile, whole, whole, whole)": "TGATHER: src0 needs the element type of dst",
    "TROWARGMAX(tile, tile, tile)": "TROWARGMAX: index must have integer elements",
    "TCMP(tile, tile, tile, CmpMode::EQ)": "TCMP: dst must have integer elements",
    "TSUBVIEW(mat, boxed, 0, 0)": "TSUBVIEW: src needs elements of the size of those of dst",
    "TMRGSORT(tile, tile, 32)": "TMRGSORT: dst must have one row",
    "TMATMUL_ACC(sums, whole_sums, left, right)": "TMATMUL_ACC and TGEMV_ACC: both accumulators need the same "
    "element type and shape",
    "TDEQUANT(whole, whole, tile, tile)": "TDEQUANT: dst must have fp32 elements",
    "TADDRELUCONV(tile, tile, tile)": "TADDRELUCONV: dst must have half or int8 elements",
    "TEXPANDS(left, 1.0f)": "TEXPANDS: dst must be a plain Vec tile",
    "TTRANS(tile, whole, tile)": "TTRANS: src needs the element type of dst",
    "TMATMUL_MX(sums, left, tile, right, tile)": "TMATMUL_MX: the scales must be e8m0 bytes",
    "THISTOGRAM<HistByte::BYTE_0>(tile, tile, tile)": "THISTOGRAM: src must have uint16 or uint32 elements",
    "TRANDOM(tile, key, counter)": "TRANDOM: dst must have int32 or uint32 elements",
    "TSORT32(tile, whole, whole)": "TSORT32: src needs the element type of dst",
    "TCONCAT(tile, tile, whole)": "TCONCAT: src1 needs the element type of dst",
    "MGATHER(tile, bytes, whole)": "MGATHER: src needs elements of the size of those of dst",
    "TQUANT<QuantType::INT8_SYM>(tile, tile, tile)": "TQUANT: dst must have int8, uint8, float8_e4m3_t or "
    "float4_e2m1x2_t elements",
    "TQUANT<QuantType::INT8_SYM>(codes, tile, tile)": "TQUANT INT8_SYM writes int8",
    "(TCI<Row<int>, float, 0>(row, 1.0f))": "TCI: dst needs the type that the call gives first",
    "(TCI<Row<int>, Row<float>, float, 0>(row, 1.0f, row))": "TCI: dst needs the type that the call gives first",
    "(TTRI<Row<float>, 0>(tile, 1))": "TTRI: dst needs the type that the call gives first",
    "TCARRY(tile, floats)": "TCARRY takes two GlobalTensors",
    "TCARRY(floats, bytes)": "TCARRY needs the same element type on both sides",
    "TCARRY(floats, turned)": "TCARRY needs rows in ND order",
    "TCARRY(floats, fewer)": "TCARRY needs as many rows and columns on both sides",
    "TPASS(32, 64, [](auto at) { at.store(tile, at.load(turned)); })": "TPASS: a GlobalTensor must be in ND order",
    "TPASS(32, 64, [](auto at) { at.store(tile, at.load(left)); })": "TPASS: a tile must be row-major and without "
    "boxes",
    "TPASS(32, 64, [](auto at) { at.store(tile, at.load(whole)); })": "TPASS: what is stored as floats must be fp32: "
    "at.to_float(v) makes it so",
    "TPASS(32, 64, [](auto at, auto& r) { r.take(at, at.load(tile)); }, RowMax(mat))": "TPASS: the result of rows must "
    "be a plain Vec tile of fp32, half or bfloat16_t elements",
    "TPASS(32, 64, [](auto at, auto& r) { r.take(at, at.load(tile)); }, ColSum(whole))": "TPASS: the result of columns "
    "must be a row-major Vec tile of fp32, half or bfloat16_t elements",
    "TPASS(32, 64, [](auto at, auto& d) { at.store(tile, at.load(tile) / d); }, Divisor(mat))": "TPASS: Divisor needs "
    "a plain Vec tile",
    "TPASS(32, 64, [](auto at, auto& l) { l.take(at, at.load(tile)); }, LeftRows(tile))": "TPASS: LeftRows needs a "
    "Left tile",
    "TMOV(boxed, sums, uint64_t(1))": f"{BY_WORDS} {QUANTISED}",
    "TSTORE(wide, sums, uint64_t(1))": f"{BY_WORDS} {QUANTISED}",
    "TMOV(boxed, bias, uint64_t(1))": "TMOV: src must be a Vec, Mat or Acc tile",
    "TINSERT(sums, sums, uint64_t(1), 0, 0)": "TINSERT: dst must be a Vec or Mat tile",
    "TMOV(bytes, sums, uint64_t(1))": "TMOV: dst must be a Vec or Mat tile",
    "TMOV(tile, floats)": f"TMOV: src {OPEN}",
    "TSTORE(sums, bytes, uint64_t(1))": "TSTORE: dst must be a GlobalTensor",
    "TSTORE(bytes, left, uint64_t(1))": "TSTORE: src must be a Vec, Mat or Acc tile",
    "TSTORE_FP(bytes, sums, bytes)": "TSTORE_FP: fp must be a tile",
}
"""Statements, and what is said of them among other things."""

OPERANDS = """
#include <pto/pto-inst.hpp>
using namespace pto;
using Vec = Tile<TileType::Vec, float, 32, 64>;
template <typename T>
using Memory = GlobalTensor<T, Shape<1, 1, 1, 32, 64>, pto::Stride<1, 1, 1, 64, 1>>;
extern Vec tile;
extern Tile<TileType::Vec, int32_t, 32, 64> whole;
extern Tile<TileType::Vec, uint8_t, 32, 64> codes;
extern Tile<TileType::Mat, float, 32, 64> mat;
extern TileLeft<float, 32, 64> left;
extern TileRight<float, 64, 64> right;
extern TileRight<int8_t, 64, 64> whole_right;
extern TileRight<float, 32, 64> short_right;
extern TileAcc<float, 32, 64> sums;
extern Tile<TileType::Bias, float, 1, 64> bias;
extern TileAcc<int32_t, 32, 64> whole_sums;
extern Memory<int8_t> bytes;
extern Memory<double> wide;
template <typename T>
using Row = Tile<TileType::Vec, T, 1, 64>;
extern Row<float> row;
extern Tile<TileType::Mat, int16_t, 32, 64, BLayout::ColMajor, 32, 64, SLayout::RowMajor> boxed;
extern Memory<float> floats;
extern GlobalTensor<float, Shape<1, 1, 1, 32, 64>, pto::Stride<1, 1, 1, 1, 32>, Layout::DN> turned;
extern GlobalTensor<float, Shape<1, 1, 1, 16, 64>, pto::Stride<1, 1, 1, 64, 1>> fewer;
extern TRandomKey key;
extern TRandomCounter counter;
"""


def test_what_is_refused_says_why() -> None:
    first = OPERANDS.count("\n") + 1
    functions = "\n".join(f"void f{n}() {{ {statement}; }}" for n, statement in enumerate(REFUSED))
    lines = said(OPERANDS + functions)
    places = (re.match(r"<stdin>:(\d+):", line) for line in lines)
    assert {int(place[1]) - first for place in places if place} >= set(range(len(REFUSED)))
    assert set(REFUSED.values()) - {error.partition(": ")[2] for error in errors(lines)} == set()
