"""The flash attention of pto-isa (`kernels/manual/common/flash_atten`), by its published tiling: 128 queries a block,
tiles of 256 keys in parts of 128, four tiles ahead, fifos of eight slots in GM, two buffers each.

The width of a tile is a parameter of that kernel (128, 256 or 512 keys), and its table of times does not say which one
was taken. 256 is its default. The same repository's other form of the kernel (`kernels/python/flash_atten`) takes 256
below 32768 keys and 512 from there on, and so do we.

Written by hand, because its work lies in templates of other headers, which the front end of `pyptogen sanitize` does
not follow. Products hand their accumulators to the fixpipe by unit flags there; here the store waits for the product,
and the next product for what the store reads, not for what it writes.
"""

from __future__ import annotations

from pyptogen.lower.isa.cost import Bursts, Shape, operand_move, product, transfer, vector
from pyptogen.lower.platforms.timing import Timing
from pyptogen.simulate.device.launch import Launch
from pyptogen.simulate.device.program import CLAIM, FILL, FREE, POP, InstrStream, Recorder

QUERIES, PART, HEAD = 128, 128, 128
"""Rows of a block; keys of a part of a tile, which one product takes; size of the head."""
AHEAD, SLOTS = 4, 8
FIFOS = {"scores": SLOTS, "weights": SLOTS, "values": SLOTS}


def tile_of(keys: int) -> int:
    """Keys of a tile, by the length of the sequence."""
    return 512 if keys >= 32768 else 256


def flash_attention(queries: int, keys: int, timing: Timing, cores: int = 24) -> Launch:
    """A launch: a block for 128 queries. Queries, keys and values are brought into L2 by a launch before."""
    width = tile_of(keys)
    streams = _Cube(timing, width).stream(keys // width), _Vector(timing, width).stream(keys // width)
    names = frozenset({"q", "k", "v", *FIFOS})
    unique = {"q": queries * HEAD * 2.0, "k": keys * HEAD * 2.0, "v": keys * HEAD * 2.0, "out": queries * HEAD * 4.0}
    unique |= dict.fromkeys(FIFOS, 0.0)
    return Launch(streams, queries // QUERIES, cores, unique, resident=names, results=frozenset({"out"}))


class _Cube:
    """The program of the cube core, whose tiles are ``width`` keys."""

    def __init__(self, timing: Timing, width: int) -> None:
        self.timing, self.core = timing, Recorder("cube", dict(FIFOS))
        self.parts = range(width // PART)
        self.segments = self.keys = self.values = 0

    def stream(self, tiles: int) -> InstrStream:
        for event in range(2):
            self.core.set("M", "MTE1", event)
            self.core.release("FIX", "M", event)
        for event in range(4):
            self.core.set("MTE1", "MTE2", event)
        for tile in range(min(AHEAD, tiles)):
            for part in self.parts:
                self._scores(tile, part)
        for tile in range(tiles):
            for part in self.parts:
                if tile + AHEAD < tiles:
                    self._scores(tile + AHEAD, part)
                self._values(part)
        return self.core.stream()

    def _load(self, name: str, rows: int, size: int = 2) -> None:
        self.core.run("MTE2", "TLOAD", transfer(Bursts(rows, HEAD * size), "Mat", False, self.timing), name)

    def _product(self, slices: int, accumulator: int, first: bool) -> None:
        """A product of 128 x 128 x 128: one slice of L0."""
        for n in range(slices):
            buffer = self.segments % 2
            self.core.wait("M", "MTE1", buffer)
            for side in ("Left", "Right"):
                shape = Shape(side, "fp16", 2, 128, 128, 128)
                self.core.run("MTE1", "TEXTRACT", operand_move(shape, self.timing))
            self.core.set("MTE1", "M", buffer)
            self.core.wait("MTE1", "M", buffer)
            if first and n == 0:
                self.core.wait("FIX", "M", accumulator)
            left = Shape("Left", "fp16", 2, 128, 128, 128)
            self.core.run("M", "TMATMUL", product(left, 128, self.timing))
            self.core.set("M", "MTE1", buffer)
            self.segments += 1

    def _store(self, fifo: str, accumulator: int) -> None:
        self.core.set("M", "FIX", 0)
        self.core.wait("M", "FIX", 0)
        self.core.run("FIX", "TSTORE", transfer(Bursts(QUERIES, 512), "Acc", True, self.timing), fifo)
        self.core.release("FIX", "M", accumulator)

    def _scores(self, tile: int, part: int) -> None:
        if part == 0:
            self.core.fifo(CLAIM, "scores")
        event = self.keys % 2
        self.core.wait("MTE1", "MTE2", event)
        if tile == 0 and part == 0:
            self._load("q", QUERIES)
        self._load("k", PART)
        self.core.set("MTE2", "MTE1", 0)
        self.core.wait("MTE2", "MTE1", 0)
        accumulator = part % 2 if tile < AHEAD else 0
        self._product(1, accumulator, True)
        self.core.set("MTE1", "MTE2", event)
        self._store("scores", accumulator)
        if part == self.parts[-1]:
            self.core.fifo(FILL, "scores", "FIX")
        self.keys += 1

    def _values(self, part: int) -> None:
        if part == 0:
            self.core.fifo(POP, "weights")
        event = 2 + self.values % 2
        self.core.wait("MTE1", "MTE2", event)
        self._load("v", PART)
        self._load("weights", QUERIES)
        if part == self.parts[-1]:
            self.core.fifo(FREE, "weights", "MTE2")
        self.core.set("MTE2", "MTE1", 0)
        self.core.wait("MTE2", "MTE1", 0)
        self._product(1, 1, part == 0)
        self.core.set("MTE1", "MTE2", event)
        if part == self.parts[-1]:
            self.core.fifo(CLAIM, "values")
            self._store("values", 1)
            self.core.fifo(FILL, "values", "FIX")
        self.values += 1


class _Vector:
    """The program of each of the two vector cores: 64 queries, in as many steps as a tile has parts."""

    def __init__(self, timing: Timing, width: int) -> None:
        self.timing, self.core, self.turn = timing, Recorder("vector", dict(FIFOS)), 0
        self.width, self.parts = width, range(width // PART)
        self.rows = QUERIES // 2 // len(self.parts)

    def stream(self, tiles: int) -> InstrStream:
        for event in range(2):
            self.core.set("V", "MTE2", event)
            self.core.set("MTE3", "V", event)
        for tile in range(min(AHEAD, tiles)):
            for part in self.parts:
                self._weights(tile, part)
        for tile in range(tiles):
            for part in self.parts:
                if tile + AHEAD < tiles:
                    self._weights(tile + AHEAD, part)
            self._update(tile, tiles)
        return self.core.stream(2)

    def _vector(self, name: str, *shapes: Shape) -> None:
        self.core.run("V", name, vector(name, shapes, self.timing))

    def _barrier(self) -> None:
        self.core.barrier("V")

    def _weights(self, tile: int, part: int) -> None:
        event = self.turn % 2
        self.core.wait("V", "MTE2", event)
        if part == 0:
            self.core.fifo(POP, "scores")
        for _ in self.parts:
            load = transfer(Bursts(1, self.rows * PART * 4), "Vec", False, self.timing)
            self.core.run("MTE2", "TLOAD", load, "scores")
        if part == self.parts[-1]:
            self.core.fifo(FREE, "scores", "MTE2")
        self.core.set("MTE2", "V", 0)
        self.core.wait("MTE2", "V", 0)
        self.core.wait("MTE3", "V", event)
        self._softmax(tile == 0)
        self.core.set("V", "MTE2", event)
        self.core.set("V", "MTE3", 0)
        self.core.wait("V", "MTE3", 0)
        if part == 0:
            self.core.fifo(CLAIM, "weights")
        for _ in self.parts:
            store = transfer(Bursts(1, self.rows * PART * 2), "Vec", True, self.timing)
            self.core.run("MTE3", "TSTORE", store, "weights")
        if part == self.parts[-1]:
            self.core.fifo(FILL, "weights", "MTE3")
        self.core.set("MTE3", "V", event)
        self.turn += 1

    def _softmax(self, first: bool) -> None:
        tile = Shape("Vec", "fp32", 4, self.rows, self.width, self.width, True, True)
        low = Shape("Vec", "fp16", 2, self.rows, self.width, self.width, True, True)
        column = Shape("Vec", "fp32", 4, self.rows, 1, self.rows, False, True)
        line = Shape("Vec", "fp32", 4, 1, self.rows, self.rows)
        self._vector("TROWMAX", column, tile, tile)
        self._barrier()
        for name in () if first else ("TMAX", "TSUB", "TMULS"):
            self._vector(name, line, line)
            self._barrier()
        self._vector("TROWEXPANDSUB", tile, tile, column)
        self._vector("TMULS", tile, tile)
        self._vector("TEXP", tile, tile)
        if first:
            self._barrier()
            self._vector("TROWSUM", column, tile, tile)
            self._vector("TCVT", low, tile)
            return
        self._vector("TMULS", line, line)
        self._vector("TEXP", line, line)
        self._vector("TCVT", low, tile)
        self._barrier()
        self._vector("TMUL", line, line, line)
        self._vector("TROWSUM", column, tile, tile)
        self._barrier()
        self._vector("TADD", line, line, line)

    def _update(self, tile: int, tiles: int) -> None:
        event = self.turn % 2
        self.core.wait("V", "MTE2", event)
        self.core.fifo(POP, "values")
        out = Shape("Vec", "fp32", 4, 64, HEAD, HEAD, True, True)
        column = Shape("Vec", "fp32", 4, 64, 1, 64, False, True)
        self.core.run("MTE2", "TLOAD", transfer(Bursts(1, out.bytes), "Vec", False, self.timing), "values")
        self.core.set("MTE2", "V", 0)
        self.core.wait("MTE2", "V", 0)
        if tile:
            self._vector("TROWEXPANDMUL", out, out, column)
            self._vector("TADD", out, out, out)
        if tile == tiles - 1:
            self._vector("TROWEXPANDDIV", out, out, column)
        self.core.fifo(FREE, "values", "MTE2")
        self.core.set("V", "MTE2", event)
        if tile == tiles - 1:
            self.core.set("V", "MTE3", 0)
            self.core.wait("V", "MTE3", 0)
            self.core.run("MTE3", "TSTORE", transfer(Bursts(64, 512), "Vec", True, self.timing), "out")
        self.turn += 1
