"""Operators of whole models against goldens by hand: for both targets, with tails and skipped cache slots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from library import model_goldens
from library.agreement import assert_agree, operator

TARGETS = ("cpu", "a2a3")

# (relative, absolute) by output. An int8 level of an activation that falls near a tie may go either way, which moves a
# whole row of a product by up to 127 levels of weight times the row's scale.
ALLOWED = {
    "glm_shared_expert": {"y": (2**-7, 0.3)},
    "mla_prolog": {
        "q_nope": (2**-6, 0.2),
        "q_rope": (2**-6, 0.05),
        "q_norm": (0, 1),
        "q_norm_scale": (1e-5, 0),
        "kv_cache": (2**-6, 0.02),
        "kr_cache": (2**-6, 0.05),
    },
    "glm_attention_pre": {"q": (2**-6, 0.02), "sum": (0, 0), "k_cache": (2**-6, 0.02), "v_cache": (2**-6, 0.05)},
}
DIMS = {
    "glm_shared_expert": [{"t": 1}, {"t": 31}, {"t": 257}],
    "mla_prolog": [{"t": 1, "slots": 2}, {"t": 67, "slots": 67}],
    "glm_attention_pre": [{"t": 1, "slots": 1}, {"t": 31, "slots": 31}, {"t": 257, "slots": 300}],
}
CASES = [(name, dims) for name, cases in DIMS.items() for dims in cases]


def agree(name: str, target: str, arrays: dict[str, Any]) -> Any:
    return assert_agree(name, target, arrays, getattr(model_goldens, name), ALLOWED[name])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("name", "dims"), CASES)
def test_on_random_data(name: str, dims: dict[str, int], target: str) -> None:
    agree(name, target, operator(name, target).example_inputs(seed=dims["t"], **dims))


@pytest.mark.parametrize("target", TARGETS)
def test_skipped_tokens_leave_the_caches_alone(target: str) -> None:
    arrays = operator("glm_attention_pre", target).example_inputs(seed=5, t=6, slots=9)
    arrays["slot"] = np.array([8, -1, 0, -1, 3, -1])
    kept = arrays["k_cache"].copy()
    got = agree("glm_attention_pre", target, arrays)
    assert (np.asarray(got.k_cache)[[1, 2, 4, 5, 6, 7]] == kept[[1, 2, 4, 5, 6, 7]]).all()


@pytest.mark.parametrize("target", TARGETS)
def test_tokens_of_zeros_give_zeros(target: str) -> None:
    arrays = operator("glm_shared_expert", target).example_inputs(seed=6, t=3)
    arrays["x"][1] = 0
    got = agree("glm_shared_expert", target, arrays)
    assert not np.asarray(got.y)[1].any()
