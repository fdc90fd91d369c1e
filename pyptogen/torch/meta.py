"""Shapes of the results from shapes of the arguments, where sizes may be symbols of torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from pyptogen.layout.packed_array import array_size
from pyptogen.runtime.operator.contract import Contract, DimArg, TensorArg, solvable_order
from pyptogen.runtime.operator.size_functions import Solution, sizes_function, solve_linear
from pyptogen.torch.packing import is_packed
from pyptogen.torch.tensors import torch_dtype

_SYMBOLIC = {"int": lambda size: size, "Max": torch.sym_max, "Min": torch.sym_min}


class Meta:
    """The contract of an operator for tensors without data."""

    def __init__(self, contract: Contract, target: str) -> None:
        names = [dim.name for dim in contract.dims]
        self.contract = contract
        self._inputs = sizes_function(contract.input_texts, names, _SYMBOLIC)
        self._outputs = sizes_function(contract.output_texts, names, _SYMBOLIC)
        self._fresh = [
            (index, tensor) for index, tensor in enumerate(contract.outputs) if tensor.name not in contract.inplace
        ]
        self._target = target
        self._solvable: dict[frozenset[int], list[tuple[DimArg, Solution]]] = {}
        """By the places of inputs that are packed, which do not show sizes: how the others show all dims."""

    def outputs(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """What a call returns for these inputs, without data. Sizes that do not fit the contract are refused."""
        sizes = self._dims(inputs)
        for tensor, given, expected in zip(self.contract.inputs, inputs, self._inputs(*sizes), strict=True):
            if is_packed(tensor, given):
                length = array_size(expected, given.dtype.itemsize, self._target)
                torch._check(given.shape[0] == length, _says(tensor, "is packed, and not of this shape"))
                continue
            for axis, size in enumerate(expected[: len(tensor.shape)]):
                torch._check(given.shape[axis] == size, _says(tensor, f"does not fit in axis {axis}"))
        extents = self._outputs(*sizes)
        return [self._empty(tensor, extents[index], inputs[0]) for index, tensor in self._fresh]

    def input_shapes(self, inputs: Sequence[torch.Tensor]) -> tuple[tuple[Any, ...], ...]:
        """The sizes of all inputs as plain tensors, those of packed ones, too; with strides behind them where rows may
        lie apart."""
        return self._inputs(*self._dims(inputs))

    def _order(self, packed: frozenset[int]) -> list[tuple[DimArg, Solution]]:
        """The dims, each with how it follows from inputs that are not packed and from those before it."""
        if packed not in self._solvable:
            texts = [[] if i in packed else [*texts] for i, texts in enumerate(self.contract.input_texts)]
            try:
                order = solvable_order(self.contract.dims, texts) if packed else self.contract.order
            except ValueError as error:
                names = " and ".join(f"`{self.contract.inputs[i].name}`" for i in sorted(packed))
                raise RuntimeError(
                    f"{names} of `{self.contract.name}` is packed, and without its data {error}: give it plain where "
                    "the call is traced, or fix the dim in the spec"
                ) from None
            found = [(dim, solve_linear(texts[dim.source][dim.axis], dim.name, called=_SYMBOLIC)) for dim in order]
            self._solvable[packed] = [(dim, solution) for dim, solution in found if solution is not None]
        return self._solvable[packed]

    def _dims(self, inputs: Sequence[torch.Tensor]) -> list[Any]:
        packed = []
        for i, (tensor, given) in enumerate(zip(self.contract.inputs, inputs, strict=True)):
            if is_packed(tensor, given):
                packed.append(i)
            else:
                torch._check(given.dim() == len(tensor.shape), _says(tensor, "has the wrong number of axes"))
            torch._check(given.dtype == torch_dtype(tensor.dtype), _says(tensor, "has the wrong dtype"))
        known: dict[str, Any] = {}
        for dim, solution in self._order(frozenset(packed)):
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
