"""Calls on a processor under change: what has to hold whatever the figures are."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyptogen.codegen.generate import lowered
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.simulate.device.call import CallTime
from pyptogen.simulate.processor.call import time_of_call
from pyptogen.simulate.processor.figures import Curve, Figures, Jumps
from pyptogen.simulate.processor.fit import from_times

from .figures import times

SPECS = Path(__file__).parents[3] / "specs"
FIGURES = from_times("a machine", times())
ROWS = {"softmax": "rows", "gelu": "rows", "rms_norm": "rows", "matmul_bf16": "m", "linear_int8": "t", "topk": "rows"}


@cache
def operator(name: str) -> Lowered:
    return lowered(from_spec(load_spec(SPECS / f"{name}.yaml")), "cpu")


def call(name: str, rows: int, figures: Figures = FIGURES, threads: int = 1) -> CallTime:
    return time_of_call(operator(name), {ROWS[name]: rows}, figures, threads)


NAMES = st.sampled_from(sorted(ROWS))
SIZES = st.integers(1, 3000)


def flat(value: float) -> Curve:
    return Curve((1.0, 2.0), (value, value))


def faster(curve: Curve, part: float) -> Curve:
    return Curve(curve.sizes, tuple(value * part for value in curve.values))


@settings(deadline=None, max_examples=40)
@given(NAMES, SIZES, st.sampled_from(["read", "write"]), st.floats(0, 1))
def test_more_bandwidth_is_never_slower(name: str, rows: int, which: str, part: float) -> None:
    other = faster(getattr(FIGURES, which), part)
    write = FIGURES.write if which == "read" else other
    # What writes beyond the reads of the same bytes takes is a difference of both.
    read = other if which == "read" else FIGURES.read
    assert call(name, rows, replace(FIGURES, read=read, write=write)).cycles <= call(name, rows).cycles * (1 + 1e-9)


@settings(deadline=None, max_examples=40)
@given(NAMES, SIZES, st.integers(1, 1000))
def test_more_rows_are_never_faster(name: str, rows: int, more: int) -> None:
    # Results from 8 MiB on go around the cache, which may take less time: here it takes as long as memory at most does.
    plain = replace(FIGURES, far=FIGURES.write.values[-1])
    assert call(name, rows, plain).cycles <= call(name, rows + more, plain).cycles * (1 + 1e-9)


@settings(deadline=None, max_examples=40)
@given(NAMES, st.integers(256, 1500))
def test_twice_the_work_takes_at_most_twice_as_long_and_a_fill_where_memory_is_as_near(name: str, rows: int) -> None:
    near = replace(
        FIGURES, read=flat(0.01), write=flat(0.02), far=0.02, mixed=flat(0.5), mixed_far=0.5,
        turns=dict.fromkeys(FIGURES.turns, flat(0.01)),
        jumps=dict.fromkeys(FIGURES.jumps, Jumps((64.0,), (flat(10.0),))),
        gathers=dict.fromkeys(FIGURES.gathers, flat(10.0)),
        bound={key: replace(one, bytes_=flat(0.02)) for key, one in FIGURES.bound.items()},
    )  # fmt: skip
    fill = call(name, 64, near).cycles  # a last tile that is not whole
    assert call(name, 2 * rows, near).cycles <= 2 * call(name, rows, near).cycles + fill


@settings(deadline=None, max_examples=40)
@given(NAMES, st.integers(1, 3000), st.integers(1, 8))
def test_more_cores_are_never_slower_by_more_than_a_wave(name: str, rows: int, threads: int) -> None:
    apart = replace(FIGURES, together=1.0)
    fewer, more = (call(name, rows, apart, count) for count in (threads, threads + 1))
    wave = max((each.end - each.start) / each.cost.waves for each in fewer.launches)
    assert more.cycles <= fewer.cycles * (1 + 1e-9) + wave


def test_a_call_without_work_is_its_call_and_launches() -> None:
    nothing = call("softmax", 1)
    assert nothing.cycles > FIGURES.call
    assert nothing.launches[0].start == FIGURES.call
    assert nothing.micros == pytest.approx(nothing.cycles / 1e3)


def test_results_that_go_around_the_cache_take_what_that_takes() -> None:
    slow = replace(FIGURES, far=FIGURES.far + 1.0)
    few, many = 511, 512  # 512 rows of 16 KiB are 8 MiB
    assert call("softmax", few, slow).cycles == call("softmax", few).cycles
    assert call("softmax", many, slow).cycles > call("softmax", many).cycles + 7e6


def test_kernels_by_an_author_are_not_told() -> None:
    with pytest.raises(ValueError, match="C\\+\\+ by an author"):
        time_of_call(operator("transpose_copy"), {"rows": 256}, FIGURES)


def test_what_holds_a_launch_up_is_named() -> None:
    assert call("matmul_bf16", 1024).launches[0].cost.bound == "TMATMUL"
    slow = faster(FIGURES.read, 100.0)
    assert call("softmax", 4096, replace(FIGURES, read=slow)).bound == "memory"


def test_the_divider_is_hidden_beside_other_arithmetic_as_far_as_measured() -> None:
    """One division for each of 64 x 4096 elements, beside far more arithmetic."""
    none, all_ = (replace(FIGURES, apart=dict.fromkeys(FIGURES.apart, part)) for part in (0.0, 1.0))
    divided = 64 * 4096 * FIGURES.dividing["beside divide"]
    assert call("gelu", 64, none).cycles - call("gelu", 64, all_).cycles == pytest.approx(divided, rel=1e-6)


def test_arithmetic_hides_memory_and_moves_do_not() -> None:
    whole = replace(FIGURES, hidden=1.0)
    assert whole.joined(10.0, 0.0, 6.0) == 10.0
    assert whole.joined(10.0, 10.0, 6.0) == 16.0
    assert whole.joined(10.0, 7.0, 6.0) == 13.0


def test_an_expression_that_a_pass_has_twice_is_computed_once() -> None:
    """softmax_long asks for the same exponentials for their sum and for its result."""
    sizes = {"rows": 8}
    slower = replace(FIGURES, operations=FIGURES.operations | {"exp": FIGURES.operations["exp"] + 1.0})
    more = time_of_call(operator("softmax_long"), sizes, slower).cycles
    once = 8 * 16384 * 1.0
    assert more - time_of_call(operator("softmax_long"), sizes, FIGURES).cycles == pytest.approx(once, rel=0.01)


def test_stores_in_turns_with_a_tile_take_longer() -> None:
    """rms_norm_backward stores rows of 16 KiB beside a tile that it changes, one vector at a time."""
    sizes = {"rows": 64}
    slow = {key: Curve(curve.sizes, tuple(v + 1.0 for v in curve.values)) for key, curve in FIGURES.turns.items()}
    before = time_of_call(operator("rms_norm_backward"), sizes, FIGURES).cycles
    beside = replace(FIGURES, turns={"": FIGURES.turns[""], "beside ": slow["beside "]})
    apart = replace(FIGURES, turns=slow)
    assert time_of_call(operator("rms_norm_backward"), sizes, beside).cycles == before
    assert time_of_call(operator("rms_norm_backward"), sizes, apart).cycles - before > 64 * 16384 * 0.99


def test_rows_that_go_where_an_index_says_are_stored_as_usual() -> None:
    """Rows of 256 bytes: too short to go around the cache, however many there are."""
    sizes = {"tokens": 65536, "blocks": 1024}
    around = replace(FIGURES, far=FIGURES.far + 1.0)
    jumps = {what: Jumps((64.0,), (flat(100.0),)) for what in FIGURES.jumps}
    before = time_of_call(operator("scatter_update"), sizes, FIGURES).cycles
    assert time_of_call(operator("scatter_update"), sizes, around).cycles == before
    none = {what: Jumps((64.0,), (flat(0.0),)) for what in FIGURES.jumps}
    least = time_of_call(operator("scatter_update"), sizes, replace(FIGURES, jumps=none))
    most = time_of_call(operator("scatter_update"), sizes, replace(FIGURES, jumps=jumps))
    assert most.cycles - least.cycles == pytest.approx(65536 * 100.0, rel=1e-6)


def test_every_other_element_takes_the_memory_of_whole_lines() -> None:
    """Even and odd columns of a turned row are stored one after the other, over the same lines."""
    turned = time_of_call(operator("rope_cache_interleaved"), {"t": 64, "blocks": 8}, FIGURES)
    launch = next(each for each in turned.launches if each.kernel == "turn_vec2")
    q = 64 * 16 * 128 * 2  # bytes of q: twice written, read as halves
    assert launch.cost.tensors["q_turned"] == 2 * q


def test_updates_in_place_take_what_writing_takes_beyond_reading() -> None:
    updated, sizes = operator("gated_delta_step"), {"b": 8}
    before = time_of_call(updated, sizes, FIGURES).cycles
    write = Curve(FIGURES.write.sizes, tuple(value + 0.05 for value in FIGURES.write.values))
    state = 8 * 32 * 128 * 128 * 4
    assert time_of_call(updated, sizes, replace(FIGURES, write=write)).cycles - before > 0.9 * 0.05 * state
