"""The instruction table and the meanings: complete, and right on numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lower.small_programs import TARGETS, instructions, lowered
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.simulate.meaning import MEANINGS, Shaped

F32, BF16 = np.float32, ml_dtypes.bfloat16


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["softmax", "rms_norm", "indexer_prolog", "product", "fused"])
def test_operand_counts_follow_the_form(name: str, target: str) -> None:
    for kernel in lowered(name, target).instructions:
        for instr in instructions(kernel):
            assert len(instr.operands) in map(len, INSTRUCTIONS[instr.name].forms), instr.name


A = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]], F32)
COLUMN = np.array([[2.0], [4.0]], F32)
ROW = np.array([[1.0, 2.0, 4.0]], F32)


@pytest.mark.parametrize(
    ("name", "operands", "want"),
    [
        ("TADD", (A, A), [[2, -4, 6], [8, 10, -12]]),
        ("TSUB", (A, A), [[0, 0, 0], [0, 0, 0]]),
        ("TDIV", (A, A), [[1, 1, 1], [1, 1, 1]]),
        ("TMAX", (A, -A), [[1, 2, 3], [4, 5, 6]]),
        ("TMIN", (A, -A), [[-1, -2, -3], [-4, -5, -6]]),
        ("TMULS", (A, 2.0), [[2, -4, 6], [8, 10, -12]]),
        ("TSUBS", (A, 1.0), [[0, -3, 2], [3, 4, -7]]),
        ("TDIVS", (A, 2.0), [[0.5, -1, 1.5], [2, 2.5, -3]]),
        ("TDIVS", (60.0, A), [[60, -30, 20], [15, 12, -10]]),
        ("TMAXS", (A, 0.0), [[1, 0, 3], [4, 5, 0]]),
        ("TROWEXPANDSUB", (A, COLUMN), [[-1, -4, 1], [0, 1, -10]]),
        ("TROWEXPANDDIV", (A, COLUMN), [[0.5, -1, 1.5], [1, 1.25, -1.5]]),
        ("TCOLEXPANDMUL", (A, ROW), [[1, -4, 12], [4, 10, -24]]),
        ("TCOLEXPANDSUB", (A, ROW), [[0, -4, -1], [3, 3, -10]]),
        ("TROWEXPAND", (COLUMN,), [[2, 2, 2], [4, 4, 4]]),
        ("TEXPANDS", (-1.5,), [[-1.5] * 3] * 2),
        ("TABS", (A,), [[1, 2, 3], [4, 5, 6]]),
        ("TNEG", (A,), [[-1, 2, -3], [-4, -5, 6]]),
        ("TRELU", (A,), [[1, 0, 3], [4, 5, 0]]),
        ("TEXP", (np.log(np.abs(A)),), np.abs(A)),
        ("TLOG", (np.exp(A),), A),
        ("TSQRT", (A * A,), [[1, 2, 3], [4, 5, 6]]),
        ("TRSQRT", (A * A,), 1 / np.abs(A)),
        ("TRECIP", (A,), 1 / A),
        ("TMATMUL", (A[:, :2], ROW[:, :2].T @ ROW), [[-3, -6, -12], [14, 28, 56]]),
        ("TMATMUL_ACC", (A, A[:, :2], ROW[:, :2].T @ ROW), [[-2, -8, -9], [18, 33, 50]]),
        ("TMOV", (A,), A),
        ("TEXTRACT", (np.arange(20, dtype=F32).reshape(4, 5), 1, 2), [[7, 8, 9], [12, 13, 14]]),
    ],
)  # fmt: skip
def test_values(name: str, operands: tuple[Any, ...], want: Any) -> None:
    got = MEANINGS[name](Shaped("fp32", 2, 3), *operands)
    assert got.dtype == F32
    np.testing.assert_allclose(got, np.asarray(want, F32), rtol=2e-7, atol=0)


@pytest.mark.parametrize(("name", "want"), [("TROWSUM", [2, 3]), ("TROWMAX", [3, 5]), ("TROWMIN", [-2, -6])])
def test_row_reductions(name: str, want: list[int]) -> None:
    got = MEANINGS[name](Shaped("fp32", 2, 1), A)
    np.testing.assert_array_equal(got[:, 0], np.asarray(want, F32))


@pytest.mark.parametrize(
    ("mode", "want"),
    [
        ("rint", [2, 2, -2, -2, 127, -128, 0]),
        ("round", [2, 3, -2, -3, 127, -128, 0]),
        ("floor", [1, 2, -2, -3, 127, -128, 0]),
        ("ceil", [2, 3, -1, -2, 127, -128, 0]),
        ("trunc", [1, 2, -1, -2, 127, -128, 0]),
    ],
)
def test_rounding_saturates(mode: str, want: list[int]) -> None:
    a = np.array([[1.5, 2.5, -1.5, -2.5, 1e9, -np.inf, np.nan]], F32)
    with np.errstate(invalid="ignore"):
        got = MEANINGS["TCVT"](Shaped("int8", 1, 7), a, mode)
    np.testing.assert_array_equal(got[0], want)


def test_accumulator_rounds_to_even() -> None:
    a = np.array([[1 + 2.0**-8, 1 + 3 * 2.0**-8]], F32)  # halfway between two bf16
    got = MEANINGS["TSTORE"](Shaped("bf16", 1, 2), a)
    assert got.dtype == BF16
    np.testing.assert_array_equal(got.astype(F32), [[1.0, 1 + 2.0**-6]])


def test_int8_products_are_exact() -> None:
    a = np.full((1, 8192), -128, np.int8)
    got = MEANINGS["TMATMUL"](Shaped("int32", 1, 1), a, a.T)
    assert got.dtype == np.int32
    assert int(got[0, 0]) == 8192 * 16384


@pytest.mark.parametrize(
    ("name", "operands", "what"),
    [
        ("TADD", (A, A[:1]), "second operand"),
        ("TROWEXPANDMUL", (A, ROW), "column"),
        ("TCOLEXPANDMUL", (A, COLUMN), "row"),
        ("TMATMUL", (A, A), "product|depth"),
        ("TEXTRACT", (A, 1, 0), "source"),
        ("TEXTRACT", (A, -1, 0), "row -1"),
    ],
)
def test_operands_that_do_not_fit(name: str, operands: tuple[Any, ...], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        MEANINGS[name](Shaped("fp32", 2, 3), *operands)
