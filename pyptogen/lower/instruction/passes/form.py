"""Form passes: neighbouring vector instructions on tiles of the same extents are walked together, vector by vector.

before: TLOAD(x, gm)            after: pass over rows x cols:
        TMUL(s, x, x)                      x = load(gm), kept in its tile
        TROWSUM(v, s)                      s = x * x, in a register only
                                           v += s

An instruction joins a pass when it can be moved next to it (nothing in between accesses what it writes, or writes what
it accesses) and may walk in step with the members: whatever one of them writes and another accesses are the same
elements in the same step. A tile that only members use, each time after it was written, needs no memory; what a later
pass reads and is cheap to compute again from an accumulator, is (`recompute`). Afterwards every
instruction is still there, in an order that gives each the operands it had. Tiles must not share memory here: `replan`
gives them addresses afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.instruction.ir import Choose, Declare, For, Instr, Node, Pass, walk
from pyptogen.lower.instruction.passes import footprint
from pyptogen.lower.instruction.passes.recompute import recompute
from pyptogen.lower.instruction.passes.roles import INTEGERS, Role, Roles
from pyptogen.records import dataclass, replace

MOST_MEMBERS = 64
"""Longer passes would not keep their values in registers."""

MOST_STREAMS = 8
"""Windows of global memory beside each other in a pass, where these have nothing else in common (of 15, one walk for
each three takes 4 % less time on Zen 5)."""


@dataclass(frozen=True, slots=True)
class _Group:
    """The members of a pass, what goes before it, what comes after it."""

    before: list[Node]
    members: list[Role]
    rest: list[Node]


class Former:
    """Forms the passes of one kernel. ``tiles`` are its declarations, no two of which share memory by accident."""

    def __init__(self, tiles: Mapping[str, Declare], body: tuple[Node, ...]) -> None:
        self.tiles = tiles
        self.roles = Roles(tiles)
        self.users: dict[str, set[int]] = {}
        for node in walk(body):
            for instr in (node.then, node.other) if isinstance(node, Choose) else (node,):
                if isinstance(instr, Instr):
                    for operand in instr.operands:
                        if isinstance(operand, str):
                            self.users.setdefault(tiles[operand].owner, set()).add(id(instr))

    def body(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """The nodes without their declarations, with passes."""
        return tuple(recompute(self._nodes([n for n in nodes if not isinstance(n, Declare)]), self.roles, self.users))

    def _nodes(self, pending: list[Node]) -> list[Node]:
        result: list[Node] = []
        while pending:
            node = pending.pop(0)
            if isinstance(node, For):
                node = replace(node, body=self.body(node.body))
            role = self.roles.of(node) if isinstance(node, Instr) else None
            group = self._gather(role, pending) if role is not None else None
            if group is not None:
                group = self._fewer_streams(group, pending)
            if group is None or not _worth_it(group.members):
                result.append(node)
            else:
                group = self._settle(group)
                result += [*self._nodes(group.before), self._formed(group.members)]
                pending = group.rest
        return result

    def _gather(self, head: Role, pending: list[Node]) -> _Group:
        """The pass that begins with an instruction: every later one that may join. What cannot, and may be done before,
        goes before it; the rest comes after, and is passed by those who join later."""
        members, accessed = [head], footprint.of_role(head, self.tiles)
        whole = self._rounded_to_integers(head)
        before: list[Node] = []
        after: list[Node] = []
        passed: list[footprint.Access] = []
        for i, node in enumerate(pending):
            if not isinstance(node, Instr):
                return _Group(before, members, [*after, *pending[i:]])
            alone = footprint.of_instr(node, self.tiles)
            role = self.roles.of(node)
            free = footprint.independent(passed, alone)
            if role is not None and role.space == head.space:
                beside = footprint.of_role(role, self.tiles)
                reads_whole = role.window is None and not whole.isdisjoint(role.elements)
                if free and len(members) < MOST_MEMBERS and not reads_whole and footprint.in_step(accessed, beside):
                    members.append(role)
                    accessed += beside
                    whole |= self._rounded_to_integers(role)
                    continue
            elif free and footprint.independent(accessed, alone):
                before.append(node)
                continue
            after.append(node)
            passed += alone
        return _Group(before, members, after)

    def _fewer_streams(self, group: _Group, pending: list[Node]) -> _Group:
        """A pass that moves more windows of global memory than the processor follows at a time keeps the instructions
        that share tiles with its first one; the others are for later passes."""
        if sum(m.window is not None for m in group.members) <= MOST_STREAMS:
            return group
        marks = [{(a.place, a.owner) for a in footprint.of_role(m, self.tiles)} for m in group.members]
        joined = marks[0]
        while grown := [m for m in marks if m & joined and not m <= joined]:
            joined = joined.union(*grown)
        members = [m for m, accessed in zip(group.members, marks, strict=True) if accessed <= joined]
        gone = {id(m.instr) for m in members} | {id(node) for node in group.before}
        return _Group(group.before, members, [node for node in pending if id(node) not in gone])

    def _settle(self, group: _Group) -> _Group:
        """Vector work that went before the pass but could as well come after it does: it may be part of a later one."""
        accessed = [access for m in group.members for access in footprint.of_role(m, self.tiles)]
        before: list[Node] = []
        late: list[Node] = []
        for node in reversed(group.before):
            assert isinstance(node, Instr)
            alone = footprint.of_instr(node, self.tiles)
            kept = [a for other in before if isinstance(other, Instr) for a in footprint.of_instr(other, self.tiles)]
            role = self.roles.of(node)
            if role is not None and footprint.independent(accessed, alone) and footprint.independent(kept, alone):
                late.insert(0, node)
            else:
                before.insert(0, node)
        return _Group(before, group.members, [*late, *group.rest])

    def _rounded_to_integers(self, role: Role) -> set[str]:
        """The result of a cast to integers: a store does it, so no member may compute with the integers."""
        casts = role.instr.name == "TCVT" and role.result is not None
        return {str(role.result)} if casts and self.tiles[str(role.result)].type.dtype in INTEGERS else set()

    def _in_registers(self, members: Sequence[Role]) -> frozenset[str]:
        """Owners of the tiles that only these instructions use, each time after writing them as they are read."""
        inside = {id(m.instr) for m in members}
        written: set[str] = set()
        spoiled: set[str] = set()
        for member in members:
            spoiled |= {self.tiles[n].owner for n in member.elements if n not in written}
            spoiled |= {self.tiles[n].owner for n in (*member.columns, *member.rows)}
            if member.result is not None and not member.reduction:
                written.add(member.result)
            elif member.result is not None:
                spoiled.add(self.tiles[member.result].owner)
        owners = {self.tiles[name].owner for name in written}
        return frozenset(o for o in owners - spoiled if self.users[o] <= inside)

    def _formed(self, members: Sequence[Role]) -> Pass:
        registers = self._in_registers(members)
        results = [m.result for m in members if m.result is not None]
        kept = tuple(dict.fromkeys(n for n in results if self.tiles[n].owner not in registers))
        written: set[str] = set()
        named: dict[str, None] = dict.fromkeys(kept)
        for member in members:
            named |= dict.fromkeys(n for n in member.elements if n not in written)
            named |= dict.fromkeys((*member.columns, *member.rows, *member.accumulators))
            if member.result is not None:
                written.add(member.result)
        rows, cols = members[0].space
        operands = dict.fromkeys(o for m in members for o in m.instr.operands if isinstance(o, str))
        dtypes = tuple((name, self.tiles[name].type.dtype) for name in operands)
        instructions = tuple(m.instr for m in members)
        return Pass(rows, cols, instructions, kept, tuple(named), dtypes, members[0].instr.span)


def _worth_it(members: Sequence[Role]) -> bool:
    """Several instructions, of which some do more than to fill a tile."""
    return len(members) > 1 and any(m.instr.name != "TLOAD" for m in members)


def is_legal(node: Pass, tiles: Mapping[str, Declare]) -> bool:
    """The proof obligation: whether the members of a pass may walk in step."""
    roles = Roles(tiles)
    accessed: list[footprint.Access] = []
    for instr in node.members:
        role = roles.of(instr)
        if role is None or role.space != (node.rows, node.cols):
            return False
        own = footprint.of_role(role, tiles)
        if not footprint.in_step(accessed, own):
            return False
        accessed += own
    return True
