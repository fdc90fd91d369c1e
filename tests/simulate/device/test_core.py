"""Pipes of one core, against times that were counted by hand."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyptogen.lower.isa.cost import Price
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.platforms.timing import Figure, Timing
from pyptogen.simulate.device.core import Core, run_block
from pyptogen.simulate.device.program import CLAIM, FILL, FREE, LOOP, NUMBER, POP, InstrStream, Recorder, Step


def timing(**figures: float) -> Timing:
    """Figures of A2/A3, those given instead, and nothing that takes time by itself."""
    base = PLATFORMS["a2a3"].timing
    assert base is not None
    none = dict.fromkeys(("issue", "flag", "cross_core", "barrier"), 0.0)
    return replace(base, **{name: Figure(value, "test") for name, value in {**none, **figures}.items()})


def run(*streams: InstrStream, figures: Timing | None = None) -> list[Core]:
    cycles = [
        [(round(w.price.hold), round(w.price.latency), round(w.price.settle)) for w in one.work] for one in streams
    ]
    return run_block(streams, cycles, figures or timing())


def load_use_store(buffers: int, tiles: int) -> Recorder:
    """Load 100, use 60, store 50 a tile, over so many buffers."""
    core = Recorder("vector")
    for n in range(buffers):
        core.set("V", "MTE2", n)
        core.set("MTE3", "V", n)
    for tile in range(tiles):
        n = tile % buffers
        core.wait("V", "MTE2", n)
        core.run("MTE2", "TLOAD", Price(100))
        core.set("MTE2", "V", n)
        core.wait("MTE2", "V", n)
        core.wait("MTE3", "V", n)
        core.run("V", "TADD", Price(60))
        core.set("V", "MTE2", n)
        core.set("V", "MTE3", n)
        core.wait("V", "MTE3", n)
        core.run("MTE3", "TSTORE", Price(50))
        core.set("MTE3", "V", n)
    return core


def test_one_buffer_takes_turns() -> None:
    (core,) = run(load_use_store(1, 3).stream())
    # A load waits for the use before it, so loads begin at 0, 160 and 320.
    assert abs(core.end - (320 + 100 + 60 + 50)) <= 20  # waits take a cycle each
    assert core.busy[NUMBER["MTE2"]] == 300
    assert core.busy[NUMBER["MTE3"]] == 150


def test_two_buffers_hide_all_but_the_loads() -> None:
    (core,) = run(load_use_store(2, 3).stream())
    assert abs(core.end - (300 + 60 + 50)) <= 20


def test_latency_is_hidden_back_to_back_and_seen_by_who_waits() -> None:
    core = Recorder("vector")
    core.run("MTE2", "TLOAD", Price(100, 500))
    core.run("MTE2", "TLOAD", Price(100, 500))
    core.set("MTE2", "V", 0)
    core.wait("MTE2", "V", 0)
    core.run("V", "TADD", Price(10))
    (found,) = run(core.stream())
    assert abs(found.end - (200 + 500 + 10)) <= 2
    assert found.busy[NUMBER["MTE2"]] == 700


def test_what_settles_is_waited_for_and_is_not_busy() -> None:
    core = Recorder("cube")
    core.run("FIX", "TSTORE", Price(100, 0, 400))
    core.set("FIX", "M", 0)
    core.wait("FIX", "M", 0)
    core.run("M", "TMATMUL", Price(10))
    (found,) = run(core.stream())
    assert abs(found.end - 510) <= 2
    assert found.busy[NUMBER["FIX"]] == 100


@pytest.mark.parametrize(("place", "end"), [(0, 100 + 10 + 10), (4096, 10 + 10)])
def test_unit_flags_are_clear_once_the_store_has_read(place: int, end: int) -> None:
    """The next product into the same bytes does not wait until what was stored has settled."""
    core = Recorder("cube")
    core.hand_over(partial(core.run, "M", "TMATMUL", Price(10)), "product", 0)
    core.hand_over(partial(core.run, "FIX", "TSTORE", Price(100, 0, 400)), "store", 0)
    core.hand_over(partial(core.run, "M", "TMATMUL", Price(10)), "product", place)
    (found,) = run(core.stream())
    assert abs(found.last[NUMBER["M"]] - end) <= 2


def test_only_the_first_product_of_an_accumulator_waits() -> None:
    core = Recorder("cube")
    core.hand_over(partial(core.run, "M", "TMATMUL", Price(10)), "product", 0)
    core.hand_over(partial(core.run, "FIX", "TSTORE", Price(100)), "store", 0)
    core.hand_over(partial(core.run, "M", "TMATMUL_ACC", Price(10)), "product", 0, first=False)
    (found,) = run(core.stream())
    assert abs(found.last[NUMBER["M"]] - 20) <= 2


def test_a_barrier_waits_for_the_latency_of_a_pipe() -> None:
    core = Recorder("vector")
    core.run("V", "TADD", Price(10, 20))
    core.run("V", "TADD", Price(10, 20))
    core.barrier("V")
    core.run("V", "TADD", Price(10, 20))
    (found,) = run(core.stream())
    assert found.end == 20 + 20 + 10 + 20


def test_a_fifo_of_two_slots_holds_its_producer_up() -> None:
    give, take = Recorder("cube", {"f": 2}), Recorder("vector", {"f": 2})
    for _ in range(4):
        give.fifo(CLAIM, "f")
        give.run("FIX", "TPUSH", Price(10))
        give.fifo(FILL, "f", "FIX")
        take.fifo(POP, "f")
        take.run("MTE2", "TLOAD", Price(100))
        take.fifo(FREE, "f", "MTE2")
    cube, vector = run(give.stream(), take.stream(), figures=timing(cross_core=30))
    # Both slots are told free together, behind the second load: 10 + 30, 100, 100, 30.
    assert cube.end == 10 + 30 + 200 + 30 + 20
    assert vector.end == 10 + 30 + 400 + (30 + 10 + 30)


def test_programs_that_wait_for_each_other_are_told() -> None:
    a, b = Recorder("cube", {"x": 1, "y": 1}), Recorder("vector", {"x": 1, "y": 1})
    a.fifo(POP, "x")
    b.fifo(POP, "y")
    with pytest.raises(ValueError, match="wait for each other"):
        run(a.stream(), b.stream())


def _flat(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(s for step in steps for s in (_flat(step.body) * step.at if step.what == LOOP else (step,)))


_PIPES = st.sampled_from(["V", "MTE2", "MTE3", "M", "MTE1", "FIX"])
_BODIES = st.lists(
    st.one_of(
        st.tuples(st.just("run"), _PIPES, st.integers(0, 300), st.integers(0, 200)),
        st.tuples(st.sampled_from(["set", "wait"]), _PIPES, _PIPES, st.integers(0, 1)),
        st.tuples(st.just("barrier"), _PIPES),
    ),
    min_size=1,
    max_size=12,
)


def record(core: Recorder, body: list[tuple]) -> None:
    for what, *rest in body:
        if what == "run":
            core.run(rest[0], "TADD", Price(rest[1], rest[2]))
        else:
            getattr(core, what)(*rest)


@given(_BODIES, _BODIES, _BODIES, st.integers(1, 60), st.integers(1, 30))
def test_a_loop_ends_when_its_iterations_walked_one_by_one_do(
    before: list[tuple], inner: list[tuple], behind: list[tuple], outer_times: int, inner_times: int
) -> None:
    core = Recorder("cube")
    record(core, inner)
    loop = core.taken()
    record(core, before)
    core.loop([(loop, inner_times)])
    record(core, behind)
    core.loop([(core.taken(), outer_times)])
    stream = core.stream()
    walked = replace(stream, steps=_flat(stream.steps))
    figures = timing(issue=3, flag=7, barrier=2)
    (short,), (long,) = run(stream, figures=figures), run(walked, figures=figures)
    assert (short.end, short.busy, short.free, short.tokens) == (long.end, long.busy, long.free, long.tokens)


def test_a_long_loop_is_not_walked_to_its_end() -> None:
    body = load_use_store(2, 2)
    steps = body.taken()
    body.loop([(steps, 1_000_000)])
    (core,) = run(body.stream())
    assert core.walked < 1000
    assert core.busy[NUMBER["MTE2"]] == 2_000_000 * 100
