"""A small spec around one operation: what `pyptogen explain` shows and what the table of operations tries."""

from __future__ import annotations

import ast
from functools import cache

from pyptogen.diagnostics import DiagnosticError, attempted, fault
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape
from pyptogen.lower.tensor.building.registry import Operation
from pyptogen.lower.tensor.ir import Operand, Program, Scalar, Value
from pyptogen.lower.tensor.reading.contract import read_contract
from pyptogen.lower.tensor.reading.evaluate import Evaluator, Scope
from pyptogen.lower.tensor.reading.read_spec import from_spec
from pyptogen.schema import Expr, Source, load_source

EXAMPLE_DTYPES = ("fp32", "fp16", "bf16", "int64", "int32", "int16", "int8")
"""dtypes that examples are tried with, the usual one first."""

_DIMS = {"t": "{min: 1, max: 4096}", "m": "{min: 1, max: 4096}", "d": "64", "n": "32"}
_INPUTS = {
    "x": "$dtype[t, d]", "z": "$dtype[t, d]", "g": "$dtype[d]", "w": "$dtype[d, n]", "k": "$dtype[m, d]",
    "s": "fp32[t, 1]", "i": "int32[t]", "j": "int32[t, d]", "c": "int32[d]",
}  # fmt: skip
"""The tensors of examples; ``$dtype`` is the one that is tried."""

_UPDATES = {"scatter_update": "k"}
"""Operations whose example updates an input in place, and that input."""

EXAMPLE_ROWS = ("{t: 8}", "{}")
"""Tiling rows that examples are tried with: tiles of an author's, and those that the compiler chooses."""


def example_call(operation: Operation, dtype: str) -> str:
    """The example as written in a spec."""
    return operation.example.replace("$dtype", dtype)


def example_inputs(operation: Operation, dtype: str) -> dict[str, str]:
    """Name and type of each tensor that the example uses; ``x`` where it uses none, to give ``t`` a value."""
    used = _names(example_call(operation, dtype)) & _INPUTS.keys()
    return {name: type_.replace("$dtype", dtype) for name, type_ in _INPUTS.items() if name in (used or {"x"})}


def example_spec(operation: Operation, dtype: str, row: str = EXAMPLE_ROWS[0]) -> str:
    """The text of a whole spec that computes the operation's example with tensors of ``dtype``, and tiles of ``row``.

    Raises ``DiagnosticError`` where the operation has no meaning for that dtype.
    """
    types = _result_types(operation, dtype)
    names = ["y"] if len(types) == 1 else [f"y{index}" for index in range(len(types))]
    outputs = "".join(f"  {name}: {type_}\n" for name, type_ in zip(names, types, strict=True))
    updated = _UPDATES.get(operation.name)
    if updated is not None:
        names, outputs = [updated], f"  {updated}: {{inplace: true}}\n"
    head = _head(operation, dtype)
    rows = f"tiling: [{row}]\n" if "\n  t: " in head else ""
    return f"{head}outputs:\n{outputs}graph:\n  {', '.join(names)}: {example_call(operation, dtype)}\n{rows}"


def _head(operation: Operation, dtype: str) -> str:
    inputs = example_inputs(operation, dtype)
    used = set().union(
        _names(example_call(operation, dtype)), *(_names(f"_{t[t.index('[') :]}") for t in inputs.values())
    )
    dims = "".join(f"  {name}: {size}\n" for name, size in _DIMS.items() if name in used)
    tensors = "".join(f"  {name}: {type_}\n" for name, type_ in inputs.items())
    return f"pyptogen: 1\noperator: example\ndims:\n{dims}inputs:\n{tensors}"


@cache
def example_program(operation: Operation, dtype: str, row: str = EXAMPLE_ROWS[0]) -> Program:
    """That spec at the Tensor level."""
    return from_spec(load_source(Source("example.yaml", example_spec(operation, dtype, row))))


@cache
def example_dtypes(operation: Operation) -> tuple[str, ...]:
    """The dtypes of ``EXAMPLE_DTYPES`` for which the operation has a meaning."""
    inputs = {type_ for name, type_ in _INPUTS.items() if name in _names(example_call(operation, "fp32"))}
    fixed = "$dtype" not in operation.example and not any("$dtype" in type_ for type_ in inputs)
    found = []
    for dtype in ("int32",) if fixed else EXAMPLE_DTYPES:
        with attempted() as faults:
            example_program(operation, dtype)
        if not faults:
            found.append(dtype)
    return tuple(found)


def _names(expression: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}


@cache
def _result_types(operation: Operation, dtype: str) -> tuple[str, ...]:
    """The types of the results as a spec writes them."""
    text = f"{_head(operation, dtype)}outputs: {{}}\ngraph:\n  y: {example_call(operation, dtype)}\n"
    spec = load_source(Source("example.yaml", text))
    contract = read_contract(spec)
    values: dict[str, Operand] = {
        **{name: Scalar(symbol, spec.span) for name, symbol in contract.dims.symbols.items()},
        **{value.name: value for value in contract.inputs},
    }

    def unknown(name: str, expr: Expr, node: ast.AST) -> DiagnosticError:
        return fault("PTG201", f"`{name}` is not defined", expr.span_of(node))

    scope = Scope(values, {}, unknown)
    builder = Builder(contract.dims, spec.span)
    result = Evaluator(builder, scope, spec.stages[0].body[0].value, lambda *_: ()).result()
    results = result if isinstance(result, tuple) else (result,)
    return tuple(f"{value.dtype}{show_shape(value.shape)}" for value in results if isinstance(value, Value))
