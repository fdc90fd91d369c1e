"""Brackets behind brackets are one pair, as a person writes them."""

from __future__ import annotations

import numpy as np
import pytest

from pyptogen.importing.expression import Expression, along_axis, new_axis

X = np.arange(2 * 3 * 4).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([("new", 0), ("new", 0)], "x[None, None]"),
        ([("new", 1), ("new", 3)], "x[:, None, :, None]"),
        ([(1, "1:"), ("new", 2)], "x[:, 1:, None]"),
        ([(0, "1"), ("new", 1)], "x[1, :, None]"),
        ([(0, "1"), (1, "2")], "x[1, :, 2]"),
        ([(2, "0"), (0, "1"), ("new", 1)], "x[1, :, 0, None]"),
        ([(1, "1:"), (1, "1")], "x[:, 1:][:, 1]"),
        ([("new", 0), (0, "0")], "x[None][0]"),
        ([(2, "::2"), (0, "1:")], "x[1:, :, ::2]"),
    ],
)
def test_parts_are_put_together(steps: list[tuple[int | str, int | str]], text: str) -> None:
    made, expected = Expression("x"), X
    for kind, value in steps:
        if kind == "new":
            made, expected = new_axis(made, int(value)), np.expand_dims(expected, int(value))
        else:
            made = along_axis(made, int(kind), str(value))
            expected = eval(f"e[{', '.join([':'] * int(kind) + [str(value)])}]", {"e": expected})
    assert made.text == text
    np.testing.assert_array_equal(eval(made.text, {"x": X}), expected)
