"""Packing: legal always, exact where first fit fails, as good as a solver's where there is one."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyptogen.lower.block.pack import Block, chains, disjoint, first_fit, fitting, joined, search

STEP = 32


@st.composite
def blocks(draw: st.DrawFn, most: int = 6) -> list[Block]:
    """Blocks of a few steps each; results (odd first tick) among them."""
    found = []
    for n in range(draw(st.integers(1, most))):
        first = draw(st.integers(0, 8))
        found.append(Block(f"b{n}", STEP * draw(st.integers(1, 4)), first, first + draw(st.integers(0, 6))))
    return found


def height(found: dict[str, int], given: list[Block]) -> int:
    return max(found[b.name] + b.size for b in given)


def legal(found: dict[str, int], given: list[Block]) -> bool:
    """No two share bytes while both live; a result lies over its operand as a whole, or not at all."""
    for i, a in enumerate(given):
        if found[a.name] < 0 or found[a.name] % STEP:
            return False
        for b in given[i + 1 :]:
            free = found[a.name] + a.size <= found[b.name] or found[b.name] + b.size <= found[a.name]
            if a.meets(b) and not free:
                return False
            if (a.replaces(b) or b.replaces(a)) and not free and found[a.name] != found[b.name]:
                return False
    return True


def lowest_height(given: list[Block]) -> int:
    """By trying every order of pushing blocks down: the least height that there is."""
    best = sum(b.size for b in given)
    for order in permutations(given):
        tops: list[tuple[Block, int]] = []
        for block in order:
            floor = max((top for other, top in tops if other.meets(block)), default=0)
            tops.append((block, floor + block.size))
        best = min(best, max(top for _, top in tops))
    return best


@given(blocks())
def test_first_fit_is_legal(given_blocks: list[Block]) -> None:
    assert legal(first_fit(given_blocks, STEP), given_blocks)


@given(blocks())
@settings(deadline=None)
def test_the_search_is_exact(given_blocks: list[Block]) -> None:
    least = lowest_height(given_blocks)
    found = search(given_blocks, least)
    assert found is not None
    assert height(found, given_blocks) <= least
    assert all(
        found[a.name] + a.size <= found[b.name] or found[b.name] + b.size <= found[a.name]
        for i, a in enumerate(given_blocks)
        for b in given_blocks[i + 1 :]
        if a.meets(b)
    )
    assert search(given_blocks, least - STEP) is None


@given(blocks(8))
@settings(deadline=None)
def test_what_fits_is_legal_and_never_worse_than_first_fit(given_blocks: list[Block]) -> None:
    first = height(first_fit(given_blocks, STEP), given_blocks)
    for capacity in (first, first - STEP, first - 2 * STEP):
        found = fitting(given_blocks, capacity, STEP)
        assert legal(found, given_blocks)
        assert height(found, given_blocks) <= first


def test_a_case_that_first_fit_misses() -> None:
    """Two long blocks with a hole between them that neither of the later ones fits into."""
    case = [
        Block("a", 2 * STEP, 0, 3),
        Block("b", 1 * STEP, 2, 9),
        Block("c", 3 * STEP, 4, 9),
    ]
    assert height(first_fit(case, STEP), case) == 6 * STEP
    found = fitting(case, 4 * STEP, STEP)
    assert height(found, case) == 4 * STEP
    assert legal(found, case)


def test_results_join_the_operand_they_may_replace() -> None:
    case = [Block("x", 64, 0, 4), Block("e", 64, 5, 8), Block("y", 64, 9, 12), Block("z", 32, 5, 12)]
    head = chains(case)
    assert head == {"x": "x", "e": "x", "y": "x", "z": "z"}
    assert {(b.name, b.first, b.last) for b in joined(case, head)} == {("x", 0, 12), ("z", 4, 12)}
    assert [b.first for b in disjoint(case)] == [0, 4, 8, 4]


def random_blocks(count: int, seed: int) -> list[Block]:
    random = Random(seed)
    found = []
    for n in range(count):
        first = random.randrange(2 * count)
        found.append(Block(f"b{n}", STEP * random.randint(1, 64), first, first + random.randint(1, count // 5 + 1)))
    return found


def test_the_search_gives_up_within_its_work() -> None:
    """Two hundred blocks in the least that any time needs: solved or not, it ends."""
    case = random_blocks(200, 5)
    least = max(sum(b.size for b in case if b.first <= t <= b.last) for t in range(450))
    found = search(case, least, work=100_000)
    assert found is None or height(found, case) <= least
    assert search(case, least - STEP) is None


@pytest.mark.parametrize("seed", range(5))
def test_a_solver_finds_nothing_lower(seed: int) -> None:
    cp_model = pytest.importorskip("ortools.sat.python.cp_model", reason="the oracle, OR-tools, is not installed")
    case = random_blocks(12, seed)
    model = cp_model.CpModel()
    ceiling = sum(b.size for b in case) // STEP
    top = model.new_int_var(0, ceiling, "top")
    times, places = [], []
    for block in case:
        at, size = model.new_int_var(0, ceiling, block.name), block.size // STEP
        model.add(at + size <= top)
        times.append(model.new_fixed_size_interval_var(block.first, block.last - block.first + 1, "live"))
        places.append(model.new_fixed_size_interval_var(at, size, "bytes"))
    model.add_no_overlap_2d(times, places)
    model.minimize(top)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    least = int(solver.objective_value) * STEP
    found = search(case, least)
    assert found is not None
    assert height(found, case) == least
    assert search(case, least - STEP) is None
