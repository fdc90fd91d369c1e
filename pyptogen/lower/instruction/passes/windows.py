"""Tiles of which only column windows are computed with are loaded, converted and stored window by window.

before: TLOAD(x, gm)          32 x 128      after: TLOAD(x_1, gm columns 0 to 64)     32 x 64
        TCVT(f, x)                                 TLOAD(x_2, gm columns 64 to 128)
        TMUL(s, f1, c1)        32 x 64             TCVT(f1, x_1); TCVT(f2, x_2)
        TMUL(p, f2, s1)                            TMUL(s, f1, c1); TMUL(p, f2, s1)

The whole tile and its windows have other extents, so instructions on them share no pass, and everything between them
goes through memory. Windows are views: what an instruction leaves does not change when it goes window by window. It is
done where every instruction on the whole tile works element by element, with all tiles that these instructions lead to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Choose, Declare, For, GmWindow, Instr, Node, walk
from pyptogen.lower.instruction.passes.roles import Role, Roles
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Extent
from pyptogen.records import replace


def run(body: tuple[Node, ...], tiles: Mapping[str, Declare]) -> tuple[tuple[Node, ...], dict[str, Declare]]:
    """The body by windows, and its declarations with those windows that were missing."""
    splitter = _Splitter(body, tiles)
    return splitter.rewritten(body), splitter.tiles


class _Splitter:
    """Decides at first what is split; ``tiles`` grows by the windows that instructions need."""

    def __init__(self, body: tuple[Node, ...], tiles: Mapping[str, Declare]) -> None:
        self.tiles = dict(tiles)
        self.roles = Roles(tiles)
        self.users: dict[str, list[Instr]] = {}
        """The instructions that use a tile, by its name."""
        for instr in _instructions(body):
            for name in dict.fromkeys(o for o in instr.operands if isinstance(o, str)):
                self.users.setdefault(name, []).append(instr)
        self.widths: dict[int, int] = {}
        """The columns of the windows of each instruction that is split, by its identity."""
        self.windows = {
            (t.owner, self._column(t), t.cols.size): t.name
            for t in tiles.values()
            if t.name in self.users and t.owner in tiles and self._is_window(t, tiles[t.owner])
        }
        """The name of the window of a tile that begins at a column and has so many."""
        for owner in tiles:
            if owner in self.users:
                self._split(owner)

    @staticmethod
    def _is_window(tile: Declare, whole: Declare) -> bool:
        same = (tile.type.dtype, tile.type.cols, tile.rows) == (whole.type.dtype, whole.type.cols, whole.rows)
        return tile is not whole and same and whole.type.loc == "Vec" and tile.cols.valid is None

    def _column(self, window: Declare) -> int:
        """The first column of a window in its owner; -1 where it is not in its first row, or elsewhere."""
        at = (window.address - self.tiles[window.owner].address).constant
        size = DTYPES[window.type.dtype]
        inside = at is not None and 0 <= at < window.type.cols * size and at % size == 0
        return at // size if at is not None and inside else -1

    def _split(self, owner: str) -> None:
        """Notes how a tile is split whose columns are windows of one width that are computed with, all of them."""
        parts = [t for t in self.tiles.values() if t.owner == owner and t.name != owner and t.name in self.users]
        known = {(column, width) for of, column, width in self.windows if of == owner}
        width, size = min((width for _, width in known), default=0), self.tiles[owner].cols.size
        whole = width > 0 and known == {(column, width) for column in range(0, size, width)} and len(known) > 1
        if not whole or len(parts) != len(known) or id(self.users[owner][0]) in self.widths:
            return
        if all(self._by_element(tile.name) for tile in parts):
            self.widths |= dict.fromkeys(self._with_neighbours(owner), width)

    def _by_element(self, name: str) -> bool:
        roles = [self.roles.of(instr) for instr in self.users[name]]
        return all(role is not None and name not in (*role.rows, *role.columns) for role in roles)

    def _with_neighbours(self, owner: str) -> set[int]:
        """The instructions on a tile as a whole, and on all tiles that these lead to; none where one of them is not
        element by element, or on a tile that is itself part of another."""
        space = self.roles.space(owner)
        reached, waiting = {owner}, [owner]
        instructions: set[int] = set()
        while waiting:
            for instr in self.users.get(waiting.pop(), ()):
                role = self.roles.of(instr)
                if role is None or role.space != space or not _element_by_element(role):
                    return set()
                instructions.add(id(instr))
                for name in (o for o in instr.operands if isinstance(o, str)):
                    if self.tiles[name].owner != name or self.tiles[name].type.loc != "Vec":
                        return set()
                    waiting += [name] if name not in reached else []
                    reached.add(name)
        return instructions

    def rewritten(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, For):
                result.append(replace(node, body=self.rewritten(node.body)))
            elif isinstance(node, Instr) and id(node) in self.widths:
                result += self._by_window(node, self.widths[id(node)])
            else:
                result.append(node)
        return tuple(result)

    def _by_window(self, instr: Instr, width: int) -> Iterator[Instr]:
        whole = next(self.tiles[o] for o in instr.operands if isinstance(o, str))
        for column in range(0, whole.cols.size, width):
            operands = [
                self._window(o, column, width)
                if isinstance(o, str)
                else replace(o, offset=o.offset + column, cols=Extent(width))
                if isinstance(o, GmWindow)
                else o
                for o in instr.operands
            ]
            yield replace(instr, operands=tuple(operands))

    def _window(self, owner: str, column: int, width: int) -> str:
        """The name of some columns of a tile, which is declared if need be."""
        if (owner, column, width) in self.windows:
            return self.windows[owner, column, width]
        whole, number = self.tiles[owner], column // width + 1
        name = f"{owner}_{number}"
        while name in self.tiles:
            name += "_columns"
        self.windows[owner, column, width] = name
        self.tiles[name] = replace(
            whole,
            name=name,
            type=replace(whole.type, valid_cols=width),
            cols=Extent(width),
            address=whole.address + Poly.of(column * DTYPES[whole.type.dtype]),
            size=whole.size - (whole.cols.size - width) * DTYPES[whole.type.dtype],
            note=f"columns {column}.. of {owner}",
        )
        return name


def _element_by_element(role: Role) -> bool:
    return not (role.rows or role.columns or role.accumulators or role.reduction)


def _instructions(body: tuple[Node, ...]) -> Iterator[Instr]:
    for node in walk(body):
        for instr in (node.then, node.other) if isinstance(node, Choose) else (node,):
            if isinstance(instr, Instr):
                yield instr
