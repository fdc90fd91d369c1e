"""Operands that no C++ compiler takes are told before there is C++."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lower.instruction.editing import edit, places, runs
from lower.small_programs import lowered
from pyptogen.diagnostics import DiagnosticError, Span
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Compare, Declare, GmWindow, Instr, Loc, Node, Operand, Relu, TileType
from pyptogen.lower.instruction.operands import broken_rule
from pyptogen.lower.instruction.verify import verify
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tile.ir import Extent


def tile(dtype: str, loc: Loc = "Vec", rows: int = 16, *, columns: bool = False) -> TileType:
    return TileType(loc, dtype, rows, 64, rows, 64, columns)


def window(dtype: str) -> GmWindow:
    size = Extent(16)
    return GmWindow("x", dtype, "ND", Poly.of(0), size, size, Poly.of(64), Poly.of(1))


F32, F16, INT = tile("fp32"), tile("fp16"), tile("int32")
ACC = tile("fp32", "Acc")
CASES: dict[str, tuple[str, tuple[TileType | Operand, ...], tuple[TileType | Operand, ...], str]] = {
    "another element type": ("TADD", (F32, F32, F32), (F32, F32, F16), "b"),
    "another layout": ("TADD", (F32, F32, F32), (F32, F32, tile("fp32", columns=True)), "b"),
    "another memory": ("TEXP", (F32, F32), (F32, tile("fp32", "Mat")), "a"),
    "a number in front": ("TDIVS", (F32, Poly.of(2), F32), (F32, Poly.of(2), F16), "a"),
    "a number behind": ("TDIVS", (F32, F32, Poly.of(2)), (F32, F16, Poly.of(2)), "a"),
    "a mask of floats": ("TCMP", (INT, F32, F32, Compare("eq")), (F16, F32, F32, Compare("eq")), "bits"),
    "a load of another size": ("TLOAD", (INT, window("fp32")), (INT, window("fp16")), "gm"),
    "a store of another size": ("TSTORE", (window("int32"), F32), (window("fp16"), F32), "src"),
    "sums as whole numbers": ("TSTORE", (window("fp16"), ACC), (window("int32"), ACC), "dst"),
    "sums under relu": ("TSTORE", (window("bf16"), ACC, Relu()), (window("int8"), ACC, Relu()), "dst"),
    "sums on chip": ("TMOV", (F16, ACC), (INT, ACC), "dst"),
    "what the matrix unit reads": ("TMOV", (F32, tile("fp32", "Mat")), (F32, tile("fp32", "Left")), "src"),
    "a view in another memory": ("TRESHAPE", (F32, INT), (F32, tile("fp32", "Mat")), "a"),
    "a view of sums": ("TSUBVIEW", (F32, F32, Poly.of(0), Poly.of(0)), (ACC, ACC, Poly.of(0), Poly.of(0)), "dst"),
    "lists of one row": (
        "TMRGSORT",
        (tile("fp32", rows=1), tile("fp32", rows=1), Poly.of(64)),
        (tile("fp32", rows=1), F32, Poly.of(64)),
        "a",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_rule_of_an_operand(case: str) -> None:
    name, right, wrong, operand = CASES[case]
    assert broken(name, right) is None
    assert broken(name, wrong) == operand


def broken(name: str, given: tuple[TileType | Operand, ...]) -> str | None:
    """The operand that breaks a rule in a call."""
    span, size = Span("x", 1, 1, 1, 2), Extent(16)
    declared = {
        f"t{at}": Declare(f"t{at}", kind, size, size, Poly.of(0), 0, "", span, f"t{at}")
        for at, kind in enumerate(given)
        if isinstance(kind, TileType)
    }
    operands = tuple(f"t{at}" if isinstance(kind, TileType) else kind for at, kind in enumerate(given))
    found = broken_rule(Instr(name, operands, "V", "s", span), declared)
    return None if found is None else found.name


def test_a_kernel_with_such_an_operand_is_refused() -> None:
    platform, kernel = PLATFORMS["cpu"], lowered("product", "cpu").instructions[0]
    verify([kernel], platform)

    def swapped(node: Node) -> tuple[Node, ...]:
        assert isinstance(node, Instr)
        return (replace(node, operands=node.operands[::-1]),)

    path = next(places(kernel.body, runs("TSTORE")))
    with pytest.raises(DiagnosticError, match=r"PTG303: TSTORE: operand `gm` is int32 in Acc\n  expected: a tensor"):
        verify([replace(kernel, body=edit(kernel.body, path, swapped))], platform)
