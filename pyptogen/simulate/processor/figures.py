"""Figures of one machine, and what they say of an instruction, a product, or bytes of memory. All times are in
nanoseconds, of one thread.

`pyptogen.simulate.processor.fit` makes them from times of microbenchmarks; nothing here knows of operators.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import field
from math import log2

import numpy as np

from pyptogen.records import dataclass

DIVIDER = frozenset({"divide", "sqrt"})
LANES = 16
"""Elements to whose multiples columns are rounded up: what is less than a vector takes as long as one."""


@dataclass(frozen=True, slots=True)
class Affine:
    """Nanoseconds of an instruction: for its call, for each row, for each element."""

    call: float
    row: float
    element: float

    def of(self, rows: int, cols: int) -> float:
        return self.call + rows * (self.row + cols * self.element)

    @classmethod
    def through(cls, points: Iterable[tuple[int, int, float]]) -> Affine:
        """Through three points (rows, columns, nanoseconds), of which the last two have other rows; no part is less
        than nothing."""
        (r1, c1, t1), (r2, c2, t2), (r3, c3, t3) = sorted(points, key=lambda point: (point[0] * point[1], -point[0]))
        # t = call + rows row + rows cols element, from point 1 to the two others.
        e12, e13 = r2 * c2 - r1 * c1, r3 * c3 - r1 * c1
        d12, d13 = r2 - r1, r3 - r1
        divisor = d12 * e13 - d13 * e12
        row = max(0.0, ((t2 - t1) * e13 - (t3 - t1) * e12) / divisor) if divisor else 0.0
        element = max(0.0, (t2 - t1 - d12 * row + t3 - t1 - d13 * row) / (e12 + e13))
        call = max(0.0, t1 - r1 * row - r1 * c1 * element)
        return cls(call, row, element)


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure at some sizes; between them it changes with the logarithm of the size."""

    sizes: tuple[float, ...]
    values: tuple[float, ...]

    def at(self, size: float) -> float:
        if size <= self.sizes[0]:
            return self.values[0]
        if size >= self.sizes[-1]:
            return self.values[-1]
        n = bisect_left(self.sizes, size)
        part = log2(size / self.sizes[n - 1]) / log2(self.sizes[n] / self.sizes[n - 1])
        return self.values[n - 1] + part * (self.values[n] - self.values[n - 1])

    def between(self, size: float) -> float:
        """The same where it changes with the size itself."""
        return float(np.interp(size, self.sizes, self.values))

    def rising(self) -> Curve:
        """The same without dips: more is never less."""
        found: list[float] = []
        for value in self.values:
            found.append(max(value, found[-1] if found else 0.0))
        return Curve(self.sizes, tuple(found))


@dataclass(frozen=True, slots=True)
class Jumps:
    """Nanoseconds of going to a row that nobody could foresee, beyond its bytes one after the other: by its bytes, and
    by those among which it lies."""

    rows: tuple[float, ...]
    curves: tuple[Curve, ...]

    def at(self, row: float, size: float) -> float:
        return Curve(self.rows, tuple(curve.at(size) for curve in self.curves)).at(row)


@dataclass(frozen=True, slots=True)
class Products:
    """Nanoseconds of products of one dtype: of a call; by rows, for each column and step of depth (rows beyond those
    measured take as long each as the last of them); for each element of the result; and how many times as long they
    take by the bytes of operands and result."""

    call: float
    rows: Curve
    result: float
    larger: Curve | None = None

    def of(self, m: int, n: int, k: int, bytes_: float) -> float:
        last = self.rows.sizes[-1]
        rows = self.rows.between(m) if m <= last else self.rows.values[-1] * m / last
        slower = self.larger.at(bytes_) if self.larger is not None else 1.0
        return self.call + (rows * n * k + self.result * m * n) * slower


@dataclass(frozen=True, slots=True)
class Bound:
    """A right operand in global memory, by the bytes of all that are read in turn: nanoseconds of a byte, and the part
    of them, or of the product's own time where that is less, that the other hides."""

    bytes_: Curve
    hidden: Curve

    def joined(self, computing: float, memory: float, among: float) -> float:
        """Nanoseconds of a product that takes ``computing`` on an operand in the caches."""
        return computing + memory - self.hidden.at(among) * min(computing, memory)


@dataclass(frozen=True, slots=True)
class Picks:
    """Nanoseconds of the greatest of many: of a call; for each that is looked at; for each that enters those kept until
    then, of numbers in no order; for each that is kept times the logarithm of their number. ``missed``: measured shapes
    (kept, among) and how many times as long they took; near one its share counts most."""

    call: float
    looked: float
    entered: float
    kept: float
    missed: tuple[tuple[int, int, float], ...] = ()

    @staticmethod
    def parts(kept: int, among: int) -> tuple[float, float, float, float]:
        """How much there is of each."""
        return 1.0, float(among), kept * log2(max(1.0, among / kept)), kept * log2(max(2, kept))

    def of(self, kept: int, among: int) -> float:
        each = (self.call, self.looked, self.entered, self.kept)
        plain = sum(one * part for one, part in zip(each, self.parts(kept, among), strict=True))
        near = [(log2(kept / k) ** 2 + log2(among / n) ** 2, times) for k, n, times in self.missed]
        if not near:
            return plain
        weights = [1.0 / max(distance, 1e-6) for distance, _ in near]
        return plain * sum(w * times for w, (_, times) in zip(weights, near, strict=True)) / sum(weights)


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one machine and one level of its instruction sets.

    Attributes:
        machine: the processor, and the level.
        instructions: by name and dtypes, as ``TADD fp32 fp32 fp32``; ``Left bf16 ND`` and the like for operands.
        operations: of passes, nanoseconds of one more operation an element, by name as ``exp`` and ``beside exp``.
        loads, stores: of passes, nanoseconds an element in L1 by dtype.
        walk: of passes, beside their elements.
        reductions: of passes, nanoseconds an element.
        dividing: of passes, nanoseconds an element that the divider is busy with, as ``divide``.
        apart: of passes, with one vector at a time (``""``) or several beside each other (``"beside "``): the part of
            the divider's time that other arithmetic hides, 0 to 1.
        products: by dtype.
        picks: by name, of instructions that pick or order the greatest.
        read, write: nanoseconds a byte beyond those of L1, by bytes that are used again and again.
        jumps: of rows that are read or written where nobody could foresee, by ``read`` and ``write``.
        bound: by dtype, of right operands that stay in global memory.
        gathers: nanoseconds of a row or an element that is gathered (``rows``, ``elements``) beyond those in L1, by
            bytes among which they lie.
        far: of stores that go around the cache.
        turns: nanoseconds a byte that stores to memory take longer where a pass stores to a tile in turns with them, by
            bytes that are used again and again; for passes with one vector at a time and several, as ``apart``.
        mixed, mixed_far: the part of reading or writing, whichever takes less, that the other hides where a walk does
            both, 0 to 1: by bytes that are used again and again, and for stores that go around the cache.
        hidden: the part of memory's time that arithmetic at the same time hides, 0 to 1.
        call, launch: nanoseconds of a call of an operator from Python, and of each launch in it.
        nearest: nanoseconds of a byte that is read in L1.
        together: how many times as long memory takes where all cores ask at a time.
    """

    machine: str
    instructions: Mapping[str, Affine]
    operations: Mapping[str, float]
    loads: Mapping[str, float]
    stores: Mapping[str, float]
    reductions: Mapping[str, float]
    walk: Affine
    dividing: Mapping[str, float]
    apart: Mapping[str, float]
    products: Mapping[str, Products]
    picks: Mapping[str, Picks]
    bound: Mapping[str, Bound]
    gathers: Mapping[str, Curve]
    read: Curve
    write: Curve
    jumps: Mapping[str, Jumps]
    far: float
    turns: Mapping[str, Curve]
    mixed: Curve
    mixed_far: float
    hidden: float
    call: float = 0.0
    launch: float = 0.0
    together: float = 1.0
    nearest: float = 0.0
    unknown: set[str] = field(default_factory=set, compare=False)
    """Names that were asked for and not measured: another instruction's figure stood in."""

    def instruction(self, name: str, dtypes: tuple[str, ...], rows: int, cols: int) -> float:
        """An instruction by itself, its operands in L1. One that was not measured takes as long as another of its name,
        else of its dtypes."""
        key = " ".join((name, *dtypes))
        figure = self.instructions.get(key)
        if figure is None:
            figure = self._like(name, dtypes)
            self.unknown.add(key)
        return figure.of(rows, -(-cols // LANES) * LANES)

    def _like(self, name: str, dtypes: tuple[str, ...]) -> Affine:
        named = [(key, one) for key, one in self.instructions.items() if key.split()[0] == name]
        alike = [(key, one) for key, one in self.instructions.items() if key.split()[1:] == list(dtypes)]
        found = named or alike or [("", self.instructions["TADD fp32 fp32 fp32"])]
        return max(found, key=lambda item: (item[0].split()[1:2] == list(dtypes[:1]), -item[1].element))[1]

    def product(self, dtype: str, m: int, n: int, k: int, bytes_: float) -> float:
        """TMATMUL of operands that lie in the caches."""
        return self.products.get(dtype, self.products["fp32"]).of(m, n, k, bytes_)

    def summary(self) -> list[tuple[str, str]]:
        """A few of them, for people."""
        least = 16 / LANES
        found = [("call of an operator", f"{self.call / 1e3:.2f} us"), ("launch", f"{self.launch / 1e3:.2f} us")]
        for dtype, product in sorted(self.products.items()):
            rows = product.rows.sizes[-1]
            found.append((f"product of {dtype}", f"{2 * rows / product.rows.values[-1]:.0f} GFLOP/s"))
        for name in ("add", "exp", "log"):
            found.append((f"{name} in a pass", f"{least / max(self.operations[name], 1e-9):.1f} Gelem/s"))
        found.append(("division in a pass", f"{least / max(self.dividing['divide'], 1e-9):.1f} Gelem/s"))
        for size in (1 << 20, 1 << 23, 1 << 27):
            each = self.nearest + self.read.at(size)
            found.append((f"reading among {size >> 20} MiB", f"{1 / each:.1f} GB/s"))
        found.append(("memory's time hidden by computing", f"{self.hidden:.0%}"))
        found.append(("memory's time on all cores at once", f"{self.together:.2f} times one core's"))
        return found

    def joined(self, computing: float, moving: float, memory: float) -> float:
        """Nanoseconds of an instruction that takes ``computing`` on operands in L1, of which ``moving`` is spent on
        moves to and from registers, and waits so long for memory besides. Arithmetic hides memory's time, moves do
        not."""
        return computing + memory - self.hidden * min(max(0.0, computing - moving), memory)
