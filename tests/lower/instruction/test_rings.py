"""The fifos between the cores of a mixed kernel, as the device keeps them."""

from __future__ import annotations

import pytest

from pyptogen.lower.instruction.fifos import protects, together

PUSH = [("claim", "r"), ("fill", "r")]
TAKE = [("pop", "r"), ("load", "r"), ("free", "r")]


@pytest.mark.parametrize("slots", [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("tiles", [0, 1, 2, 7, 16])
def test_a_stream_of_tiles_goes_through(slots: int, tiles: int) -> None:
    assert protects(slots)
    assert together(PUSH * tiles, TAKE * tiles, {"r": slots}) == []


@pytest.mark.parametrize("slots", [5, 7])
def test_some_lengths_leave_slots_unprotected(slots: int) -> None:
    """The producer asks at every second (third) tile, which is none of the first that come round again."""
    assert not protects(slots)
    (fault,) = {text for text, *_ in together(PUSH * (slots + 1), TAKE * (slots + 1), {"r": slots})}
    assert fault == "push to r into a slot that was not freed"


def test_freed_slots_are_told_of_in_batches() -> None:
    """Four slots, of which the first is free again: the producer still waits for the word about the second."""
    answer = [("await", "go on")]
    producer = [*PUSH * 5, ("signal", "go on")]
    (text, side, at), *_ = together(producer, [*TAKE, *answer, *TAKE * 4], {"r": 4})
    assert (text, side, at) == ("deadlock: claim of r against await of go on", 0, 8)
    assert together(producer, [*TAKE * 2, *answer, *TAKE * 3], {"r": 4}) == []


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        (PUSH * 2, TAKE, "r is not empty at the end"),
        (PUSH, TAKE * 2, "deadlock: pop of r"),
        (PUSH, [("pop", "r"), ("free", "r"), ("load", "r")], "load of r with 0 slots popped"),
        ([("fill", "r")], TAKE, "fill of r with 0 slots claimed"),
        ([("claim", "r"), ("fill", "r"), ("store", "r")], TAKE, "store of r with 0 slots claimed"),
    ],
)
def test_what_is_wrong_is_said(first: list[tuple[str, str]], second: list[tuple[str, str]], what: str) -> None:
    assert what in [text for text, *_ in together(first, second, {"r": 2})]
