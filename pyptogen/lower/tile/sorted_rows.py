"""The greatest elements of each row of a tile, in order, as pairs of value and position.

before: best [R, 128] = sort x [R, 512], positions {kept = 64}
after:  for best_at in 0..R: pairs = sort_blocks x[best_at], positions           blocks of 32
          kept = merge_lists the first pairs of four blocks, four times; best[best_at] = merge_lists those four

before: best [1, 128] = sort x [1, 2048], positions {kept = 64}
after:  pairs = sort_blocks x, positions; pairs = merge_blocks pairs …; best = merge_lists … until one list is left

Only the first elements of a sorted block can be among the first of the row, so that no more of it are merged. Of equal
elements the first ones come first: positions rise within a block, and an earlier list goes before a later one. What
fills a row up is the least number there is, behind all elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tile.added_tiles import AddedTiles
from pyptogen.lower.tile.ir import Extent, Loop, Node
from pyptogen.lower.tile.ops import MergeBlocks, MergeLists, Pad, Sort, SortBlocks
from pyptogen.records import dataclass, replace

BLOCK = 32
"""Elements that TSORT32 sorts."""
LISTS = 4
"""Lists that TMRGSORT merges at once."""
MOST_LISTS = LISTS * LISTS
"""Lists that are merged one by one, each a line of the kernel."""
START = 24
"""Pairs that a merge moves in the time that an instruction takes to begin, and to end."""
LONGEST_PIECE = 64 * BLOCK
"""Elements of a longer row that are sorted in one piece: UB has room for their pairs several times."""
LONGEST_ROW = LISTS * LONGEST_PIECE
"""Elements of a row of which more may be kept than that."""
WORTH_A_TRANSFER = 1200
"""Pairs that are merged in the time of a transfer's latencies: shorter rows go several at a time."""
MOST_ROWS, PAIRS_AT_ONCE = 64, 6144
"""Rows that are loaded together at first, and the pairs of all of them: a quarter of UB."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a row is sorted: ``size`` elements with those that fill it up, in ``rounds`` of which each makes one block of
    four, and merges of the blocks that are left, as lists of which ``kept`` elements stay. ``work``: the pairs that are
    moved, and what takes as long."""

    rounds: int
    size: int
    kept: int
    work: int = field(init=False)

    def __post_init__(self) -> None:
        merges = sum(sum(group) + START for groups in self.merges() for group in groups if len(group) > 1)
        sorts = START + self.size // BLOCK + self.rounds * (self.size + START)
        object.__setattr__(self, "work", sorts + merges)

    @property
    def block(self) -> int:
        """Elements of a sorted block after the rounds."""
        return int(BLOCK * LISTS**self.rounds)

    @property
    def pairs(self) -> int:
        """Pairs of the result: those that are kept, or all where one block is the row."""
        merges = self.merges()
        return min(sum(merges[-1][0]), self.kept) if merges else self.size

    @property
    def rows_at_once(self) -> int:
        """Rows that are worth a transfer; where rounds need a tile of one row, one by one."""
        if self.rounds:
            return 1
        worth = 1 << max(0, (WORTH_A_TRANSFER // self.work).bit_length())
        return max(1, min(worth, MOST_ROWS, PAIRS_AT_ONCE // self.size))

    def lists(self) -> list[int]:
        """How many elements of each block may stay."""
        return [min(self.block, self.kept)] * (self.size // self.block)

    def merges(self) -> list[list[Sequence[int]]]:
        """The lists that each merge takes, until one is left."""
        found, lists = list[list[Sequence[int]]](), self.lists()
        while len(lists) > 1:
            found.append(in_fours(lists))
            lists = [min(sum(group), self.kept) for group in found[-1]]
        return found


def in_fours(lists: Sequence[Any]) -> list[Sequence[Any]]:
    """As many at a time as are merged at once."""
    return [lists[at : at + LISTS] for at in range(0, len(lists), LISTS)]


def fastest(length: int, kept: int) -> Way:
    """The way with the least work to sort so many elements, of which ``kept`` stay; of equal ones that with fewer
    lines in the kernel. Lists of a long row are merged at once: memory has no room for those of another merge."""
    most = MOST_LISTS if length <= LONGEST_PIECE else LISTS
    blocks = [BLOCK * LISTS**rounds for rounds in (3, 2, 1, 0)]
    ways = [Way(3 - at, -(-length // block) * block, kept) for at, block in enumerate(blocks)]
    return min((way for way in ways if len(way.lists()) <= most), key=lambda way: way.work)


def list_length(k: int) -> int:
    """Pairs of a list of ``k``: 32 bytes and a multiple, so that lists lie side by side."""
    return -(-k // 8) * 8


def lists_at_once(platform: Platform, kept: int) -> int:
    """Lists of a row that are merged with the best so far: as many as UB has room for twice, beside the pairs that are
    merged, the best ones and the results, also twice."""
    pair, result = 8 * kept, 4 * kept
    return next(n for n in (3, 2, 1) if n == 1 or pair * (2 * n + n + 2) + 4 * result <= platform.memories["ub"])


def kept_of(k: int) -> int:
    """Pairs of a row that stay of each merge, where ``k`` are wanted: all of them of more than a piece, so that merges
    work in place."""
    return list_length(k) if k <= LONGEST_PIECE else LONGEST_ROW


def in_pieces(length: int, k: int) -> bool:
    """Whether a row is sorted piece by piece: of a longer one than that at most a piece is kept."""
    return length > LONGEST_PIECE >= k


def steps(op: Sort, tiles: AddedTiles) -> Sequence[Node]:
    """What makes the pairs of a tile."""
    return _Rows(op, tiles).steps()


class _Rows:
    """Sorts the rows of one tile, one by one."""

    def __init__(self, op: Sort, tiles: AddedTiles) -> None:
        self.op, self.tiles, self.dst = op, tiles, str(op.dst)
        self.source, self.positions = op.operands
        self.way = fastest(tiles.tiles[self.positions].cols.size, op.kept)
        self.several = tiles.tiles[self.source].rows.size > 1
        self.at = tiles.variable(f"{self.dst}_at") if self.several else ""

    def steps(self) -> Sequence[Node]:
        """Fills the rows up, and sorts each."""
        size, source = self.way.size, self.tiles.tiles[self.source]
        padding: list[Node] = []
        if source.cols != Extent(size):
            whole = self.tiles.add(f"{self.source}_whole", replace(source, cols=Extent(size)))
            self.tiles.tiles[self.source] = replace(source, parent=whole)
            padding = [Pad.of(self.op, whole, self.source)]
            self.source = whole
        of_row = self._sorted(self._row(self.source))
        if not self.several:
            return [*padding, *of_row]
        loop = Loop(self.at, self.at, ZERO, source.rows.poly(), 1, None, "sub", False, tuple(of_row), self.op.span)
        return [*padding, loop]

    def _row(self, tile: str) -> str:
        return self.tiles.line(tile, Poly.of(self.at)) if self.several else tile

    def _own(self, wanted: str, pairs: int) -> str:
        """A tile of pairs beside the result, of one row."""
        dst = self.tiles.tiles[self.dst]
        row = replace(dst, rows=Extent(1), form="row", parent=None, col_offset=0, row_offset=ZERO)
        return self.tiles.add(f"{self.dst}_{wanted}", replace(row, cols=Extent(2 * pairs)))

    def _sorted(self, row: str) -> list[Node]:
        """A row in blocks of four times as many elements after each round, and these blocks as one list."""
        result, rounds = self._row(self.dst), self.way.rounds
        merges = len(self.way.lists()) > 1
        last = self._own("pairs", self.way.size) if merges and self.way.pairs < self.way.size else result
        other = self._own("blocks", self.way.size) if rounds else last
        order = [last if (rounds - turn) % 2 == 0 else other for turn in range(rounds + 1)]
        nodes: list[Node] = [SortBlocks.of(self.op, order[0], row, self.positions)]
        for turn in range(rounds):
            length = Poly.of(2 * BLOCK * LISTS**turn)
            nodes.append(MergeBlocks.of(self.op, order[turn + 1], order[turn], length=length))
        return [*nodes, *self._merged(last, result)] if merges else nodes

    def _merged(self, pairs: str, result: str) -> list[Node]:
        """What makes one list of the blocks of a row, four at a time."""
        nodes = list[Node]()
        lists = [(pairs, 2 * self.way.block * at, count) for at, count in enumerate(self.way.lists())]
        scratch = self._own("merged", max(sum(group) for groups in self.way.merges() for group in groups))
        while len(lists) > 1:
            groups = in_fours(lists)
            alone = list(groups.pop()) if len(groups[-1]) == 1 else []
            counts = [min(sum(count for *_, count in group), self.way.kept) for group in groups]
            into = result if len(groups) == 1 and not alone else self._own("kept", sum(counts))
            lists, at = [], 0
            for group, count in zip(groups, counts, strict=True):
                lists.append((into, at, count))
                sources = [self._list(one) for one in group]
                nodes.append(MergeLists.of(self.op, self._list(lists[-1]), *sources, scratch=scratch))
                at += 2 * count
            lists += alone
        return nodes

    def _list(self, place: tuple[str, int, int]) -> str:
        """Pairs of a row: the tile, the first column, how many."""
        tile, at, count = place
        whole = self.tiles.tiles[tile]
        if 2 * count == whole.cols.size:
            return tile
        window = replace(whole, cols=Extent(2 * count), parent=whole.owner, col_offset=whole.col_offset + at)
        return self.tiles.add(f"{tile}_list", window)
