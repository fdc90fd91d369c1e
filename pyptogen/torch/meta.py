"""Shapes of the results from shapes of the arguments, where sizes may be symbols of torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from pyptogen.runtime.operator.contract import Contract, TensorArg
from pyptogen.runtime.operator.size_functions import sizes_function, solve_linear
from pyptogen.torch.tensors import torch_dtype

_SYMBOLIC = {"int": lambda size: size, "Max": torch.sym_max, "Min": torch.sym_min}


class Meta:
    """The contract of an operator for tensors without data."""

    def __init__(self, contract: Contract) -> None:
        names = [dim.name for dim in contract.dims]
        self.contract = contract
        self._inputs = sizes_function(contract.input_texts, names, _SYMBOLIC)
        self._outputs = sizes_function(contract.output_texts, names, _SYMBOLIC)
        self._fresh = [
            (index, tensor) for index, tensor in enumerate(contract.outputs) if tensor.name not in contract.inplace
        ]
        self._solutions = {
            dim.name: solve_linear(contract.input_texts[dim.source][dim.axis], dim.name, called=_SYMBOLIC)
            for dim in contract.order
        }

    def outputs(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """What a call returns for these inputs, without data. Sizes that do not fit the contract are refused."""
        for tensor, given in zip(self.contract.inputs, inputs, strict=True):
            torch._check(given.dim() == len(tensor.shape), _says(tensor, "has the wrong number of axes"))
            torch._check(given.dtype == torch_dtype(tensor.dtype), _says(tensor, "has the wrong dtype"))
        sizes = self._dims(inputs)
        for tensor, given, expected in zip(self.contract.inputs, inputs, self._inputs(*sizes), strict=True):
            for axis, size in enumerate(expected[: len(tensor.shape)]):
                torch._check(given.shape[axis] == size, _says(tensor, f"does not fit in axis {axis}"))
        extents = self._outputs(*sizes)
        return [self._empty(tensor, extents[index], inputs[0]) for index, tensor in self._fresh]

    def _dims(self, inputs: Sequence[torch.Tensor]) -> list[Any]:
        known: dict[str, Any] = {}
        for dim in self.contract.order:
            solution = self._solutions[dim.name]
            assert solution is not None  # the contract has found one
            given = inputs[dim.source]
            measured = [*given.shape, *given.stride()]
            ((offset, one),) = solution.coefficients(*(known[name] for name in solution.needs))
            scale = one - offset
            known[dim.name] = (
                measured[dim.axis] if offset == 0 and scale == 1 else (measured[dim.axis] - offset) // scale
            )
        for dim in self.contract.dims:
            torch._check(known[dim.name] >= dim.min, lambda dim=dim: f"`{dim.name}` is less than {dim.min}")
            torch._check(known[dim.name] <= dim.max, lambda dim=dim: f"`{dim.name}` is more than {dim.max}")
        return [known[dim.name] for dim in self.contract.dims]

    def _empty(self, tensor: TensorArg, extents: tuple[Any, ...], like: torch.Tensor) -> torch.Tensor:
        shape, steps = extents[: len(tensor.shape)], extents[len(tensor.shape) :]
        dtype = torch_dtype(tensor.dtype)
        if tensor.layout == "dn":
            return like.new_empty((*shape[:-2], shape[-1], shape[-2]), dtype=dtype).transpose(-1, -2)
        if steps:
            return like.new_empty_strided(shape, steps, dtype=dtype)
        return like.new_empty(shape, dtype=dtype)


def _says(tensor: TensorArg, what: str) -> Callable[[], str]:
    return lambda: f"argument `{tensor.name}` {what}: expected {tensor.type}"
