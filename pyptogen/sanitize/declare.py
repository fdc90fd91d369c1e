"""Variables of a walk: tiles, arrays of them, numbers, references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyptogen.sanitize import pto
from pyptogen.sanitize.syntax import Braces, Declaration, Expr
from pyptogen.sanitize.values import Cell

if TYPE_CHECKING:
    from pyptogen.sanitize.machine import Machine


def declare(machine: Machine, node: Declaration) -> None:
    """Define it, with its value if it has one. Raises PTG306."""
    if not node.static:
        _define(machine, node)
        return
    key = node.token, repr(machine.called_as)
    if key not in machine.statics:
        _define(machine, node)
        machine.statics[key] = machine.scopes[-1][node.name]
    machine.define(node.name, machine.statics[key])


def _define(machine: Machine, node: Declaration) -> None:
    kind = machine.value(node.type)
    if node.lengths:
        machine.define(node.name, _array(machine, node, kind, node.lengths, node.initial))
        return
    if isinstance(node.initial, tuple):
        items = [machine.value(item) for item in node.initial]
        machine.define(node.name, pto.construct(machine, kind, node.name, items, node.token))
    elif node.initial is None:
        machine.define(node.name, pto.construct(machine, kind, node.name, (), node.token))
    elif node.reference and (found := machine.place(node.initial)) is not None:
        machine.define(node.name, found)
    else:
        value = machine.value(node.initial)
        if isinstance(node.initial, Braces):
            value = pto.construct(machine, kind, node.name, [machine.value(i) for i in node.initial.items], node.token)
        cell = Cell(pto.construct(machine, kind, node.name, (), node.token))
        machine.define(node.name, cell)
        pto.assign(machine, cell, value)


def _array(machine: Machine, node: Declaration, kind: Any, lengths: Sequence[Expr | None], initial: Any) -> list[Any]:
    """The elements of an array, which may be arrays; ``initial`` are their values as they are written."""
    given = initial.items if isinstance(initial, Braces) else initial if isinstance(initial, tuple) else ()
    length = len(given) if lengths[0] is None else machine.value(lengths[0])
    if not isinstance(length, int):
        raise machine.fault(node.token, f"an array `{node.name}` of unknown length")
    if len(lengths) > 1:
        inner = [given[i] if i < len(given) else () for i in range(length)]
        return [_array(machine, node, kind, lengths[1:], part) for part in inner]
    cells = [Cell(pto.construct(machine, kind, node.name, (), node.token)) for _ in range(length)]
    for cell, item in zip(cells, given, strict=False):
        value = machine.value(item)
        if isinstance(item, Braces):
            value = pto.construct(machine, kind, node.name, value, node.token)
        pto.assign(machine, cell, value)
    return cells
