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
JUMP = 1024
"""Bytes of a row that is read where nobody could foresee."""
WORK = 24
"""Multiplications beside each load where it is asked how far they hide it."""

_GM = f"    using Row = Gm<float, 1, {ROW // 4}, {ROW // 4}>;\n    Column<float, 1> sums; TASSIGN(sums, 0);"


def cases() -> Iterator[Case]:
    """``read@16384``: bytes of one walk."""
    for size in SIZES:
        yield Case(f"read@{size}", _GM, _walk(size, "r.take(at, at.load(gm));", "RowSum(sums)", "r"))
        yield Case(f"write@{size}", _GM, _walk(size, "at.store(gm, at.all(1.5f));"))
        yield Case(f"copy@{size}", _GM, _copied(size, "at.store(to, at.load(gm));"))
    for size in SPREAD:
        yield _jumping(size)
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


def _jumping(size: int) -> Case:
    """1,024 rows, each at a place that nobody could foresee."""
    before = (
        f"    using Row = Gm<float, 1, {JUMP // 4}, {JUMP // 4}>;\n    uint64_t place = 1;\n"
        "    Column<float, 1> sums; TASSIGN(sums, 0);"
    )
    body = (
        "    for (int n = 0; n < 1024; ++n) {\n"
        "        place = place * 6364136223846793005U + 1442695040888963407U;\n"
        f"        Row gm((float*)(memory + (place >> 20) % {size // JUMP} * {JUMP}));\n"
        f"        TPASS(1, {JUMP // 4}, [&](auto at, auto &r) {{ r.take(at, at.load(gm)); }}, RowSum(sums));\n    }}"
    )
    return Case(f"jump {JUMP}@{size}", before, body)


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
        f"        Row gm((float*)memory + at_row * {ROW // 4}), to((float*)memory + {size // 8} + at_row * {ROW // 4});\n"
        f"        TPASS(1, {ROW // 4}, [&](auto at) {{ {body} }});\n    }}"
    )


def _walk(size: int, body: str, operands: str = "", parameter: str = "") -> str:
    extra, ends = (f", auto &{parameter}", f", {operands}") if parameter else ("", "")
    return (
        f"    for (int64_t at_row = 0; at_row < {size // ROW}; ++at_row) {{\n"
        f"        Row gm((float*)memory + at_row * {ROW // 4});\n"
        f"        TPASS(1, {ROW // 4}, [&](auto at{extra}) {{ {body} }}{ends});\n    }}"
    )
