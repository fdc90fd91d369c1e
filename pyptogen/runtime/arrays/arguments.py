"""Arrays on their way into and out of native code."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import DiagnosticError, did_you_mean, fault
from pyptogen.layout.arrays import as_array as as_array
from pyptogen.layout.buffers import aligned_empty
from pyptogen.layout.packing import PackedWeight, new_packed
from pyptogen.numpy_dtypes import dtype_name
from pyptogen.runtime.operator.contract import Contract, TensorArg

if TYPE_CHECKING:
    import numpy.typing as npt


def updated_array(tensor: TensorArg, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array that native code writes in place, as its memory has it. Raises PTG407 unless it is writable and lies as
    the contract says."""
    _check_writable(tensor, array)
    array = tensor.in_memory(array)
    if tensor.strides:
        in_rows: npt.NDArray[Any] = tensor.in_rows(array)
        if in_rows is array:
            return in_rows
        raise fault(
            "PTG407",
            f"argument `{tensor.name}` is updated in place, but the elements of its rows lie apart",
            tensor.span,
            expected=tensor.type,
            fix="pass an array whose last axis is in one piece",
        )
    if tensor.layout == "dn" and not array.flags.c_contiguous:
        raise fault(
            "PTG407",
            f"argument `{tensor.name}` is updated in place, but the array does not lie column after column",
            tensor.span,
            expected=tensor.type,
            fix="pass such an array: `np.asfortranarray` makes one of a matrix",
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


def _check_writable(tensor: TensorArg, array: npt.NDArray[Any]) -> None:
    if not array.flags.writeable:
        raise fault(
            "PTG407",
            f"argument `{tensor.name}` is updated in place, but the array is read-only",
            tensor.span,
            fix="pass a writable array, for example a copy",
        )


def named_outputs(contract: Contract, out: Any) -> Mapping[str, Any]:
    """``out`` of a call, which gives arrays by the names of outputs. Raises PTG404 for anything else."""
    if out is None:
        return {}
    if isinstance(out, Mapping) and all(isinstance(name, str) for name in out):
        return out
    raise fault(
        "PTG404",
        f"`out` is a {type(out).__name__}",
        contract.span,
        expected="a mapping from names of outputs to arrays",
        fix=f"`out={{{', '.join(repr(t.name) + ': …' for t in contract.outputs if t.name not in contract.inplace)}}}`",
    )


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


def result_array(tensor: TensorArg, extents: tuple[int, ...], given: Any | None) -> npt.NDArray[Any]:
    """The array that takes an output: ``given``, checked (PTG402, PTG403, PTG407), or a new one.

    ``extents`` is its shape, with its strides in elements behind it where rows lie apart.
    """
    shape, steps = extents[: len(tensor.shape)], extents[len(tensor.shape) :]
    if given is None:
        return _new_array(tensor, shape, steps)
    array = as_array(tensor.name, given)
    _check_type(tensor, array, shape)
    if tensor.layout == "dn" and not tensor.in_memory(array).flags.c_contiguous:
        raise _wrong_strides(tensor, array, "each matrix column after column, as `np.asfortranarray` makes one")
    if tensor.layout == "dn" or steps:
        return _in_steps(tensor, array, steps)
    return updated_array(tensor, array)


def result_packed(tensor: TensorArg, shape: tuple[int, ...], given: Any | None, target: str) -> PackedWeight:
    """What takes an output of the layout `nz`: ``given``, checked (PTG402, PTG403, PTG407), or a new one, whose
    fractals are filled up with zeros. What fills up the fractals of a given one stays."""
    if given is None:
        return new_packed(shape, tensor.dtype, target)
    if not isinstance(given, PackedWeight) or given.target != target:
        what = f"in the form of {given.target}" if isinstance(given, PackedWeight) else "a plain array"
        raise fault(
            "PTG407",
            f"`out` for `{tensor.name}` is {what}",
            tensor.span,
            expected=f"{tensor.type} in the form of {target}",
            fix=f'give `pyptogen.pack(array, layout="nz", target="{target}")`, or leave `{tensor.name}` out of `out`',
        )
    _check_type(tensor, given, shape)
    return given


def _check_type(tensor: TensorArg, given: npt.NDArray[Any] | PackedWeight, shape: tuple[int, ...]) -> None:
    """Raises PTG402, PTG403."""
    if given.dtype != tensor.dtype:
        raise fault(
            "PTG403",
            f"`out` for `{tensor.name}` has dtype {dtype_name(given.dtype)}",
            tensor.span,
            expected=tensor.type,
        )
    if given.shape != shape:
        raise fault(
            "PTG402",
            f"`out` for `{tensor.name}` has shape {list(given.shape)}",
            tensor.span,
            expected=f"{tensor.type} = {list(shape)}",
        )


def _new_array(tensor: TensorArg, shape: tuple[int, ...], steps: tuple[int, ...]) -> npt.NDArray[Any]:
    """An uninitialised array that lies in memory as the contract says."""
    if tensor.layout == "dn":
        return np.swapaxes(aligned_empty((*shape[:-2], shape[-1], shape[-2]), tensor.dtype), -1, -2)
    if not steps or 0 in shape:
        return aligned_empty(shape, tensor.dtype)
    elements = 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
    memory = aligned_empty((elements,), tensor.dtype)
    bytes_ = memory.view(np.uint8)
    array: npt.NDArray[Any] = np.ndarray(shape, tensor.dtype, bytes_, 0, [step * memory.itemsize for step in steps])
    return array


def _in_steps(tensor: TensorArg, array: npt.NDArray[Any], steps: tuple[int, ...]) -> npt.NDArray[Any]:
    """An array that takes an output whose rows lie apart. Raises PTG402, PTG407."""
    for size, got, step in zip(array.shape, array.strides, steps, strict=False):
        if size > 1 and got != step * array.itemsize:
            raise _wrong_strides(tensor, array, f"{tensor.type} = {list(steps)}")
    _check_writable(tensor, array)
    return array


def _wrong_strides(tensor: TensorArg, array: npt.NDArray[Any], expected: str) -> DiagnosticError:
    got = [step // array.itemsize for step in array.strides]
    what = f"`out` for `{tensor.name}` has strides {got}, counted in elements"
    return fault("PTG402", what, tensor.span, expected=expected)


def address(array: npt.NDArray[Any]) -> int:
    """Where the data of an array starts."""
    location: int = array.__array_interface__["data"][0]
    return location


class Region:
    """The bytes of one argument: in ``[start, end)``, all of them unless ``array`` says which."""

    __slots__ = ("array", "end", "name", "start", "written")

    def __init__(self, name: str, start: int, size: int, written: bool, array: npt.NDArray[Any] | None = None) -> None:
        self.name = name
        self.start = start
        self.end = start + size
        self.written = written
        self.array = array

    def shares(self, other: Region) -> bool:
        """Whether a byte belongs to both; where that is too hard to tell, they may."""
        if self.start >= other.end or other.start >= self.end:
            return False
        if self.array is None or other.array is None:
            return True
        try:
            return np.shares_memory(self.array, other.array, max_work=_MOST_WORK)  # type: ignore[arg-type]
        except np.exceptions.TooHardError:
            return True


_MOST_WORK = 100_000
"""Candidates that numpy looks at to tell whether two arrays with gaps share memory: about a millisecond."""


def check_overlap(contract: Contract, regions: list[Region]) -> None:
    """Raises PTG407 when an argument that is written shares memory with another one."""
    if not _ranges_overlap(regions):
        return
    for before, region in combinations(sorted(regions, key=lambda region: region.start), 2):
        if (region.written or before.written) and before.shares(region):
            raise _overlap(contract, before, region)


def _ranges_overlap(regions: list[Region]) -> bool:
    """Whether bytes between the first and the last of an argument that is written belong to another one."""
    furthest = furthest_written = -1
    for region in sorted(regions, key=lambda region: region.start):
        if region.start < (furthest if region.written else furthest_written):
            return True
        furthest = max(furthest, region.end)
        if region.written:
            furthest_written = max(furthest_written, region.end)
    return False


def _overlap(contract: Contract, a: Region, b: Region) -> DiagnosticError:
    written, other = (a, b) if a.written else (b, a)
    return fault(
        "PTG407",
        f"`{written.name}` is written while `{other.name}` uses the same memory",
        contract.span,
        fix=f"pass a copy as `{other.name}`",
    )
