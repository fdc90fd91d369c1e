"""Tiles that the bundled headers take and a device's own refuse: each rule has a call that keeps to it and one that
does not. The limits are those of the public A2/A3 headers (TMatmul.hpp, textract_common.hpp, TStore.hpp, TMov.hpp,
tload_common.hpp, TGather.hpp), not of the code under test."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from lower.instruction.editing import edit, places, runs
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Declare, Instr, InstrKernel, Node
from pyptogen.lower.instruction.verify import verify
from pyptogen.lower.isa.device_rules import Operands, broken_rule
from pyptogen.lower.isa.fractals import CubeTile
from pyptogen.lower.pipeline import lower
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_source
from pyptogen.schema.source import Source


def tile(loc: str, rows: int, cols: int, bytes_: int = 2, *, across: bool = False) -> CubeTile:
    return CubeTile(loc, bytes_, (rows, cols), (rows, cols), row_major=across)


def product(m: int, k: int, n: int) -> Operands:
    return Operands((tile("Acc", m, n, 4), tile("Left", m, k), tile("Right", k, n)))


def part(to: CubeTile, source: CubeTile, row: int | None = 0, col: int | None = 0) -> Operands:
    return Operands((to, source), (row, col))


LEFT, RIGHT, MAT = tile("Left", 32, 32), tile("Right", 32, 32), tile("Mat", 64, 64)
TRANSPOSED = tile("Mat", 64, 64, across=True)
CASES = {
    "depth": ("TMATMUL_ACC", product(16, 4080, 16), product(16, 4096, 16)),
    "columns of a row product": ("TGEMV", product(1, 16, 4080), product(1, 16, 4096)),
    "row index": ("TEXTRACT", part(LEFT, MAT, 16, 16), part(LEFT, MAT, 8, 16)),
    "known at run time": ("TEXTRACT", part(LEFT, MAT, None, None), part(LEFT, MAT, None, 8)),
    "bytes of a right operand": (
        "TEXTRACT",
        part(tile("Right", 32, 16, 1), tile("Mat", 64, 16, 1, across=True)),
        part(tile("Right", 32, 16, 1), tile("Mat", 64, 16, 1)),
    ),
    "transposed columns": (
        "TEXTRACT",
        part(LEFT, TRANSPOSED, 16, 16),
        part(tile("Left", 32, 8, 4), replace(TRANSPOSED, bytes=4)),
    ),
    "capacity in L1": ("TMOV", part(RIGHT, TRANSPOSED), part(RIGHT, tile("Mat", 64, 40, across=True))),
    "one row": (
        "TEXTRACT",
        part(tile("Left", 1, 256), tile("Mat", 1, 512), 0, 256),
        part(tile("Left", 1, 128), tile("Mat", 1, 512), 0, 256),
    ),
    "beyond the tile": ("TEXTRACT", part(LEFT, MAT, 32, 32), part(LEFT, MAT, 48, 0)),
    "stored columns": (
        "TSTORE",
        Operands((tile("Acc", 16, 4080, 4),)),
        Operands((tile("Acc", 16, 4096, 4),)),
    ),
    "stored rows": ("TSTORE", Operands((tile("Acc", 8192, 16, 4),)), Operands((tile("Acc", 8208, 16, 4),))),
    "stored boxes": (
        "TSTORE",
        Operands((tile("Acc", 65520, 16, 4),), nz="fp32"),
        Operands((tile("Acc", 65536, 16, 4),), nz="fp32"),
    ),
    "whole boxes": (
        "TSTORE",
        Operands((tile("Acc", 32, 48, 4),), nz="fp16"),
        Operands((replace(tile("Acc", 32, 48, 4), valid=(32, 40)),), nz="fp16"),
    ),
    "rows of boxes": (
        "TSTORE",
        Operands((replace(tile("Acc", 32, 48, 4), valid=("rows", 48)),)),
        Operands((replace(tile("Acc", 32, 48, 4), valid=("rows", 48)),), nz="fp16"),
    ),
    "boxes of int32": (
        "TSTORE",
        Operands((tile("Acc", 32, 48, 4),)),
        Operands((tile("Acc", 32, 48, 4),), nz="int32"),
    ),
    "lines": ("TLOAD", Operands((tile("Vec", 4095, 8, 4),)), Operands((tile("Vec", 4096, 8, 4),))),
    "a column is one line": ("TLOAD", Operands((tile("Vec", 8192, 1, 4),)), Operands((tile("Vec", 8192, 8, 4),))),
    "bias": (
        "TMOV",
        Operands((tile("Bias", 1, 16, 4), tile("Mat", 1, 16, 4))),
        Operands((tile("Bias", 1, 8, 4), tile("Mat", 1, 8, 4))),
    ),
    "gathered by a pattern": (
        "TGATHER",
        Operands((tile("Vec", 1, 8, 4), tile("Vec", 1, 16, 4))),
        Operands((replace(tile("Vec", 1, 8, 4), valid=(1, "rows")), tile("Vec", 1, 16, 4))),
    ),
    "a number joined with bits": (
        "TANDS",
        Operands((tile("Vec", 1, 8, 4),) * 2, places=("0x20", "0x40")),
        Operands((tile("Vec", 1, 8, 4),) * 2, places=("0x20", "0x20")),
    ),
    "bits of either, with scratch": (
        "TXOR",
        Operands((tile("Vec", 1, 8, 4),) * 4, places=("0x20", "0x40", "0x60", "0x80")),
        Operands((tile("Vec", 1, 8, 4),) * 4, places=("0x20", "0x40", "0x20", "0x80")),
    ),
    "a reciprocal": (
        "TRECIP",
        Operands((tile("Vec", 1, 8, 4),) * 2, places=("0x20", "0x40")),
        Operands((tile("Vec", 1, 8, 4),) * 2, places=("0x20", "0x20")),
    ),
    "a number divided by a tile": (
        "TDIVS",
        Operands((tile("Vec", 1, 8, 4),) * 2, places=("0x20", "0x20")),
        Operands((tile("Vec", 1, 8, 4),) * 2, places=("0x20", "0x20"), number_first=True),
    ),
    "quantisation words": (
        "TMOV",
        Operands((tile("Scaling", 1, 16, 8), tile("Mat", 1, 16, 8))),
        Operands((tile("Scaling", 1, 8, 8), tile("Mat", 1, 8, 8))),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_rule_of_the_device(case: str) -> None:
    name, right, wrong = CASES[case]
    assert broken_rule("a2a3", name, right) is None
    assert broken_rule("a2a3", name, wrong) is not None
    assert broken_rule("cpu", name, wrong) is None


@cache
def matmul() -> InstrKernel:
    text = (
        "pyptogen: 1\noperator: product\ndims: {m: {min: 1, max: 64}}\ninputs: {a: 'fp16[m, 64]', b: 'fp16[64, 32]'}\n"
        "outputs: {c: 'fp32[m, 32]'}\ngraph:\n  c: matmul(a, b, dtype=fp32)\ntiling:\n  - {m: 16}\n"
    )
    (found,) = lower(from_spec(load_source(Source("product.yaml", text))), "a2a3").instructions
    return found


def test_a_kernel_with_such_an_instruction_is_refused() -> None:
    platform, kernel = PLATFORMS["a2a3"], matmul()
    verify([kernel], platform)

    def shifted(node: Node) -> tuple[Node, ...]:
        assert isinstance(node, Instr)
        row, col = (i for i, operand in enumerate(node.operands) if isinstance(operand, Poly))
        moved = {row: Poly.of(8), col: Poly.of(0)}
        return (replace(node, operands=tuple(moved.get(i, o) for i, o in enumerate(node.operands))),)

    path = next(places(kernel.body, runs("TEXTRACT")))
    with pytest.raises(DiagnosticError, match=r"PTG303: TEXTRACT on a2a3 does not take .* in Left"):
        verify([replace(kernel, body=edit(kernel.body, path, shifted))], platform)


def test_a_tile_that_leaves_its_memory_is_refused() -> None:
    """L0C has 128 KiB (buffer_limits.hpp), which a plan of memory keeps to and a text by hand may not."""
    platform, kernel = PLATFORMS["a2a3"], matmul()

    def lifted(node: Node) -> tuple[Node, ...]:
        assert isinstance(node, Declare)
        return (replace(node, address=Poly.of(128 * 1024 - 32)),)

    path = next(places(kernel.body, lambda node: isinstance(node, Declare) and node.type.loc == "Acc"))
    with pytest.raises(DiagnosticError, match=r"PTG301: tile `c_acc` .* ends beyond its memory on a2a3"):
        verify([replace(kernel, body=edit(kernel.body, path, lifted))], platform)
