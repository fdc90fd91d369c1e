"""One operand as kernels read it, made once and given to many calls: what a call would else make of it each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Operand:
    """An input that calls read. ``sizes`` has a text for each axis: a number where the contract fixes it."""

    tensor: TensorArg
    sizes: tuple[str, ...]

    @classmethod
    def of(cls, contract: Contract, name: str) -> Operand:
        """That of this name. Raises PTG404 for another name, PTG407 for one that is updated in place."""
        names = [tensor.name for tensor in contract.inputs]
        if name not in names:
            raise fault(
                "PTG404",
                f"`{contract.name}` has no input `{name}`",
                contract.span,
                expected=f"inputs: {', '.join(names)}",
                fix=did_you_mean(name, names),
            )
        tensor = contract.inputs[names.index(name)]
        if name in contract.inplace.values():
            raise fault(
                "PTG407",
                f"`{name}` is updated in place, and packing it would make a copy",
                tensor.span,
                fix="give the array itself to the call",
            )
        texts = contract.input_texts[names.index(name)]
        return cls(tensor, tuple(texts[: len(tensor.shape)]))

    def check(self, shape: Sequence[int], same_dtype: bool, dtype: str) -> None:
        """Raises PTG403 for another dtype than the tensor's, which ``dtype`` says in words, PTG402 for another number
        of axes, or another size of one that the contract fixes."""
        tensor = self.tensor
        if not same_dtype:
            also = "" if tensor.packed is None else f", or numbers that {dtype_name(tensor.packed)} has"
            raise fault("PTG403", f"`{tensor.name}` has dtype {dtype}", tensor.span, expected=f"{tensor.type}{also}")
        fits = len(shape) == len(self.sizes) and all(
            not text.isdecimal() or size == int(text) for text, size in zip(self.sizes, shape, strict=True)
        )
        if not fits or 0 in shape:
            expected = f"{tensor.type}: [{', '.join(self.sizes)}]"
            raise fault("PTG402", f"`{tensor.name}` has shape {list(shape)}", tensor.span, expected=expected)


def packed_operand(operand: Operand, value: Any, target: str) -> PackedWeight | npt.NDArray[Any]:
    """``value`` as kernels read this operand: `@ nz` a packed weight, `@ dn` an array whose columns lie one after the
    other, two numbers of four bits in a byte, hif8 as codes, all else C-contiguous. Not a copy where it is so already.

    ``value`` of `int4`, `fp4_e2m1` and `hif8` is bytes, an array of that dtype, or numbers that it has. Raises PTG402,
    PTG403.
    """
    tensor = operand.tensor
    if isinstance(value, PackedWeight) and tensor.layout == "nz":
        operand.check(value.shape, value.dtype == tensor.dtype, dtype_name(value.dtype))
        return pack(value, target=target)
    array = as_array(tensor.name, value)
    if tensor.packed is not None:
        array = tensor.in_bytes(_of_numbers(tensor, array))
    operand.check(array.shape, array.dtype == tensor.dtype, dtype_name(array.dtype))
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
        wide = array.astype(np.int64 if packed == INT4 else np.float64)
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


def packed_operands(contract: Contract, operands: Mapping[str, Any], pack_one: Callable[[Operand, Any], Any]) -> Any:
    """What ``pack_one`` makes of each operand: bare of a lone one, of several a tuple in the order given. Raises PTG404
    for none."""
    if not operands:
        names = ", ".join(tensor.name for tensor in contract.inputs)
        raise fault("PTG404", "no operand to pack", contract.span, expected=f"operands by name: {names}")
    made = [pack_one(Operand.of(contract, name), value) for name, value in operands.items()]
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
