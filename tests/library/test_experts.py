"""Operators of mixtures of experts against goldens by hand: both targets, tails, empty and crowded experts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from library import expert_goldens
from library.agreement import assert_agree, operator
from pyptogen.diagnostics import DiagnosticError

TARGETS = ("cpu", "a2a3")
EXACT = (0.0, 0.0)

# (relative, absolute) by output.
ALLOWED = {
    "moe_dispatch": {"rows": EXACT, "place": EXACT, "count": EXACT},
    "moe_combine": {"y": (2**-7, 1e-2)},
    "moe_gate_softmax": {"weight": (1e-5, 1e-6), "expert": EXACT},
    "glm_expert_selector": {"weight": (1e-5, 1e-6), "expert": EXACT},
    "moe_select_groups": {"weight": (1e-5, 1e-6), "expert": EXACT},
}
CASES = [(name, t) for name in ALLOWED for t in (1, 37, 130)]
ALLOWED["grouped_matmul"] = {"y": (2**-7, 1e-2)}


def agree(name: str, target: str, arrays: dict[str, Any]) -> Any:
    return assert_agree(name, target, arrays, getattr(expert_goldens, name), ALLOWED[name])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("name", "t"), CASES)
def test_on_random_data(name: str, t: int, target: str) -> None:
    agree(name, target, operator(name, target).example_inputs(seed=t, t=t))


@pytest.mark.parametrize("target", TARGETS)
def test_experts_without_tokens_and_one_with_all(target: str) -> None:
    arrays = operator("moe_dispatch", target).example_inputs(seed=3, t=21)
    arrays["expert"][:] = 63
    arrays["expert"][4] = 0
    got = agree("moe_dispatch", target, arrays)
    assert np.asarray(got.count)[0, 1:63].sum() == 0


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("expert", [-1, 64, 2**31 - 1])
def test_an_expert_that_is_none_is_told(expert: int, target: str) -> None:
    """It has no place, and the golden says so too."""
    dispatch = operator("moe_dispatch", target)
    arrays = dispatch.example_inputs(seed=3, t=21)
    arrays["expert"][4, 7] = expert
    for call in (dispatch, dispatch.golden):
        with pytest.raises(DiagnosticError, match="PTG408"):
            call(**arrays)


LENGTHS = {
    "all in the first": [96] + [0] * 15,
    "all in the last": [0] * 15 + [96],
    "tails and empty ones": [0, 33, 1, 0, 0, 31, 0, 0, 0, 0, 0, 0, 0, 0, 30, 0],
    "even": [6] * 16,
    "none": [0] * 16,
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS.keys())
def test_each_row_meets_the_weight_of_its_group(lengths: list[int], target: str) -> None:
    arrays = operator("grouped_matmul", target).example_inputs(seed=7, full=3)
    arrays["count"][0] = lengths
    agree("grouped_matmul", target, arrays)


@pytest.mark.parametrize("target", TARGETS)
def test_what_was_dispatched_comes_back(target: str) -> None:
    """Experts that do nothing, weights of 1/8: each token is itself again, plus the shared expert."""
    sent = operator("moe_dispatch", target).example_inputs(seed=4, t=19)
    rows, place, _ = operator("moe_dispatch", target)(**sent)
    given = {"rows": rows, "place": place, "weight": np.full((19, 8), 0.125, np.float32), "shared": sent["x"] * 0}
    got = operator("moe_combine", target)(**given)
    assert np.array_equal(np.asarray(got.y), sent["x"])


@pytest.mark.parametrize("target", TARGETS)
def test_the_bias_chooses_and_does_not_weigh(target: str) -> None:
    """A bias that favours one expert of each of four groups: they are chosen, with shares of their own scores."""
    arrays = operator("moe_select_groups", target).example_inputs(seed=5, t=9)
    arrays["bias"][:] = 0
    favoured = [5, 6, 40, 41, 100, 101, 200, 201]
    arrays["bias"][favoured] = 10
    got = agree("moe_select_groups", target, arrays)
    assert (np.sort(np.asarray(got.expert), axis=-1) == favoured).all()
    np.testing.assert_allclose(np.asarray(got.weight).sum(axis=-1), 2.5, rtol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_of_groups_that_are_equally_good_the_first_are_open(target: str) -> None:
    """Two scores of 1/2 are as much as 1 and 0: the last group has the best expert of all, and stays closed."""
    arrays = operator("moe_select_groups", target).example_inputs(seed=6, t=2)
    arrays["bias"][:] = 0
    arrays["logits"][:] = -100
    arrays["logits"].reshape(2, 8, 32)[:, :, :2] = 0
    arrays["logits"][:, 224:226] = 100, -100
    got = agree("moe_select_groups", target, arrays)
    assert (np.asarray(got.expert) == [0, 1, 32, 33, 64, 65, 96, 97]).all()


@pytest.mark.parametrize("target", TARGETS)
def test_the_best_expert_of_a_closed_group_is_not_chosen(target: str) -> None:
    arrays = operator("moe_select_groups", target).example_inputs(seed=6, t=2)
    arrays["bias"][:] = 0
    arrays["logits"][:] = -4
    arrays["logits"][:, 255] = 2  # alone in its group: 0.88 + 0.02
    for group in range(4):
        arrays["logits"][:, [32 * group, 32 * group + 1]] = 0, 0.1
    got = agree("moe_select_groups", target, arrays)
    assert not (np.asarray(got.expert) == 255).any()
