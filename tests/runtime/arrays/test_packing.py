"""Packed weights against their definition, element by element."""

from __future__ import annotations

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.layout.packing import PackedWeight

DTYPES = [np.int8, np.uint8, ml_dtypes.bfloat16, np.float16, np.float32, np.int32]
SHAPES = [(64, 32), (1, 1), (65, 33), (130, 70), (16, 64)]


def weight(shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
    """Distinct bytes wherever the element type can hold them."""
    rng = np.random.default_rng(5)
    return rng.integers(-100, 100, shape).astype(np.float32).astype(dtype)


def cpu_form(w: npt.NDArray[Any]) -> bytes:
    """The definition, read literally."""
    size = w.dtype.itemsize
    step, group = 64 // size, 4 // size
    panels, steps = -(-w.shape[1] // 32), -(-w.shape[0] // step)
    data = bytearray(panels * steps * 2 * 1024)
    for k, n in itertools.product(range(w.shape[0]), range(w.shape[1])):
        fragment = ((n // 32) * steps + k // step) * 2 + (n % 32) // 16
        at = fragment * 1024 + (k % step) // group * 64 + ((n % 16) * group + k % group) * size
        data[at : at + size] = w[k, n].tobytes()
    return bytes(data)


def fractal_form(w: npt.NDArray[Any]) -> bytes:
    size = w.dtype.itemsize
    c0 = 32 // size
    fractals = -(-w.shape[0] // 16)
    data = bytearray(-(-w.shape[1] // c0) * fractals * 512)
    for k, n in itertools.product(range(w.shape[0]), range(w.shape[1])):
        at = (((n // c0) * fractals + k // 16) * 16 + k % 16) * 32 + n % c0 * size
        data[at : at + size] = w[k, n].tobytes()
    return bytes(data)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("target", "form"), [("cpu", cpu_form), ("a2a3", fractal_form)])
def test_physical_form(target: str, form: Any, dtype: Any, shape: tuple[int, int]) -> None:
    w = weight(shape, dtype)
    packed = pyptogen.pack(w, layout="nz", target=target)
    assert packed.data.tobytes() == form(w)
    assert packed.data.__array_interface__["data"][0] % 64 == 0
    assert (packed.unpack().view(np.uint8) == w.view(np.uint8)).all()


def test_strided_source() -> None:
    w = weight((96, 80), np.int8)
    assert pyptogen.pack(w.T).data.tobytes() == cpu_form(np.ascontiguousarray(w.T))


def test_packed_is_an_array_of_the_logical_matrix() -> None:
    w = weight((70, 40), np.float32)
    packed = pyptogen.pack(w)
    assert (packed.shape, packed.dtype, packed.ndim) == ((70, 40), np.float32, 2)
    assert (np.asarray(packed) == w).all()


def test_packed_does_not_follow_its_source() -> None:
    w = weight((70, 40), np.float32)
    packed, before = pyptogen.pack(w), w.copy()
    w[:] = 0
    assert (packed.unpack() == before).all()


def test_packing_again_changes_the_target() -> None:
    w = weight((70, 40), np.int8)
    packed = pyptogen.pack(w, target="cpu")
    assert pyptogen.pack(packed, target="cpu") is packed
    assert pyptogen.pack(packed, target="a2a3").data.tobytes() == fractal_form(w)


@pytest.mark.parametrize(
    ("w", "options", "code"),
    [
        (np.zeros(8, np.int8), {}, "PTG402"),
        (np.zeros((8, 8), np.int64), {}, "PTG403"),
        ([[1, 2]], {}, "PTG403"),
        (np.zeros((8, 8), np.int8), {"layout": "nd"}, "PTG404"),
        (np.zeros((8, 8), np.int8), {"target": "a3"}, "PTG404"),
    ],
)
def test_what_cannot_be_packed(w: Any, options: dict[str, str], code: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        pyptogen.pack(w, **options)
    assert error.value.diagnostics[0].code == code


def test_packed_weight_shows_what_it_is() -> None:
    packed = pyptogen.pack(np.zeros((2, 3), np.int8))
    assert isinstance(packed, PackedWeight)
    assert repr(packed) == "PackedWeight(shape=(2, 3), dtype=int8, layout='nz', target='cpu')"


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_several_matrices_lie_one_behind_the_other(target: str) -> None:
    w = weight((3, 2, 33, 40), np.float16)
    packed = pyptogen.pack(w, target=target)
    assert (packed.shape, packed.ndim) == (w.shape, 4)
    assert packed.data.tobytes() == b"".join(
        pyptogen.pack(one, target=target).data.tobytes() for one in w.reshape(6, 33, 40)
    )
    assert (packed.unpack() == w).all()
