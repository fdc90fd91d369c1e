"""Answers that are kept are those of the very same thing, and only of what cannot change."""

from __future__ import annotations

from pyptogen.lower.lately import MOST, Lately


def test_the_same_is_asked_once_and_an_equal_one_anew() -> None:
    asked: list[object] = []

    def length(value: tuple[int, ...]) -> int:
        asked.append(value)
        return len(value)

    known = Lately[tuple[int, ...], int]()
    first, equal = (1, *map(int, "23")), (1, *map(int, "23"))
    assert [known.of(first, length), known.of(first, length), known.of(equal, length)] == [3, 3, 3]
    assert len(asked) == 2


def test_what_may_change_is_asked_each_time() -> None:
    known, value = Lately[list[int], int](), [1]
    assert known.of(value, len) == 1
    value.append(2)
    assert known.of(value, len) == 2


def test_identities_are_not_used_again_and_few_answers_are_kept() -> None:
    known = Lately[tuple[int, ...], int]()
    for number in range(4 * MOST):  # each is dropped by whoever asks; without a hold on it the next one may lie there
        assert known.of((number, number + 1), lambda value: value[0]) == number
    assert len(known._known) <= MOST
