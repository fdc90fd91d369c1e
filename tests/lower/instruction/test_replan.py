"""Packed tiles hold what tiles of their own would, byte for byte: by a walk that notes who wrote each byte last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings

from lower.block.chains import chains
from lower.small_programs import elementwise, lowered
from pyptogen.diagnostics import Span
from pyptogen.lower import pipeline
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import (
    Choose,
    Declare,
    For,
    GmWindow,
    Imm,
    Instr,
    InstrKernel,
    Node,
    Pass,
    TileType,
    declarations,
)
from pyptogen.lower.instruction.passes import form
from pyptogen.lower.instruction.passes.replan import disjoint, extents, replan
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Extent

OPERATORS = (
    "embedding_bag", "flash_attention_causal", "gated_delta_rule", "glm_expert_selector", "grouped_matmul",
    "indexer_prolog", "lightning_indexer", "linear_w4a16", "moe_dispatch", "one_hot", "rope_cache_interleaved",
    "vector_add_dtypes",
)  # fmt: skip
"""Where many tiles are first written by instructions that work by themselves."""
TRIPS = 2
SPAN = Span("demo.yaml", 3, 1, 3, 2)


@dataclass
class Walk:
    """Every loop ``TRIPS`` times; ``seen`` are, by read, the instructions that wrote its bytes."""

    tiles: dict[str, Declare]
    memory: np.ndarray  # type: ignore[type-arg]
    seen: list[np.ndarray] = field(default_factory=list)  # type: ignore[type-arg]
    clock: int = 0

    def run(self, nodes: tuple[Node, ...], known: dict[str, int], first: bool = True) -> None:
        for node in nodes:
            if isinstance(node, For):
                start = node.start.evaluate({name: known.get(name, 0) for name in node.start.names()})
                for trip in range(TRIPS):
                    self.run(node.body, {**known, node.var: start + trip * node.step}, trip == 0)
            elif isinstance(node, Pass):
                for member in node.members:
                    self.execute(member, known)
            elif isinstance(node, Instr | Choose):
                self.execute(node if isinstance(node, Instr) else node.then if first else node.other, known)

    def execute(self, instr: Instr, known: dict[str, int]) -> None:
        operands = [o for o in instr.operands if isinstance(o, str | GmWindow)]
        effects = INSTRUCTIONS[instr.name].effects_for(len(operands))
        vectors = [
            (self.tiles[o], effect)
            for o, effect in zip(operands, effects, strict=True)
            if isinstance(o, str) and self.tiles[o].type.loc == "Vec"
        ]
        self.clock += 1
        self.seen += [self.memory[self.bytes(tile, known)] for tile, effect in vectors if effect in "ru"]
        for tile, effect in vectors:
            if effect in "wut":
                self.memory[self.bytes(tile, known)] = self.clock

    def bytes(self, tile: Declare, known: dict[str, int]) -> np.ndarray:  # type: ignore[type-arg]
        """Where the valid elements of a tile lie."""
        start = tile.address.evaluate({name: known.get(name, 0) for name in tile.address.names()})
        size, kind = DTYPES[tile.type.dtype], tile.type
        lines, line, pitch = tile.rows.size, tile.cols.size, kind.cols
        if kind.col_major:
            lines, line, pitch = line, lines, kind.rows
        return (start + np.arange(lines)[:, None] * pitch * size + np.arange(line * size)).ravel()


def differences(kernel: InstrKernel) -> Iterator[int]:
    """Reads that find other bytes in packed tiles than in tiles of their own."""
    tiles = disjoint(declarations(kernel))
    body = form.Former(tiles, kernel.body).body(kernel.body)
    packed = replan(body, tiles, 1 << 30)
    assert packed is not None
    room = 2 * sum(end - begin + 64 for begin, end in extents(tiles).values()) + packed[1] + 4096
    walks = [Walk(where, np.full(room, -1)) for where in (tiles, packed[0])]
    for walk in walks:
        walk.run(body, {})
    for number, (own, shared) in enumerate(zip(walks[0].seen, walks[1].seen, strict=True)):
        if ((own != shared) & (own >= 0)).any():
            yield number


@pytest.mark.parametrize("name", OPERATORS)
def test_what_is_read_is_what_was_written(name: str) -> None:
    for kernel in lowered(name, "cpu").instructions:
        assert list(differences(kernel)) == [], kernel.name


@given(chains())
@settings(deadline=None, max_examples=30)
def test_of_random_chains(graph: str) -> None:
    for kernel in pipeline.lower(elementwise(graph), "cpu").instructions:
        assert list(differences(kernel)) == []


def test_the_walk_sees_a_tile_that_is_overwritten() -> None:
    (kernel,) = lowered("rms_norm", "cpu").instructions
    tiles = disjoint(declarations(kernel))
    walks = [Walk(where, np.full(1 << 20, -1)) for where in (tiles, {n: _at_0(t) for n, t in tiles.items()})]
    for walk in walks:
        walk.run(kernel.body, {})
    assert any((a != b).any() for a, b in zip(walks[0].seen, walks[1].seen, strict=True))


def _at_0(tile: Declare) -> Declare:
    return replace(tile, address=Poly.of(0))


def test_a_scratch_tile_of_a_loop_takes_the_place_of_another() -> None:
    """What an instruction by itself fills first in each round is not alive in the rest of the round."""
    kernel = next(k for k in lowered("indexer_prolog", "cpu").instructions if k.name == "key_linear_to_key_quant")
    tiles = disjoint(declarations(kernel))
    body = form.Former(tiles, kernel.body).body(kernel.body)
    packed = replan(body, tiles, 1 << 30)
    assert packed is not None
    assert packed[1] < 0.15 * sum(end - begin for begin, end in extents(tiles).values())  # 0.19 where it were


def test_rows_that_earlier_iterations_wrote_are_kept() -> None:
    """A tile that a loop fills row by row lives through all of it, though each round writes its rows first."""

    def declare(name: str, rows: int, address: Poly, owner: str, whole: int = 0) -> Declare:
        kind = TileType("Vec", "fp32", rows, 16, rows, 16)
        extents = Extent(rows, Poly.of(rows)), Extent(16, Poly.of(16))
        return Declare(name, kind, *extents, address, rows * 64, "UB", SPAN, owner, whole)

    tiles = {
        "one": declare("one", 1, Poly.of(0), "one"),
        "all": declare("all", 4, Poly.of(64), "all"),
        "row_of_all": declare("row_of_all", 1, Poly.of("row") * 64 + 64, "all", whole=256),
    }
    body = (
        Instr("TEXPANDS", ("one", Imm("1", 1.0)), "V", "", SPAN),
        Instr("TABS", ("row_of_all", "one"), "V", "", SPAN),
    )
    loop = For("row", Poly.of(0), Poly.of(4), 1, None, False, body, "", SPAN)
    packed = replan((loop, Instr("TEXP", ("all", "all"), "V", "", SPAN)), tiles, 1 << 20)
    assert packed is not None
    found = {name: tile.address.evaluate({"row": 0} if tile.whole else {}) for name, tile in packed[0].items()}
    assert found["row_of_all"] == found["all"]
    assert found["one"] + 64 <= found["all"] or found["all"] + 256 <= found["one"]
