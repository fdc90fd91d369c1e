"""Calls of a file's own functions: which overload it is, and what its template parameters stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyptogen.sanitize.syntax import Binary, Call, Expr, Function, Name, Parameter
from pyptogen.sanitize.values import (
    UNKNOWN,
    Cell,
    Instance,
    Other,
    OtherType,
    ScalarType,
    StructType,
    Tile,
    TileKind,
)

if TYPE_CHECKING:
    from pyptogen.sanitize.machine import Machine

Bound = dict[str, Any]


def overload(
    machine: Machine, functions: Sequence[Function], template: Sequence[Any], arguments: Sequence[Any]
) -> tuple[Function, Bound]:
    """The first function that takes so many arguments of these kinds, with its template parameters; else the first.

    Args:
        machine: knows the names around the call.
        functions: those of the name.
        template: template arguments that the call gives.
        arguments: cells for what has a name, so that parameters by reference are it; else values.
    """
    for function in functions:
        least = sum(parameter.default is None for parameter in function.parameters)
        if least <= len(arguments) <= len(function.parameters) and len(template) <= len(function.template):
            bound = _deduced(machine, function, template, arguments)
            if bound is not None:
                return function, bound
    names = (parameter.name for parameter in functions[0].template)
    return functions[0], dict(zip(names, template, strict=False))


def _deduced(machine: Machine, function: Function, template: Sequence[Any], arguments: Sequence[Any]) -> Bound | None:
    """Template parameters by name, those that are given and those that the arguments tell; None where an argument is
    of another kind than its parameter."""
    free = {parameter.name for parameter in function.template}
    bound: Bound = dict(zip((p.name for p in function.template), template, strict=False))
    for formal, actual in zip(function.parameters, arguments, strict=False):
        if formal.type is not None and not _fits(machine, formal, actual, free, bound):
            return None
    return bound


def _fits(machine: Machine, formal: Parameter, actual: Any, free: set[str], bound: Bound) -> bool:
    element = actual.element if isinstance(actual, Cell) else UNKNOWN
    value = actual.value if isinstance(actual, Cell) else actual
    if isinstance(value, list) and isinstance(formal.extent, Name) and formal.extent.path[-1] in free:
        bound.setdefault(formal.extent.path[-1], len(value))
    if isinstance(value, list) and value:  # of an array, any element
        value = value[0].value if isinstance(value[0], Cell) else value[0]
    kind = type_of(value)
    if kind is None:
        kind = element if formal.pointer else UNKNOWN
    pattern = formal.type
    if not isinstance(pattern, Name) or kind is UNKNOWN:
        return True
    if pattern.arguments is None:
        if len(pattern.path) > 1 or pattern.path[0] not in free:
            wanted = machine.value(pattern)
            return (
                not isinstance(wanted, TileKind | StructType)
                or not isinstance(kind, TileKind | StructType)
                or (wanted == kind)
            )
        bound.setdefault(pattern.path[0], kind)
        return True
    return _arguments_fit(machine, pattern, kind, free, bound)


def type_of(value: Any) -> Any:
    """The type of an object; None for what is a number or unknown."""
    if isinstance(value, Tile):
        return value.kind
    return value.type if isinstance(value, Other | Instance) else None


def _arguments_fit(machine: Machine, pattern: Name, kind: Any, free: set[str], bound: Bound) -> bool:
    """``Tile<TileType::Vec, T, R, C>`` against the type of a tile, and other templates against theirs."""
    given = pattern.arguments or ()
    name = pattern.path[-1]
    if isinstance(kind, TileKind):
        valid = () if name == "Tile" else kind.valid
        there: tuple[Any, ...] = (kind.element, kind.rows, kind.cols, *valid)
        if name == "Tile":
            there = (kind.loc, *there, UNKNOWN, *kind.valid)
    elif isinstance(kind, OtherType | StructType) and kind.name == name:
        there = kind.arguments
    else:
        return True
    for part, value in zip(given, there, strict=False):
        if isinstance(part, Name) and part.arguments is None and part.path[-1] in free:
            if value is not UNKNOWN:
                bound.setdefault(part.path[-1], value)
        elif isinstance(kind, TileKind) and UNKNOWN not in (value, wanted := machine.value(part)) and wanted != value:
            return False
    return True


def enter(machine: Machine, function: Function, bound: Mapping[str, Any], arguments: Sequence[Any]) -> None:
    """Template parameters and parameters of a function become names of the scope that its body runs in."""
    for parameter in function.template:
        value = bound.get(parameter.name, UNKNOWN)
        if value is UNKNOWN and parameter.default is not None:
            value = machine.value(parameter.default)
        machine.define(parameter.name, value)
    for i, formal in enumerate(function.parameters):
        if i < len(arguments):
            actual = arguments[i]
        else:
            actual = UNKNOWN if formal.default is None else machine.value(formal.default)
        if not formal.reference and isinstance(actual, Cell):
            actual = actual.value
        if actual is UNKNOWN and formal.name in machine.given:
            actual = machine.given[formal.name]
        cell = actual if isinstance(actual, Cell) else Cell(actual)
        if formal.pointer and formal.type is not None and cell.element is UNKNOWN:
            kind = machine.value(formal.type)
            cell.element = kind if isinstance(kind, ScalarType) else UNKNOWN
        machine.scopes[-1][formal.name] = cell


def argument(machine: Machine, node: Expr) -> Any:
    """What a call passes on: the variable itself, or a value; of a pointer, one that knows what it points to."""
    place = machine.place(node)
    if place is not None:
        return place
    value = machine.value(node)
    element = pointee(machine, node) if value is UNKNOWN else UNKNOWN
    return value if element is UNKNOWN else Cell(value, element)


def pointee(machine: Machine, node: Expr) -> Any:
    """The element type of ``p``, ``p + n`` and ``reinterpret_cast<T *>(p)``."""
    if isinstance(node, Binary) and node.op in ("+", "-"):
        return pointee(machine, node.left)
    if isinstance(node, Name):
        cell = machine.place(node)
        return UNKNOWN if cell is None else cell.element
    if isinstance(node, Call) and isinstance(node.function, Name) and node.function.path[-1].endswith("_cast"):
        kind = machine.value(node.function.arguments[0]) if node.function.arguments else UNKNOWN
        return kind if isinstance(kind, ScalarType) else UNKNOWN
    return UNKNOWN
