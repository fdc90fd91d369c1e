"""Arrays that callers give, as numpy sees them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
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


def tensors_as_arrays(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values themselves, or with arrays on the same memory in place of torch's tensors.

    Raises PTG403 for tensors of a device, and for those that numpy does not see as they are.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return values
    kind = torch.Tensor
    found = {name: _from_torch(name, value, torch) for name, value in values.items() if isinstance(value, kind)}
    return {**values, **found} if found else values


def _from_torch(name: str, tensor: Any, torch: Any) -> npt.NDArray[Any]:
    if not tensor.is_cpu:
        raise fault("PTG403", f"argument `{name}` is on {tensor.device}", None, expected="a tensor on the CPU")
    plain = tensor.detach() if tensor.requires_grad else tensor
    whole, own = _bits(torch).get(plain.dtype, (None, None))
    try:
        array: npt.NDArray[Any] = plain.numpy() if whole is None else plain.view(whole).numpy().view(own)
    except (RuntimeError, TypeError) as error:  # sparse ones, those to be negated, elements that numpy has not
        said = str(error).partition("\n")[0]
        raise fault("PTG403", f"argument `{name}` cannot be used as an array: {said}", None) from error
    return array


@functools.cache
def _bits(torch: Any) -> Mapping[Any, tuple[Any, Any]]:
    """A float of torch that numpy has not itself -> whole numbers of its size, and what numpy calls it."""
    return {
        getattr(torch, dtype): (getattr(torch, whole), numpy_dtype(own))
        for dtype, whole, own in _TORCH_FLOATS
        if hasattr(torch, dtype)
    }
