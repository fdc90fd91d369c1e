"""Gradients: by the operator that a spec names for them, or refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch

from pyptogen.diagnostics import fault
from pyptogen.schema.backward import GRADIENT
from pyptogen.torch.packing import is_packed, unpacked

if TYPE_CHECKING:
    from pyptogen.torch.operator import TorchOperator


class Gradient:
    """What an operator does for tensors that require gradients. ``load`` gives the operator that computes them, None
    where there is none; it is asked at the first gradient."""

    def __init__(self, forward: TorchOperator, load: Callable[[], TorchOperator | None]) -> None:
        self._forward = forward
        self._load = load

    @cached_property
    def _function(self) -> Any:
        """The operator as a function that autograd records, None without a backward operator."""
        backward = self._load()
        return None if backward is None else _recorded(self._forward, backward)

    def recorded(self, *args: Any) -> Any:
        """A call of which autograd is to know. Raises PTG412 for a gradient that the operator does not have."""
        contract = self._forward.operator.contract
        function = self._function
        for tensor, given in zip(contract.inputs, args, strict=False):
            if given.requires_grad and is_packed(tensor, given):
                raise fault(
                    "PTG412",
                    f"argument `{tensor.name}` requires a gradient, and it is packed",
                    contract.span,
                    expected="a packed tensor that does not require one, or a plain one",
                    fix=f"keep it as a buffer, or by `torch.nn.Parameter({tensor.name}, requires_grad=False)`; where "
                    f"`{tensor.name}` is trained, give it plain",
                )
            if given.requires_grad and (function is None or tensor.name not in function.differentiable):
                raise fault(
                    "PTG412",
                    f"argument `{tensor.name}` requires a gradient, of which `{contract.name}` has none",
                    contract.span,
                    expected="a tensor that does not require one",
                    fix=f"give `{tensor.name}.detach()`, call it under `torch.no_grad()`, or let the operator that "
                    f"`backward:` names in the spec have the output `{GRADIENT}{tensor.name}`",
                )
        return function.apply(*args)


def _recorded(forward: TorchOperator, backward: TorchOperator) -> Any:
    """An operator and that of its gradients as one function of autograd."""
    contract, needs = forward.operator.contract, backward.operator.contract
    outputs = [tensor.name for tensor in contract.outputs]
    places = {f"{GRADIENT}{tensor.name}": i for i, tensor in enumerate(contract.inputs)}
    kept = [tensor.name for tensor in needs.inputs if tensor.name not in {f"{GRADIENT}{name}" for name in outputs}]
    inputs = {tensor.name: tensor for tensor in contract.inputs}
    plain = [tensor.name for tensor in needs.inputs if tensor.layout != "nz"]
    defaults = {attr.name: attr.default for attr in contract.attrs}
    floats = {tensor.name for tensor in contract.outputs if tensor.dtype.kind in "fV"}

    class Recorded(torch.autograd.Function):
        differentiable = frozenset(tensor.name.removeprefix(GRADIENT) for tensor in needs.outputs)

        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            with torch._C._AutoDispatchBelowAutograd():
                made = forward.op(*args)
            named = defaults | dict(zip(forward.parameters, args, strict=False))
            results = dict(zip(outputs, made if len(outputs) > 1 else (made,), strict=True))
            given = dict(zip(forward.parameters, args[: len(contract.inputs)], strict=False))
            ctx.packed = [name for name in plain if name in inputs and is_packed(inputs[name], given[name])]
            ctx.shapes = dict(zip(given, forward.input_shapes((*given.values(),)), strict=True)) if ctx.packed else {}
            ctx.save_for_backward(*((named | results)[name] for name in kept))
            ctx.attrs = {attr.name: named[attr.name] for attr in needs.attrs}
            ctx.count = len(args)
            ctx.mark_non_differentiable(*(one for name, one in results.items() if name not in floats))
            return made

        @staticmethod
        def backward(ctx: Any, *given: Any) -> Any:
            known = dict(zip(kept, ctx.saved_tensors, strict=True)) | ctx.attrs
            for name in ctx.packed:
                known[name] = unpacked(known[name], ctx.shapes[name], forward.operator.target)
            known |= {f"{GRADIENT}{name}": one for name, one in zip(outputs, given, strict=True)}
            made = backward.op(**{name: known[name] for name in backward.parameters})
            found: list[Any] = [None] * ctx.count
            for tensor, one in zip(needs.outputs, made if len(needs.outputs) > 1 else (made,), strict=True):
                found[places[tensor.name]] = one
            return tuple(found)

    return Recorded
