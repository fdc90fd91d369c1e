"""Instructions that are walked together (TPASS), in L1. An operation's figure is what one more of it takes in a pass
that has several already, so that its latency is hidden as it is in a kernel's pass."""

from __future__ import annotations

from collections.abc import Iterator

from pyptogen.runtime.calibration.case import Case, Placer
from pyptogen.templates.cpp_names import C_TYPES

ROWS, COLS = 2, 1024
FEW, MANY = 4, 12
"""Copies of an operation in the two passes that are compared."""
MOVED, MOVED_COLS = 4, 512
"""Tiles that a pass moves, and their columns."""
ADDED = 16
"""Additions around a division."""
WALKED = ((1, 64), (32, 64), (2, 1024))
"""Rows and columns of passes that do next to nothing."""
CHAIN = 4
"""Values beside each other: each operation takes the result of the one CHAIN before it."""

OPERATIONS = {
    "add": "{0} + {1}", "max": "at.max({0}, {1})", "maxs": "at.max({0}, 1.5f)", "divide": "{1} / {0}",
    "exp": "at.exp({0})", "log": "at.log({0})", "sqrt": "at.sqrt({0})", "divisor": "{0} / by",
    "rounded bf16": "at.template rounded<bfloat16_t>({0})", "rounded fp16": "at.template rounded<half>({0})",
    "column": "{0} * at.column(column)", "row": "{0} * at.row(line)",
}  # fmt: skip
REDUCTIONS = {"RowSum": "RowSum(sums)", "RowMax": "RowMax(sums)", "ColSum": "ColSum(line)"}


def cases() -> Iterator[Case]:
    """``pass exp*12`` and the like."""
    for together in (1, 4):
        for name, text in OPERATIONS.items():
            for count in (FEW, MANY):
                yield _chained(name, text, count, together)
    for name, text in REDUCTIONS.items():
        for count in (1, 3):
            yield _reduced(name, text, count)
    for dtype in ("fp32", "bf16", "fp16", "int8", "int32"):
        for count in (1, MOVED):
            yield _moved(dtype, "load", count)
            yield _moved(dtype, "store", count)
    for together in (1, 4):
        for divides in (False, True):
            yield _divided(divides, together)
    yield _streams(4)
    yield from _matrix_unit()
    for rows, cols in WALKED:
        yield _walk(rows, cols)


def _tiles(rows: int = ROWS, cols: int = COLS) -> Placer:
    placer = Placer(True)
    for name in ("x", "y"):
        placer.tile(name, "m", "fp32", rows, cols)
    placer.tile("line", "r", "fp32", rows, cols)
    placer.tile("sums", "c", "fp32", rows, cols)
    placer.tile("column", "c", "fp32", rows, cols)
    return placer


def _pass(body: str, operands: str = "", parameter: str = "", rows: int = ROWS, cols: int = COLS, of: int = 1) -> str:
    extra = f", auto &{parameter}" if parameter else ""
    ends = f", {operands}" if operands else ""
    return f"    TPASS<{of}>({rows}, {cols}, [&](auto at{extra}) {{ {body} }}{ends});"


def _chained(name: str, text: str, count: int, together: int) -> Case:
    lines = ["const auto v0 = at.load(x);", *(f"const auto v{n} = v{n - 1} * 1.5f;" for n in range(1, CHAIN))]
    lines += [f"const auto v{CHAIN + n} = {text.format(f'v{n}', f'v{n + 1}')};" for n in range(count)]
    kept = [f"v{CHAIN + count - 1 - n}" for n in range(min(CHAIN, count))]
    lines.append(f"at.store(y, {' + '.join(kept)});")
    divides = "by" in text
    body = " ".join(lines)
    operand, parameter = ("Divisor(column)", "by") if divides else ("", "")
    at = "" if together == 1 else " beside"
    return Case(f"pass{at} {name}*{count}", _tiles().text(), _pass(body, operand, parameter, of=together))


def _reduced(name: str, text: str, count: int) -> Case:
    lines = ["const auto v0 = at.load(x);", "r.take(at, v0);"]
    lines += [f"const auto v{n} = v{n - 1} * 1.5f; r.take(at, v{n});" for n in range(1, count)]
    return Case(f"pass {name}*{count}", _tiles().text(), _pass(" ".join(lines), text, "r"))


def _moved(dtype: str, what: str, count: int) -> Case:
    """Tiles loaded, or stored, as one vector each; all of them stay in an L1 of 32 KiB."""
    placer = Placer()
    for n in range(count):
        placer.tile(f"t{n}", "m", dtype, ROWS, MOVED_COLS)
    placer.tile("x", "m", "fp32", ROWS, MOVED_COLS)
    placer.tile("sums", "c", "fp32", ROWS, MOVED_COLS)
    if what == "load":
        plain = "at.to_float(at.load(t{}))" if dtype.startswith("int") else "at.load(t{})"
        body, operand, parameter = (
            f"r.take(at, {' + '.join(plain.format(n) for n in range(count))});",
            "RowSum(sums)",
            "r",
        )
    else:
        lines = ["const auto v0 = at.load(x);", *(f"at.store(t{n}, v0 + {n}.0f);" for n in range(count))]
        body, operand, parameter = " ".join(lines), "", ""
    text = _pass(body, operand, parameter, cols=MOVED_COLS)
    return Case(f"pass {what} {dtype}*{count}", placer.text(), text)


def _divided(divides: bool, together: int) -> Case:
    """A chain of additions along each vector, with and without a division in its middle."""
    lines = ["const auto v0 = at.load(x);", *(f"const auto v{n} = v{n - 1} + {n}.5f;" for n in range(1, ADDED + 1))]
    if divides:
        lines[ADDED // 2] = f"const auto v{ADDED // 2} = 1.5f / (v{ADDED // 2 - 1} + 0.5f);"
    lines.append(f"at.store(y, v{ADDED});")
    name = f"pass{'' if together == 1 else ' beside'} {'divided' if divides else 'undivided'}"
    return Case(name, _tiles().text(), _pass(" ".join(lines), of=together))


def _streams(count: int) -> Case:
    """Tiles of fp32 loaded and one stored: loads and stores beside each other."""
    placer = Placer()
    for n in range(count):
        placer.tile(f"t{n}", "m", "fp32", ROWS, COLS)
    placer.tile("y", "m", "fp32", ROWS, COLS)
    loaded = " + ".join(f"at.load(t{n})" for n in range(count))
    return Case(f"pass copy*{count}", placer.text(), _pass(f"at.store(y, {loaded});"))


TALL, WIDE = 128, 512
"""Of an accumulator and a left operand, which lie by the matrix unit's order and outside of L1."""


def _matrix_unit() -> Iterator[Case]:
    """Rows of an accumulator, and of a left operand."""
    before = (
        f"    TileAcc<float, {TALL}, {WIDE}> acc; TASSIGN(acc, 0); fill(acc.data(), {TALL * WIDE});\n"
        f"    Column<float, {TALL}> sums; TASSIGN(sums, 0);"
    )
    taken = _pass("r.take(at, at.extract(acc, 0));", "RowSum(sums)", "r", TALL, WIDE)
    yield Case("pass extract", before, taken)
    for dtype in ("fp32", "bf16", "fp16"):
        before = (
            f"    TileLeft<{C_TYPES[dtype]}, {TALL}, {WIDE}> left; TASSIGN(left, 0);\n"
            f"    Vec<float, 1, {WIDE}> line; TASSIGN(line, 0); fill(line.data(), {WIDE});"
        )
        stored = _pass("left_rows.take(at, at.row(line));", "LeftRows(left)", "left_rows", TALL, WIDE)
        yield Case(f"pass left {dtype}", before, stored)


def _walk(rows: int, cols: int) -> Case:
    """What a pass and its rows take beside their elements."""
    body = "const auto v = at.load(x); at.store(y, v); r.take(at, v);"
    return Case(f"pass walk@{rows}x{cols}", _tiles(rows, cols).text(), _pass(body, "RowSum(sums)", "r", rows, cols))
