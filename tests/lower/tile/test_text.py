"""What the Tile, Block and Instruction levels print is read back as the same kernels."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
import sympy

from lower.small_programs import TARGETS, library
from pyptogen.diagnostics import DiagnosticError, Span
from pyptogen.lower import pipeline
from pyptogen.lower.block import parser as block_parser
from pyptogen.lower.block import printer as block_printer
from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction import parser as instruction_parser
from pyptogen.lower.instruction import printer as instruction_printer
from pyptogen.lower.instruction.ir import Imm
from pyptogen.lower.tile import ops
from pyptogen.lower.tile.ir import ScalarArg, TileOp
from pyptogen.lower.tile.ops import MNEMONICS
from pyptogen.lower.tile.parser import parse_kernels, poly
from pyptogen.lower.tile.printer import print_kernel


def without_places(part: Any) -> Any:
    """A kernel as nested tuples: no places in the spec, numbers as sympy has them, whatever is known of their names."""
    if isinstance(part, Span):
        return None
    if isinstance(part, ScalarArg | Imm):
        expr = sympy.sympify(part.expr)
        return getattr(part, "text", ""), expr.xreplace({s: sympy.Symbol(s.name) for s in expr.free_symbols})
    if is_dataclass(part):
        return type(part).__name__, *((f.name, without_places(getattr(part, f.name))) for f in fields(part))
    return tuple(map(without_places, part)) if isinstance(part, tuple) else part


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["softmax", "topk", "flash_attention", "linear_w4a16"])
def test_what_is_printed_is_read_back(name: str, target: str) -> None:
    """Loops with fifos, masks and shared rows, windows in `nz`, orders, scales, flags, passes."""
    lowered = pipeline.lower(library(name), target)
    assert lowered.tiles
    for kernel in lowered.tiles:
        (back,) = parse_kernels(print_kernel(kernel))
        assert without_places(back) == without_places(kernel)
    for block in map(in_order, lowered.blocks):
        (block_back,) = block_parser.parse_kernels(block_printer.print_kernel(block))
        assert without_places(in_order(block_back)) == without_places(block)
    for instructions in (*lowered.instructions, *lowered.walked):
        (instructions_back,) = instruction_parser.parse_kernels(instruction_printer.print_kernel(instructions))
        assert without_places(instructions_back) == without_places(instructions)


def in_order(kernel: BlockKernel) -> BlockKernel:
    """Buffers as they lie, and what stands twice once."""
    buffers = sorted(kernel.buffers, key=lambda b: (b.memory, b.address, b.first))
    return replace(kernel, buffers=tuple(buffers), tile=replace(kernel.tile, tiles=kernel.tiles, body=kernel.body))


@pytest.mark.parametrize(
    "text", ["0", "7", "-7", "t0", "-t0 + 3", "t0 * cols + 128 * t1 - 2", "k1 / 32", "k1 * 3 / 32 - 1", "n.tile * 4"]
)
def test_polynomials(text: str) -> None:
    found = poly(text)
    assert poly(str(found)) == found
    numbers = {name: 7 * at + 32 for at, name in enumerate(sorted(found.names()))}
    assert found.evaluate({**numbers, "k1": 64}) == eval(text.replace(".", "_"), {
        name.replace(".", "_"): number for name, number in {**numbers, "k1": 64}.items()
    })  # fmt: skip


@pytest.mark.parametrize("text", ["", "t0 +", "2 ** t0", "t0 - -3", "f(t0)"])
def test_what_is_no_polynomial(text: str) -> None:
    with pytest.raises(ValueError, match="is no polynomial"):
        poly(text)


def test_every_operation_has_a_name() -> None:
    """Each class of operations that no other one is made of is read by name."""
    classes = {one for one in vars(ops).values() if isinstance(one, type) and issubclass(one, TileOp)} - {TileOp}
    concrete = {one for one in classes if not any(one in other.__mro__[1:] for other in classes)}
    assert concrete == {operation for operation, _ in MNEMONICS.values()}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("for t0 in 0..8: grid", "for VAR in START..STOP step N"),
        ("tile a: fp32[4 x 4] full", "tile NAME: DTYPE[ROWS, COLUMNS]"),
        ("a = exp a {mode = rint}", "no field `mode`"),
        ("a = load", "a window where the operation has one"),
        ("a = add a, f(2)", "a tile, a number"),
    ],
)
def test_lines_that_are_none(line: str, expected: str) -> None:
    text = f"kernel k (vector) stages s\n  reads ; writes\n  {line}\n"
    with pytest.raises(DiagnosticError) as caught:
        parse_kernels(text, "k.tile")
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line, found.span.col) == ("PTG104", 3, 3)
    assert expected in found.expected


def test_numbers_keep_all_digits() -> None:
    text = "kernel k (vector) stages s\n  reads ; writes\n  tile a: fp32[1, 8] row\n  a = fill 0.1234567890123456789\n"
    (kernel,) = parse_kernels(text)
    assert "fill 0.12345678901234568" in print_kernel(kernel)
    assert Poly.of(1) == poly("1")
