"""Recurrent layers against goldens by hand: both targets; memory that stays, goes, or is written over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from library import recurrent_goldens
from library.agreement import assert_agree, operator

TARGETS = ("cpu", "a2a3")

# (relative, absolute) by output.
ALLOWED = {
    "gated_delta_step": {"o": (2**-7, 1e-3), "state": (1e-5, 1e-5)},
    # Keys, changes and the state as products see it are bf16.
    "gated_delta_rule": {"o": (2**-7, 2**-7), "state": (2**-7, 2**-6)},
}


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


def prompt(target: str, seed: int, **sizes: int) -> dict[str, Any]:
    found: dict[str, Any] = operator("gated_delta_rule", target).example_inputs(seed=seed, **sizes)
    return found


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("b", "s"), [(1, 1), (1, 64), (2, 65), (1, 200)])
def test_prompts_of_any_length(b: int, s: int, target: str) -> None:
    agree("gated_delta_rule", target, prompt(target, s, b=b, s=s))


@pytest.mark.parametrize("target", TARGETS)
def test_one_key_again_and_again(target: str) -> None:
    """Every token replaces all that the one before it wrote: the inverse has large terms that cancel."""
    arrays = prompt(target, 4, b=1, s=130)
    arrays["k"][:] = arrays["k"][:, :1]
    arrays["g"][:], arrays["beta"][:] = 0, 1
    agree("gated_delta_rule", target, arrays)


@pytest.mark.parametrize("target", TARGETS)
def test_a_prompt_that_forgets_at_once(target: str) -> None:
    arrays = prompt(target, 5, b=1, s=70)
    arrays["g"][:, 10::7] = -500
    arrays["beta"][:, 3::5] = 0
    agree("gated_delta_rule", target, arrays)


@pytest.mark.parametrize("target", TARGETS)
def test_a_prompt_is_its_tokens_one_by_one(target: str) -> None:
    """The operator that decodes goes on where the one for prompts stops."""
    arrays = prompt(target, 6, b=1, s=67)
    whole = operator("gated_delta_rule", target)(**{name: value.copy() for name, value in arrays.items()})
    first = {name: np.ascontiguousarray(value[:, :66]) for name, value in arrays.items() if name != "state"}
    state = operator("gated_delta_rule", target)(**first, state=arrays["state"].copy()).state
    last = {name: np.ascontiguousarray(value[:, 66]) for name, value in arrays.items() if name != "state"}
    step = operator("gated_delta_step", target)(**last, state=np.array(state))
    np.testing.assert_allclose(
        np.asarray(step.o).astype(np.float64), np.asarray(whole.o)[:, 66].astype(np.float64), rtol=2**-6, atol=2**-7
    )
    np.testing.assert_allclose(np.asarray(step.state), np.asarray(whole.state), rtol=2**-6, atol=2**-5)
