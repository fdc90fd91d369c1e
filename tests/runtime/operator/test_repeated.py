"""A call with the arguments of the last one skips what cannot have changed, and nothing else."""

from __future__ import annotations

import gc
import struct
import weakref
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime.operator.repeated import Repeated

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


NAN, OTHER_NAN = (struct.unpack("=d", struct.pack("=Q", bits))[0] for bits in (0x7FF8000000000000, 0x7FF8000000000001))


@pytest.mark.parametrize(
    ("first", "then", "same"),
    [
        (0.0, -0.0, False),
        (-0.0, 0.0, False),
        (0.5, 0.5 + 0.0, True),
        (1.0, 1, False),
        (1, True, False),
        (0.5, np.float64(0.5), False),
        (np.float32(0.5), np.float32(0.5), True),
        (np.float32(0.0), np.float32(-0.0), False),
        (np.int32(1), np.int64(1), False),
        (NAN, NAN, True),
        (NAN, OTHER_NAN, False),
        (np.float32("nan"), np.float32("nan"), True),
    ],
    ids=repr,
)
def test_attrs_are_the_same_by_type_and_bits(first: object, then: object, same: bool) -> None:
    assert Repeated({"eps": first}, {}, b"", ()).matches({"eps": then}, {}) is same


def test_a_number_that_may_change_is_never_the_same() -> None:
    class Knob(float):
        """Whose value is elsewhere."""

    knob = Knob(0.5)
    assert not Repeated({"eps": knob}, {}, b"", ()).matches({"eps": knob}, {})


def test_a_flag_is_no_number_also_when_the_call_comes_again() -> None:
    """`True == 1`: what a first call refuses, a second one refuses too."""
    norm = pyptogen.compile(SPECS / "layer_norm.yaml", target="cpu")
    arrays, out = norm.example_inputs(rows=1), {"y": np.empty((1, 4096), np.float32)}
    norm(**arrays, eps=1, out=out)
    with pytest.raises(DiagnosticError, match="PTG403"):
        norm(**arrays, eps=True, out=out)


def test_an_array_whose_dtype_becomes_another_is_looked_at() -> None:
    """The array interface calls each dtype that numpy does not know itself by its size."""
    array = np.zeros((4, 8), ml_dtypes.float8_e4m3fn)
    repeated = Repeated({"x": array}, {}, b"", ())
    assert repeated.matches({"x": array}, {})
    array.dtype = ml_dtypes.float8_e8m0fnu  # type: ignore[misc]
    assert not repeated.matches({"x": array}, {})


def test_a_packed_weight_that_gets_other_data_is_looked_at() -> None:
    weight = pyptogen.pack(np.ones((64, 64), np.float32))
    repeated = Repeated({"w": weight}, {}, b"", ())
    assert repeated.matches({"w": weight}, {})
    weight.data = weight.data.copy()
    assert not repeated.matches({"w": weight}, {})


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
