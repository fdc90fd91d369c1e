"""Queues, barriers, signals, transfers and collectives agree with their meanings; and every row has its test."""

from __future__ import annotations

import numpy as np
import pytest

from pyptogen.lower.isa.table import INSTRUCTIONS
from pyptogen.simulate.meaning import MEANINGS

from . import (  # noqa: F401  # their marks fill the registry
    test_agreement_indexed,
    test_agreement_moves,
    test_agreement_numbers,
)
from .agreement.cases import COVERED
from .agreement.registry import AGREEMENT, agreement
from .arrays import DTYPES, guarded, is_guard, pointer, values
from .conftest import Build
from .test_agreement_moves import same
from .test_system import TILES, random


@agreement("TPUSH", "TPOP", "TFREE", "TALLOC")
@pytest.mark.parametrize("how", ["vector_to_cube", "in_place"])
def test_queues(build: Build, how: str) -> None:
    sent = random((TILES, 32, 32) if how == "vector_to_cube" else (TILES, 4, 8))
    got, fifo = np.zeros_like(sent), np.zeros((2, 4, 8), np.float32)
    arguments = (got, sent) if how == "vector_to_cube" else (got, sent, fifo)
    getattr(build("system"), how)(*map(pointer, arguments))
    queue: tuple[object, ...] = ()
    used = 0
    for tile in range(TILES):
        used = MEANINGS["TALLOC"](used, 2)
        queue = MEANINGS["TPUSH"](queue, sent[tile])
        if used == 2 or tile == TILES - 1:  # the consumer follows behind
            while queue:
                queue, popped = MEANINGS["TPOP"](queue)
                used = MEANINGS["TFREE"](used)
                assert np.array_equal(got[tile - len(queue)], popped)
    assert (queue, used) == ((), 0)


def test_queues_do_not_overflow_or_run_dry() -> None:
    with pytest.raises(ValueError, match="2 slots"):
        MEANINGS["TALLOC"](2, 2)
    with pytest.raises(ValueError, match="empty"):
        MEANINGS["TPOP"](())


@agreement("TSYNC", "SYNCALL")
def test_order(build: Build) -> None:
    """Barriers and events change no element; that they order is what these kernels count."""
    assert MEANINGS["TSYNC"]() == MEANINGS["SYNCALL"]() == ()
    assert build("system").barrier_rounds(5, 20, 0) == 0
    assert build("system").events() == 1


@agreement("comm::TNOTIFY", "comm::TTEST", "comm::TWAIT")
def test_signals(build: Build) -> None:
    grid = np.full((2, 5), -100, np.int32)
    grid[:, :3] = [[4, 5, 6], [5, 4, 9]]
    for code, cmp in enumerate(("eq", "ne", "gt", "ge", "lt", "le")):
        for limit in (3, 4, 6, 9, 10):
            found = build("system").signal_test(pointer(grid), limit, code)
            assert (
                found
                == MEANINGS["comm::TTEST"](grid[:, :3], limit, cmp)
                == MEANINGS["comm::TWAIT"](grid[:, :3], limit, cmp)
            )
    for signal, value in [(3, 4), (2**31 - 1, 1), (-5, -(2**31))]:
        for op, name in enumerate(NOTIFY):
            assert build("agreement").notified(signal, value, op) == MEANINGS["comm::TNOTIFY"](signal, value, name)
    assert build("system").chain(7) == 7  # each core waits for its turn


NOTIFY = ("add", "set")


RANKED = [dtype for dtype in DTYPES if dtype in INSTRUCTIONS["comm::TPUT"].dtypes["cpu"]]
"""The element types of transfers, and of reductions."""


@agreement("comm::TPUT", "comm::TGET")
@pytest.mark.parametrize(
    "what", range(5), ids=["get", "put", "put adding", "get by two tiles", "put adding at run time"]
)
@pytest.mark.parametrize("name", RANKED)
def test_transfers(build: Build, name: str, what: int) -> None:
    rng = np.random.default_rng(what)
    for rows, cols in [(9, 150), (1, 1), (0, 4)]:
        old, source = values(rng, (10, 160), name), values(rng, (10, 160), name)
        to = old.copy()
        getattr(build("agreement"), f"transfer_{name}")(what, pointer(to), pointer(source), rows, cols, 160)
        want = old.copy()
        key = "comm::TGET" if what in (0, 3) else "comm::TPUT"
        add = {"add": True} if what in (2, 4) else {}
        want[:rows, :cols] = MEANINGS[key](old[:rows, :cols], source[:rows, :cols], **add)
        assert same(to, want)


@agreement("comm::TPUT_ASYNC", "comm::TGET_ASYNC")
def test_transfers_without_waiting(build: Build) -> None:
    source, to = random((100,)), np.zeros(100, np.float32)
    old = to.copy()
    assert build("system").async_round_trip(pointer(to), pointer(source), 100) == 1
    assert np.array_equal(to, MEANINGS["comm::TPUT_ASYNC"](old, source))
    assert np.array_equal(to, MEANINGS["comm::TGET_ASYNC"](old, source))


@agreement("comm::TREDUCE")
@pytest.mark.parametrize("op", ["sum", "max", "min"])
@pytest.mark.parametrize("name", RANKED)
def test_reductions_over_ranks(build: Build, name: str, op: str) -> None:
    """Random and extreme elements, which wrap, are infinite or NaN."""
    rng = np.random.default_rng(11)
    for rows, cols in [(9, 60), (1, 1), (0, 4)]:
        ranks = values(rng, (4, rows, 64), name)
        for root in (0, 3):
            to = guarded((rows, 64), DTYPES[name])
            with np.errstate(all="ignore"):
                want = MEANINGS["comm::TREDUCE"](list(ranks[..., :cols]), root, op)
            number = ("sum", "max", "min").index(op)
            getattr(build("agreement"), f"reduce_{name}")(pointer(to), pointer(ranks), rows, cols, 64, root, number)
            got = to[:, :cols].copy()
            assert same(got, want) or np.array_equal(got[want != 0], want[want != 0], equal_nan=True), (rows, root)
            assert is_guard(to[:, cols:])


@agreement("comm::TREDUCE", "comm::TGATHER", "comm::TSCATTER", "comm::TBROADCAST")
def test_collectives(build: Build) -> None:
    rows, cols, pitch = 5, 17, 20
    ranks = random((4, rows, pitch))
    ranks[2, 0, 0] = np.nan
    for root in (0, 2):
        for op, name in enumerate(("sum", "max", "min")):
            got = guarded((rows, pitch), DTYPES["fp32"])
            build("system").reduce_ranks(pointer(got), pointer(ranks), rows, cols, pitch, root, op)
            assert same(got[:, :cols].copy(), MEANINGS["comm::TREDUCE"](list(ranks[..., :cols]), root, name).copy())
    rows, cols, pitch = 3, 19, 24
    for what, name in enumerate(("comm::TGATHER", "comm::TSCATTER", "comm::TBROADCAST")):
        whole, parts = random((3 if what == 2 else 12, pitch), 1), random((4, rows, pitch), 2)
        before = whole.copy()
        build("system").move_ranks(pointer(whole), pointer(parts), rows, cols, pitch, what)
        if what == 0:
            assert np.array_equal(whole[:, :cols], MEANINGS[name](list(parts[..., :cols])))
        elif what == 1:
            assert np.array_equal(parts[..., :cols], np.array(MEANINGS[name](before[:, :cols], 4)))
        else:
            group = [before[:, :cols] if rank == 1 else parts[rank, :, :cols] for rank in range(4)]
            assert np.array_equal(parts[..., :cols], np.array(MEANINGS[name](group, 1)))


@agreement("TPRINT")
def test_print(build: Build, capfd: pytest.CaptureFixture[str]) -> None:
    build("system").print_tile(2, 3)
    tile = (np.arange(32, dtype=np.float32) / 4 - 1).reshape(4, 8)[:2, :3]
    assert capfd.readouterr().out == MEANINGS["TPRINT"](tile, 8, 2)


BY_TYPE_ONLY = {"SET_IMG2COL_RPT": "SETFMATRIX", "SET_IMG2COL_PADDING": "SETFMATRIX"}
"""Registers that the headers take from TIMG2COL's source, like SETFMATRIX."""


def test_every_row_has_its_test() -> None:
    covered = COVERED | set(AGREEMENT) | set(BY_TYPE_ONLY) | {"TCVT"}
    assert covered == set(INSTRUCTIONS)
    assert all(MEANINGS[name] is MEANINGS[like] for name, like in BY_TYPE_ONLY.items())
