"""A call with the arguments of the last one skips what cannot have changed, and nothing else."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError

SPECS = Path(__file__).parents[3] / "specs"


@pytest.fixture(scope="module")
def softmax():
    return pyptogen.compile(SPECS / "softmax.yaml", target="cpu")


def golden(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype(np.float64) - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_new_values_in_the_same_arrays(softmax, monkeypatch):
    x, y = np.zeros((3, 4096), np.float32), np.empty((3, 4096), np.float32)
    softmax(x=x, out={"y": y})
    monkeypatch.setattr(type(softmax.contract), "bind", None)  # a call that checks everything again would fail
    x[:] = np.random.default_rng(1).normal(size=x.shape)
    assert softmax(x=x, out={"y": y}).y is y
    np.testing.assert_allclose(y, golden(x), rtol=1e-5)


def test_another_array_shape_or_dtype_is_looked_at(softmax):
    x, y = np.ones((3, 4096), np.float32), np.empty((3, 4096), np.float32)
    softmax(x=x, out={"y": y})
    with pytest.raises(DiagnosticError, match="PTG402"):
        softmax(x=x[:2], out={"y": y})
    softmax(x=x, out={"y": y})
    with pytest.raises(DiagnosticError, match="PTG403"):
        softmax(x=x.astype(np.float64), out={"y": y})
    softmax(x=x, out={"y": y})
    y.flags.writeable = False
    with pytest.raises(DiagnosticError, match="PTG407"):
        softmax(x=x, out={"y": y})


def test_copies_on_the_way_in_are_made_again(softmax):
    whole, y = np.zeros((3, 8192), np.float32), np.empty((3, 4096), np.float32)
    x = whole[:, ::2]
    softmax(x=x, out={"y": y})
    x[:, 0] = 5
    softmax(x=x, out={"y": y})
    np.testing.assert_allclose(y, golden(x), rtol=1e-5)


def test_arrays_are_not_kept_alive(softmax):
    x, y = np.ones((1, 4096), np.float32), np.empty((1, 4096), np.float32)
    softmax(x=x, out={"y": y})
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_indices_are_bounded_each_time():
    prolog = pyptogen.compile(SPECS / "indexer_prolog.yaml", target="cpu")
    arrays = prolog.example_inputs(t=2, blocks=4, seed=1)
    arrays |= {n: pyptogen.pack(arrays[n], layout="nz", target="cpu") for n in ("w_qb", "w_k", "w_proj")}
    arrays["k_index"] = np.array([3, 9], np.int64)
    out = {k: v for k, v in prolog(**arrays)._asdict().items() if k not in prolog.contract.inplace}
    prolog(**arrays, out=out)
    prolog(**arrays, out=out)
    arrays["k_index"][1] = 4 * 128
    with pytest.raises(DiagnosticError, match="PTG408"):
        prolog(**arrays, out=out)
