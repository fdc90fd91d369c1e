"""What structs and classes of a file mean in a walk: their types, constants, members and methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyptogen.sanitize.lexer import Token
from pyptogen.sanitize.syntax import Enum, Expr, Name, Struct
from pyptogen.sanitize.values import UNKNOWN, Cell, EnumType, Functions, Instance, Scope, StructType, Template

if TYPE_CHECKING:
    from pyptogen.sanitize.machine import Machine


def declare(machine: Machine, node: Struct) -> None:
    """A struct, or one more specialisation of it."""
    before = machine.cell(node.name)
    if before is not None and isinstance(before.value, Template):
        before.value.structs.append(node)
    else:
        machine.define(node.name, Template(node.name, [node]))


def enumerate_(machine: Machine, node: Enum) -> None:
    """The values of an enum."""
    values: Scope = {}
    number: Any = -1
    machine.scopes.append(values)
    for name, expr in node.items:
        number = machine.value(expr) if expr is not None else number + 1 if isinstance(number, int) else UNKNOWN
        values[name] = Cell(number)
    machine.scopes.pop()
    machine.define(node.name, EnumType(node.name, {name: cell.value for name, cell in values.items()}))
    if not node.scoped:
        machine.scopes[-1].update(values)


def instantiate(machine: Machine, template: Template, arguments: Sequence[Any], token: Token) -> StructType:
    """The struct for these template arguments: the specialisation with the fewest parameters that fits. Raises PTG306
    where there is none."""
    fitting = [(len(s.template), s, bound) for s, bound in _fitting(machine, template, arguments)]
    if not fitting:
        raise machine.fault(token, f"`{template.name}` with arguments that none of its structs has")
    _, struct, bound = min(fitting, key=lambda found: (found[1].pattern is None, found[0]))
    shared = {name: Cell(value) for name, value in bound.items()}
    with machine.inside(shared):
        for statement in struct.shared:
            machine.execute(statement)
    for function in struct.functions:
        same = tuple(f for f in struct.functions if f.name == function.name)
        shared.setdefault(function.name, Cell(Functions(same, (shared,))))
    return StructType(struct, tuple(arguments), shared)


def _fitting(machine: Machine, template: Template, arguments: Sequence[Any]) -> Iterator[tuple[Struct, dict[str, Any]]]:
    for struct in template.structs:
        if struct.pattern is not None:
            bound = _matched(machine, struct, struct.pattern, arguments)
            if bound is not None:
                yield struct, bound
            continue
        values: dict[str, Any] = {}
        for i, parameter in enumerate(struct.template):
            value = arguments[i] if i < len(arguments) else UNKNOWN
            if value is UNKNOWN and parameter.default is not None:
                with machine.inside({name: Cell(v) for name, v in values.items()}):
                    value = machine.value(parameter.default)
            values[parameter.name] = value
        yield struct, values


def _matched(
    machine: Machine, struct: Struct, pattern: Sequence[Expr], arguments: Sequence[Any]
) -> dict[str, Any] | None:
    """What a specialisation's parameters stand for, or None where it is for other arguments."""
    free = {parameter.name for parameter in struct.template}
    bound: dict[str, Any] = {}
    for part, value in zip(pattern, arguments, strict=False):
        if isinstance(part, Name) and part.arguments is None and part.path[-1] in free:
            if bound.setdefault(part.path[-1], value) != value:
                return None
        elif machine.value(part) != value:
            return None
    return bound if len(pattern) <= len(arguments) else None


def construct(machine: Machine, kind: StructType, arguments: Sequence[Any], token: Token) -> Instance:
    """An object: its members as they are declared, then its constructor or its values in order."""
    made = Instance(kind, {})
    made.members["this"] = Cell(made)
    with machine.inside(kind.shared, made.members):
        for member in kind.struct.members:
            machine.execute(member)
    makers = method(made, kind.struct.name)
    if makers is not None:
        machine.call(makers, (), list(arguments), token)
        return made
    for cell, value in zip(list(made.members.values())[1:], arguments, strict=False):
        machine.assign(cell, value)
    return made


def method(instance: Instance, name: str) -> Functions | None:
    """A method of an object."""
    found = instance.type.shared.get(name)
    if found is None or not isinstance(found.value, Functions):
        return None
    return Functions(found.value.overloads, (instance.type.shared, instance.members))


def method_here(machine: Machine, found: Functions) -> Functions:
    """A method that another one of the same object calls by its name alone."""
    here = machine.cell("this")
    if here is not None and isinstance(here.value, Instance) and found.around[:1] == (here.value.type.shared,):
        return Functions(found.overloads, (here.value.type.shared, here.value.members))
    return found
