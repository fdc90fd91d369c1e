"""Vector instructions by themselves, in L1: each at three shapes, from which its time is told as so much for a call, a
row and an element.

An entry is ``result < operands``: ``m`` a matrix, ``c`` a column, ``r`` one row, each with its dtype; ``b`` bits. What
stands behind the name in brackets goes between the tiles and the end of the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyptogen.runtime.calibration.case import Case, Placer
from pyptogen.templates.cpp_names import C_TYPES

SHAPES = ((1, 64), (32, 64), (2, 1024))
"""Rows and columns: a call, many short rows, long ones."""
RINT = "RoundMode::CAST_RINT, SaturationMode::ON"


@dataclass(frozen=True, slots=True)
class Timed:
    """One instruction: C++ operands after the result, of which ``{0}``, ``{1}``, … are the tiles."""

    name: str
    result: str
    operands: tuple[str, ...]
    call: str
    form: str = ""
    """Tells an instruction apart that takes the same operands in another order."""

    @property
    def key(self) -> str:
        """``TADD fp32 fp32 fp32``: what it is found by."""
        return " ".join((self.name + self.form, *(text[1:] for text in (self.result, *self.operands))))


def _plain(names: str, result: str, *operands: str, more: str = "") -> list[Timed]:
    tiles = ", ".join(f"{{{n}}}" for n in range(len(operands)))
    return [Timed(name, result, operands, ", ".join(filter(None, (tiles, more)))) for name in names.split()]


def _cast(to: str, source: str, mode: str = RINT) -> list[Timed]:
    return [Timed("TCVT", f"m{to}", (f"m{source}",), f"{{0}}, {mode}")]


TIMED: tuple[Timed, ...] = tuple(
    entry
    for group in (
        _plain("TADD TMUL TMAX TDIV", "mfp32", "mfp32", "mfp32"),
        _plain("TADDS TMAXS TDIVS", "mfp32", "mfp32", more="1.5f"),
        [Timed("TDIVS", "mfp32", ("mfp32",), "127.0f, {0}", " of")],
        _plain("TEXP TLOG TSQRT TRSQRT TMOV", "mfp32", "mfp32"),
        _plain("TADD TMUL", "mint32", "mint32", "mint32"),
        _plain("TADDS TMULS TMAXS TSHLS", "mint32", "mint32", more="3"),
        _plain("TADD", "muint8", "muint8", "muint8"),
        _plain("TXOR", "mint32", "mint32", "mint32", "mint32"),
        _plain("TEXPANDS", "mfp32", more="1.5f"), _plain("TEXPANDS", "mbf16", more="bfloat16_t(1.5f)"),
        _plain("TEXPANDS", "mint32", more="3"),
        *(_cast("fp32", source) for source in ("bf16", "fp16", "int32", "fp8_e4m3", "hif8")),
        *(_cast(to, "fp32") for to in ("bf16", "fp16", "int32", "int16", "int8", "fp32")),
        _cast("bf16", "int4"), _cast("bf16", "fp4_e2m1"), _cast("fp4_e2m1", "bf16"), _cast("fp8_e4m3", "bf16"),
        _cast("fp8_e4m3", "fp32"), _cast("hif8", "fp32"), _cast("int32", "fp16"), _cast("fp16", "int32"),
        _cast("int32", "uint8"), _plain("TCMP", "buint8", "mint32", "mint32", more="CmpMode::GE"),
        _plain("TCMPS", "buint8", "mint32", more="3, CmpMode::NE"),
        _plain("TCMPS", "buint8", "mfp32", more="1.5f, CmpMode::NE"),
        _plain("TSELS", "mfp16", "buint8", "mfp16", "mfp16", more="half(0.0f)"),
        _plain("TSELS", "mfp32", "buint8", "mfp32", "mfp32", more="0.0f"),
        _plain("TSEL", "mint32", "buint8", "mint32", "mint32", "mint32"),
        _plain("TCOLEXPAND", "mint32", "rint32"), _plain("TROWEXPAND", "mfp32", "cfp32"),
        _plain("TROWEXPAND", "mfp16", "cfp16"), _plain("TROWEXPANDMUL TROWEXPANDDIV", "mfp32", "mfp32", "cfp32"),
        _plain("TCOLEXPANDMUL", "mfp32", "mfp32", "rfp32"), _plain("TCOLSUM", "rfp32", "mfp32"),
        _plain("TROWSUM TROWMAX TROWPROD", "cfp32", "mfp32", "mfp32"),
        _plain("TROWSUM", "cint32", "mint32", "mint32"), _plain("TROWARGMAX", "cint32", "mfp32", "mfp32"),
        _plain("TROWCUMSUM TROWCUMPROD", "mfp32", "mfp32", "lfp32"), _plain("TROWCUMSUM", "mint32", "mint32", "lint32"),
    )
    for entry in group
)  # fmt: skip

COLUMNS = (16, 128, 1024)
"""Values of a column that lie apart in global memory."""
GATHERED = (16, 128, 1024)
PICKED = ((2, 32), (8, 32), (8, 256), (64, 4096), (1024, 16384))
"""Greatest elements that are picked, and among how many."""
VARIETY = 1 << 19
"""Numbers among which rows to pick from lie."""
FORGET = 64
"""Stores of a few KiB to one place, which are together no long result."""
ORDERED = (256, 1024, 4096)
MOVED = ("fp32", "bf16", "int32", "uint8")
"""Dtypes of plain loads and stores."""


def cases() -> Iterator[Case]:
    """All of them, at all shapes: ``TADD fp32 fp32 fp32@8x1024``."""
    for timed in TIMED:
        for rows, cols in SHAPES:
            yield _case(timed, rows, cols)
    for dtype in MOVED:
        for rows, cols in SHAPES:
            yield from _moves(dtype, rows, cols)
    for rows, cols in SHAPES:
        yield _every_other(rows, cols)
        yield _transposed(rows, cols)
        yield _counted(rows, cols)
    for rows in COLUMNS:
        yield from _columns(rows)
    for count in GATHERED:
        yield _gathered(count)
        yield _gathered_rows(count)
    for kept, among in PICKED:
        yield _picked("TTOPK", kept, among)
    for among in ORDERED:
        yield _picked("TBOTTOMK", among, among)


def _case(timed: Timed, rows: int, cols: int) -> Case:
    placer = Placer(timed.name in ("TLOG", "TSQRT", "TRSQRT"))
    for n, text in enumerate((timed.result, *timed.operands)):
        # Bits of a comparison: a bit for each element, rows of whole 32 bytes.
        wide = max(32, cols // 8) if text[0] == "b" else cols
        placer.tile(f"t{n}", text[0], text[1:], rows, wide)
    call = timed.call.format(*(f"t{n + 1}" for n in range(len(timed.operands))))
    return Case(f"{timed.key}@{rows}x{cols}", placer.text(), f"    {timed.name}(t0, {call});")


def _moves(dtype: str, rows: int, cols: int) -> Iterator[Case]:
    """Loads and stores of rows of a tensor that is twice as wide."""
    placer = Placer()
    placer.tile("t0", "m", dtype, rows, cols)
    text = C_TYPES[dtype]
    window = f"    Gm<{text}, {rows}, {cols}, {2 * cols}> gm(({text}*)scratch);"
    yield Case(f"TLOAD {dtype}@{rows}x{cols}", placer.text(), f"{window} TLOAD(t0, gm);")
    stored = f"{window} TSTORE(gm, t0);\n    if (i % {FORGET} == 0) {{ forget_results(); }}"
    yield Case(f"TSTORE {dtype}@{rows}x{cols}", placer.text(), stored)


def _every_other(rows: int, cols: int) -> Case:
    placer = Placer()
    placer.tile("t0", "m", "bf16", rows, cols)
    type_ = f"GlobalTensor<bfloat16_t, Shape<1, 1, 1, {rows}, {cols}>, Stride<1, 1, 1, {2 * cols}, 2>, Layout::DN>"
    return Case(
        f"TLOAD bf16 apart@{rows}x{cols}", placer.text(), f"    {type_} gm((bfloat16_t*)memory); TLOAD(t0, gm);"
    )


def _transposed(rows: int, cols: int) -> Case:
    placer = Placer()
    rows = max(rows, 8)
    placer.tile("t0", "m", "fp32", cols, rows)
    placer.tile("t1", "m", "fp32", rows, cols)
    placer.tile("t2", "m", "fp32", rows, cols)
    return Case(f"TTRANS fp32 fp32 fp32@{rows}x{cols}", placer.text(), "    TTRANS(t0, t1, t2);")


def _counted(rows: int, cols: int) -> Case:
    """TCI, as if its one row were several."""
    placer = Placer()
    placer.tile("t0", "r", "int32", 1, rows * cols)
    return Case(f"TCI int32@{rows}x{cols}", placer.text(), "    TCI<decltype(t0), int32_t, 0>(t0, int32_t(i));")


def _columns(rows: int) -> Iterator[Case]:
    """One value of each row of a tensor."""
    for dtype in ("bf16", "fp32"):
        text = C_TYPES[dtype]
        placer = Placer()
        placer.tile("t0", "c", dtype, rows, 1)
        window = f"    GlobalTensor<{text}, Shape<1, 1, 1, {rows}, 1>, Stride<1, 1, 1, 2, 1>> gm(({text}*)scratch);"
        yield Case(f"TSTORE {dtype} column@1x{rows}", placer.text(), f"{window} TSTORE(gm, t0);")
        yield Case(f"TLOAD {dtype} column@1x{rows}", placer.text(), f"{window} TLOAD(t0, gm);")


def _gathered(count: int) -> Case:
    """Elements of a row of global memory that stays in L1."""
    placer = Placer()
    placer.tile("t0", "r", "fp32", 1, count)
    placer.tile("t1", "r", "int32", 1, count)
    places = f"    for (int n = 0; n < {count}; ++n) {{ t1.data()[n] = n * 37 & 1023; }}"
    window = "    Gm<float, 1, 1024, 1024> gm((float*)memory);"
    return Case(f"MGATHER elements@1x{count}", f"{placer.text()}\n{places}", f"{window} MGATHER(t0, gm, t1);")


def _gathered_rows(count: int) -> Case:
    """Rows of a table of 16 that stays in L1; as many as a sixteenth of ``count``, of 128 elements."""
    rows = count // 16
    placer = Placer()
    placer.tile("t0", "m", "bf16", rows, 128)
    wide = max(8, rows)
    placer.lines.append(
        f"    Tile<TileType::Vec, int32_t, 1, {wide}, BLayout::RowMajor, 1, {rows}> t1; TASSIGN(t1, 65536);\n"
        f"    for (int n = 0; n < {rows}; ++n) {{ t1.data()[n] = n * 5 & 15; }}"
    )
    window = "    Gm<bfloat16_t, 16, 128, 128> gm((bfloat16_t*)memory);"
    return Case(f"MGATHER rows@{rows}x128", placer.text(), f"{window} MGATHER(t0, gm, t1);")


def _picked(name: str, kept: int, among: int) -> Case:
    room, wide = 4 * (min(4 * kept, among) + 80), -(-kept // 8) * 8
    before = (
        f"    Tile<TileType::Vec, int32_t, 1, {wide}, BLayout::RowMajor, 1, {kept}> t0; TASSIGN(t0, 0);\n"
        f"    Vec<int32_t, 1, {room}> t1; TASSIGN(t1, {4 * wide});\n"
        f"    fill((float*)scratch, {VARIETY});"
    )
    # Another row each time, or the processor would learn which of its elements are kept.
    row = f"(float*)scratch + (i + repeats) % {VARIETY // among} * {among}"
    body = f"    Gm<float, 1, {among}, {among}> gm({row}); {name}(t0, gm, t1);"
    return Case(f"{name}@{kept}x{among}", before, body)
