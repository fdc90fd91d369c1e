"""What a platform cannot do in one instruction, taken apart; loop nests in which everything is bound."""

from __future__ import annotations

import pytest

from lower.small_programs import TARGETS, elementwise, instructions, lowered, program_of
from pyptogen.lower import pipeline
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Declare, For, Instr, Mode, Node, declarations, walk

SCATTER = """\
pyptogen: 1
operator: keep
dims:
  t: {min: 1, max: 64}
  slots: {min: 1, max: 64}
  d: 32
inputs:
  x: fp32[t, d]
  at: int64[t]
  cache: fp32[slots, d]
  sums: fp32[slots, 1]
outputs:
  cache: {inplace: true}
  sums: {inplace: true}
graph:
  s: sum(x, axis=-1, keepdim=true)
  cache: scatter_update(cache, at, x, dim=-2)
  sums: scatter_update(sums, at, s, dim=-2)
tiling:
  - {t: 8}
"""


def casts(target: str, graph: str, output: str) -> list[tuple[str, str, str]]:
    """(from, to, mode) of every cast of a graph with output ``y`` of a dtype."""
    text = elementwise_text(graph).replace("y: fp32", f"y: {output}")
    (kernel,) = pipeline.lower(program_of(text), target).instructions
    tiles = declarations(kernel)
    result = []
    for instr in instructions(kernel):
        if instr.name == "TCVT":
            dst, src, mode = instr.operands
            assert isinstance(mode, Mode)
            result.append((tiles[str(src)].type.dtype, tiles[str(dst)].type.dtype, mode.name))
    return result


def elementwise_text(graph: str) -> str:
    from lower.small_programs import ELEMENTWISE

    return f"{ELEMENTWISE.replace('d: 16', 'd: 32')}  {graph}\ntiling:\n  - {{t: 8}}\n"


def test_a_cast_by_steps_rounds_once() -> None:
    assert casts("cpu", "y: cast(x, int8, mode=floor)", "int8") == [("fp32", "int8", "floor")]
    assert casts("a2a3", "y: cast(x, int8, mode=floor)", "int8") == [
        ("fp32", "int32", "floor"), ("int32", "fp16", "none"), ("fp16", "int8", "none"),
    ]  # fmt: skip


def test_a_cast_that_the_platform_has() -> None:
    assert [c[:2] for c in casts("a2a3", "y: cast(x, bf16)", "bf16")] == [("fp32", "bf16")]


@pytest.mark.parametrize(
    ("target", "graph", "output", "saturate"),
    [
        ("a2a3", "y: cast(x, int8)", "int8", [True, True, True]),
        ("cpu", "y: cast(x, int8)", "int8", [None]),
        ("cpu", "y: cast(x, int8, saturate=false)", "int8", [False]),
        ("cpu", "y: cast(x, int16)", "int16", [True]),
        ("a2a3", "y: cast(x, int16)", "int16", [True]),
        ("a2a3", "y: cast(x, int32)", "int32", [True]),
    ],
)
def test_saturation_is_stated_for_devices_and_where_the_instruction_would_choose_otherwise(
    target: str, graph: str, output: str, saturate: list[bool | None]
) -> None:
    text = elementwise_text(graph).replace("y: fp32", f"y: {output}")
    (kernel,) = pipeline.lower(program_of(text), target).instructions
    modes = [o for i in instructions(kernel) if i.name == "TCVT" for o in i.operands if isinstance(o, Mode)]
    assert [mode.saturate for mode in modes] == saturate


@pytest.mark.parametrize("target", TARGETS)
def test_reductions_have_scratch_of_their_own(target: str) -> None:
    (kernel,) = pipeline.lower(elementwise("y: x / sum(z, axis=-1, keepdim=true)"), target).instructions
    (instr,) = [i for i in instructions(kernel) if i.name == "TROWSUM"]
    names = [str(o) for o in instr.operands]
    assert len(set(names)) == 3
    tiles = declarations(kernel)
    assert tiles[names[2]].type.dtype == tiles[names[1]].type.dtype


@pytest.mark.parametrize("target", TARGETS)
def test_a_scatter_is_a_loop_over_rows(target: str) -> None:
    (kernel,) = pipeline.lower(program_of(SCATTER), target).instructions
    loops = [n for n in walk(kernel.body) if isinstance(n, For) and n.var == "row"]
    assert [loop.stop for loop in loops] == [Poly.of("t0_valid")] * 2
    assert [type(n).__name__ for n in loops[0].body if not type(n).__name__.endswith("Flag")] == [
        "ReadIndex", "SkipIfNegative", "Declare", "Instr",
    ]  # fmt: skip
    (wide,) = [i for i in instructions(kernel) if i.name == "TROWEXPAND"]
    columns = declarations(kernel)[str(wide.operands[0])].type.cols
    assert columns * 4 == 32, "a number a row, widened to what one transfer moves"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["softmax", "rms_norm", "matmul_bf16", "indexer_prolog", "fused"])
def test_names_are_bound_where_they_are_used(name: str, target: str) -> None:
    program = lowered(name, target)
    for kernel in program.instructions:
        bounds = {f"{kernel.launch_dim}_begin", f"{kernel.launch_dim}_end"} if kernel.launch_dim else set()
        _check_bound(kernel.body, bounds | set(kernel.dims), set())


def _check_bound(nodes: tuple[Node, ...], numbers: set[str], tiles: set[str]) -> None:
    numbers, tiles = set(numbers), set(tiles)
    for node in nodes:
        if isinstance(node, For):
            assert (node.start.names() | node.stop.names()) <= numbers
            own = {name for name in (node.var, node.valid, node.slot) if name}
            _check_bound(node.body, numbers | own, tiles)
        elif isinstance(node, Declare):
            assert (node.address.names() | node.rows.poly().names() | node.cols.poly().names()) <= numbers
            tiles.add(node.name)
        elif isinstance(node, Instr):
            assert {o for o in node.operands if isinstance(o, str)} <= tiles
        elif type(node).__name__ == "ReadIndex":
            numbers.add("slot")
