"""What lies column after column in GM is fractals of columns in L1 on A2/A3, whose TLOAD turns nothing; what is turned
on the way to L0 has whole fractals on both sides. Source: the static checks of the public headers of
`pto/common/arch/memory`, `tload_common.hpp` and `textract_common.hpp`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.instruction.ir import (
    Declare,
    For,
    GmWindow,
    Instr,
    InstrKernel,
    Node,
    TileType,
    declarations,
    walk,
)
from pyptogen.lower.instruction.verify import verify
from pyptogen.lower.pipeline import lower
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_source
from pyptogen.schema.source import Source

TEXT = """\
pyptogen: 1
operator: turned
dims:
  m: {min: 1, max: 4096}
  k: DEPTH
  n: WIDTH
inputs:
  a: DTYPE[AXES]
  b: DTYPE[AXES_B]
outputs:
  c: SUM[m, n]
graph:
  c: matmul(A, B, dtype=SUM)
tiling:
  - {m: 16}
"""
SUMS = {"fp16": "fp32", "fp32": "fp32", "int8": "int32"}


def kernel(dtype: str, *, left: bool, right: bool, target: str, depth: int = 24, width: int = 40) -> InstrKernel:
    """The product of two matrices, of which those named are stored turned."""
    words = {
        "AXES_B": "n, k" if right else "k, n", "AXES": "k, m" if left else "m, k", "DTYPE": dtype, "SUM": SUMS[dtype],
        "DEPTH": str(depth), "WIDTH": str(width), "A,": "a.T," if left else "a,", "B,": "b.T," if right else "b,",
    }  # fmt: skip
    text = TEXT
    for word, meant in words.items():
        text = text.replace(word, meant)
    (found,) = lower(from_spec(load_source(Source("turned.yaml", text))), target).instructions
    return found


def loads(found: InstrKernel) -> dict[str, tuple[TileType, str]]:
    """By tensor the tile in L1 that it is loaded into, and the layout in GM."""
    tiles = declarations(found)
    pairs = [i.operands for i in walk(found.body) if isinstance(i, Instr) and i.name == "TLOAD"]
    return {w.tensor: (tiles[str(t)].type, w.layout) for t, w in pairs if isinstance(w, GmWindow)}


@pytest.mark.parametrize("dtype", SUMS)
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_columns_stay_columns_in_l1(dtype: str, left: bool, right: bool) -> None:
    found = loads(kernel(dtype, left=left, right=right, target="a2a3"))
    assert {name: (tile.across, layout) for name, (tile, layout) in found.items()} == {
        "a": (left, "DN" if left else "ND"),
        "b": (right, "DN" if right else "ND"),
    }
    on_a5 = loads(kernel(dtype, left=left, right=right, target="a5"))
    assert not any(tile.across for tile, _ in on_a5.values())


@pytest.mark.parametrize("dtype", SUMS)
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_what_is_transposed_has_whole_fractals(dtype: str, left: bool, right: bool) -> None:
    """Depth and width are no multiples of 16 or 32; rows are one fractal."""
    side = 32 if dtype == "int8" else 16
    found = kernel(dtype, left=left, right=right, target="a2a3")
    tiles = [declare.type for declare in declarations(found).values()]
    for tile in (t for t in tiles if t.loc == "Mat"):
        assert (tile.rows % side, tile.cols % side) == (0, 0)
    shapes = {t.loc: (t.rows, t.cols) for t in tiles if t.loc != "Mat"}
    assert shapes["Left"][1] % side == shapes["Right"][0] % side == 0
    assert shapes["Left"] == (shapes["Acc"][0], shapes["Right"][0])
    assert shapes["Acc"] == (32 if left and dtype == "int8" else 16, shapes["Right"][1])


@pytest.mark.parametrize("transposed", [False, True])
def test_a_load_that_would_transpose_is_refused(transposed: bool) -> None:
    platform, found = PLATFORMS["a2a3"], kernel("fp16", left=transposed, right=False, target="a2a3")
    verify([found], platform)

    def wrong(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(
            replace(node, body=wrong(node.body))
            if isinstance(node, For)
            else replace(node, type=replace(node.type, across=not transposed))
            if isinstance(node, Declare) and node.name == "a_tile"
            else node
            for node in nodes
        )

    with pytest.raises(DiagnosticError, match="TLOAD on a2a3 makes no"):
        verify([replace(found, body=wrong(found.body))], platform)
