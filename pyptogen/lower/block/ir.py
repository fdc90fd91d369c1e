"""Block level IR: a tile kernel with memories, buffers and addresses.

The nodes are those of the Tile level, with the moves that the memories demand made explicit (`move` L1 → L0, UB → L0A)
and a `reduce` loop around them where L0 takes less of K than L1.
"""

from __future__ import annotations

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import Poly
from pyptogen.lower.platforms.model import Memory
from pyptogen.lower.tile.ir import Node, TileKernel, TileVal
from pyptogen.records import dataclass

ALWAYS = (-2, 1 << 30)
"""First and last tick of bytes that one buffer has to itself."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """Bytes [address, address + size) of a memory, holding one tile of ``rows`` x ``pitch`` elements; ``copies`` of
    them in a row, used in turn by the iterations of the loop that counts ``slot``. Buffers of one ``group`` (named
    after its first) take the same place one after another.

    ``first``/``last`` are the positions in program order between which it is live.
    """

    name: str
    memory: Memory
    dtype: str
    rows: int
    pitch: int
    size: int
    address: int
    first: int
    last: int
    span: Span
    copies: int = 1
    slot: str | None = None
    group: str = ""

    @property
    def end(self) -> int:
        """The byte after the last copy."""
        return self.address + self.size * self.copies

    def place(self) -> Poly:
        """Address of the copy that an iteration uses."""
        return Poly.of(self.address) + (Poly.of(self.slot) * self.size if self.slot else 0)


@dataclass(frozen=True, slots=True)
class BlockKernel:
    """One kernel with its memory plan. ``tile.tiles`` lists every tile; windows share their parent's buffer."""

    tile: TileKernel
    body: tuple[Node, ...]
    tiles: tuple[TileVal, ...]
    memory: tuple[tuple[str, Memory], ...]
    buffers: tuple[Buffer, ...]

    def buffer(self, tile: str) -> Buffer:
        by_name = {b.name: b for b in self.buffers}
        value = next(t for t in self.tiles if t.name == tile)
        return by_name[value.parent or value.name]

    def occupancy(self) -> dict[str, int]:
        """Highest byte used in each memory."""
        used: dict[str, int] = {}
        for buffer in self.buffers:
            used[buffer.memory] = max(used.get(buffer.memory, 0), buffer.end)
        return used
