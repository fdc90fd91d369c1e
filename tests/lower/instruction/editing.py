"""Programs broken on purpose: a node of a kernel changed, dropped or added."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from pyptogen.codegen.generate import Generated
from pyptogen.lower.instruction.ir import Choose, Declare, For, GmWindow, Instr, InstrKernel, Node

Path = tuple[int, ...]


def places(nodes: tuple[Node, ...], wanted: Callable[[Node], bool], path: Path = ()) -> Iterator[Path]:
    """Where the nodes are that ``wanted`` holds for."""
    for i, node in enumerate(nodes):
        if wanted(node):
            yield (*path, i)
        if isinstance(node, For):
            yield from places(node.body, wanted, (*path, i))


def edit(nodes: tuple[Node, ...], path: Path, change: Callable[[Node], tuple[Node, ...]]) -> tuple[Node, ...]:
    """The nodes with the one at ``path`` replaced."""
    i, rest = path[0], path[1:]
    node = nodes[i]
    if rest:
        assert isinstance(node, For)
        return (*nodes[:i], replace(node, body=edit(node.body, rest, change)), *nodes[i + 1 :])
    return (*nodes[:i], *change(node), *nodes[i + 1 :])


def dropped(kernel: InstrKernel, path: Path) -> InstrKernel:
    """The kernel without a node."""
    return replace(kernel, body=edit(kernel.body, path, lambda node: ()))


def with_kernel(generated: Generated, kernel: InstrKernel) -> Generated:
    """The operator with a kernel replaced by one of the same name; its text stays what it was."""
    kernels = tuple(kernel if k.name == kernel.name else k for k in generated.instructions)
    return with_parts(generated, instructions=kernels)


def with_parts(generated: Generated, **parts: Any) -> Generated:
    """The operator with other programs; its text stays what it was."""
    return replace(generated, lowered=replace(generated.lowered, **parts))


def changed(
    generated: Generated, name: str, wanted: Callable[[Node], bool], change: Callable[[Node], Node]
) -> Generated:
    """The operator with the first wanted node of kernel ``name`` changed."""
    kernel = next(k for k in generated.instructions if k.name == name)
    path = next(places(kernel.body, wanted))
    return with_kernel(generated, replace(kernel, body=edit(kernel.body, path, lambda node: (change(node),))))


def declares(name: str) -> Callable[[Node], bool]:
    """Holds for the declaration of a tile."""
    return lambda node: isinstance(node, Declare) and node.name == name


def runs(name: str) -> Callable[[Node], bool]:
    """Holds for an instruction, also as one of a choice."""
    return lambda node: (
        (isinstance(node, Instr) and node.name == name)
        or (isinstance(node, Choose) and name in (node.then.name, node.other.name))
    )


def effects(name: str, tensor: str) -> Callable[[Node], bool]:
    """Holds for a load or store of a tensor."""
    return lambda node: isinstance(node, Instr) and node.name == name and _window(node).tensor == tensor


def _window(node: Instr) -> GmWindow:
    return next(o for o in node.operands if isinstance(o, GmWindow))


def move_window(node: Node, change: Callable[[GmWindow], GmWindow]) -> Node:
    """The instruction with its GM window changed."""
    assert isinstance(node, Instr)
    return replace(node, operands=tuple(change(o) if isinstance(o, GmWindow) else o for o in node.operands))
