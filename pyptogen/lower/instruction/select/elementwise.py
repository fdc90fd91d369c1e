"""Vector instructions on tiles in UB: arithmetic, casts, reductions."""

from __future__ import annotations

from typing import Any

from pyptogen.lower.instruction.ir import Compare, Imm, Mode, Node
from pyptogen.lower.instruction.select.selector import Handlers, Selector
from pyptogen.lower.isa.kinds import COLUMN_NAMES, REDUCE_NAMES, RUNNING_NAMES, STEMS, UNARY_NAMES, instruction_of
from pyptogen.lower.isa.table import NARROWING
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tile.ir import ScalarArg
from pyptogen.lower.tile.ops import (
    Binary,
    Bitcast,
    Bitwise,
    BitwiseNot,
    Broadcast,
    Cast,
    CompareBits,
    Copy,
    Fill,
    Iota,
    Reduce,
    Scan,
    SelectByBits,
    Transpose,
    Unary,
)


def unary(sel: Selector, op: Unary | BitwiseNot) -> list[Node]:
    return [sel.instr(op, UNARY_NAMES[op.mnemonic], *sel.plain(op.dst, op.srcs[0]))]


def reduce(sel: Selector, op: Reduce) -> list[Node]:
    """Over the rows of a tile with one element a row: the row that its bytes are."""
    if not op.over_rows:
        source, scratch = str(op.srcs[0]), str(op.scratch)
        return [sel.instr(op, REDUCE_NAMES[op.fn], sel.use(str(op.dst)), sel.use(source), sel.use(scratch))]
    if sel.tiles[str(op.srcs[0])].form == "col":
        name = REDUCE_NAMES[op.fn]
        rows = [sel.use(str(tile), "row") for tile in (op.srcs[0], op.scratch)]
        return [sel.instr(op, name, sel.use(str(op.dst)), *rows)]
    name = COLUMN_NAMES[op.fn]
    more = [sel.use(scratch) for scratch in op.scratches]
    return [sel.instr(op, name, sel.use(str(op.dst)), sel.use(str(op.srcs[0])), *more)]


def scan(sel: Selector, op: Scan) -> list[Node]:
    return [sel.instr(op, RUNNING_NAMES[op.fn], *(sel.use(str(tile)) for tile in (op.dst, *op.srcs)))]


def transpose(sel: Selector, op: Transpose) -> list[Node]:
    source, dst = sel.tiles[str(op.srcs[0])], sel.tiles[str(op.dst)]
    if source.form == "col" and dst.rows.size == 1:  # lies as the row that it becomes
        return [sel.instr(op, "TMOV", sel.use(dst.name, "element"), sel.use(source.name, "row"))]
    return [sel.instr(op, "TTRANS", sel.use(str(op.dst)), sel.use(str(op.srcs[0])), sel.use(str(op.scratch)))]


def iota(sel: Selector, op: Iota) -> list[Node]:
    return [sel.instr(op, "TCI", *sel.plain(op.dst), op.start)]


def binary(sel: Selector, op: Binary) -> list[Node]:
    dst = str(op.dst)
    a, b = op.srcs
    if isinstance(a, ScalarArg) or isinstance(b, ScalarArg):
        return with_scalar(sel, op, dst, a, b)
    stem, result = STEMS[op.fn], sel.tiles[dst]
    single = result.rows.size == result.cols.size == 1  # an element lies alike in all forms
    forms = ("full", "full") if single else (_form_in(sel, a, dst), _form_in(sel, b, dst))
    if forms[0] == forms[1]:
        return [sel.instr(op, f"T{stem}", *sel.plain(dst, a, b))]
    if forms[1] == "full" and op.commutes:
        a, b, forms = b, a, (forms[1], forms[0])
    broadcast: list[Node] = []
    if forms[0] != "full":  # `memory` keeps the result apart from its operands here
        name = "TROWEXPAND" if forms[0] == "col" else "TCOLEXPAND"
        broadcast, a = [sel.instr(op, name, sel.use(dst), sel.use(a))], dst
    name = {"col": f"TROWEXPAND{stem}", "row": f"TCOLEXPAND{stem}", "full": f"T{stem}"}[forms[1]]
    return [*broadcast, sel.instr(op, name, sel.use(dst), sel.use(a), sel.use(b))]


def _form_in(sel: Selector, name: str, dst: str) -> str:
    """Form of an operand beside the result: one row beside many is a row, and a row beside a row is all of it."""
    tile, result = sel.tiles[name], sel.tiles[dst]
    if tile.form == result.form == "row" and tile.cols.size == result.cols.size:
        return "full"
    if tile.form == "full" and tile.rows.size == 1 and result.rows.size > 1:
        return "row"
    if tile.form == "col" and tile.rows != result.rows:
        raise unsupported(
            sel.tiles[dst].span,
            f"a broadcast of `{name}` over looped rows",
            "cut the rows of both by the same dim",
        )
    return tile.form


def with_scalar(sel: Selector, op: Binary, dst: str, a: Any, b: Any) -> list[Node]:
    stem = STEMS[op.fn]
    if isinstance(b, ScalarArg):
        d, x = sel.plain(dst, a)
        return [sel.instr(op, f"T{stem}S", d, x, imm(b, sel.dtype(op)))]
    d, x = sel.plain(dst, b)
    if op.fn == "div":
        return [sel.instr(op, "TDIVS", d, imm(a, sel.dtype(op)), x)]
    if op.fn == "sub":
        return [sel.instr(op, "TNEG", d, x), sel.instr(op, "TADDS", d, d, imm(a, sel.dtype(op)))]
    return [sel.instr(op, f"T{stem}S", d, x, imm(a, sel.dtype(op)))]


def bitwise(sel: Selector, op: Bitwise) -> list[Node]:
    a, b = op.srcs
    number = isinstance(b, ScalarArg)
    last = imm(b, sel.dtype(op)) if isinstance(b, ScalarArg) else sel.plain(b)[0]
    scratch = sel.plain(op.scratch) if op.scratch else []
    return [sel.instr(op, instruction_of(op.fn, number), *sel.plain(op.dst, a), last, *scratch)]


def compare(sel: Selector, op: CompareBits) -> list[Node]:
    bits, (a, b) = sel.use(str(op.dst)), op.srcs
    (x,) = sel.plain(a)
    if isinstance(b, ScalarArg):
        return [sel.instr(op, "TCMPS", bits, x, imm(b, sel.tiles[str(a)].dtype), Compare(op.relation))]
    return [sel.instr(op, "TCMP", bits, x, *sel.plain(b), Compare(op.relation))]


def select(sel: Selector, op: SelectByBits) -> list[Node]:
    bits, a, b = op.srcs
    d, x = sel.plain(op.dst, a)
    mask, words = sel.use(str(bits)), sel.use(str(op.scratch))
    if isinstance(b, ScalarArg):
        return [sel.instr(op, "TSELS", d, mask, x, words, imm(b, sel.dtype(op)))]
    return [sel.instr(op, "TSEL", d, mask, x, *sel.plain(b), words)]


def bitcast(sel: Selector, op: Bitcast) -> list[Node]:
    return [sel.instr(op, "TMOV", sel.use(str(op.dst), "row"), sel.use_as(str(op.srcs[0]), sel.dtype(op), "row"))]


def copy(sel: Selector, op: Copy) -> list[Node]:
    if op.scratch is not None:  # a column and a tile with one element a row: the column lies as a row
        return [sel.instr(op, "TTRANS", *sel.plain(op.dst, op.srcs[0]), sel.use(op.scratch))]
    return [sel.instr(op, "TMOV", *sel.plain(op.dst, op.srcs[0]))]


def fill(sel: Selector, op: Fill) -> list[Node]:
    scalar = op.srcs[0]
    assert isinstance(scalar, ScalarArg)
    return [sel.instr(op, "TEXPANDS", *sel.plain(op.dst), imm(scalar, sel.dtype(op)))]


def cast(sel: Selector, op: Cast) -> list[Node]:
    pair = sel.tiles[str(op.srcs[0])].dtype, sel.tiles[str(op.dst)].dtype
    plain = op.saturate == (pair not in NARROWING)  # what TCVT does by itself, which devices' tools do not agree on
    saturate = None if plain and sel.platform.unified else op.saturate
    return [sel.instr(op, "TCVT", *sel.plain(op.dst, op.srcs[0]), Mode(op.mode, saturate))]


def broadcast(sel: Selector, op: Broadcast) -> list[Node]:
    source, dst = sel.tiles[str(op.srcs[0])], sel.tiles[str(op.dst)]
    if dst.form == "col":  # as the row that its bytes are
        return [sel.instr(op, "TROWEXPAND", sel.use(dst.name, "row"), sel.use(source.name))]
    one = source.cols.size == 1 and dst.cols.size > 1
    name = "TROWEXPAND" if one or _form_in(sel, source.name, dst.name) == "col" else "TCOLEXPAND"
    return [sel.instr(op, name, sel.use(dst.name), sel.use(source.name))]


def imm(scalar: ScalarArg, dtype: str) -> Imm:
    """A number or an expression of attrs as an operand of tiles of ``dtype``."""
    import sympy

    expr = sympy.sympify(scalar.expr)
    if not expr.free_symbols:
        if not dtype.startswith(("fp", "bf")) and expr.is_finite:
            return Imm(str(int(expr)), sympy.Integer(int(expr)))
        return Imm(float_text(float(expr)), expr)
    above, below = sympy.fraction(expr)
    if below != 1:  # of the length of an iteration's block
        return Imm(f"{float_text(float(above))} / {below if below.is_Symbol else f'({below})'}", expr)
    return Imm(sympy.ccode(expr, reserved_word_suffix=""), expr)  # `spelling` knows what else a name may not be


def float_text(value: float) -> str:
    """C++ float literal of a number, shortest text that gives the same fp32."""
    import numpy as np

    with np.errstate(over="ignore"):  # infinity, as in the kernel
        single = np.float32(value)
    if np.isinf(single):
        return "-__builtin_inff()" if single < 0 else "__builtin_inff()"
    text = (
        np.format_float_positional(single, unique=True, trim="0")
        if 1e-4 <= abs(single) < 1e7 or single == 0
        else f"{single!s}"
    )
    return text + "f"


HANDLERS: Handlers = {
    Binary: binary,
    Unary: unary,
    BitwiseNot: unary,
    Bitwise: bitwise,
    Reduce: reduce,
    Scan: scan,
    Transpose: transpose,
    Iota: iota,
    CompareBits: compare,
    SelectByBits: select,
    Bitcast: bitcast,
    Copy: copy,
    Fill: fill,
    Cast: cast,
    Broadcast: broadcast,
}
