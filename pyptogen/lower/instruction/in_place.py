"""Steps of one value that overwrite each other have one name in the kernel's text, where instructions run one by one.

before: y_p: TMULS(y_p, y_square, c1)      y_p_2, at the same address: TADDS(y_p_2, y_p, c2)
after:  y_p: TMULS(y_p, y_square, c1)      TADDS(y_p, y_p, c2)

A step has the type, the extents and the address of the one before, and is made by the last instruction that reads that;
both stand in one body and come from one line of the spec. They are called after the value where it is among them, else
after the first. The IR that is run as numpy keeps a name for each, so that a step that is left out is found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pyptogen.lower.instruction.declare import Path, uses_of
from pyptogen.lower.instruction.ir import Choose, Declare, For, Instr, InstrKernel, Node, declarations
from pyptogen.records import replace

NUMBER = re.compile(r"_\d+$")


def run(kernel: InstrKernel) -> InstrKernel:
    """The kernel with one name for each run of such steps."""
    declared = declarations(kernel)
    shown = {tile.owner for tile in declared.values() if tile.owner != tile.name}
    own = {name for name, tile in declared.items() if tile.owner == name and name not in shown}
    uses = {name: paths for name, paths in uses_of(kernel.body).items() if name in own}
    following: dict[str, str] = {}
    for name, paths in uses.items():
        for other in _read_for(name, _at(kernel.body, paths[0])):
            if other in uses and _goes_on(declared[other], declared[name], uses[other], paths):
                following[other] = name
    names: dict[str, str] = {}
    for first in following.keys() - set(following.values()):
        steps = [first]
        while steps[-1] in following:
            steps.append(following[steps[-1]])
        stem = NUMBER.sub("", first)
        names |= dict.fromkeys(steps, stem if stem in steps else first)
    return replace(kernel, body=_renamed(kernel.body, names, set(following.values())))


def _goes_on(before: Declare, after: Declare, used: list[Path], made: list[Path]) -> bool:
    """Whether ``after`` is the next step of ``before``: made by the last instruction that reads it, in its place."""
    alike = replace(after, name=before.name, owner=before.owner, note=before.note, span=before.span) == before
    named = NUMBER.sub("", before.name) == NUMBER.sub("", after.name)
    line = (before.span.file, before.span.line) == (after.span.file, after.span.line)
    return alike and named and line and max(used) == made[0] and used[0][:-1] == made[0][:-1]


def _at(nodes: tuple[Node, ...], path: Path) -> Node:
    node = nodes[path[0]]
    return _at(node.body, path[1:]) if isinstance(node, For) and len(path) > 1 else node


def _read_for(name: str, node: Node) -> list[str]:
    """The tiles that a node works on to write this one, which is its first operand."""
    if not isinstance(node, Instr) or node.operands[0] != name:
        return []
    return [o for o in node.operands[1:] if isinstance(o, str) and o != name]


def _renamed(nodes: tuple[Node, ...], names: Mapping[str, str], later: set[str]) -> tuple[Node, ...]:
    """The nodes without the declarations of ``later`` steps."""
    kept = (node for node in nodes if not (isinstance(node, Declare) and node.name in later))
    return tuple(_rename(node, names, later) for node in kept)


def _rename(node: Node, names: Mapping[str, str], later: set[str]) -> Node:
    if isinstance(node, For):
        return replace(node, body=_renamed(node.body, names, later))
    if isinstance(node, Declare):
        return replace(node, name=names.get(node.name, node.name), owner=names.get(node.owner, node.owner))
    if isinstance(node, Choose):
        then, other = (_rename(instr, names, later) for instr in (node.then, node.other))
        assert isinstance(then, Instr) and isinstance(other, Instr)
        return replace(node, then=then, other=other)
    if isinstance(node, Instr):
        return replace(node, operands=tuple(names.get(o, o) if isinstance(o, str) else o for o in node.operands))
    return node
