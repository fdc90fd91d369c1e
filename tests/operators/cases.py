"""Inputs of the small operators, shared by the tests of the golden and of the kernels."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
from references.agreement import assert_close, assert_same_bytes
from references.basic import matmul, matmul_bound

F32 = npt.NDArray[np.float32]
MATMUL_DTYPES = {"matmul_fp32": np.float32, "matmul_bf16": ml_dtypes.bfloat16, "matmul_int8": np.int8}


def softmax_inputs(kind: str, rows: int, cols: int) -> F32:
    """Random rows of a kind: plain, wide (down to where exp vanishes), masked, equal, huge."""
    rng = np.random.default_rng([rows, cols, len(kind)])
    x = rng.normal(0, 1, (rows, cols)).astype(np.float32)
    if kind == "wide":
        x *= np.float32(10.0) ** rng.uniform(-6, 3, (rows, 1)).astype(np.float32)
    elif kind == "masked":
        x[rng.random((rows, cols)) < 0.7] = -np.inf
        x[:, cols // 2] = 1.0
        x[-1] = -np.inf
        x[-1, -1] = -3.0
    elif kind == "equal":
        x[:] = x[:, :1]
    elif kind == "huge":
        x = np.clip(x.astype(np.float64) * 1e38, -3e38, 3e38).astype(np.float32)
    return x


def rms_norm_inputs(rows: int, cols: int) -> tuple[F32, F32]:
    """x with rows from 1e-15 to 1e15 in size and one row of zeros (when there are several), and gamma."""
    rng = np.random.default_rng([rows, cols])
    x = rng.normal(0, 1, (rows, cols)) * 10.0 ** rng.uniform(-15, 15, (rows, 1))
    if rows > 1:
        x[rows // 2] = 0
    return x.astype(np.float32), rng.uniform(-2, 2, cols).astype(np.float32)


def matmul_inputs(dtype: Any, m: int, k: int, n: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Two random matrices; int8 over its full range, floats with rows of very different size."""
    rng = np.random.default_rng([m, k, n])
    if dtype == np.int8:
        a, b = (rng.integers(-128, 128, s, dtype=np.int8) for s in ((m, k), (k, n)))
        a[0], b[:, 0] = -128, -128
        return a, b
    sizes = 10.0 ** rng.uniform(-12, 12, (m, 1))
    return (rng.uniform(-1, 1, (m, k)) * sizes).astype(dtype), rng.uniform(-1, 1, (k, n)).astype(dtype)


def assert_matmul_close(got: npt.NDArray[Any], a: npt.NDArray[Any], b: npt.NDArray[Any]) -> None:
    """int8 exact; floats within what an fp32 sum may be off, and for bf16 one more rounding of the result."""
    want = matmul(a, b)
    if a.dtype == np.int8:
        assert_same_bytes("product", got, want)
        return
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    rounding = 0.0 if a.dtype == np.float32 else 2.0**-7  # the widest relative step of bf16
    exact = want.astype(np.float64)
    error = np.maximum(np.abs(got.astype(np.float64) - exact) - rounding * np.abs(exact), 0)
    # divided by the bound of its row's elements, so that rows of every size count alike
    assert_close("error / bound", error / matmul_bound(a, b), np.zeros_like(error), atol=1.0)
    if rounding and want.size > 1000:
        assert np.mean(got == want) > 0.98, "an fp32 sum rarely changes the bf16 it rounds to"
