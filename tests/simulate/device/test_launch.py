"""A launch under change: what has to hold whatever the figures are."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyptogen.lower.isa.cost import Price
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.platforms.timing import Figure, Timing
from pyptogen.simulate.device.launch import CLOSE, Launch, cost
from pyptogen.simulate.device.program import WAIT, InstrStream, Recorder

BASE = PLATFORMS["a2a3"].timing
assert BASE is not None
ROOM = 1 + 2 * CLOSE
"""The slowdown of transfers is found this closely."""


def kernel(tiles: int, bytes_: int, hold: int, use: int, buffers: int, waits: bool = True) -> InstrStream:
    """Tiles that are loaded, used and stored."""
    core = Recorder("vector")
    for n in range(buffers):
        core.set("V", "MTE2", n)
        core.set("MTE3", "V", n)
    for tile in range(tiles):
        n = tile % buffers
        core.wait("V", "MTE2", n)
        core.run("MTE2", "TLOAD", Price(hold, 140, 0, bytes_), "x")
        core.set("MTE2", "V", n)
        core.wait("MTE2", "V", n)
        core.wait("MTE3", "V", n)
        core.run("V", "TADD", Price(use, 25))
        core.set("V", "MTE2", n)
        core.set("V", "MTE3", n)
        core.wait("V", "MTE3", n)
        core.run("MTE3", "TSTORE", Price(hold // 2, 545, 0, bytes_, True), "y")
        core.set("MTE3", "V", n)
    return core.stream()


KERNELS = st.builds(
    kernel, st.integers(1, 30), st.sampled_from([512, 8192, 65536]), st.integers(10, 1500), st.integers(10, 3000),
    st.integers(1, 2),
)  # fmt: skip


def cycles(stream: InstrStream, blocks: int = 48, cores: int = 48, timing: Timing = BASE) -> float:
    return cost(Launch((stream,), blocks, cores, results=frozenset({"y"})), timing).cycles


@given(KERNELS, st.sampled_from(["hbm", "l2"]), st.floats(1.05, 20))
def test_more_bandwidth_is_never_slower(stream: InstrStream, rate: str, more: float) -> None:
    faster = replace(BASE, **{rate: Figure(getattr(BASE, rate).value * more, "test")})
    assert cycles(stream, timing=faster) <= cycles(stream) * ROOM


@given(KERNELS, st.integers(0, 200))
def test_a_wait_that_is_removed_is_never_slower(stream: InstrStream, which: int) -> None:
    waits = [n for n, step in enumerate(stream.steps) if step.what == WAIT]
    gone = waits[which % len(waits)]
    fewer = replace(stream, steps=stream.steps[:gone] + stream.steps[gone + 1 :])
    assert cycles(fewer) <= cycles(stream) * ROOM


@given(st.integers(1, 20), st.sampled_from([512, 65536]), st.integers(10, 1500), st.integers(10, 3000))
def test_twice_the_work_takes_at_most_twice_as_long(tiles: int, bytes_: int, hold: int, use: int) -> None:
    one, two = (cycles(kernel(n * tiles, bytes_, hold, use, 2)) for n in (1, 2))
    assert one / ROOM <= two <= 2 * one * ROOM


@given(KERNELS, st.integers(1, 200), st.integers(1, 47))
def test_more_cores_are_never_slower_by_more_than_a_wave(stream: InstrStream, blocks: int, cores: int) -> None:
    few, more = (cost(Launch((stream,), blocks, n, results=frozenset({"y"})), BASE) for n in (cores, cores + 1))
    assert more.cycles <= (few.cycles + few.cycles / few.waves) * ROOM


def test_a_launch_is_no_faster_than_its_bytes() -> None:
    stream = kernel(20, 65536, 10, 10, 2)
    found = cost(Launch((stream,), 48, 48, results=frozenset({"y"})), BASE)
    assert found.cycles >= 48 * 20 * 2 * 65536 / BASE.hbm.value
    assert found.bound == "HBM"


def test_what_is_read_again_from_l2_is_no_traffic_of_hbm() -> None:
    stream = kernel(20, 65536, 100, 10, 2)
    again = cost(Launch((stream,), 48, 48, {"x": 65536.0}, reuse={"x": 65536.0}), BASE)
    assert again.moved == 2 * 48 * 20 * 65536
    assert again.cold == 65536


def test_what_l2_does_not_hold_between_two_reads_is_read_from_hbm_again() -> None:
    stream = kernel(20, 65536, 100, 10, 2)
    far = cost(Launch((stream,), 48, 48, {"x": 65536.0}, reuse={"x": 2 * BASE.l2_bytes.value}), BASE)
    assert far.cold == pytest.approx(65536 + (48 * 20 - 1) * 65536 / 2)


def test_blocks_beyond_the_cores_come_in_waves() -> None:
    stream = kernel(4, 512, 100, 1000, 2)
    assert [cost(Launch((stream,), n, 24), BASE).waves for n in (1, 24, 25, 72)] == [1, 1, 2, 3]
    assert cycles(stream, 48, 24) == pytest.approx(2 * cycles(stream, 24, 24), rel=0.01)


def test_blocks_that_have_less_to_do_move_less() -> None:
    """25 tiles of 24 blocks: one block has two, and none shares HBM with it for the second."""
    stream = kernel(2, 65536, 10, 10, 2)
    full, uneven = (cost(Launch((stream,), 24, 24, even=even), BASE) for even in (1.0, 25 / 48))
    assert uneven.moved == pytest.approx(full.moved * 25 / 48)
    assert uneven.cycles < full.cycles * 0.75
