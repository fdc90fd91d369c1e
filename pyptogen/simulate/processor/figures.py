"""Figures of one machine, and what they say of an instruction, a product, or bytes of memory. All times are in
nanoseconds, of one thread.

They are made from times of microbenchmarks by name (`pyptogen.runtime.calibration` measures them); nothing here knows
of operators.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from math import log2

import numpy as np

from pyptogen.records import dataclass

NANO = 1e9
DIVIDER = frozenset({"divide", "sqrt"})
PRODUCT = (128, 512, 128)
"""Columns, depth and most rows of the products that figures are made from."""
MOVED = 2 * 512
"""Elements of a tile that passes move to and from registers."""
MATRIX = 128 * 512
"""Elements of the accumulator and the left operand that passes are measured on."""
MOST_CALL = 0.5
"""The part of the smallest product's time that its call may be."""
JUMPS = 1024
"""Rows that a microbenchmark of jumps goes to."""
PARTS = 41
"""Steps in which times and parts of them are looked for."""
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
    """Nanoseconds of going to a row that nobody could foresee, beyond its bytes one after the other: by its bytes, and by
    those among which it lies."""

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
    """A right operand in global memory, by the bytes of all that are read in turn: nanoseconds of a byte, and the part of
    them, or of the product's own time where that is less, that the other hides."""

    bytes_: Curve
    hidden: Curve

    def joined(self, computing: float, memory: float, among: float) -> float:
        """Nanoseconds of a product that takes ``computing`` on an operand in the caches."""
        return computing + memory - self.hidden.at(among) * min(computing, memory)


@dataclass(frozen=True, slots=True)
class Picks:
    """Nanoseconds of the greatest of many: of a call, for each that is looked at, for each that is kept times the
    logarithm of their number."""

    call: float
    looked: float
    kept: float

    def of(self, kept: int, among: int) -> float:
        return self.call + self.looked * among + self.kept * kept * log2(max(2, kept))


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
        """Nanoseconds of an instruction that takes ``computing`` on operands in L1, of which ``moving`` is spent on moves
        to and from registers, and waits so long for memory besides. Arithmetic hides memory's time, moves do not."""
        return computing + memory - self.hidden * min(max(0.0, computing - moving), memory)


def from_times(machine: str, times: Mapping[str, float]) -> Figures:
    """Figures from the seconds of microbenchmarks by name.

    Raises:
        KeyError: a microbenchmark is missing.
    """
    shaped: dict[str, list[tuple[int, int, float]]] = {}
    for name, seconds in times.items():
        key, _, extents = name.partition("@")
        parts = extents.split("x")
        if len(parts) == 2:
            shaped.setdefault(key, []).append((int(parts[0]), int(parts[1]), seconds * NANO))
    affine = {key: Affine.through(points) for key, points in shaped.items() if len(points) == 3}
    walk = affine.pop("pass walk")
    elements = 2048.0

    def each(name: str) -> float:
        return times[f"pass {name}"] * NANO / elements

    operations, reductions = {}, {}
    for name in {key.split("*")[0].removeprefix("pass ") for key in times if key.endswith("*12")}:
        operations[name] = max(0.0, (each(f"{name}*12") - each(f"{name}*4")) / 8)
    add = operations["add"]
    for name in ("RowSum", "RowMax", "ColSum"):
        reductions[name] = max(0.0, (each(f"{name}*3") - each(f"{name}*1")) / 2 - add)
    loads, stores = (
        {dtype: _moved(times, f"{what} {dtype}") for dtype in ("fp32", "bf16", "fp16", "int8", "int32")}
        for what in ("load", "store")
    )
    # Of matrices in the matrix unit's order: what a sum beside it does not hide.
    loads["Acc"] = max(0.0, times["pass extract"] * NANO / MATRIX - add)
    stores |= {f"Left {dtype}": times[f"pass left {dtype}"] * NANO / MATRIX for dtype in ("fp32", "bf16", "fp16")}
    products = _products(times)
    apart = {prefix: _apart(times, prefix, operations[f"{prefix}divide"] * elements) for prefix in ("", "beside ")}
    dividing = {name: operations.pop(name) for name in [n for n in operations if n.split()[-1] in DIVIDER]}
    read, write = _memory(times, "read").rising(), _memory(times, "write").rising()
    far_sizes = [(float(key.split("@")[1]), value) for key, value in times.items() if key.startswith("write far@")]
    far = max(0.0, min(value * NANO / size for size, value in far_sizes) - _first(times, "write"))
    mixed, mixed_far = _mixed(times, read, write, far)
    return Figures(
        machine, affine, operations, loads, stores, reductions, walk, dividing, apart, products, _picks(shaped),
        {dtype: _bound(dtype, times, products[dtype]) for dtype in ("fp32", "bf16", "int8")},
        {kind: _gather(times, kind) for kind in ("rows", "elements")},
        read, write, {what: _jumps(times, what, curve) for what, curve in (("read", read), ("write", write))}, far,
        {prefix: _turns(times, prefix, write) for prefix in ("", "beside ")}, mixed, mixed_far, _hidden(times),
        times.get("call", 0.0) * NANO, times.get("launch", 0.0) * NANO, times.get("together", 1.0),
        _first(times, "read"),
    )  # fmt: skip


def _moved(times: Mapping[str, float], name: str) -> float:
    """Nanoseconds an element of one more tile that a pass moves, an addition beside it."""
    more, one = times[f"pass {name}*4"], times[f"pass {name}*1"]
    return max(0.0, (more - one) * NANO / 3 / MOVED)


def _apart(times: Mapping[str, float], prefix: str, dividing: float) -> float:
    """The part of the divider's time that a pass with other arithmetic around a division does not show."""
    without = times[f"pass {prefix}undivided"] * NANO
    shown = times[f"pass {prefix}divided"] * NANO - without
    return min(1.0, max(0.0, 1.0 - shown / max(1e-9, min(dividing, without))))


def _products(times: Mapping[str, float]) -> dict[str, Products]:
    found: dict[str, dict[tuple[int, int, int], float]] = {}
    for name, seconds in times.items():
        if name.startswith("product "):
            key, extents = name.removeprefix("product ").split("@")
            m, n, k = map(int, extents.split("x"))
            found.setdefault(key, {})[m, n, k] = seconds * NANO
    return {key: _of_dtype(key, points) for key, points in found.items()}


def _of_dtype(dtype: str, points: Mapping[tuple[int, int, int], float]) -> Products:
    n, k, most = PRODUCT
    result = max(0.0, (points[most, k, n] - points[most, n, k]) / (most * (k - n)))
    rows = sorted(m for m, *rest in points if rest == [n, k])
    small = next(shape for shape in points if shape[1] * shape[2] < n * k // 8)
    m0, n0, k0 = small
    at = min(rows, key=lambda m: abs(m - m0))
    each = max(0.0, points[at, n, k] - points[small] - result * (at * n - m0 * n0)) / (n * k - n0 * k0)
    call = max(0.0, points[small] - each * n0 * k0 - result * m0 * n0)
    call = min(call, MOST_CALL * min(points[m, n, k] for m in rows))
    values = tuple(max(0.0, points[m, n, k] - call - result * m * n) / (n * k) for m in rows)
    curve = Curve(tuple(map(float, rows)), values).rising()
    plain = Products(call, curve, result)
    size = {"fp32": 4, "bf16": 2, "fp16": 2}.get(dtype, 1)

    def bytes_of(shape: tuple[int, int, int]) -> float:
        m, n, k = shape
        return float(size * (m * k + k * n) + 4 * m * n)

    large = sorted((s for s in points if s[0] > most), key=bytes_of)
    if not large:
        return Products(call, curve, result)
    base = bytes_of((most, n, k))
    ratios = (1.0, *(points[shape] / plain.of(*shape, 0.0) for shape in large))
    return Products(call, curve, result, Curve((base, *map(bytes_of, large)), ratios).rising())


def _picks(shaped: Mapping[str, Sequence[tuple[int, int, float]]]) -> dict[str, Picks]:
    """The parts that miss the measured times least, relative to each; none is less than nothing."""
    found = {}
    for name in ("TTOPK", "TBOTTOMK"):
        points = shaped[name]
        rows = np.array([[1.0, among, kept * log2(max(2, kept))] for kept, among, _ in points])
        wanted = np.array([ns for *_, ns in points])
        parts = [0, 1, 2] if any(kept != among for kept, among, _ in points) else [0, 2]
        solved = np.zeros(3)
        while parts:
            solved[:] = 0.0
            solved[parts] = np.linalg.lstsq(rows[:, parts] / wanted[:, None], np.ones(len(points)), rcond=None)[0]
            if solved.min() >= 0:
                break
            parts.remove(int(solved.argmin()))
        found[name] = Picks(*(float(part) for part in solved))
    return found


def _jumps(times: Mapping[str, float], what: str, curve: Curve) -> Jumps:
    """By bytes of a row and bytes among which it lies: what going there takes beyond its bytes in order."""
    found: dict[int, dict[int, float]] = {}
    for name, seconds in times.items():
        if name.startswith(f"jump {what} "):
            row, size = map(int, name.removeprefix(f"jump {what} ").split("@"))
            found.setdefault(row, {})[size] = seconds * NANO / JUMPS
    curves = []
    for row in sorted(found):
        sizes = sorted(found[row])
        base = found[row][sizes[0]] - row * curve.at(sizes[0])
        beyond = tuple(max(0.0, found[row][size] - base - row * curve.at(size)) for size in sizes)
        curves.append(Curve(tuple(map(float, sizes)), beyond).rising())
    return Jumps(tuple(map(float, sorted(found))), tuple(curves))


def _gather(times: Mapping[str, float], kind: str) -> Curve:
    """Nanoseconds of a row, or an element, beyond those at the smallest size."""
    count = {"rows": 64, "elements": 64 * 128}[kind]
    sizes = sorted(int(key.split("@")[1]) for key in times if key.startswith(f"gather {kind}@"))
    found = [times[f"gather {kind}@{size}"] * NANO / count for size in sizes]
    return Curve(tuple(map(float, sizes)), tuple(max(0.0, each - found[0]) for each in found)).rising()


def _bound(dtype: str, times: Mapping[str, float], product: Products) -> Bound:
    """From products of few rows, whose time is mostly that of the operand's bytes, and of many: the time of the bytes and
    the part that is hidden which miss the measured times least, relative to each."""
    n, k, size = 128, 4096, {"fp32": 4, "bf16": 2}.get(dtype, 1)
    of_rows: dict[int, dict[int, float]] = {}
    for name, seconds in times.items():
        if name.startswith(f"bound {dtype} "):
            rows, total = map(int, name.split()[2].split("@"))
            of_rows.setdefault(total, {})[rows] = seconds * NANO / (total // (n * k * size))
    bytes_, hidden = [], []
    for total in sorted(of_rows):
        measured = np.array(list(of_rows[total].values()))
        computing = np.array([product.of(rows, n, k, 0.0) for rows in of_rows[total]])
        memory, part = np.meshgrid(measured.min() * np.linspace(0, 1, PARTS), np.linspace(0, 1, PARTS), indexing="ij")
        told = [c + memory - part * np.minimum(c, memory) for c in computing]
        miss = sum(((one / wanted - 1) ** 2 for one, wanted in zip(told, measured, strict=True)), np.zeros(()))
        best = np.unravel_index(int(np.argmin(miss)), miss.shape)
        bytes_.append(float(memory[best]) / (n * k * size))
        hidden.append(float(part[best]))
    places = tuple(map(float, sorted(of_rows)))
    return Bound(Curve(places, tuple(bytes_)).rising(), Curve(places, tuple(hidden)))


def _first(times: Mapping[str, float], name: str) -> float:
    """Nanoseconds a byte at the smallest size."""
    sizes = {int(key.split("@")[1]): value for key, value in times.items() if key.startswith(f"{name}@")}
    return sizes[min(sizes)] * NANO / min(sizes)


def _memory(times: Mapping[str, float], name: str) -> Curve:
    """Nanoseconds a byte beyond those at the smallest size."""
    sizes = {int(key.split("@")[1]): value for key, value in times.items() if key.startswith(f"{name}@")}
    least = _first(times, name)
    values = tuple(max(0.0, sizes[size] * NANO / size - least) for size in sorted(sizes))
    return Curve(tuple(map(float, sorted(sizes))), values)


def _turns(times: Mapping[str, float], prefix: str, write: Curve) -> Curve:
    """What stores of a tile in turns with those of memory take beyond either by itself."""
    name = f"turns {prefix}".strip()
    alone = next((key, value) for key, value in times.items() if key.startswith(f"{name} alone@"))
    tile = alone[1] * NANO / int(alone[0].split("@")[1]) + _first(times, "write")
    both = {int(key.split("@")[1]): value * NANO for key, value in times.items() if key.startswith(f"{name}@")}
    sizes = sorted(both)
    return Curve(tuple(map(float, sizes)), tuple(max(0.0, both[s] / s - tile - write.at(s)) for s in sizes))


def _mixed(times: Mapping[str, float], read: Curve, write: Curve, far: float) -> tuple[Curve, float]:
    """How far reading and writing hide each other where half of the bytes are copied to the other half."""

    def part(name: str, reading: float, writing: float) -> float:
        size = float(name.split("@")[1])
        shown = 2 * times[name] * NANO / size - least
        both = reading + writing - shown
        return min(1.0, max(0.0, both / max(1e-9, min(reading, writing))))

    copies = {int(key.split("@")[1]): value for key, value in times.items() if key.startswith("copy@")}
    sizes = sorted(copies)
    least = 2 * copies[sizes[0]] * NANO / sizes[0]
    curve = Curve(tuple(map(float, sizes)), tuple(part(f"copy@{s}", read.at(s), write.at(s)) for s in sizes))
    around = [part(key, read.at(float(key.split("@")[1])), far) for key in times if key.startswith("copy far@")]
    return curve, min(around)


def _hidden(times: Mapping[str, float]) -> float:
    """The part of memory's time that a walk with work beside each load does not show."""
    sizes = sorted(int(key.split("@")[1]) for key in times if key.startswith("worked@"))
    small, large = sizes[0], sizes[-1]
    worked = times[f"worked@{small}"] * large / small
    memory = times[f"read@{large}"] - times[f"read@{small}"] * large / small
    shown = times[f"worked@{large}"] - worked
    return min(1.0, max(0.0, 1.0 - shown / min(worked, memory)))
