"""What the Tile level prints is read back as the same kernels, at the Tile and at the Block level."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
import sympy

from lower.small_programs import TARGETS, library
from pyptogen.diagnostics import DiagnosticError, Span
from pyptogen.lower import pipeline
from pyptogen.lower.expr import Poly
from pyptogen.lower.tile import ops
from pyptogen.lower.tile.ir import ScalarArg, TileOp
from pyptogen.lower.tile.ops import MNEMONICS
from pyptogen.lower.tile.parser import parse_kernels, poly
from pyptogen.lower.tile.printer import print_kernel


def without_places(part: Any) -> Any:
    """A kernel as nested tuples: no places in the spec, numbers as sympy has them, whatever is known of their names."""
    if isinstance(part, Span):
        return None
    if isinstance(part, ScalarArg):
        expr = sympy.sympify(part.expr)
        return expr.xreplace({symbol: sympy.Symbol(symbol.name) for symbol in expr.free_symbols})
    if is_dataclass(part):
        return type(part).__name__, *((f.name, without_places(getattr(part, f.name))) for f in fields(part))
    return tuple(map(without_places, part)) if isinstance(part, tuple) else part


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["softmax", "topk", "flash_attention", "linear_w4a16"])
def test_what_is_printed_is_read_back(name: str, target: str) -> None:
    """Loops with fifos, masks and shared rows, windows in `nz`, orders, scales."""
    lowered = pipeline.lower(library(name), target)
    kernels = [*lowered.tiles, *(replace(b.tile, body=b.body, tiles=b.tiles) for b in lowered.blocks)]
    assert kernels
    for kernel in kernels:
        (back,) = parse_kernels(print_kernel(kernel))
        assert without_places(back) == without_places(kernel)


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
