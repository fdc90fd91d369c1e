"""Cheap values that a later pass reads are computed there again, instead of going through memory.

before: pass: s = extract(acc) * scale, kept in its tile; m = max(s)    pass: p = exp(s - m)
after:  pass: s = extract(acc) * scale; m = max(s)                      pass: s = extract(acc) * scale; p = exp(s - m)

The value must follow from rows of an accumulator and numbers in at most `MOST` instructions, the accumulator must still
be the same, and no one but the two passes may use the tile. Scores then take half the room in L1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.instruction.ir import Instr, Node, Pass
from pyptogen.lower.instruction.passes import footprint
from pyptogen.lower.instruction.passes.roles import SCALARS, Role, Roles
from pyptogen.records import replace

MOST = 4
"""Instructions that are done again rather than a tile stored and loaded."""


def recompute(nodes: Sequence[Node], roles: Roles, users: Mapping[str, set[int]]) -> list[Node]:
    """The nodes of one body; ``users`` are the instructions (by id) that use each owner of tiles."""
    result = list(nodes)
    for index, node in enumerate(result):
        if isinstance(node, Pass):
            for name in _read_first(node):
                found = _earlier(result, index, name)
                if found is None:
                    continue
                earlier, later = result[found], result[index]
                assert isinstance(earlier, Pass) and isinstance(later, Pass)
                chain = _chain(earlier, name, roles)
                inside = {id(m) for m in (*earlier.members, *later.members)}
                alone = chain and all(users[roles.tiles[str(m.operands[0])].owner] <= inside for m in chain)
                if alone and _unchanged(chain, result[found + 1 : index], roles):
                    made = {str(m.operands[0]) for m in chain}
                    result[found] = _without(earlier, made)
                    result[index] = _again(later, chain, made, earlier)
    return result


def _read_first(node: Pass) -> list[str]:
    """Tiles that a pass reads before it writes them."""
    written: set[str] = set()
    found: dict[str, None] = {}
    for member in node.members:
        stores = member.name == "TSTORE"
        for operand in member.operands if stores else member.operands[1:]:
            if isinstance(operand, str) and operand not in written:
                found[operand] = None
        if not stores:
            written.add(str(member.operands[0]))
    return list(found)


def _earlier(nodes: Sequence[Node], before: int, name: str) -> int | None:
    """The last pass in the same body that keeps a tile of that name."""
    found = [i for i, n in enumerate(nodes[:before]) if isinstance(n, Pass) and name in n.kept]
    return found[-1] if found else None


def _chain(node: Pass, name: str, roles: Roles) -> list[Instr]:
    """The members of a pass that make a value, if they are few and begin at an accumulator; else none."""
    chain: list[Instr] = []
    wanted = {name}
    for member in reversed(node.members):
        if member.name == "TSTORE" or str(member.operands[0]) not in wanted:
            continue
        role = roles.of(member)
        if member.name not in SCALARS | {"TEXTRACT", "TCVT"} or role is None or role.reduction:
            return []
        wanted = wanted - {str(role.result)} | set(role.elements)
        chain.insert(0, member)
    return chain if not wanted and len(chain) <= MOST else []


def _unchanged(chain: Sequence[Instr], between: Sequence[Node], roles: Roles) -> bool:
    """Whether nothing in between writes what the chain reads."""
    first: Role | None = roles.of(chain[0])
    assert first is not None
    read = [footprint.of_tile(roles.tiles[n], False, False) for n in first.accumulators]
    for node in between:
        members = node.members if isinstance(node, Pass) else (node,)
        for member in members:
            if not isinstance(member, Instr) or not footprint.independent(
                read, footprint.of_instr(member, roles.tiles)
            ):
                return False
    return True


def _without(node: Pass, made: set[str]) -> Pass:
    """The pass with those values in registers only."""
    return replace(
        node, kept=tuple(n for n in node.kept if n not in made), tiles=tuple(n for n in node.tiles if n not in made)
    )


def _again(node: Pass, chain: Sequence[Instr], made: set[str], earlier: Pass) -> Pass:
    """The pass with those values made in it, as an earlier one does."""
    sources = [str(m.operands[1]) for m in chain if m.name == "TEXTRACT"]
    dtypes = [pair for pair in earlier.dtypes if pair[0] in {*made, *sources}]
    return replace(
        node,
        members=(*chain, *node.members),
        kept=tuple(n for n in node.kept if n not in made),
        tiles=tuple(dict.fromkeys([*(n for n in node.tiles if n not in made), *sources])),
        dtypes=tuple(dict.fromkeys([*node.dtypes, *dtypes])),
    )
