"""Operands packed once, as plain tensors: a weight `@ nz` is one of one axis that says what it is
(``layout/packed_array.py``), so that parameters, state dicts, exported programs and files keep it as any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from pyptogen.diagnostics import fault
from pyptogen.layout.arrays import as_array
from pyptogen.layout.packed_array import array_size, as_one_array, packed_weight
from pyptogen.layout.packing import pack
from pyptogen.runtime.operator.contract import Contract, TensorArg
from pyptogen.runtime.operator.operands import Operand, packed_operand, packed_operands
from pyptogen.torch.tensors import as_tensor, language_dtype

_LIBRARY = torch.library.Library("pyptogen_packing", "FRAGMENT")
_LIBRARY.define("pack(Tensor w, str target) -> Tensor", tags=(torch.Tag.pt2_compliant_tag,))
_LIBRARY.define("unpack(Tensor packed, SymInt[] shape, str target) -> Tensor", tags=(torch.Tag.pt2_compliant_tag,))


def pack_operands(
    contract: Contract, dtypes: Mapping[str, torch.dtype], operands: Mapping[str, Any], target: str
) -> Any:
    """``TorchOperator.pack``. ``dtypes`` are those of the inputs: torch.compile does not see numpy's as keys."""
    return packed_operands(
        contract, operands, lambda operand, value: _packed(operand, value, dtypes[operand.tensor.name], target)
    )


def is_packed(tensor: TensorArg, given: torch.Tensor) -> bool:
    """Whether a tensor that was given for a weight `@ nz` stands for a packed one: plain ones have more axes."""
    return tensor.layout == "nz" and given.dim() == 1


def unpacked(given: torch.Tensor, shape: tuple[Any, ...], target: str) -> torch.Tensor:
    """The plain matrices [..., K, N] of a packed weight, a new tensor."""
    made: torch.Tensor = torch.ops.pyptogen_packing.unpack(given, shape, target)
    return made


def _packed(operand: Operand, value: Any, dtype: torch.dtype, target: str) -> torch.Tensor:
    tensor = operand.tensor
    if not isinstance(value, torch.Tensor):
        raise fault(
            "PTG403",
            f"`{tensor.name}` is a {type(value).__name__}",
            tensor.span,
            expected=f"a tensor: {tensor.type}",
            fix="numpy arrays are packed by the operator of `pyptogen.compile`, or `torch.from_numpy` makes tensors",
        )
    if value.device.type not in ("cpu", "meta"):
        message = f"`{tensor.name}` is on {value.device}"
        raise fault("PTG403", message, tensor.span, expected="a tensor on the CPU")
    if value.requires_grad and torch.is_grad_enabled():
        raise fault(
            "PTG412",
            f"`{tensor.name}` requires a gradient, and its packed form has none",
            tensor.span,
            expected="a tensor that does not require one",
            fix=f"pack `{tensor.name}.detach()`, or under `torch.no_grad()`; weights that are trained are given plain",
        )
    if tensor.packed is not None:
        return as_tensor(packed_operand(operand, as_array(tensor.name, value), target))
    if is_packed(tensor, value):
        raise fault(
            "PTG402",
            f"`{tensor.name}` has one axis: it is packed already, or no matrix",
            tensor.span,
            expected=tensor.type,
        )
    operand.check(value.shape, value.dtype == dtype, language_dtype(value.dtype))
    if tensor.layout == "nz":
        made: torch.Tensor = torch.ops.pyptogen_packing.pack(value.detach(), target)
        return made
    if tensor.layout == "dn":
        return value.detach().mT.contiguous().mT
    return value.detach().contiguous()


def _pack(w: torch.Tensor, target: str) -> torch.Tensor:
    return as_tensor(as_one_array(pack(as_array("w", w), target=target)))


def _pack_fake(w: torch.Tensor, target: str) -> torch.Tensor:
    return w.new_empty((array_size((*w.shape,), w.dtype.itemsize, target),))


def _unpack(packed: torch.Tensor, shape: list[int], target: str) -> torch.Tensor:
    weight = packed_weight(as_array("packed", packed))
    if weight is None or list(weight.shape) != [*shape] or weight.target != target:
        found = "no packed weight" if weight is None else repr(weight)
        raise fault("PTG402", f"this is {found}", None, expected=f"shape {list(shape)}, packed for {target}")
    return as_tensor(weight.unpack())


def _unpack_fake(packed: torch.Tensor, shape: list[Any], target: str) -> torch.Tensor:
    return packed.new_empty(shape)


for _name, _made, _fake in (("pack", _pack, _pack_fake), ("unpack", _unpack, _unpack_fake)):
    _LIBRARY.impl(_name, _made, "CPU")
    torch.library.register_fake(f"pyptogen_packing::{_name}", _fake, lib=_LIBRARY)
