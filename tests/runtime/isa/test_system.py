"""Launches, barriers, pipes between cube and vector cores, and communication between simulated chips."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from .arrays import GUARD, Array, pointer
from .conftest import Build

TILES = 12


@pytest.fixture
def system(build: Build) -> ctypes.CDLL:
    return build("system")


def random(shape: tuple[int, ...], seed: int = 3) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(("blocks", "subblocks"), [(1, 1), (1, 2), (7, 1), (24, 2)])
def test_every_core_runs_once_and_knows_itself(system: ctypes.CDLL, blocks: int, subblocks: int) -> None:
    seen = np.zeros((blocks, subblocks), np.uint32)
    system.identities(pointer(seen), blocks, subblocks)
    block, sub = np.meshgrid(np.arange(blocks), np.arange(subblocks), indexing="ij")
    assert (seen == 1 + block + 100 * sub + 10000 * blocks + 1000000 * subblocks).all()


@pytest.mark.parametrize("soft", [0, 1])
@pytest.mark.parametrize("cores", [1, 2, 11])
def test_nobody_leaves_a_barrier_early(system: ctypes.CDLL, cores: int, soft: int) -> None:
    assert system.barrier_rounds(cores, 40, soft) == 0


def test_cores_that_wait_do_not_keep_others_from_starting(system: ctypes.CDLL) -> None:
    assert system.chain(20) == 20


def test_what_a_core_throws_reaches_the_caller(system: ctypes.CDLL) -> None:
    assert system.throws_from_a_core() == 42


@pytest.mark.parametrize("how", ["push_rows", "push_columns", "push_rows_own_memory"])
def test_tiles_from_cube_to_vector_cores(system: ctypes.CDLL, how: str) -> None:
    sent = random((2, TILES, 32, 32))
    got = np.zeros_like(sent)
    fifo = np.zeros((2, 3, 32, 32), np.float32)
    getattr(system, how)(pointer(got), pointer(sent), pointer(fifo))
    assert (got == sent + np.float32(1)).all()
    if how != "push_rows_own_memory":  # slot n of the fifo holds whole tiles, row by row
        assert (fifo == sent[:, TILES - 3 :]).all()


def test_halves_from_vector_cores_to_the_cube(system: ctypes.CDLL) -> None:
    sent = random((TILES, 32, 32))
    got = np.zeros_like(sent)
    system.vector_to_cube(pointer(got), pointer(sent))
    assert (got == sent).all()


def test_slots_used_in_place(system: ctypes.CDLL) -> None:
    sent = random((TILES, 4, 8))
    got, fifo = np.zeros_like(sent), np.zeros((2, 4, 8), np.float32)
    system.in_place(pointer(got), pointer(sent), pointer(fifo))
    assert (got == sent).all()


def test_an_accumulator_is_quantised_on_its_way(system: ctypes.CDLL) -> None:
    sent = np.random.default_rng(5).integers(-4000, 4000, (16, 32), dtype=np.int32)
    sent[0, :6] = [100, 20, 60, -8, 2**31 - 1, -(2**31)]  # 100 / 8 and 20 / 8 are ties
    got = np.zeros((16, 32), np.int8)
    system.push_quantised(pointer(got), pointer(sent), ctypes.c_float(0.125))
    expected = np.clip(np.rint(sent * np.float32(0.125)), 0, 127)
    assert (got == expected).all()
    assert list(got[0, :2]) == [12, 2]


@pytest.mark.parametrize("root", [0, 2])
@pytest.mark.parametrize(("op", "reference"), [(0, None), (1, np.maximum), (2, np.minimum)])
@pytest.mark.parametrize(("rows", "cols"), [(5, 17), (1, 1300)])
def test_reduce(system: ctypes.CDLL, rows: int, cols: int, op: int, reference: np.ufunc | None, root: int) -> None:
    pitch = cols + 3
    ranks = random((4, rows, pitch))
    ranks[2, 0, 0] = np.nan
    got = np.full((rows, pitch), GUARD, np.float32)
    system.reduce_ranks(pointer(got), pointer(ranks), rows, cols, pitch, root, op)
    expected = ranks[root].copy()
    for rank in (r for r in range(4) if r != root):
        expected = expected + ranks[rank] if reference is None else reference(expected, ranks[rank])
    assert np.array_equal(got[:, :cols], expected[:, :cols], equal_nan=True)
    assert (got[:, cols:] == GUARD).all()


@pytest.mark.parametrize(("what", "rows_of_whole"), [(0, 12), (1, 12), (2, 3)])
def test_gather_scatter_broadcast(system: ctypes.CDLL, what: int, rows_of_whole: int) -> None:
    rows, cols, pitch = 3, 19, 24
    whole, ranks = random((rows_of_whole, pitch), 1), random((4, rows, pitch), 2)
    before_whole, before_ranks = whole.copy(), ranks.copy()
    system.move_ranks(pointer(whole), pointer(ranks), rows, cols, pitch, what)
    if what == 0:
        assert (whole.reshape(4, rows, pitch)[..., :cols] == before_ranks[..., :cols]).all()
        assert (whole[:, cols:] == before_whole[:, cols:]).all()
    else:
        source = before_whole.reshape(-1, rows, pitch)[..., :cols]
        assert (ranks[..., :cols] == source).all()
        assert (ranks[..., cols:] == before_ranks[..., cols:]).all()


def test_concurrent_additions_lose_nothing(system: ctypes.CDLL) -> None:
    to, add = np.zeros(257, np.float32), np.arange(257, dtype=np.float32)
    system.put_adding(pointer(to), pointer(add), 16, 257)
    assert (to == 16 * add).all()


def test_signals_of_a_strided_grid(system: ctypes.CDLL) -> None:
    values = np.full((2, 5), -100, np.int32)
    values[:, :3] = [[4, 5, 6], [5, 4, 9]]  # what is outside of the 2 x 3 view must not count
    compare = {0: np.equal, 1: np.not_equal, 2: np.greater, 3: np.greater_equal, 4: np.less, 5: np.less_equal}
    for code, holds in compare.items():
        for limit in (3, 4, 6, 9, 10):
            assert system.signal_test(pointer(values), limit, code) == holds(values[:, :3], limit).all()


def test_asynchronous_transfers(system: ctypes.CDLL) -> None:
    to, source = np.zeros(100, np.float32), random((100,))
    assert system.async_round_trip(pointer(to), pointer(source), 100) == 1
    assert (to == source).all()


def test_a_tile_at_the_address_of_another(system: ctypes.CDLL) -> None:
    assert system.aliased() == 1


def test_events_are_passed_and_waited_for(system: ctypes.CDLL) -> None:
    assert system.events() == 1


def test_print(system: ctypes.CDLL, capfd: pytest.CaptureFixture[str]) -> None:
    system.print_tile(2, 3)
    assert capfd.readouterr().out == "TPRINT 2x3\n   -1.00    -0.75    -0.50\n    1.00     1.25     1.50\n"
