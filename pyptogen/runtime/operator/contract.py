"""What an operator takes and gives, in the form in which a call checks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span, did_you_mean, fault
from pyptogen.hifloat8 import HIF8
from pyptogen.number_formats import BY_BYTES, PACKED
from pyptogen.numpy_dtypes import dtype_name, in_bytes, numpy_dtype, out_of_bytes
from pyptogen.runtime.operator.attrs import AttrArg, as_float, as_whole
from pyptogen.runtime.operator.requirements import Check, compile_checks
from pyptogen.runtime.operator.size_functions import (
    Solution,
    expand,
    names_in,
    size_text,
    sizes_function,
    solve_linear,
)

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program, Value


@dataclass(frozen=True, slots=True)
class TensorArg:
    """One tensor of the contract, as memory has it. ``shape`` holds the expressions of the spec as text; ``packed`` is
    the dtype in the spec where memory has bytes: two elements of a row share one, so that ``shape`` counts bytes, or
    each is the code of one (hif8)."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[str, ...]
    layout: str
    span: Span
    strides: tuple[str, ...] = ()
    packed: np.dtype[Any] | None = None

    def in_bytes(self, array: Any) -> Any:
        """An array of elements that numpy or memory has not (ml_dtypes.int4, hif8), as memory has it."""
        if self.packed is None or array.dtype != self.packed:
            return array
        found = in_bytes(array)
        if found.shape == array.shape or not self.strides or not array.size:
            return found
        steps = (*(step // 2 for step in array.strides[:-1]), 1)
        memory = np.zeros(1 + sum((n - 1) * step for n, step in zip(found.shape, steps, strict=True)), np.uint8)
        apart: np.ndarray[Any, Any] = np.ndarray(found.shape, np.uint8, memory, 0, steps)
        apart[...] = found
        return apart

    def elements(self, array: Any) -> Any:
        """What memory has, as elements of their own."""
        return out_of_bytes(array, self.packed) if self.packed is not None else array

    @property
    def extents(self) -> tuple[str, ...]:
        """The expressions of the shape, and of the strides where rows may lie apart."""
        return (*self.shape, *self.strides)

    def place(self, number: int) -> str:
        """What one of them is, in words."""
        rank = len(self.shape)
        return f"axis {number}" if number < rank else f"the stride of axis {number - rank}"

    def measured(self, array: Any) -> tuple[int, ...]:
        """The numbers that an array has for them."""
        shape: tuple[int, ...] = array.shape
        return (*shape, *(step // array.itemsize for step in array.strides)) if self.strides else shape

    def in_memory(self, array: Any) -> Any:
        """The array as its memory has it: column after column in `dn`, which rows of its transpose are."""
        return np.swapaxes(array, -1, -2) if self.layout == "dn" else array

    def in_rows(self, array: Any) -> Any:
        """The array, or a copy of it where the elements of its rows lie apart."""
        if not array.size or not isinstance(array, np.ndarray) or not array.ndim:
            return array
        whole = all(step > 0 and step % array.itemsize == 0 for step in array.strides)
        return array if whole and array.strides[-1] == array.itemsize else np.ascontiguousarray(array)

    @property
    def type(self) -> str:
        """As in a spec: ``bf16[t, h]``, with ``@ nz`` where the layout is not the plain one."""
        layout = "" if self.layout == "nd" else f" @ {self.layout}"
        strides = f" strides [{', '.join(self.strides)}]" if self.strides else ""
        sharing = ""
        if self.packed is not None:
            sharing = ", codes of hif8" if self.packed == HIF8 else f", two {dtype_name(self.packed)} in a byte"
        return f"{dtype_name(self.dtype)}[{', '.join(self.shape)}]{layout}{strides}{sharing}"


@dataclass(frozen=True, slots=True)
class DimArg:
    """A dynamic dim, and where a call finds it: in axis ``axis`` of input number ``source``."""

    name: str
    min: int
    max: int
    multiple_of: int
    span: Span
    source: int
    axis: int
    solution: Solution


@dataclass(frozen=True, slots=True)
class Contract:
    """Inputs, outputs, dims and attrs of an operator, in the spec's order.

    ``inplace`` maps an output to the input whose memory it takes. ``input_extents`` and ``output_extents``
    are functions of the dynamic dims, by position: shapes, with strides behind them where rows may lie apart.
    """

    name: str
    inputs: tuple[TensorArg, ...]
    outputs: tuple[TensorArg, ...]
    inplace: Mapping[str, str]
    dims: tuple[DimArg, ...]
    attrs: tuple[AttrArg, ...]
    requires: tuple[Check, ...]
    span: Span
    order: tuple[DimArg, ...]
    """The dims in an order in which they can be solved."""
    input_extents: Callable[..., tuple[tuple[int, ...], ...]]
    output_extents: Callable[..., tuple[tuple[int, ...], ...]]
    input_texts: Sequence[Sequence[str]]
    """The same in words of the dynamic dims."""
    output_texts: Sequence[Sequence[str]]

    @classmethod
    def from_program(cls, program: Program) -> Contract:
        """The contract of a Tensor program."""
        dynamic = [dim.name for dim in program.dims if dim.dynamic]
        known = definitions(program)
        given = [(value.name, _in_memory(value)) for value in program.inputs]
        in_texts = [[expand(size_text(axis), known) for axis in (*value.shape, *value.strides)] for _, value in given]
        declared = [(name, _in_memory(program.laid_out.get(name, value))) for name, value in program.outputs]
        out_texts = [
            [expand(size_text(axis), known) for axis in (*value.shape, *value.strides)] for _, value in declared
        ]
        dtypes = {value.name: value.dtype for value in program.inputs}
        dtypes |= {name: value.dtype for name, value in program.outputs}
        order = solvable_order([dim for dim in program.dims if dim.dynamic], in_texts)
        by_name = {dim.name: dim for dim in order}
        return cls(
            name=program.name,
            inputs=tuple(_tensor(name, value, dtypes[name]) for name, value in given),
            outputs=tuple(_tensor(name, value, dtypes[name]) for name, value in declared),
            inplace=dict(program.inplace),
            dims=tuple(by_name[name] for name in dynamic),
            attrs=tuple(AttrArg(a.name, a.dtype, a.default, a.span) for a in program.attrs),
            requires=compile_checks(program),
            span=program.span,
            order=tuple(order),
            input_extents=sizes_function(in_texts, dynamic),
            output_extents=sizes_function(out_texts, dynamic),
            input_texts=in_texts,
            output_texts=out_texts,
        )

    def bind(self, arrays: Mapping[str, Any]) -> dict[str, int]:
        """The dynamic dims that these inputs (anything with ``shape`` and ``dtype``) have, in the spec's
        order.

        Everything is checked: names (PTG404), dtypes (PTG403), shapes (PTG402), agreement between arrays
        (PTG405) and the ranges of dims (PTG401).
        """
        self.check_names(arrays)
        values = [arrays[tensor.name] for tensor in self.inputs]
        for tensor, value in zip(self.inputs, values, strict=True):
            if value.dtype != tensor.dtype:
                raise _wrong_dtype(tensor, value.dtype)
            if len(value.shape) != len(tensor.shape):
                raise _wrong_shape(tensor, value.shape, f"{len(tensor.shape)} axes: {_list(tensor.shape)}")
        solved: dict[str, int] = {}
        for dim in self.order:
            solved[dim.name] = self._solve(dim, values, solved)
        sizes = {dim.name: solved[dim.name] for dim in self.dims}
        expected = self.input_extents(*sizes.values())
        for tensor, value, shape in zip(self.inputs, values, expected, strict=True):
            if (measured := tensor.measured(value)) != shape:
                raise self._disagreement(tensor, measured, shape, sizes)
        for dim in self.dims:
            self._check_range(dim, sizes[dim.name])
        return sizes

    def check_names(self, arrays: Mapping[str, Any]) -> None:
        """Raises PTG404 for inputs that are missing or unknown."""
        known = [tensor.name for tensor in self.inputs]
        for name in arrays:
            if name not in known:
                raise fault(
                    "PTG404",
                    f"`{self.name}` has no argument `{name}`",
                    self.span,
                    expected=f"inputs: {', '.join(known)}" + (f"; attrs: {self._attr_names()}" if self.attrs else ""),
                    fix=did_you_mean(name, [*known, *(attr.name for attr in self.attrs), "out"]),
                )
        missing = [tensor for tensor in self.inputs if tensor.name not in arrays]
        if missing:
            raise DiagnosticError(
                *(
                    Diagnostic("PTG404", f"argument `{tensor.name}` is missing", tensor.span, expected=tensor.type)
                    for tensor in missing
                )
            )

    def _attr_names(self) -> str:
        return ", ".join(attr.name for attr in self.attrs)

    def _solve(self, dim: DimArg, values: list[Any], solved: Mapping[str, int]) -> int:
        shape = self.inputs[dim.source].measured(values[dim.source])
        size = dim.solution.solve(shape[dim.axis], solved)
        if size is None:
            tensor = self.inputs[dim.source]
            expected = f"{tensor.place(dim.axis)} is `{tensor.extents[dim.axis]}`, and `{dim.name}` is an integer"
            raise _wrong_shape(tensor, shape, expected, dim.axis)
        return int(size)

    def _check_range(self, dim: DimArg, size: int) -> None:
        if dim.min <= size <= dim.max and size % dim.multiple_of == 0:
            return
        tensor = self.inputs[dim.source]
        multiple = f", a multiple of {dim.multiple_of}" if dim.multiple_of > 1 else ""
        raise fault(
            "PTG401",
            f"dim `{dim.name}` is {size}, out of range",
            dim.span,
            expected=f"{dim.name} from {dim.min} to {dim.max}{multiple}",
            fix=f"change {tensor.place(dim.axis)} of argument `{tensor.name}`, or the range in the spec",
        )

    def _disagreement(
        self, tensor: TensorArg, got: tuple[int, ...], expected: tuple[int, ...], sizes: Mapping[str, int]
    ) -> DiagnosticError:
        """PTG405 when the axis depends on a dim that another argument has fixed, else PTG402."""
        axis = next(i for i, (a, b) in enumerate(zip(got, expected, strict=True)) if a != b)
        text = tensor.extents[axis]
        fixed = [dim for dim in self.dims if dim.name in names_in(text) and self.inputs[dim.source].name != tensor.name]
        if not fixed:
            return _wrong_shape(tensor, got, f"{tensor.place(axis)} is `{text}` = {expected[axis]}", axis)
        notes = tuple(
            (
                f"`{dim.name}` is {sizes[dim.name]} by {source.place(dim.axis)} of `{source.name}`",
                dim.span,
            )
            for dim, source in ((dim, self.inputs[dim.source]) for dim in fixed)
        )
        return fault(
            "PTG405",
            f"argument `{tensor.name}`: {tensor.place(axis)} is {got[axis]}, which does not fit the other arguments",
            tensor.span,
            expected=f"`{text}` = {expected[axis]}; shape {_list(expected)}, got {_list(got)}",
            notes=notes,
        )

    def check_requires(self, sizes: Mapping[str, int], attrs: list[float | int]) -> None:
        """Raises PTG406 for the first precondition of the spec that is false."""
        for check in self.requires:
            check(sizes, dict(zip((attr.name for attr in self.attrs), attrs, strict=True)))

    def bind_attrs(self, given: Mapping[str, Any]) -> list[float | int]:
        """The attrs in the spec's order, defaults filled in. Raises PTG404, and PTG403 for what the dtype of an attr
        does not hold; infinities and NaN are numbers of a float attr."""
        values: list[float | int] = []
        for attr in self.attrs:
            value = given.get(attr.name, attr.default)
            if value is None:
                raise fault("PTG404", f"attr `{attr.name}` is missing", attr.span, expected=f"a {attr.dtype} scalar")
            legal = (int, float, np.floating, np.integer) if attr.is_float else (int, np.integer)
            if not isinstance(value, legal) or isinstance(value, bool):
                raise fault("PTG403", f"attr `{attr.name}` is {value!r}", attr.span, expected=f"a {attr.dtype} scalar")
            values.append(as_float(attr, value) if attr.is_float else as_whole(attr, int(value)))
        return values


class DynamicDim(Protocol):
    """A dim whose size a call finds."""

    @property
    def name(self) -> str: ...
    @property
    def min(self) -> int: ...
    @property
    def max(self) -> int: ...
    @property
    def multiple_of(self) -> int: ...
    @property
    def span(self) -> Span: ...


def definitions(program: Program) -> dict[str, str]:
    """Size texts of all dims that are not dynamic: a static one's number, a derived one's definition."""
    fixed = {dim.name: dim.value if dim.value is not None else dim.definition for dim in program.dims}
    return {name: size_text(size) for name, size in fixed.items() if size is not None}


def _in_memory(value: Value) -> Value:
    """A tensor of bytes where two elements share one, or numpy has only their codes."""
    if value.dtype == "hif8":
        return replace(value, dtype="uint8")
    if value.dtype not in PACKED:
        return value
    shape = (*value.shape[:-1], value.shape[-1] / 2)
    strides = (*(step / 2 for step in value.strides[:-1]), *value.strides[-1:])
    return replace(value, dtype="uint8", shape=shape, strides=strides)


def _tensor(name: str, value: Value, dtype: str) -> TensorArg:
    """A tensor as memory has it, of a ``dtype`` in the spec."""
    shape, strides = (tuple(map(size_text, sizes)) for sizes in (value.shape, value.strides))
    packed = numpy_dtype(dtype) if dtype in BY_BYTES else None
    return TensorArg(name, numpy_dtype(value.dtype), shape, value.layout, value.span, strides, packed)


def solvable_order(dims: Sequence[DynamicDim], in_texts: Sequence[Sequence[str]]) -> list[DimArg]:
    """Each dim with an axis that shows it once those before it are known.

    The Tensor level has made sure that there is one. An axis that is the dim itself is preferred.
    """
    axes = [(source, axis, text) for source, texts in enumerate(in_texts) for axis, text in enumerate(texts)]
    axes.sort(key=lambda place: not place[2].isidentifier())
    order: list[DimArg] = []
    open_ = {dim.name: dim for dim in dims}
    while open_:
        for source, axis, text in axes:
            unknown = names_in(text) & open_.keys()
            if len(unknown) == 1 and (solution := solve_linear(text, *unknown)):
                dim = open_.pop(*unknown)
                order.append(DimArg(dim.name, dim.min, dim.max, dim.multiple_of, dim.span, source, axis, solution))
                break
        else:
            raise ValueError(f"no input shows the dims {', '.join(open_)}")
    return order


def _list(shape: tuple[Any, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _wrong_dtype(tensor: TensorArg, got: Any) -> DiagnosticError:
    return fault(
        "PTG403",
        f"argument `{tensor.name}` has dtype {dtype_name(got)}",
        tensor.span,
        expected=f"{tensor.type} (numpy dtype {tensor.dtype})",
    )


def _wrong_shape(tensor: TensorArg, got: tuple[int, ...], expected: str, axis: int | None = None) -> DiagnosticError:
    rank = len(tensor.shape)
    where = "" if axis is None else f": {tensor.place(axis)} is {got[axis]}"
    apart = f" and strides {_list(got[rank:])}" if tensor.strides and len(got) > rank else ""
    return fault(
        "PTG402",
        f"argument `{tensor.name}` has shape {_list(got[:rank] if apart else got)}{apart}{where}",
        tensor.span,
        expected=f"{tensor.type}; {expected}",
    )
