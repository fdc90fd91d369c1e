"""Memory by how much of it is used again and again, and how far computing hides it."""

from __future__ import annotations

from collections.abc import Iterator

from pyptogen.runtime.calibration.case import Case

SIZES = (16 << 10, 32 << 10, 48 << 10, 64 << 10, *(1 << n for n in (17, 19, 20, 21, 22, 23, 25, 26, 27)))
"""Bytes, 16 KiB to 128 MiB."""
SPREAD = tuple(size for size in SIZES if size >= 1 << 19)
"""Among so many bytes rows are read in no order."""
ROW = 4096
"""Bytes of a row of the tensors that are walked over, as passes of kernels do."""
JUMPS = (64, 256, 1024, 4096)
"""Bytes of rows that lie where nobody could foresee."""
JUMPED = tuple(1 << n for n in (19, 21, 23, 25, 27))
"""Among so many bytes."""
TURNS = (131072, *JUMPED)
"""Among so many bytes rows are written in turns with a tile."""
TILES = 16
"""Tiles of a row that lie beside each other in the vector memory: more than L1 holds."""
WORK = 24
"""Multiplications beside each load where it is asked how far they hide it."""

_GM = f"    using Row = Gm<float, 1, {ROW // 4}, {ROW // 4}>;\n    Column<float, 1> sums; TASSIGN(sums, 0);"


def cases() -> Iterator[Case]:
    """``read@16384``: bytes of one walk."""
    for size in SIZES:
        yield Case(f"read@{size}", _GM, _walk(size, "r.take(at, at.load(gm));", "RowSum(sums)", "r"))
        yield Case(f"write@{size}", _GM, _walk(size, "at.store(gm, at.all(1.5f));"))
        yield Case(f"copy@{size}", _GM, _copied(size, "at.store(to, at.load(gm));"))
    for size in JUMPED:
        for row in JUMPS:
            yield _jumping(row, size, "read", "r.take(at, at.load(gm));", "RowSum(sums)", ", auto &r")
            yield _jumping(row, size, "write", "at.store(gm, at.all(1.5f));")
    for beside in (False, True):
        yield _in_turns(ROW * TILES, beside, alone=True)
        for size in TURNS:
            yield _in_turns(size, beside)
    for size in SPREAD:
        yield _gathered_rows(size)
        yield _gathered_elements(size)
    for size in SIZES[-3:]:
        far = f"    const FarStores far(int64_t(1) << 30);\n{_GM}"
        yield Case(f"write far@{size}", far, _walk(size, "at.store(gm, at.all(1.5f), far);"))
        yield Case(f"copy far@{size}", far, _copied(size, "at.store(to, at.load(gm), far);"))
    worked = "const auto v0 = at.load(gm);"
    worked += "".join(f" const auto v{n} = v{n - 1} * 1.5f;" for n in range(1, WORK + 1))
    for size in (SIZES[0], 1 << 20, SIZES[-1]):
        yield Case(f"worked@{size}", _GM, _walk(size, f"{worked} r.take(at, v{WORK});", "RowSum(sums)", "r"))


def _in_turns(size: int, beside: bool, alone: bool = False) -> Case:
    """Vectors of a tile that is updated and of rows of memory stored in turns; ``alone``: the tile without the rows."""
    stored = "" if alone else " at.store(gm, v);"
    body = (
        f"    for (int64_t at_row = 0; at_row < {size // ROW}; ++at_row) {{\n"
        f"        Row gm((float*)memory + at_row * {ROW // 4});\n"
        f"        Vec<float, 1, {ROW // 4}> tile; TASSIGN(tile, (at_row & {TILES - 1}) * {ROW});\n"
        f"        TPASS<{4 if beside else 1}>(1, {ROW // 4}, [&](auto at) {{\n"
        f"            const auto v = at.load(tile) * 1.5f; at.store(tile, v);{stored}\n        }});\n    }}"
    )
    name = f"turns{' beside' if beside else ''}{' alone' if alone else ''}"
    return Case(f"{name}@{size}", _GM, body)


def _jumping(row: int, size: int, what: str, body: str, operands: str = "", parameter: str = "") -> Case:
    """1,024 rows, each at a place that nobody could foresee."""
    before = (
        f"    using Row = Gm<float, 1, {row // 4}, {row // 4}>;\n    uint64_t place = 1;\n"
        "    Column<float, 1> sums; TASSIGN(sums, 0);"
    )
    ends = f", {operands}" if operands else ""
    walk = (
        "    for (int n = 0; n < 1024; ++n) {\n"
        "        place = place * 6364136223846793005U + 1442695040888963407U;\n"
        f"        Row gm((float*)(memory + (place >> 20) % {size // row} * {row}));\n"
        f"        TPASS(1, {row // 4}, [&](auto at{parameter}) {{ {body} }}{ends});\n    }}"
    )
    return Case(f"jump {what} {row}@{size}", before, walk)


def _gathered_rows(size: int) -> Case:
    """64 rows of 256 bytes at a time, from places all over the table."""
    before = (
        f"    using Table = Gm<bfloat16_t, {size // 256}, 128, 128>;\n    uint64_t place = 1;\n"
        "    Vec<bfloat16_t, 64, 128> rows; TASSIGN(rows, 0);\n"
        "    Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64> places; TASSIGN(places, 16384);"
    )
    body = (
        "    for (int n = 0; n < 64; ++n) {\n"
        "        place = place * 6364136223846793005U + 1442695040888963407U;\n"
        f"        places.data()[n] = int32_t((place >> 20) % {size // 256});\n    }}\n"
        "    Table table((bfloat16_t*)memory); MGATHER(rows, table, places);"
    )
    return Case(f"gather rows@{size}", before, body)


def _gathered_elements(size: int) -> Case:
    """128 elements of a row of 1,024, row after row."""
    before = (
        "    using Row = Gm<float, 1, 1024, 1024>;\n    Vec<float, 1, 128> part; TASSIGN(part, 0);\n"
        "    Vec<int32_t, 1, 128> places; TASSIGN(places, 16384);\n"
        "    uint32_t place = 1;\n    for (int n = 0; n < 128; ++n) {\n"
        "        place = place * 1664525U + 1013904223U;\n        places.data()[n] = int32_t(place >> 22);\n    }"
    )
    body = (
        f"    for (int at_row = 0; at_row < 64; ++at_row) {{\n"
        f"        Row row((float*)memory + ((i + repeats) * 64 + at_row) % {size // 4096} * 1024);\n"
        "        MGATHER(part, row, places);\n    }"
    )
    return Case(f"gather elements@{size}", before, body)


def _copied(size: int, body: str) -> str:
    """Rows of the first half of so many bytes read, those of the second written."""
    return (
        f"    for (int64_t at_row = 0; at_row < {size // ROW // 2}; ++at_row) {{\n"
        f"        Row gm((float*)memory + at_row * {ROW // 4});\n"
        f"        Row to((float*)memory + {size // 8} + at_row * {ROW // 4});\n"
        f"        TPASS(1, {ROW // 4}, [&](auto at) {{ {body} }});\n    }}"
    )


def _walk(size: int, body: str, operands: str = "", parameter: str = "") -> str:
    extra, ends = (f", auto &{parameter}", f", {operands}") if parameter else ("", "")
    return (
        f"    for (int64_t at_row = 0; at_row < {size // ROW}; ++at_row) {{\n"
        f"        Row gm((float*)memory + at_row * {ROW // 4});\n"
        f"        TPASS(1, {ROW // 4}, [&](auto at{extra}) {{ {body} }}{ends});\n    }}"
    )
