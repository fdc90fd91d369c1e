"""The contract of a spec with its shapes as sympy: dims, attrs, inputs, outputs, preconditions."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

import sympy

from pyptogen.diagnostics import did_you_mean, fault, is_sound, keep, kept, require_sound
from pyptogen.lower.tensor.building import memory_dtypes
from pyptogen.lower.tensor.building.dims import DimTable, declare, read_dims, show_shape, show_size
from pyptogen.lower.tensor.building.fitting_shapes import to_declared, unrelated
from pyptogen.lower.tensor.building.layouts import check_contract
from pyptogen.lower.tensor.building.stated import unbound
from pyptogen.lower.tensor.ir import DTYPES, Attr, Requirement, Value
from pyptogen.lower.tensor.program_names import scalar_symbol
from pyptogen.lower.tensor.reading.scalars import ScalarReader
from pyptogen.records import dataclass
from pyptogen.schema import Expr, Spec, TensorSpec
from pyptogen.schema.contract_sections import AN_INPUT


@dataclass(frozen=True, slots=True)
class Contract:
    """``outputs`` are values that carry the declared types."""

    dims: DimTable
    attrs: tuple[Attr, ...]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    requires: tuple[Requirement, ...]


_INSTEAD = {
    "mxfp4": "declare elements and scales as two tensors, `fp4_e2m1[m, k]` and `fp8_e8m0[m, k / 32]`, and multiply by"
    " `scaled_mm`, as linear_mxfp4.yaml does",
    "mxfp8": "declare elements and scales as two tensors, `fp8_e4m3[m, k]` and `fp8_e8m0[m, k / 32]`, and multiply by"
    " `scaled_mm`, as linear_mxfp8.yaml does",
}
"""By dtype that is not there what to do without it."""


def read_contract(spec: Spec) -> Contract:
    """Raises PTG104, PTG109, PTG201, PTG209, PTG210, PTG214, PTG219."""
    check_contract(spec)
    symbols = {attr.name: scalar_symbol(attr.name, attr.dtype) for attr in spec.attrs}
    dims = read_dims(spec.dims, symbols)
    inputs, outputs = _declared(spec.inputs, dims), _declared(spec.outputs, dims)
    _check_bound(spec, dims, inputs)
    requires = _requires(spec, dims)
    types = {tensor.name: tensor for tensor in spec.outputs}
    for value in outputs:
        with kept(value.name):
            _check_apart(types[value.name], value, dims)
    attrs = tuple(Attr(a.name, a.dtype, a.default, a.span) for a in spec.attrs)
    return Contract(dims, attrs, inputs, outputs, requires)


def _declared(tensors: Iterable[TensorSpec], dims: DimTable) -> tuple[Value, ...]:
    """The tensors whose types can be read."""
    values = []
    for tensor in tensors:
        with kept(tensor.name):
            values.append(declared_value(tensor, dims))
    return tuple(values)


def declared_value(tensor: TensorSpec, dims: DimTable) -> Value:
    """A value of the type that a spec writes down. Raises PTG109, PTG201, PTG214."""
    if tensor.dtype not in DTYPES:
        raise fault(
            "PTG109",
            f"{tensor.dtype} is two dtypes: that of elements and that of their scales",
            tensor.type_span,
            expected="one of " + " ".join(DTYPES),
            fix=_INSTEAD.get(tensor.dtype, ""),
        )

    def lookup(name: str, expr: Expr, node: ast.AST) -> Any:
        require_sound(name)
        known = [dim.name for dim in dims.dims]
        if name not in known:
            raise fault(
                "PTG201",
                f"`{name}` is no dim",
                expr.span_of(node),
                expected="the name of a dim",
                fix=did_you_mean(name, known) or ("" if name in dims.symbols else declare(name)),
            )
        return dims.symbols[name]

    shape = tuple(_axis(axis, ScalarReader(lookup).read(axis), dims) for axis in tensor.shape)
    strides = tuple(_axis(step, ScalarReader(lookup).read(step), dims) for step in tensor.strides)
    value = Value(tensor.name, tensor.dtype, shape, tensor.layout, tensor.span, strides)
    memory_dtypes.check_tensor(dims, tensor, value)
    return value


def _axis(axis: Expr, size: Any, dims: DimTable) -> Any:
    low = dims.bounds(size)[0]
    if not dims.resolve(size).is_integer or not low >= 1:
        raise fault(
            "PTG214",
            f"`{axis.text_of(axis.node)}` is no size of an axis",
            axis.span_of(axis.node),
            expected="a positive integer",
        )
    return size


def _check_bound(spec: Spec, dims: DimTable, inputs: tuple[Value, ...]) -> None:
    """Every dynamic dim must follow from the shapes of the inputs, one unknown at a time."""
    dims.observed = tuple(size for value in inputs for size in (*value.shape, *value.strides))
    sizes = [dims.resolve(axis) for axis in dims.observed]
    unknown = unbound(sizes, {dims.symbols[dim.name] for dim in dims.dims if dim.dynamic})
    read = {value.name for value in inputs}
    if not is_sound(AN_INPUT, *(tensor.name for tensor in spec.inputs if tensor.name not in read)):
        return  # an input without a type may bind any
    for dim in spec.dims:
        if dims.symbols.get(dim.name) in unknown:
            nowhere = fault(
                "PTG210",
                f"the dynamic dim `{dim.name}` is bound by no input",
                dim.span,
                expected=(f"an input with an axis `{dim.name}`, because run-time sizes are read from array shapes"),
                fix=f"use `{dim.name}` in the shape of an input, or give it a number",
            )
            keep(nowhere)


def _check_apart(tensor: TensorSpec, value: Value, dims: DimTable) -> None:
    """An index of each axis of an output must step over all of the axes behind it: no element is written twice."""
    for axis, (step, size, inner) in enumerate(zip(value.strides, value.shape[1:], value.strides[1:], strict=False)):
        why = f"rows of `{tensor.name}` lie apart"
        if not dims.need_at_least(step, size * inner, why, tensor.strides[axis].span):
            raise fault(
                "PTG104",
                f"the strides of `{tensor.name}` lay elements over each other",
                tensor.strides[axis].span,
                expected=f"{show_size(size * inner)} elements or more from one index of axis {axis} to the next",
            )


def _requires(spec: Spec, dims: DimTable) -> tuple[Requirement, ...]:
    """Preconditions that are not proved; sizes are equal from here on where one says so. Raises PTG219 for one that can
    never hold."""

    def lookup(name: str, expr: Expr, node: ast.AST) -> Any:
        require_sound(name)
        if name not in dims.symbols:
            raise fault(
                "PTG201",
                f"`{name}` is no dim or attr",
                expr.span_of(node),
                fix=did_you_mean(name, dims.symbols),
            )
        return dims.symbols[name]

    given = []
    for expr in spec.requires:
        with kept():
            condition = ScalarReader(lookup).condition(expr)
            if dims.decide(condition) is False:
                expected = "a condition that the dims can meet"
                raise fault("PTG219", f"`{expr.text}` is false", expr.span, expected=expected)
            given.append((expr, condition))
    for expr, condition in given:
        dims.state_all(condition, expr.span)
    return tuple(
        Requirement(expr.text, condition, expr.span)
        for expr, condition in given
        if dims.resolve_condition(condition) != sympy.true
    )


def check_output(dims: DimTable, declared: Value, value: Value, expr: Expr) -> None:
    """The value of an output against its declaration. Raises PTG205 or PTG206."""
    note = (
        f"`{declared.name}` is declared here as {declared.dtype}{show_shape(declared.shape)}",
        declared.span,
    )
    if value.dtype != declared.dtype:
        raise fault(
            "PTG206",
            f"the output `{declared.name}` is {declared.dtype}, its expression gives {value.dtype}",
            expr.span,
            expected=declared.dtype,
            fix=f"cast it: `cast(…, {declared.dtype})`",
            notes=(note,),
        )
    if not dims.same_shape(declared.shape, value.shape):
        raise fault(
            "PTG205",
            f"the output `{declared.name}` is {show_shape(declared.shape)}, its expression gives "
            f"{show_shape(value.shape)}",
            expr.span,
            expected=show_shape(declared.shape),
            fix=to_declared(dims, declared.shape, value.shape) or unrelated(dims, declared.shape, value.shape),
            notes=(note,),
        )
