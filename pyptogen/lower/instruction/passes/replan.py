"""Addresses for the tiles that still need memory once passes are formed.

`disjoint` gives every tile memory of its own, so that forming passes meets no obstacle but the data itself; `replan`
then packs the tiles of UB that are left: live from the first to the last node that accesses them, a pass being one
node, and through every loop that they cross. A result of a pass may take the place of a tile that dies there where both
are walked element by element in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Choose, Declare, For, GmWindow, Instr, Node, Pass
from pyptogen.lower.instruction.passes.roles import Role, Roles
from pyptogen.lower.isa.table import INSTRUCTIONS
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.records import replace

STEP = 64
"""Tiles begin at whole cache lines."""


def _up(size: int) -> int:
    return -(-size // STEP) * STEP


def extents(tiles: Mapping[str, Declare]) -> dict[str, tuple[int, int]]:
    """The bytes of UB between which all declarations of each owner lie; the windows of its rows lie in them too."""
    found: dict[str, tuple[int, int]] = {}
    for tile in tiles.values():
        if tile.type.loc == "Vec":
            at = _constant_part(tile.address)
            begin, end = found.get(tile.owner, (at, at))
            found[tile.owner] = min(begin, at), max(end, at + max(tile.size, tile.whole))
    return found


def disjoint(tiles: Mapping[str, Declare]) -> dict[str, Declare]:
    """The declarations with every buffer of UB at a place of its own. Windows keep their places in their buffers."""
    shifts: dict[str, int] = {}
    free = 0
    for owner, (begin, end) in extents(tiles).items():
        shifts[owner] = free - begin
        free += _up(end - begin)
    return {n: replace(t, address=t.address + shifts.get(t.owner, 0)) for n, t in tiles.items()}


def _constant_part(address: Poly) -> int:
    return next((c for mono, c in address.terms if mono == ()), 0)


@dataclass(slots=True)
class _Access:
    """How a node accesses a buffer: in which orders (None: not element by element), and between which of its
    members."""

    orders: set[object] = field(default_factory=set)
    last_read: int = -1
    first_write: int = 1 << 30


@dataclass(slots=True)
class _Buffer:
    """A buffer of UB: its size, the node positions between which it lives, and how nodes access it there."""

    size: int
    first: int
    last: int
    fresh: bool
    """The first node to access it fills it and does not read what was there."""
    accesses: dict[int, _Access] = field(default_factory=dict)


class _Liveness:
    def __init__(self, tiles: Mapping[str, Declare], sizes: Mapping[str, int]) -> None:
        self.tiles, self.roles, self.sizes = tiles, Roles(tiles), sizes
        self.buffers: dict[str, _Buffer] = {}
        self.clock = 0

    def walk(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if isinstance(node, For):
                start, known = self.clock, set(self.buffers)
                self.walk(node.body)
                self._cross(start, known)
            elif isinstance(node, Pass):
                self._access(node.tiles, [self.roles.of(m) for m in node.members])
            elif isinstance(node, Instr):
                role = self.roles.of(node)
                self._access(_names(node), [role], self._filled(node) if role is None else ())
            elif isinstance(node, Choose):
                self._access((*_names(node.then), *_names(node.other)), [None])
            self.clock += 1

    def _cross(self, start: int, known: set[str]) -> None:
        """What enters a loop, or is read in it before it was filled there, lives through all of it."""
        for name, buffer in self.buffers.items():
            if buffer.last >= start and (name in known or not buffer.fresh):
                buffer.first, buffer.last = min(buffer.first, start), self.clock

    def _filled(self, instr: Instr) -> tuple[str, ...]:
        """The buffers that an instruction without a role fills, or has as scratch, whatever was in them."""
        operands = [o for o in instr.operands if isinstance(o, str | GmWindow)]
        effects = INSTRUCTIONS[instr.name].effects_for(len(operands))
        written = {o for o, effect in zip(operands, effects, strict=True) if isinstance(o, str) and effect in "wt"}
        written -= {o for o, effect in zip(operands, effects, strict=True) if isinstance(o, str) and effect in "ru"}
        return tuple(n for n in written if self.tiles[n].size == self.sizes.get(self.tiles[n].owner))

    def _access(self, names: Sequence[str], roles: Sequence[Role | None], filled: Sequence[str] = ()) -> None:
        """A node accesses tiles. ``filled``: by instructions without a role, all of them and without a look before."""
        for name in dict.fromkeys(names):
            tile = self.tiles[name]
            if tile.type.loc != "Vec":
                continue
            access = self._by_members(name, roles)
            fresh = access.first_write < 1 << 30 and (access.last_read < 0 or access.first_write < access.last_read)
            fresh = (fresh or name in filled) and not tile.whole
            new = _Buffer(self.sizes[tile.owner], self.clock, self.clock, fresh)
            buffer = self.buffers.setdefault(tile.owner, new)
            buffer.last = self.clock
            before = buffer.accesses.setdefault(self.clock, _Access())
            before.orders |= access.orders
            before.last_read = max(before.last_read, access.last_read)
            before.first_write = min(before.first_write, access.first_write)

    def _by_members(self, name: str, roles: Sequence[Role | None]) -> _Access:
        tile, access = self.tiles[name], _Access()
        order = (tile.type.cols * DTYPES[tile.type.dtype], tile.type.dtype, tile.size)
        for i, role in enumerate(roles):
            if role is None:
                access.orders.add(None)
                access.last_read = i
                continue
            if name in role.elements or (role.result == name and not role.reduction):
                access.orders.add(order)
            if role.result == name:
                access.first_write = min(access.first_write, i)
            if name in (*role.columns, *role.rows) or (role.result == name and role.reduction):
                access.orders.add(None)
            if name in (*role.elements, *role.columns, *role.rows):
                access.last_read = i
        return access


def _names(instr: Instr) -> tuple[str, ...]:
    return tuple(o for o in instr.operands if isinstance(o, str))


def _may_share(dying: _Buffer, new: _Buffer, at: int) -> bool:
    """Whether a buffer first written at a node may lie where one lies that is last read there: both element by element
    in one order, and by no member after the first that writes."""
    if not (dying.last == at == new.first and new.fresh):
        return False
    old, fresh = dying.accesses[at], new.accesses[at]
    orders = old.orders | fresh.orders
    written_before = old.first_write < 1 << 30
    return len(orders) == 1 and None not in orders and not written_before and old.last_read <= fresh.first_write


def replan(
    body: tuple[Node, ...], tiles: Mapping[str, Declare], capacity: int
) -> tuple[dict[str, Declare], int] | None:
    """The declarations with packed addresses for the buffers of UB that the body accesses, and the bytes these take;
    None where they do not find room in ``capacity`` bytes. The others, whose tiles are in registers, stay apart."""
    old = extents(tiles)
    live = _Liveness(tiles, {owner: end - begin for owner, (begin, end) in old.items()})
    live.walk(body)
    packed = (_packed(live.buffers, order) for order in (_by_time, _by_size))
    placed, used = next((found for found in packed if found[1] <= capacity), ({}, capacity + 1))
    if used > capacity:
        return None
    moved = dict(tiles)
    for name, tile in tiles.items():
        if tile.owner in placed:
            begin = placed[tile.owner]
            note = f"UB 0x{begin:05x}..0x{begin + live.buffers[tile.owner].size:05x}"
            address = tile.address + (begin - old[tile.owner][0])
            moved[name] = replace(tile, address=address, note=note if tile.note.startswith("UB ") else tile.note)
        elif tile.type.loc == "Vec":  # in registers: apart from everything that has memory
            moved[name] = replace(tile, address=tile.address + _up(used))
    return moved, used


def _by_time(item: tuple[str, _Buffer]) -> tuple[object, ...]:
    return item[1].first, -item[1].last, item[0]


def _by_size(item: tuple[str, _Buffer]) -> tuple[object, ...]:
    return -item[1].size, *_by_time(item)


def _packed(
    buffers: Mapping[str, _Buffer], order: Callable[[tuple[str, _Buffer]], tuple[object, ...]]
) -> tuple[dict[str, int], int]:
    """First fit in an order: the address of each buffer, and the bytes that all take."""
    placed: dict[str, int] = {}
    for name, buffer in sorted(buffers.items(), key=order):
        beside = [n for n in placed if buffers[n].first <= buffer.last and buffer.first <= buffers[n].last]
        shared = {n for n in beside if _may_take_turns(buffers[n], buffer)}
        placed[name] = _first_fit(buffer.size, [(placed[n], buffers[n].size, n in shared) for n in beside])
    return placed, max((placed[n] + buffers[n].size for n in placed), default=0)


def _may_take_turns(one: _Buffer, other: _Buffer) -> bool:
    return _may_share(one, other, other.first) or _may_share(other, one, one.first)


def _first_fit(size: int, beside: list[tuple[int, int, bool]]) -> int:
    """Lowest address whose bytes are free, or those of one buffer that may be shared, as a whole."""

    def fits(address: int) -> bool:
        over = [(a, s, shared) for a, s, shared in beside if address < a + s and a < address + size]
        return all(shared and a == address for a, s, shared in over)

    return min(filter(fits, {0, *(_up(a + s) for a, s, _ in beside), *(a for a, _, shared in beside if shared)}))
