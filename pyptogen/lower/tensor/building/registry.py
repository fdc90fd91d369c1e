"""The operations of the language. One operation is one function: name and arguments in its signature, its
meaning in the primitives that it emits, its documentation in its docstring."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any, TypeVar

from pyptogen import plugins
from pyptogen.lower.tensor.ir import Value
from pyptogen.records import dataclass

ALIASES: Mapping[str, tuple[str, ...]] = {
    "axis": ("dim",),
    "base": ("a",),
    "descend": ("descending",),
    "dim": ("axis",),
    "epsilon": ("eps",),
    "fill_value": ("value",),
    "indices": ("index",),
    "initial_state": ("state",),
    "input": ("x", "a"),
    "input_conv": ("x",),
    "input_tensor": ("x", "a"),
    "is_causal": ("causal",),
    "keepdims": ("keepdim",),
    "mat2": ("b",),
    "mat_a": ("a",),
    "mat_b": ("b",),
    "other": ("b",),
    "out_dtype": ("dtype",),
    "satmode": ("saturate",),
    "self": ("x", "a"),
    "size": ("shape",),
}
"""Other names of keyword arguments, as users of NumPy, PyTorch and PyPTO know them: what they may mean here, the first
that an operation has."""

REQUIRED = object()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument. ``kind``: tensor, operand (tensor or number), scalar, dtype, mode, int, ints, flag, shape,
    reduction (none, add), form (none, tanh)."""

    name: str
    kind: str
    default: Any
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: ``expand(builder, *arguments)`` emits primitives and gives the result, or several.

    ``rule`` says what shape and dtype the result has; ``example`` is a call of tensors that
    ``pyptogen.lower.tensor.reading.examples`` declares; ``group`` is the module that the operation stands in.
    """

    name: str
    signature: str
    parameters: tuple[Parameter, ...]
    doc: str
    rule: str
    example: str
    group: str
    expand: Callable[..., Any]


GROUPS: Mapping[str, str] = {
    "elementwise": "Elementwise",
    "rounding": "Rounding, division, remainders",
    "transcendental": "Powers, logarithms, trigonometry",
    "comparisons": "Comparison, logic, bits, selection",
    "reductions": "Reductions and scans",
    "views": "Shape and layout",
    "creation": "Creation",
    "indexing": "Gather, scatter, sorting",
    "contractions": "Matrix products",
    "convolutions": "Convolutions",
    "activations": "Activations",
    "normalisations": "Normalisations",
    "attentions": "Attention",
    "linear_attentions": "Linear attention",
    "rotary": "Rotary embedding",
    "quantisation": "Quantisation",
}
"""The modules of operations, and what each holds."""

PLUG_INS = "plug_ins"
"""The group of operations of other packages."""

_OPERATIONS: dict[str, Operation] = {}
_loading: list[EntryPoint] = []
"""The plug-in that is being imported."""
_owners: dict[str, list[EntryPoint]] = {}
"""By operation the plug-in that it is of."""

Expand = Callable[..., Value | tuple[Value, ...]]
ExpandT = TypeVar("ExpandT", bound=Expand)

SAME = "shape and dtype of x"
SAME_FLOAT = "shape and dtype of x, a float"
BROADCAST = "shapes broadcast as in NumPy; a and b have one dtype, which the result has"
REDUCED = "shape of x without the axis, with size 1 there where keepdim; dtype of x"
"""Rules that many operations share."""


def operation(signature: str, rule: str, example: str = "") -> Callable[[ExpandT], ExpandT]:
    """Registers the function below it under ``name(argument: kind = default, …)``; no kind means tensor.

    Without an ``example``, it is a call with the tensors x, z and x.
    """

    def register(expand: ExpandT) -> ExpandT:
        definition = ast.parse(f"def {signature}: pass").body[0]
        assert isinstance(definition, ast.FunctionDef)
        name = definition.name
        if name in _OPERATIONS:
            if _loading:
                raise plugins.clash("operations", name, [*_owners.get(name, ()), *_loading])
            raise ValueError(f"operation {name} is registered twice")
        _owners[name] = list(_loading)
        doc = " ".join((expand.__doc__ or "").split())
        parameters = _parameters(definition.args)
        group = PLUG_INS if _loading else expand.__module__.rsplit(".", 1)[-1]
        call = example or _example(name, parameters)
        _OPERATIONS[name] = Operation(name, signature, parameters, doc, rule, call, group, expand)
        return expand

    return register


def _example(name: str, parameters: tuple[Parameter, ...]) -> str:
    required = [p for p in parameters if p.default is REQUIRED and p.kind in {"tensor", "operand"}]
    return f"{name}({', '.join(tensor for tensor, _ in zip(('x', 'z', 'x'), required, strict=False))})"


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


def _load_plug_ins() -> None:
    for point in plugins.installed("operations"):
        _loading.append(point)
        try:
            plugins.loaded("operations", point)
        finally:
            _loading.clear()


@cache
def operations() -> Mapping[str, Operation]:
    """All operations by name. Raises PTG518 and PTG519 for plug-ins."""
    for module in GROUPS:
        importlib.import_module(f"pyptogen.lower.tensor.operations.{module}")
    _load_plug_ins()
    return dict(sorted(_OPERATIONS.items()))
