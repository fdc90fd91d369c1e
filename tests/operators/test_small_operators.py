"""softmax, rms_norm and matmul, compiled for every target, against the references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from references.agreement import assert_close, assert_same_bytes
from references.basic import rms_norm, softmax

from operators.cases import (
    MATMUL_DTYPES,
    assert_matmul_close,
    matmul_inputs,
    rms_norm_inputs,
    softmax_inputs,
)

Compile = Callable[..., Any]


@pytest.mark.parametrize("rows", [1, 37, 4096])
def test_softmax(operator: Compile, program: Callable[[str], Any], target: str, rows: int) -> None:
    x = softmax_inputs("plain", rows, program("softmax").dim("cols").value)
    y = operator("softmax", target)(x=x).y
    assert_close("y", y, softmax(x), atol=1e-37, rtol=1e-5)
    np.testing.assert_allclose(y.sum(axis=-1, dtype=np.float64), 1, rtol=1e-6)


@pytest.mark.parametrize("kind", ["wide", "masked", "equal", "huge"])
def test_softmax_of_unusual_rows(operator: Compile, program: Callable[[str], Any], target: str, kind: str) -> None:
    x = softmax_inputs(kind, 37, program("softmax").dim("cols").value)
    y = operator("softmax", target)(x=x).y
    assert_close("y", y, softmax(x), atol=1e-37, rtol=1e-5)
    if kind == "masked":
        assert (y[np.isneginf(x)] == 0).all()


def test_softmax_of_nothing_but_masks_is_nan_there_only(
    operator: Compile, program: Callable[[str], Any], target: str
) -> None:
    x = softmax_inputs("plain", 9, program("softmax").dim("cols").value)
    x[4] = -np.inf
    y = operator("softmax", target)(x=x).y
    assert np.isnan(y[4]).all()
    assert_close("y", y, softmax(x), atol=1e-37, rtol=1e-5)


@pytest.mark.parametrize("rows", [1, 37, 1024])
def test_rms_norm(operator: Compile, program: Callable[[str], Any], target: str, rows: int) -> None:
    x, gamma = rms_norm_inputs(rows, program("rms_norm").dim("cols").value)
    y = operator("rms_norm", target)(x=x, gamma=gamma, eps=1e-6).y
    assert_close("y", y, rms_norm(x, gamma, 1e-6), atol=1e-37, rtol=1e-5)


def test_rms_norm_uses_its_eps(operator: Compile, program: Callable[[str], Any], target: str) -> None:
    x, gamma = rms_norm_inputs(5, program("rms_norm").dim("cols").value)
    y = operator("rms_norm", target)(x=x, gamma=gamma, eps=3.0).y
    assert_close("y", y, rms_norm(x, gamma, 3.0), atol=1e-37, rtol=1e-5)


@pytest.mark.parametrize("m", [1, 5, 33, 512])
@pytest.mark.parametrize("name", MATMUL_DTYPES)
def test_matmul(operator: Compile, program: Callable[[str], Any], target: str, name: str, m: int) -> None:
    """Tails in m, extremes of int8, rows of very different size; the same from a packed weight."""
    import pyptogen

    shape = (m, program(name).dim("k").value, program(name).dim("n").value)
    a, b = matmul_inputs(MATMUL_DTYPES[name], *shape)
    left, right = (value.name for value in program(name).inputs)
    multiply = operator(name, target)
    got = multiply(**{left: a, right: b})[0]
    assert_matmul_close(got, a, b)
    if program(name).inputs[1].layout == "nz":
        packed = pyptogen.pack(b, layout="nz", target=target)
        assert_same_bytes("product by the packed weight", multiply(**{left: a, right: packed})[0], got)


def test_matmul_keeps_a_nan_in_its_row(operator: Compile, program: Callable[[str], Any], target: str) -> None:
    shape = (21, program("matmul_fp32").dim("k").value, program("matmul_fp32").dim("n").value)
    a, b = matmul_inputs(np.float32, *shape)
    a[3, 17], a[20, 0] = np.nan, np.inf
    left, right = (value.name for value in program("matmul_fp32").inputs)
    got = operator("matmul_fp32", target)(**{left: a, right: b})[0]
    assert np.isnan(got[3]).all()
    assert np.isinf(got[20]).all()
    finite = np.isfinite(a).all(axis=-1)
    assert np.isfinite(got[finite]).all()
