"""Arrays that callers give, as numpy sees them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import fault
from pyptogen.numpy_dtypes import numpy_dtype

if TYPE_CHECKING:
    import numpy.typing as npt

_TORCH_FLOATS = (
    ("bfloat16", "int16", "bf16"), ("float8_e4m3fn", "uint8", "fp8_e4m3"), ("float8_e5m2", "uint8", "fp8_e5m2"),
    ("float8_e8m0fnu", "uint8", "fp8_e8m0"),
)  # fmt: skip
"""Floats that numpy has not itself: torch's name, torch's whole numbers of that size, the language's name."""


def as_array(name: str, value: Any) -> npt.NDArray[Any]:
    """A numpy array on the same memory: numpy itself, torch (on the CPU), or anything with DLPack.

    Raises PTG403 for anything else, and for masked arrays: kernels would read what is masked.
    """
    if type(value) is np.ndarray:
        return value
    if isinstance(value, np.ma.MaskedArray):
        raise fault(
            "PTG403",
            f"argument `{name}` is a masked array",
            None,
            expected="an array without a mask",
            fix=f"fill what is masked, `{name}.filled(0)`, or give `{name}.data` where the mask does not matter",
        )
    if isinstance(value, np.ndarray):
        return value
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _from_torch(name, value, torch)
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except Exception as error:  # code of the object's own
            raise fault("PTG403", f"argument `{name}` cannot be used as an array: {error}", None) from error
    raise fault(
        "PTG403",
        f"argument `{name}` is a {type(value).__name__}",
        None,
        expected="a numpy array, a torch tensor on the CPU, or an object with DLPack",
    )


def _from_torch(name: str, tensor: Any, torch: Any) -> npt.NDArray[Any]:
    if tensor.device.type != "cpu":
        raise fault("PTG403", f"argument `{name}` is on {tensor.device}", None, expected="a tensor on the CPU")
    plain = tensor.detach()
    for dtype, whole, own in _TORCH_FLOATS:
        if plain.dtype is getattr(torch, dtype, None):
            bits: npt.NDArray[Any] = plain.view(getattr(torch, whole)).numpy()
            return bits.view(numpy_dtype(own))
    array: npt.NDArray[Any] = plain.numpy()
    return array
