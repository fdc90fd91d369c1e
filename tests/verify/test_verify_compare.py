"""Verdicts: what passes, what fails, and what is reported."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from pyptogen.verify.compare import Verdict, compare
from pyptogen.verify.tolerance import Tolerance


def verdict(got: Any, wanted: Any, dtype: Any = np.float32, **tolerance: Any) -> Verdict:
    actual, expected = np.asarray(got, dtype), np.asarray(wanted, dtype)
    (only,) = compare({"y": actual}, {"y": expected}, {"y": Tolerance(**tolerance)})
    return only


def test_equal_arrays_pass_without_any_tolerance() -> None:
    result = verdict([[1, 2], [3, 4]], [[1, 2], [3, 4]])
    assert result.passed
    assert (result.worst, result.outside) == (0, 0)


def test_the_worst_difference_and_its_place() -> None:
    result = verdict([[1, 2], [3.5, 4]], [[1, 2.25], [3, 4]], atol=0.25)
    assert not result.passed
    assert (result.worst, result.worst_index, result.outside) == (0.5, (1, 0), 0.25)


def test_absolute_and_relative_add_up() -> None:
    assert verdict([110.0], [100.0], atol=2, rtol=0.08).passed
    assert not verdict([110.5], [100.0], atol=2, rtol=0.08).passed


def test_outliers_may_exceed() -> None:
    wanted = np.zeros(200)
    got = wanted.copy()
    got[7] = 5
    assert verdict(got, wanted, outliers=0.005).passed
    got[8] = 5
    assert not verdict(got, wanted, outliers=0.005).passed


@pytest.mark.parametrize(("bad", "reference"), [(np.nan, np.nan), (np.nan, 0), (np.inf, 0), (-np.inf, np.inf)])
def test_not_finite_fails_whatever_is_allowed(bad: float, reference: float) -> None:
    wanted = np.zeros(100)
    wanted[3] = reference
    got = np.zeros(100)
    got[3] = bad
    result = verdict(got, wanted, atol=1e30, outliers=1.0)
    assert not result.passed
    assert result.not_finite == 1
    assert "NaN or Inf" in result.describe()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_an_infinity_agrees_with_itself(dtype: Any) -> None:
    """As the logarithm of a share of zero."""
    result = verdict([1, -np.inf, np.inf], [1, -np.inf, np.inf], dtype=dtype)
    assert result.passed
    assert (result.worst, result.outside, result.not_finite) == (0, 0, 0)


def test_a_number_is_far_from_an_infinity() -> None:
    assert not verdict([1.0], [np.inf], atol=1e30).passed
    assert not verdict([1.0], [np.inf], rtol=1e-5).passed


def test_nan_in_the_reference_alone_is_outside() -> None:
    result = verdict([0.0, 0.0], [0.0, np.nan], atol=1)
    assert not result.passed
    assert result.outside == 0.5


def test_small_integers_do_not_wrap() -> None:
    result = verdict([127], [-128], dtype=np.int8, atol=1)
    assert result.worst == 255
    assert not result.passed


def test_large_integers_are_compared_exactly() -> None:
    assert not verdict([2**60 + 1], [2**60], dtype=np.int64).passed
    assert verdict([2**60], [2**60], dtype=np.int64).passed


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.int32])
def test_dtypes_of_the_contract(dtype: Any) -> None:
    assert verdict([1, 2, 3], [1, 2, 4], dtype=dtype, atol=1).passed
    assert not verdict([1, 2, 3], [1, 2, 4], dtype=dtype, atol=0.5).passed


def test_more_than_one_chunk() -> None:
    wanted = np.zeros((3, 1 << 20), np.float32)
    got = wanted.copy()
    got[2, 5] = 2
    result = verdict(got, wanted, atol=1)
    assert (result.worst, result.worst_index) == (2, (2, 5))
    assert result.outside == pytest.approx(1 / wanted.size)


def test_missing_and_misshapen_outputs_fail() -> None:
    wanted = {"a": np.zeros(3, np.float32), "b": np.zeros(3, np.float32), "c": np.zeros(3, np.float32)}
    got = {"b": np.zeros(4, np.float32), "c": np.zeros(3, np.float16)}
    problems = [v.problem for v in compare(got, wanted, dict.fromkeys(wanted, Tolerance(atol=9)))]
    assert problems == ["missing", "shape [4], expected [3]", "dtype float16, expected float32"]


def test_an_empty_output_passes() -> None:
    assert verdict(np.zeros((0, 4)), np.zeros((0, 4))).passed


def test_tolerances_read_well() -> None:
    assert Tolerance(atol=1).describe() == "1"
    assert Tolerance(atol=2.5e-5, outliers=0.005).describe() == "2.5e-05 for 99.5 %"
    assert Tolerance(atol=1e-6, rtol=1e-5).describe() == "1e-06 + 1e-05·|ref|"
    assert Tolerance().describe() == "0"


def test_what_is_outside_is_named_and_not_only_what_differs_most() -> None:
    result = verdict([[1000, 0.5], [3, 4]], [[1001, 0.25], [3, 4]], atol=0.125, rtol=0.01)
    assert result.worst_index == (0, 0)
    assert result.furthest is not None
    assert result.furthest.index == (0, 1)
    assert "25.0000% outside ([0, 1]: 0.5 for 0.25, allowed 0.1" in result.describe()
    assert "(" not in verdict([1.0, 2], [1.0, 2]).describe()
