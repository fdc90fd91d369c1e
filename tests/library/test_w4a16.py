"""A linear layer with weights of four bits, against weights that are unpacked one by one."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from library.agreement import assert_agree, operator
from library.goldens import Array, Arrays, bf16, wide


def linear_w4a16(a: Arrays) -> dict[str, Array]:
    """A byte has the weights of two neighbouring columns, the left one in its low bits, from 8 on the negative ones."""
    groups, group, half = a["w"].shape
    w = np.empty((groups, group, 2 * half))
    for column in range(2 * half):
        bits = (a["w"][:, :, column // 2] // (1, 16)[column % 2] % 16).astype(int)
        w[:, :, column] = np.where(bits < 8, bits, bits - 16) * wide(a["scale"])[:, None, column]
    return {"y": bf16(wide(a["x"]) @ w.reshape(groups * group, 2 * half))}


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_on_random_data(target: str) -> None:
    for t in (1, 67):
        arrays = operator("linear_w4a16", target).example_inputs(seed=t, t=t)
        assert_agree("linear_w4a16", target, arrays, linear_w4a16, {"y": (2**-7, 2e-3)})


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_each_weight_has_its_bits(target: str) -> None:
    """One number of x at a time picks a row of weights: exact."""
    arrays = operator("linear_w4a16", target).example_inputs(seed=3, t=4)
    x = np.zeros((4, 2048), ml_dtypes.bfloat16)
    for row, at in enumerate((0, 63, 64, 2047)):
        x[row, at] = 1
    arrays |= {"x": x, "scale": np.ones_like(arrays["scale"])}
    assert_agree("linear_w4a16", target, arrays, linear_w4a16, {"y": (0, 0)})
