"""Arrays on their way into and out of native code."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import DiagnosticError, did_you_mean, fault
from pyptogen.numpy_dtypes import dtype_name, numpy_dtype
from pyptogen.runtime.arrays.buffers import aligned_empty
from pyptogen.runtime.operator.contract import Contract, TensorArg

if TYPE_CHECKING:
    import numpy.typing as npt


def as_array(name: str, value: Any) -> npt.NDArray[Any]:
    """A numpy array on the same memory: numpy itself, torch (on the CPU), or anything with DLPack.

    Raises PTG403 for anything else.
    """
    if isinstance(value, np.ndarray):
        return value
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _from_torch(name, value, torch)
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, TypeError, RuntimeError) as error:
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
    if plain.dtype is torch.bfloat16:
        bits: npt.NDArray[Any] = plain.view(torch.int16).numpy()
        return bits.view(numpy_dtype("bf16"))
    array: npt.NDArray[Any] = plain.numpy()
    return array


def updated_array(tensor: TensorArg, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array that native code writes in place. Raises PTG407 unless it is writable and C-contiguous."""
    if not array.flags.writeable:
        raise fault(
            "PTG407",
            f"argument `{tensor.name}` is updated in place, but the array is read-only",
            tensor.span,
            fix="pass a writable array, for example a copy",
        )
    if not array.flags.c_contiguous:
        raise fault(
            "PTG407",
            f"argument `{tensor.name}` is updated in place, but the array is not C-contiguous",
            tensor.span,
            expected="rows one after the other, without gaps",
            fix="pass a contiguous array: `np.ascontiguousarray` makes one",
        )
    return array


def check_out_names(contract: Contract, out: Mapping[str, Any]) -> None:
    """Raises PTG404 for a name in ``out`` that is not a new output."""
    fresh = [tensor.name for tensor in contract.outputs if tensor.name not in contract.inplace]
    for name in out:
        if name in fresh:
            continue
        if name in contract.inplace:
            raise fault(
                "PTG404",
                f"output `{name}` takes the memory of input `{contract.inplace[name]}`",
                contract.span,
                fix="leave it out of `out`: the array given as input is updated",
            )
        raise fault(
            "PTG404",
            f"`{contract.name}` has no output `{name}`",
            contract.span,
            expected=f"outputs: {', '.join(fresh)}",
            fix=did_you_mean(name, fresh),
        )


def result_array(tensor: TensorArg, shape: tuple[int, ...], given: Any | None) -> npt.NDArray[Any]:
    """The array that takes an output: ``given``, checked (PTG402, PTG403, PTG407), or a new one."""
    if given is None:
        return aligned_empty(shape, tensor.dtype)
    array = as_array(tensor.name, given)
    if array.dtype != tensor.dtype:
        raise fault(
            "PTG403",
            f"`out` for `{tensor.name}` has dtype {dtype_name(array.dtype)}",
            tensor.span,
            expected=tensor.type,
        )
    if array.shape != shape:
        raise fault(
            "PTG402",
            f"`out` for `{tensor.name}` has shape {list(array.shape)}",
            tensor.span,
            expected=f"{tensor.type} = {list(shape)}",
        )
    return updated_array(tensor, array)


def address(array: npt.NDArray[Any]) -> int:
    """Where the data of an array starts."""
    location: int = array.__array_interface__["data"][0]
    return location


class Region:
    """The bytes of one argument: ``[start, end)``."""

    __slots__ = ("end", "name", "start", "written")

    def __init__(self, name: str, start: int, size: int, written: bool) -> None:
        self.name = name
        self.start = start
        self.end = start + size
        self.written = written


def check_overlap(contract: Contract, regions: list[Region]) -> None:
    """Raises PTG407 when an argument that is written shares memory with another one."""
    ordered = sorted(regions, key=lambda region: region.start)
    furthest: Region | None = None
    furthest_written: Region | None = None
    for region in ordered:
        for before in (furthest, furthest_written):
            if before and region.start < before.end and (region.written or before.written):
                raise _overlap(contract, before, region)
        if furthest is None or region.end > furthest.end:
            furthest = region
        if region.written and (furthest_written is None or region.end > furthest_written.end):
            furthest_written = region


def _overlap(contract: Contract, a: Region, b: Region) -> DiagnosticError:
    written, other = (a, b) if a.written else (b, a)
    return fault(
        "PTG407",
        f"`{written.name}` is written while `{other.name}` uses the same memory",
        contract.span,
        fix=f"pass a copy as `{other.name}`",
    )
