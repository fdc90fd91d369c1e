"""The tiles of a kernel, and those that a pass adds to them."""

from __future__ import annotations

from collections.abc import Iterable

from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.tensor.program_names import loop_variable
from pyptogen.lower.tile.ir import Extent, TileVal
from pyptogen.records import replace


class AddedTiles:
    """Tiles by name; new ones get names that no other has. ``taken``: other names of the kernel."""

    def __init__(self, tiles: Iterable[TileVal], taken: Iterable[str]) -> None:
        self.tiles = {tile.name: tile for tile in tiles}
        self.taken = set(taken)

    def variable(self, wanted: str) -> str:
        """A loop variable under the wanted name, or that with a number behind it."""
        name = loop_variable(wanted, {*self.taken, *self.tiles})
        self.taken.add(name)
        return name

    def numbered(self, base: str) -> str:
        """A loop variable: the base with the first number that is free."""
        n = 1
        while f"{base}{n}" in self.taken or f"{base}{n}" in self.tiles:
            n += 1
        self.taken.add(f"{base}{n}")
        return f"{base}{n}"

    def add(self, wanted: str, like: TileVal) -> str:
        """A tile under the wanted name, or that with a number behind it."""
        name, n = wanted, 1
        while name in self.tiles:
            n += 1
            name = f"{wanted}_{n}"
        self.tiles[name] = replace(like, name=name)
        return name

    def like(self, wanted: str, tile: TileVal, *, dtype: str | None = None, cols: Extent | None = None) -> str:
        """A tile of its own beside another."""
        own = replace(tile, dtype=dtype or tile.dtype, parent=None, col_offset=0, row_offset=ZERO)
        return self.add(wanted, replace(own, cols=cols or tile.cols))

    def line(self, name: str, at: Poly, word: str = "line") -> str:
        """Row number ``at`` of a tile, as a window; ``word`` says which one it is."""
        tile = self.tiles[name]
        window = replace(tile, rows=Extent(1), form="row", parent=tile.parent or name)
        return self.add(f"{name}_{word}", replace(window, row_offset=tile.row_offset + at))
