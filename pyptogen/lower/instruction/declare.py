"""Put every tile declaration into the innermost body that holds all its uses, right before the first of them."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.instruction.ir import Choose, Declare, For, Instr, Node, Pass
from pyptogen.records import replace

Path = tuple[int, ...]


def _uses(nodes: tuple[Node, ...], path: Path, found: dict[str, list[Path]]) -> None:
    """Position of every use of a tile: indices from the kernel's body down."""
    for i, node in enumerate(nodes):
        here = (*path, i)
        if isinstance(node, For):
            _uses(node.body, here, found)
        if isinstance(node, Pass):
            for name in node.tiles:
                found.setdefault(name, []).append(here)
        for instr in (node.then, node.other) if isinstance(node, Choose) else (node,):
            if isinstance(instr, Instr):
                for operand in instr.operands:
                    if isinstance(operand, str):
                        found.setdefault(operand, []).append(here)


def uses_of(body: tuple[Node, ...]) -> dict[str, list[Path]]:
    """Where each tile is used, in the order of the text."""
    found: dict[str, list[Path]] = {}
    _uses(body, (), found)
    return found


def _common(paths: list[Path]) -> Path:
    """Path of the innermost body around all, and the index in it of the first use."""
    first, last = min(paths), max(paths)
    shared = 0
    while shared < min(len(first), len(last)) - 1 and first[shared] == last[shared]:
        shared += 1
    return first[: shared + 1]


def used_tiles(body: tuple[Node, ...]) -> frozenset[str]:
    """The names of the tiles that a body needs in memory."""
    found: dict[str, list[Path]] = {}
    _uses(body, (), found)
    return frozenset(found)


def place_declarations(body: tuple[Node, ...], declared: Mapping[str, Declare]) -> tuple[Node, ...]:
    """The body with its declarations."""
    found = uses_of(body)
    at: dict[Path, list[Declare]] = {}
    for name, tile in declared.items():
        if name in found:
            at.setdefault(_common(found[name]), []).append(tile)

    def rebuild(nodes: tuple[Node, ...], path: Path) -> tuple[Node, ...]:
        result: list[Node] = []
        for i, node in enumerate(nodes):
            here = (*path, i)
            result += at.get(here, [])
            result.append(replace(node, body=rebuild(node.body, here)) if isinstance(node, For) else node)
        return tuple(result)

    return rebuild(body, ())
