"""Operators of the library in fp8 against goldens by hand, for the targets that have it."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from library import fp8_goldens
from library.agreement import assert_agree, operator

TARGETS = ("cpu", "a5")
ALLOWED = {
    "linear_fp8": {"y": (2**-7, 1e-3)}, "linear_fp8_blocks": {"y": (2**-7, 1e-2)}, "linear_mxfp8": {"y": (2**-7, 2.0)},
    "linear_mxfp4": {"y": (2**-7, 0.1)}, "linear_hif8": {"y": (2**-7, 1e-2)},
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ALLOWED)
def test_on_random_data(name: str, target: str) -> None:
    for t in (1, 67):
        arrays = operator(name, target).example_inputs(seed=t, t=t)
        assert_agree(name, target, arrays, getattr(fp8_goldens, name), ALLOWED[name])


@pytest.mark.parametrize("target", TARGETS)
def test_rows_of_zeros_of_one_value_and_of_far_apart_values(target: str) -> None:
    arrays = operator("linear_fp8", target).example_inputs(seed=3, t=4)
    x = np.zeros((4, 2048), ml_dtypes.bfloat16)
    x[1], x[2, 7] = 2.5, -1e-9
    x[3] = np.geomspace(1e-6, 1e6, 2048)
    got = assert_agree("linear_fp8", target, arrays | {"x": x}, fp8_goldens.linear_fp8, {"y": (2**-7, 1e-2)})
    assert not got.y[0].any()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["linear_mxfp8", "linear_mxfp4"])
def test_groups_of_zeros_and_of_far_apart_values(name: str, target: str) -> None:
    golden = getattr(fp8_goldens, name)
    arrays = operator(name, target).example_inputs(seed=5, t=5)
    x = np.zeros((5, 2048), ml_dtypes.bfloat16)
    x[1] = np.geomspace(1e-6, 1e6, 2048)
    x[2, 7] = -1e-9
    x[3], x[4] = 2.0**-20, 2.0**20
    got = assert_agree(name, target, arrays | {"x": x}, golden, {"y": (2**-7, 1e4)})
    np.testing.assert_array_equal(got.y[0], arrays["bias"].astype(ml_dtypes.bfloat16))
    small = golden(arrays | {"x": x[2:4]})["y"]
    np.testing.assert_allclose(got.y[2:4].astype(float), small.astype(float), rtol=2**-7, atol=1e-3)
