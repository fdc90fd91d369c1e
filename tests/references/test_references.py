"""The references themselves: against slower or narrower statements of the same definitions."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from references.agreement import assert_close, assert_prolog_close, outside
from references.basic import matmul, rms_norm, softmax
from references.data import prolog_inputs
from references.indexer_prolog import HEAD_DIM, indexer_prolog, layer_norm, quantise, rope
from references.rounding import int8_matmul, to_bf16


def test_bf16_rounding_is_that_of_ml_dtypes() -> None:
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**32, 200_000, dtype=np.uint32)
    ties = (bits & np.uint32(0xFFFF0000)) | np.uint32(0x8000)
    edges = np.array([0, 0x80000000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 1, 0x7FC00001], np.uint32)
    values = np.concatenate([bits, ties, edges]).view(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        want = values.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(to_bf16(values), want)


def test_int8_matmul_is_exact_where_fp32_sums_would_not_be() -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(-128, 128, (5, 2500), dtype=np.int8)
    b = rng.integers(-128, 128, (2500, 7), dtype=np.int8)
    a[0], b[:, 0] = -128, -128
    a[0, -1], b[-1, 0] = -127, -127
    want = a.astype(np.int64) @ b.astype(np.int64)
    assert want[0, 0] % 2, "the largest sum is odd and above 2**24: not an fp32 number"
    np.testing.assert_array_equal(int8_matmul(a, b), want)


def test_rope_of_one_pair() -> None:
    x, angle = np.array([[3.0, 4.0]], np.float32), np.pi / 2
    cos, sin = np.full((1, 2), np.cos(angle), np.float32), np.full((1, 2), np.sin(angle), np.float32)
    np.testing.assert_allclose(rope(x, cos, sin), [[-4.0, 3.0]], atol=1e-6)


def test_quantise_by_hand() -> None:
    y, scale = quantise(np.array([[127.0, 0.5, 1.5, 2.5, -126.4], [0, 0, 0, 0, 0]], np.float32))
    np.testing.assert_array_equal(y, [[127, 0, 2, 2, -126], [0, 0, 0, 0, 0]])
    np.testing.assert_array_equal(scale, np.array([[1], [0]], np.float16))


def test_layer_norm_has_no_mean_and_unit_variance() -> None:
    x = np.random.default_rng(3).normal(5, 3, (4, HEAD_DIM)).astype(np.float32)
    one, none = np.ones(HEAD_DIM, np.float32), np.zeros(HEAD_DIM, np.float32)
    y = layer_norm(x, one, none, 1e-6)
    np.testing.assert_allclose(y.mean(axis=-1), 0, atol=1e-5)
    np.testing.assert_allclose(y.var(axis=-1), 1, rtol=1e-4)
    np.testing.assert_allclose(layer_norm(x, 2 * one, one, 1e-6), 2 * y + 1, rtol=1e-5, atol=1e-6)


def test_softmax_and_rms_norm_by_hand() -> None:
    x = np.log(np.array([[1, 3, 4], [2, 2, 4]], np.float32))
    np.testing.assert_allclose(softmax(x), [[0.125, 0.375, 0.5], [0.25, 0.25, 0.5]], rtol=1e-6)
    y = rms_norm(np.array([[3, 4]], np.float32), np.array([1, 2], np.float32), 0.0)
    np.testing.assert_allclose(y, [[3 / np.sqrt(12.5), 8 / np.sqrt(12.5)]], rtol=1e-6)


def test_bf16_matmul_rounds_once() -> None:
    one = np.array([[1, 2.0**-9]]).astype(ml_dtypes.bfloat16)
    assert matmul(one, np.array([[1], [1]]).astype(ml_dtypes.bfloat16))[0, 0] == 1
    assert matmul(one, np.array([[1], [3]]).astype(ml_dtypes.bfloat16))[0, 0] == 1 + 2.0**-7


@pytest.mark.parametrize("t", [1, 33, 512])
def test_order_of_sums_stays_within_the_tolerances(t: int) -> None:
    """The published tolerances leave room for another order of the fp32 sums: float64 sums are inside."""
    arrays = prolog_inputs(t, skipped=0.1 if t > 1 else 0)
    assert_prolog_close(indexer_prolog(arrays, wide=np.float64), indexer_prolog(arrays))


def test_prolog_leaves_inputs_and_unnamed_slots_alone() -> None:
    arrays = prolog_inputs(9, skipped=0.3)
    before = {name: array.tobytes() for name, array in arrays.items()}
    out = indexer_prolog(arrays)
    assert {name: array.tobytes() for name, array in arrays.items()} == before
    changed = (out.k_cache != arrays["k_cache"]).any(axis=-1).ravel().nonzero()[0]
    assert set(changed) == {i for i in arrays["k_index"] if i >= 0}


def test_agreement_finds_what_is_wrong() -> None:
    want = np.zeros(1000, np.float32)
    got = want.copy()
    got[:5] = 1
    assert_close("five", got, want, atol=0.5, outliers=0.005)
    got[5] = np.nan
    assert outside(got, want, 0.5).sum() == 6
    with pytest.raises(AssertionError, match=r"six: 6 of 1000 elements outside .* worst at \(5,\): nan instead"):
        assert_close("six", got, want, atol=0.5, outliers=0.005)
