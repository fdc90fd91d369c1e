"""The operations of the language. One operation is one function: name and arguments in its signature, its
meaning in the primitives that it emits, its documentation in its docstring."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pyptogen.lower.tensor.ir import Value

ALIASES = {
    "dim": "axis",
    "axis": "dim",
    "out_dtype": "dtype",
    "epsilon": "eps",
    "keepdims": "keepdim",
    "satmode": "saturate",
}
"""Other names of keyword arguments, as users of NumPy and PyTorch know them."""

REQUIRED = object()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument. ``kind``: tensor, operand (tensor or number), scalar, dtype, mode, int, flag, shape."""

    name: str
    kind: str
    default: Any
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: ``expand(builder, *arguments)`` emits primitives and gives the result."""

    name: str
    signature: str
    parameters: tuple[Parameter, ...]
    doc: str
    expand: Callable[..., Any]


_OPERATIONS: dict[str, Operation] = {}

Expand = Callable[..., Value]


def operation(signature: str) -> Callable[[Expand], Expand]:
    """Registers the function below it under ``name(argument: kind = default, …)``; no kind means tensor."""

    def register(expand: Expand) -> Expand:
        definition = ast.parse(f"def {signature}: pass").body[0]
        assert isinstance(definition, ast.FunctionDef)
        name = definition.name
        if name in _OPERATIONS:
            raise ValueError(f"operation {name} is registered twice")
        doc = " ".join((expand.__doc__ or "").split())
        _OPERATIONS[name] = Operation(name, signature, _parameters(definition.args), doc, expand)
        return expand

    return register


def _parameters(args: ast.arguments) -> tuple[Parameter, ...]:
    plain = args.args
    defaults: list[Any] = [REQUIRED] * (len(plain) - len(args.defaults))
    defaults += [_constant(node) for node in args.defaults]
    parameters = [Parameter(arg.arg, _kind(arg), default) for arg, default in zip(plain, defaults, strict=True)]
    if args.vararg:
        parameters.append(Parameter(args.vararg.arg, _kind(args.vararg), REQUIRED, variadic=True))
    for arg, node in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        parameters.append(Parameter(arg.arg, _kind(arg), REQUIRED if node is None else _constant(node)))
    return tuple(parameters)


def _kind(arg: ast.arg) -> str:
    return arg.annotation.id if isinstance(arg.annotation, ast.Name) else "tensor"


def _constant(node: ast.expr) -> Any:
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


@cache
def operations() -> Mapping[str, Operation]:
    """All operations by name."""
    for module in ("elementwise", "reductions", "views", "contractions", "normalisations", "activations"):
        importlib.import_module(f"pyptogen.lower.tensor.operations.{module}")
    return dict(sorted(_OPERATIONS.items()))
