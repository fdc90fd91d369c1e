"""Basic operators of the library against goldens by hand, for both targets, with tails and extremes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from library import basic_goldens
from library.agreement import assert_agree, operator
from pyptogen.diagnostics import DiagnosticError

TARGETS = ("cpu", "a2a3")
EXACT = (0.0, 0.0)
BF16 = (2**-7, 1e-4)

# (relative, absolute) by output. Levels of int8 may be off by one where a rounding is near a tie.
ALLOWED = {
    "argmax": {"y": EXACT},
    "argsort": {"y": EXACT},
    "batched_matmul": {"c": (2**-7, 1e-3)},
    "causal_conv1d": {"y": BF16, "state": EXACT},
    "column_sum": {"y": (1e-5, 1e-4)},
    "conv2d": {"y": (2**-7, 2e-3)},
    "cross_entropy": {"loss": (1e-5, 5e-6), "counted": EXACT},
    "cumsum": {"y": (1e-5, 3e-4)},
    "embedding": {"y": EXACT},
    "embedding_bag": {"y": (2**-7, 1e-4)},
    "glm_gate": {"score": (2e-5, 3e-6), "choice": (2e-5, 1e-5)},
    "hadamard_int8": {"q": (0, 1), "scale": (1e-5, 0)},
    "matmul_split_k": {"c": (2**-7, 1e-3)},
    "matmul_swizzle": {"c": (2**-7, 1e-3)},
    "linear_relu": {"y": (2**-10, 1e-3)},
    "matmul_fp16": {"c": (2**-10, 1e-3)},
    "matmul_transposed": {"c": (1e-5, 1e-4)},
    "one_hot": {"y": EXACT},
    "rope_interleaved": {"y": BF16},
    "rope_qkv": {"q": BF16, "k": BF16},
    "rope_cache": {"q_turned": BF16, "k_cache": BF16, "v_cache": EXACT},
    "rope_cache_interleaved": {"q_turned": BF16, "k_cache": BF16, "v_cache": EXACT},
    "casts": dict.fromkeys(("as_fp16", "as_bf16", "nearest", "below", "level", "back"), EXACT),
    "gather": {"y": EXACT},
    "index_add": {"y": (1e-6, 1e-5)},
    "reductions": {
        **dict.fromkeys(("largest", "least", "column_largest"), EXACT),
        **dict.fromkeys(("total", "average", "column_total"), (1e-5, 1e-4)),
        **dict.fromkeys(("product", "spread"), (2e-5, 1e-6)),
    },
    "scatter_update": {"cache": EXACT},
    "scans": {"down": (3.1e-5, 0), "product": (1.6e-5, 0), "count": EXACT},
    "sinkhorn": {"y": (2e-5, 1e-7)},
    "topk": {"values": EXACT, "indices": EXACT},
    "topk_long": {"values": EXACT, "indices": EXACT},
    "transpose": {"y": EXACT},
    "vector_add_dtypes": dict.fromkeys(("c_fp16", "c_bf16", "c_int32", "c_int16", "c_int8", "c_uint8"), EXACT),
}
DIMS = {
    "batched_matmul": [{"m": 1}, {"m": 131}],
    "causal_conv1d": [{"b": 1, "s": 1}, {"b": 2, "s": 2}, {"b": 3, "s": 67}],
    "conv2d": [{"n": 1}, {"n": 2}],
    "cross_entropy": [{"rows": 1}, {"rows": 67}],
    "embedding": [{"t": 1, "vocabulary": 1}, {"t": 67, "vocabulary": 300}],
    "embedding_bag": [{"t": 1, "bag": 1, "vocabulary": 1}, {"t": 67, "bag": 9, "vocabulary": 300}],
    "glm_gate": [{"t": 1}, {"t": 67}],
    "matmul_split_k": [{"m": 1}, {"m": 33}, {"m": 64}],
    "matmul_swizzle": [{"m": 1}, {"m": 1100}],
    "linear_relu": [{"t": 1}, {"t": 67}],
    "matmul_fp16": [{"m": 1}, {"m": 131}],
    "matmul_transposed": [{"m": 1}, {"m": 131}],
    "one_hot": [{"t": 1}, {"t": 67}],
    "rope_interleaved": [{"t": 1}, {"t": 31}],
    "rope_qkv": [{"t": 1}, {"t": 31}],
    "rope_cache": [{"t": 1, "blocks": 1}, {"t": 37, "blocks": 3}],
    "rope_cache_interleaved": [{"t": 1, "blocks": 1}, {"t": 37, "blocks": 3}],
    "index_add": [{"rows": 1, "added": 3}, {"rows": 67, "added": 200}],
    "reductions": [{"rows": 2}, {"rows": 67}],
    "scatter_update": [{"tokens": 1, "blocks": 1}, {"tokens": 67, "blocks": 2}],
    "sinkhorn": [{"t": 1}, {"t": 67}],
    "transpose": [{"batch": 1, "m": 1}, {"batch": 3, "m": 67}],
    "topk_long": [{"rows": 1, "keys": 2048}, {"rows": 3, "keys": 20001}],
    "vector_add_dtypes": [{"n": 1}, {"n": 4163}],
}
ROWS = [{"rows": 1}, {"rows": 67}]
CASES = [(name, dims, target) for name in ALLOWED for dims in DIMS.get(name, ROWS) for target in TARGETS]


def agree(name: str, target: str, arrays: dict[str, Any]) -> Any:
    return assert_agree(name, target, arrays, getattr(basic_goldens, name), ALLOWED[name])


@pytest.mark.parametrize(("name", "dims", "target"), CASES)
def test_on_random_data(name: str, dims: dict[str, int], target: str) -> None:
    agree(name, target, operator(name, target).example_inputs(seed=sum(dims.values()), **dims))


@pytest.mark.parametrize("target", TARGETS)
def test_the_first_of_equal_values_is_the_largest(target: str) -> None:
    x = np.zeros((3, 4096), np.float32)
    x[1, [70, 4000]] = 5
    x[2, :] = -np.inf
    x[2, 4095] = -1
    got = agree("argmax", target, {"x": x})
    assert got.y.ravel().tolist() == [0, 70, 4095]


@pytest.mark.parametrize("target", TARGETS)
def test_scores_that_are_masked_are_chosen_last_and_in_order(target: str) -> None:
    scores = np.full((2, 3000), -np.inf, np.float32)
    scores[0, 1000:2900] = 1
    scores[1, ::2] = np.arange(1500) % 7
    got = agree("topk_long", target, {"scores": scores})
    assert got.indices[0].tolist() == [*range(1000, 2900), *range(148)]


@pytest.mark.parametrize("target", TARGETS)
def test_among_equal_scores_the_first_come_first(target: str) -> None:
    rng = np.random.default_rng(5)
    x = rng.integers(-20, 20, (3, 4096)).astype(np.float32)
    x[1, 100:] = -np.inf
    x[2] = 7
    agree("topk", target, {"x": x})
    agree("argsort", target, {"x": x})


@pytest.mark.parametrize("target", TARGETS)
def test_casts_saturate_and_ties_go_to_even(target: str) -> None:
    x = np.zeros((2, 256), np.float32)
    x[0, :12] = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.9, 128, -129, 70000, -70000, 3e9]
    x[1, :8] = [1e30, -1e30, -3e9, 65520, 1e-30, -1e-30, 32767.5, -32768.5]
    agree("casts", target, {"x": x})


@pytest.mark.parametrize("target", TARGETS)
def test_labels_that_do_not_count(target: str) -> None:
    """A whole batch of them, and another number in their place; all 64 bits of a label count."""
    arrays = operator("cross_entropy", target).example_inputs(seed=2, rows=9)
    arrays["labels"][:] = -100
    assert not agree("cross_entropy", target, arrays).loss.any()
    arrays["labels"][:] = [0, 1, 4095, 2**32, 2**32 + 7, -(2**32), 2**63 - 1, -(2**63), -1]
    for ignored in (2**32, -(2**63), -1):
        given = np.where(np.isin(arrays["labels"], [0, 1, 4095]), arrays["labels"], ignored)
        found = operator("cross_entropy", target)(logits=arrays["logits"], labels=given, ignore_index=ignored)
        assert found.counted.tolist() == [3]
        assert np.flatnonzero(found.loss).tolist() == [0, 1, 2]


@pytest.mark.parametrize("target", TARGETS)
def test_an_empty_bag_is_zeros(target: str) -> None:
    arrays = operator("embedding_bag", target).example_inputs(seed=2, t=5, bag=3, vocabulary=10)
    arrays["token"][1] = -1
    assert not agree("embedding_bag", target, arrays).y[1].any()


@pytest.mark.parametrize("target", TARGETS)
def test_a_token_beyond_the_table_of_a_bag_is_refused(target: str) -> None:
    arrays = operator("embedding_bag", target).example_inputs(seed=2, t=5, bag=3, vocabulary=10)
    arrays["token"][4, 2] = 10
    with pytest.raises(DiagnosticError, match="`token` holds 10, which is no position along axis 0 of `table`"):
        operator("embedding_bag", target)(**arrays)


@pytest.mark.parametrize("target", TARGETS)
def test_rows_without_a_slot_are_skipped(target: str) -> None:
    arrays = operator("scatter_update", target).example_inputs(seed=3, tokens=20, blocks=1)
    arrays["slot"][::3] = -1
    agree("scatter_update", target, arrays)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["rope_cache", "rope_cache_interleaved"])
def test_tokens_without_a_slot_leave_the_caches_alone(name: str, target: str) -> None:
    arrays = operator(name, target).example_inputs(seed=3, t=20, blocks=2)
    arrays["slot"][::3] = -1
    agree(name, target, arrays)
