"""On-chip memories of one core, as the interpreter keeps them.

Vector tiles are real bytes in their real layout, because kernels lay tiles over each other on purpose: windows of
columns, a column of statistics that is also a row. Each byte knows whose data it is: of the tile that wrote it last, or
of the tile that the writer is a view of. Tiles of the matrix unit lie in the device's fractals, which nothing looks
into, so they are kept whole, by address, and a write throws out whatever it overlaps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pyptogen.lower.instruction.ir import Declare
from pyptogen.lower.platforms import Memory, Platform
from pyptogen.lower.tensor.ir import DTYPES, GAPLESS, PACKED
from pyptogen.numerics.operations import Array
from pyptogen.numpy_dtypes import NUMPY_DTYPES, in_bytes, out_of_bytes
from pyptogen.records import dataclass
from pyptogen.simulate.fault import FaultKind, MachineFault

MEMORY_OF: dict[str, Memory] = {"Vec": "ub", "Mat": "l1", "Left": "l0a", "Right": "l0b", "Acc": "l0c"}
SCALES_OF: dict[str, Memory] = {"ScaleLeft": "l0a", "ScaleRight": "l0b"}
"""Scales lie at a sixteenth of the addresses of what they scale."""


@dataclass(frozen=True, slots=True)
class BoundTile:
    """A declared tile with this iteration's numbers: byte address and valid rows and columns."""

    declare: Declare
    address: int
    rows: int
    cols: int

    @property
    def end(self) -> int:
        """The byte after the last one of its buffer."""
        return self.address + self.declare.size

    def fault(self, kind: FaultKind, what: str) -> MachineFault:
        tile = self.declare
        return MachineFault(
            kind, f"tile `{tile.name}` {what}", tile.span, memory=tile.type.loc, begin=self.address, end=self.end
        )

    def check(self, capacity: int) -> None:
        """Raises MachineFault: the tile leaves its memory, or its valid region its type or its buffer."""
        kind, size = self.declare.type, DTYPES[self.declare.type.dtype]
        if self.rows > kind.rows or self.cols > kind.cols or self.rows < 0 or self.cols < 0:
            raise self.fault("capacity", f"has {self.rows} x {self.cols} valid elements of {kind.rows} x {kind.cols}")
        if self.address < 0 or self.end > capacity:
            raise self.fault("capacity", f"leaves its memory of {capacity} bytes")
        rows, cols = (self.cols, self.rows) if kind.col_major else (self.rows, self.cols)
        pitch = kind.rows if kind.col_major else kind.cols if kind.loc == "Vec" else cols
        used = ((rows - 1) * pitch + cols) * size if rows and cols else 0
        if used > self.declare.size:
            raise self.fault("capacity", f"needs {used} bytes of a buffer with {self.declare.size}")


@dataclass(slots=True)
class _View:
    """The valid elements of a vector tile, or the bytes that pairs of them share, the owners of their bytes, and the
    tile's own mark as an owner."""

    values: Array
    owners: Array
    mark: int


class VectorMemory:
    """UB: bytes, and for each byte the mark of the tile whose data it is (0: nobody's)."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._bytes = np.zeros(capacity, np.uint8)
        self._owners = np.zeros(capacity, np.uint16)
        self._marks: dict[str, int] = {}
        self._views: dict[tuple[str, int, int, int], _View] = {}

    def clear(self) -> None:
        """Another block begins: nothing is written. Views of the last kernel are forgotten."""
        self._owners.fill(0)
        self._views.clear()
        self._marks.clear()

    def _view(self, tile: BoundTile) -> _View:
        key = (tile.declare.name, tile.address, tile.rows, tile.cols)
        found = self._views.get(key)
        if found is None:
            found = self._views[key] = self._make_view(tile)
        return found

    def _make_view(self, tile: BoundTile) -> _View:
        tile.check(self.capacity)
        kind = tile.declare.type
        dtype, cols, pitch = NUMPY_DTYPES[kind.dtype], tile.cols, kind.cols
        if kind.dtype in PACKED:
            dtype, cols, pitch = np.dtype(np.uint8), -(-cols // 2), pitch // (2 if kind.dtype in GAPLESS else 1)
        size = dtype.itemsize
        shape = (tile.rows, cols)
        strides = (size, kind.rows * size) if kind.col_major else (pitch * size, size)
        values: Array = np.ndarray(shape, dtype, self._bytes, tile.address, strides)
        owners: Array = np.ndarray(
            (*shape, size), np.uint16, self._owners, 2 * tile.address, (2 * strides[0], 2 * strides[1], 2)
        )
        return _View(values, owners, self._marks.setdefault(tile.declare.owner, len(self._marks) + 1))

    def read(self, tile: BoundTile) -> Array:
        """The valid elements, as a view where each has bytes of its own.

        Raises:
            MachineFault: a byte was never written, or is the data of another tile.
        """
        view = self._view(tile)
        if not (view.owners == view.mark).all():
            raise self._illegal_read(tile, view)
        dtype = tile.declare.type.dtype
        return out_of_bytes(view.values, NUMPY_DTYPES[dtype])[:, : tile.cols] if dtype in PACKED else view.values

    def _illegal_read(self, tile: BoundTile, view: _View) -> MachineFault:
        row, col, byte = np.argwhere(view.owners != view.mark)[0]
        mark = view.owners[row, col, byte]
        at = f"is read, and its element ({row}, {col})"
        if mark == 0:
            return tile.fault("unwritten", f"{at} was never written")
        other = next(name for name, owner in self._marks.items() if owner == mark)
        return tile.fault("overlap", f"{at} holds data of `{other}`")

    def write(self, tile: BoundTile, values: Array) -> None:
        """Put the valid elements."""
        view = self._view(tile)
        if tile.declare.type.dtype in PACKED:
            values = in_bytes(np.pad(values, ((0, 0), (0, tile.cols % 2))))
        view.values[...] = values
        view.owners[...] = view.mark

    def forget(self, tile: BoundTile) -> None:
        """What lies in the tile is undefined from now on (scratch)."""
        self._view(tile).owners[...] = 0


@dataclass(slots=True)
class _Stored:
    begin: int
    end: int
    values: Array


class MatrixMemory:
    """L1, L0A, L0B or L0C: whole tiles by address."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._stored: dict[int, _Stored] = {}
        self._lost: dict[int, str] = {}

    def clear(self) -> None:
        self._stored.clear()
        self._lost.clear()

    def read(self, tile: BoundTile) -> Array:
        """The valid elements.

        Raises:
            MachineFault: nothing was written there, or it was overwritten; the dtype differs; less is valid.
        """
        stored = self._stored.get(tile.address)
        if stored is None:
            by = self._lost.get(tile.address)
            raise tile.fault(
                "overlap" if by else "unwritten",
                f"is read after `{by}` overwrote it" if by else "is read and was never written",
            )
        if stored.values.dtype != NUMPY_DTYPES[tile.declare.type.dtype]:
            raise tile.fault("dtype", f"is read as {tile.declare.type.dtype}, and holds {stored.values.dtype}")
        rows, cols = stored.values.shape
        if tile.rows > rows or tile.cols > cols:
            raise tile.fault("unwritten", f"is read as {tile.rows} x {tile.cols}, and {rows} x {cols} was written")
        return stored.values[: tile.rows, : tile.cols]

    def write(self, tile: BoundTile, values: Array) -> None:
        """Put a tile; tiles that it overlaps are lost."""
        tile.check(self.capacity)
        for address, stored in list(self._stored.items()):
            if stored.begin < tile.end and tile.address < stored.end:
                del self._stored[address]
                self._lost[address] = tile.declare.name
        self._lost.pop(tile.address, None)
        self._stored[tile.address] = _Stored(tile.address, tile.end, np.array(values))


class Core:
    """The memories of one core of a platform."""

    def __init__(self, platform: Platform) -> None:
        self._memories: dict[str, VectorMemory | MatrixMemory] = {
            loc: (VectorMemory if loc == "Vec" else MatrixMemory)(platform.memories[name])
            for loc, name in MEMORY_OF.items()
        }
        self._memories |= {loc: MatrixMemory(platform.memories[name] // 16) for loc, name in SCALES_OF.items()}

    def clear(self) -> None:
        """A new block starts with nothing written."""
        for memory in self._memories.values():
            memory.clear()

    def read(self, tile: BoundTile) -> Array:
        return self._memories[tile.declare.type.loc].read(tile)

    def write(self, tile: BoundTile, values: Any) -> None:
        self._memories[tile.declare.type.loc].write(tile, values)

    def forget(self, tile: BoundTile) -> None:
        """The tile is scratch: see VectorMemory."""
        memory = self._memories[tile.declare.type.loc]
        if not isinstance(memory, VectorMemory):
            raise tile.fault("dtype", "is scratch outside UB")
        memory.forget(tile)
