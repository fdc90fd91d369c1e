"""Recurrent layers against goldens by hand: both targets; memory that stays, goes, or is written over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from library import recurrent_goldens
from library.agreement import assert_agree, operator

TARGETS = ("cpu", "a2a3")

# (relative, absolute) by output.
ALLOWED = {"gated_delta_step": {"o": (2**-7, 1e-3), "state": (1e-5, 1e-5)}}


def agree(name: str, target: str, arrays: dict[str, Any]) -> Any:
    return assert_agree(name, target, arrays, getattr(recurrent_goldens, name), ALLOWED[name])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("b", [1, 3])
def test_steps_on_random_data(b: int, target: str) -> None:
    agree("gated_delta_step", target, operator("gated_delta_step", target).example_inputs(seed=b, b=b))


@pytest.mark.parametrize("target", TARGETS)
def test_what_was_written_is_read_back(target: str) -> None:
    """A decay of 1 and a beta of 1: the value that was given for a key is what the key recalls."""
    arrays = operator("gated_delta_step", target).example_inputs(seed=8, b=1)
    arrays["g"][:], arrays["beta"][:] = 0, 1
    arrays["q"] = arrays["k"].copy()
    got = agree("gated_delta_step", target, arrays)
    want = arrays["v"].astype(np.float64) * 128**-0.5
    np.testing.assert_allclose(np.asarray(got.o).astype(np.float64), want, rtol=2**-6, atol=1e-3)


@pytest.mark.parametrize("target", TARGETS)
def test_a_token_of_zeros_only_forgets(target: str) -> None:
    arrays = operator("gated_delta_step", target).example_inputs(seed=9, b=2)
    arrays["k"][:] = 0
    arrays["g"][0] = -1e4  # all of it
    before = arrays["state"].copy()
    got = agree("gated_delta_step", target, arrays)
    assert not np.asarray(got.state)[0].any()
    np.testing.assert_allclose(np.asarray(got.state)[1], before[1] * np.exp(arrays["g"][1])[..., None, None], rtol=1e-5)
