"""Operators before sparse attention against goldens by hand: both targets, tails, skipped slots, tokens of zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from library import prolog_goldens
from library.agreement import assert_agree, operator

TARGETS = ("cpu", "a2a3")

# (relative, absolute) by output. A bf16 rounding or a level near a tie may go either way, and moves what follows.
ALLOWED = {
    "indexer_prolog_v4": {"q": (0, 1), "q_scale": (2**-7, 1e-4), "weights": (2**-7, 1e-4)},
    "mla_indexer_prolog": {
        "q_nope": (2**-6, 0.3),
        "q_rope": (2**-6, 0.1),
        "iq": (0, 2),
        "iq_scale": (2**-6, 0),
        "weights": (2**-6, 2e-3),
        "kv_cache": (2**-6, 0.04),
        "kr_cache": (2**-6, 0.1),
        "ik_cache": (0, 2),
        "ik_scale": (2**-6, 0),
    },
}
DIMS = {
    "indexer_prolog_v4": [{"t": 1}, {"t": 67}],
    "mla_indexer_prolog": [{"t": 1, "slots": 2}, {"t": 67, "slots": 67}],
}
CASES = [(name, dims) for name, cases in DIMS.items() for dims in cases]


def agree(name: str, target: str, arrays: dict[str, Any]) -> Any:
    return assert_agree(name, target, arrays, getattr(prolog_goldens, name), ALLOWED[name])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("name", "dims"), CASES)
def test_on_random_data(name: str, dims: dict[str, int], target: str) -> None:
    agree(name, target, operator(name, target).example_inputs(seed=dims["t"], **dims))


@pytest.mark.parametrize("target", TARGETS)
def test_skipped_tokens_leave_all_four_caches_alone(target: str) -> None:
    arrays = operator("mla_indexer_prolog", target).example_inputs(seed=5, t=4, slots=5)
    arrays["slot"] = np.array([4, -1, 0, -1])
    kept = {name: arrays[name].copy() for name in ("kv_cache", "kr_cache", "ik_cache", "ik_scale")}
    got = agree("mla_indexer_prolog", target, arrays)
    for name, before in kept.items():
        assert (np.asarray(getattr(got, name))[1:4] == before[1:4]).all()


@pytest.mark.parametrize("target", TARGETS)
def test_a_query_of_zeros_has_zeros_and_scale_zero(target: str) -> None:
    arrays = operator("indexer_prolog_v4", target).example_inputs(seed=6, t=3)
    arrays["q_norm"][1] = 0
    got = agree("indexer_prolog_v4", target, arrays)
    assert not np.asarray(got.q)[1].any()
    assert not np.asarray(got.q_scale)[1].any()
