"""Whoever lowers says how long launches take: tiles of mixed kernels, and whether cores meet in fifos, go by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from lowering import lower_anew

from lower.small_programs import library, lowered, program_of
from pyptogen.lower.instruction.ir import InstrKernel, declarations
from pyptogen.lower.launch_cost import MOST_ITERATIONS, blocks_of, compared_sizes
from pyptogen.lower.platforms import PLATFORMS, Platform
from pyptogen.lower.tensor.ir import TilingRow
from pyptogen.lower.tile.ir import tile_sizes

A2A3 = PLATFORMS["a2a3"]


PRODUCT = """
pyptogen: 1
operator: product
dims: {t: {min: 1, max: 4096}, k: 512, n: 256}
inputs: {x: "fp16[t, k]", w: "fp16[k, n]"}
outputs: {y: "fp16[t, n]"}
graph: {y: "cast(gelu(matmul(x, w, dtype=fp32)), fp16)"}
"""
"""A product and vector work in one stage, all of whose tiles are the compiler's to choose."""


@pytest.mark.parametrize("prefers_fifos", [True, False])
def test_cores_meet_as_the_cost_says(prefers_fifos: bool) -> None:
    def cost(programs: Sequence[InstrKernel], platform: Platform, blocks: int, numbers: Mapping[str, int]) -> float:
        assert platform is A2A3
        assert 1 <= blocks <= platform.vector_cores
        assert numbers["t_end"] == numbers["t"] > 0
        return 1.0 if (len(programs) == 2) == prefers_fifos else 1e9

    made = lower_anew(program_of(PRODUCT), "a2a3", launch_cost=cost)
    mixed = [launch for launch in made.execution.plans[-1] if launch.programs]
    assert bool(mixed) == prefers_fifos


def rows_of(programs: Sequence[InstrKernel]) -> int:
    tiles = [tile.type for program in programs for tile in declarations(program).values()]
    return max(tile.rows for tile in tiles if tile.loc == "Acc")


def few(programs: Sequence[InstrKernel], platform: Platform, blocks: int, numbers: Mapping[str, int]) -> float:
    return 1e12 * rows_of(programs)  # more than the slower program takes


def many(programs: Sequence[InstrKernel], platform: Platform, blocks: int, numbers: Mapping[str, int]) -> float:
    return 1e15 / rows_of(programs)


def test_tiles_of_a_mixed_kernel_are_the_cheapest_by_the_cost() -> None:
    program = library("flash_attention")
    program = replace(program, tiling=(TilingRow((), {"": {"fifo": 2}}, (), {}, program.span),))
    made = [lower_anew(program, "a2a3", launch_cost=cost) for cost in (few, many)]
    queries = [tile_sizes(one.tiles[0].body)["sq"][0] for one in made]
    assert queries[0] < queries[1]


def test_comparisons_are_made_at_sizes_that_are_soon_walked() -> None:
    programs = lowered("flash_attention", "a2a3").instructions
    short = compared_sizes(programs, 1, {"sq": 64, "kv": 64})
    assert short == {"sq": 64, "kv": 64}
    long = compared_sizes(programs, 1, {"sq": 1 << 16, "kv": 1 << 15})
    assert long["sq"] * long["kv"] < (1 << 31) / MOST_ITERATIONS
    assert compared_sizes([], 1, {"sq": 1 << 16}) == {"sq": 1 << 16}
    assert compared_sizes(programs, 0, {}) == {}  # all sizes are known: there is none to make smaller


def test_a_launch_has_a_block_a_tile_and_no_more_than_cores() -> None:
    (launch,) = lowered("softmax", "a2a3").execution.plans[-1]
    step = launch.tiles.nests[0][0][1] if launch.tiles is not None else 0
    numbers = {"rows": 3 * step, "rows_begin": 0, "rows_end": 3 * step}
    assert blocks_of(launch.tiles, "vector", A2A3, numbers) == 3
    assert blocks_of(launch.tiles, "vector", A2A3, {**numbers, "rows": 10**6, "rows_end": 10**6}) == A2A3.vector_cores
    assert blocks_of(launch.tiles, "vector", A2A3, numbers, most=2) == 2
    assert blocks_of(None, "vector", A2A3, numbers) == 1
