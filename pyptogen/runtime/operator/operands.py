"""One operand as kernels read it, made once and given to many calls: what a call would else make of it each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import did_you_mean, fault
from pyptogen.layout.arrays import as_array
from pyptogen.layout.buffers import aligned_empty
from pyptogen.layout.packed_array import packed_weight
from pyptogen.layout.packing import PackedWeight, pack
from pyptogen.numpy_dtypes import INT4, dtype_name, numbers, rounded_to
from pyptogen.runtime.operator.contract import Contract, TensorArg

if TYPE_CHECKING:
    import numpy.typing as npt


def operand(contract: Contract, name: str) -> TensorArg:
    """An input that calls read. Raises PTG404 for other names, PTG407 for one that is updated in place."""
    inputs = {tensor.name: tensor for tensor in contract.inputs}
    if name not in inputs:
        raise fault(
            "PTG404",
            f"`{contract.name}` has no input `{name}`",
            contract.span,
            expected=f"inputs: {', '.join(inputs)}",
            fix=did_you_mean(name, list(inputs)),
        )
    if name in contract.inplace.values():
        raise fault(
            "PTG407",
            f"`{name}` is updated in place, and packing it would make a copy",
            inputs[name].span,
            fix="give the array itself to the call",
        )
    return inputs[name]


def check_operand(tensor: TensorArg, shape: Sequence[int], dtype: str) -> None:
    """Raises PTG403 for another dtype than the tensor's, PTG402 for another number of axes, or another size of an axis
    that the contract fixes."""
    if dtype != dtype_name(tensor.dtype):
        raise fault(
            "PTG403", f"`{tensor.name}` has dtype {dtype}", tensor.span, expected=f"{tensor.type}{also(tensor)}"
        )
    fits = len(shape) == len(tensor.shape) and all(
        not text.isdecimal() or size == int(text) for text, size in zip(tensor.shape, shape, strict=True)
    )
    if not fits or 0 in shape:
        raise fault("PTG402", f"`{tensor.name}` has shape {list(shape)}", tensor.span, expected=tensor.type)


def also(tensor: TensorArg) -> str:
    """What else than bytes an operand may be packed from, in words."""
    if tensor.packed is None:
        return ""
    return f", or the {'whole ' if tensor.packed == INT4 else ''}numbers to be packed so"


def packed_operand(tensor: TensorArg, value: Any, target: str) -> PackedWeight | npt.NDArray[Any]:
    """``value`` as kernels read this tensor: `@ nz` a packed weight, `@ dn` an array whose columns lie one after the
    other, two numbers of four bits in a byte, hif8 as codes, all else C-contiguous. Not a copy where it is so already.

    ``value`` of `int4`, `fp4_e2m1` and `hif8` is bytes, an array of that dtype, or numbers that it has. Raises PTG402,
    PTG403.
    """
    if isinstance(value, PackedWeight) and tensor.layout == "nz":
        check_operand(tensor, value.shape, dtype_name(value.dtype))
        return pack(value, target=target)
    array = as_array(tensor.name, value)
    if tensor.packed is not None:
        array = tensor.in_bytes(_of_numbers(tensor, array))
    check_operand(tensor, array.shape, dtype_name(array.dtype))
    if tensor.layout == "nz":
        return pack(array, target=target)
    if tensor.strides:
        in_rows: npt.NDArray[Any] = tensor.in_rows(array)
        return in_rows
    lies: npt.NDArray[Any] = tensor.in_memory(array)
    if lies.flags.c_contiguous:
        return array
    copy = aligned_empty(lies.shape, lies.dtype)
    copy[...] = lies
    return np.asarray(tensor.in_memory(copy))


def _of_numbers(tensor: TensorArg, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array in the dtype that bytes hold, of numbers that are in it; bytes and such arrays as they are. Raises
    PTG402 for half a byte, PTG403 for a number that the dtype has not."""
    packed = tensor.packed
    assert packed is not None
    if array.dtype not in (np.dtype(np.uint8), packed):
        kinds = "i" if packed == INT4 else "fV"
        if array.dtype.kind not in kinds or array.dtype.names is not None:
            return array  # refused as what it is
        wide = array.astype(np.int64 if packed == INT4 else np.float32)
        array = rounded_to(np.clip(wide, -8, 7) if packed == INT4 else wide, packed)
        has = numbers(array).astype(wide.dtype)
        wrong = (has != wide) & ~((has != has) & (wide != wide))  # a NaN that it has is right
        if wrong.any():
            raise fault(
                "PTG403",
                f"`{tensor.name}` holds {wide[wrong][0].item()}, which is no number of {dtype_name(packed)}",
                tensor.span,
                fix="scale and round before packing",
            )
    if array.dtype == packed and packed.names is None and array.ndim and array.shape[-1] % 2:
        raise fault(
            "PTG402",
            f"rows of `{tensor.name}` have {array.shape[-1]} elements, and two share a byte",
            tensor.span,
            expected=tensor.type,
        )
    return array


def packed_operands(contract: Contract, operands: Mapping[str, Any], pack_one: Any) -> Any:
    """What ``pack_one`` makes of each operand: bare of a lone one, of several a tuple in the order given. Raises PTG404
    for none."""
    if not operands:
        names = ", ".join(tensor.name for tensor in contract.inputs)
        raise fault("PTG404", "no operand to pack", contract.span, expected=f"operands by name: {names}")
    made = [pack_one(operand(contract, name), value) for name, value in operands.items()]
    return made[0] if len(made) == 1 else (*made,)


def as_given(tensor: TensorArg, array: Any, target: str) -> Any:
    """An argument `@ nz`: the packed weight where it is one with its record. Raises PTG402 for an array of one axis
    without it, PTG403 for one of another platform."""
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype != tensor.dtype:
        return array
    weight = packed_weight(array)
    if weight is None:
        raise fault(
            "PTG402",
            f"argument `{tensor.name}` has shape {list(array.shape)}: neither plain, nor as `pack` made it",
            tensor.span,
            expected=f"{tensor.type}, or the whole result of `pack`, its numbers unchanged",
            fix=f"pack `{tensor.name}` again by the operator's `pack`",
        )
    if weight.target != target:
        raise fault(
            "PTG403",
            f"argument `{tensor.name}` is packed for {weight.target}",
            tensor.span,
            expected=f"{tensor.type}, plain or packed for {target}",
            fix=f"pack `{tensor.name}` by the operator that takes it",
        )
    return weight
