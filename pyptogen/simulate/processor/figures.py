"""Figures of one machine, and what they say of an instruction, a product, or bytes of memory. All times are in
nanoseconds, of one thread.

They are made from times of microbenchmarks by name (`pyptogen.runtime.calibration` measures them); nothing here knows of
operators.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log2

NANO = 1e9
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
        # Points 2 and 3 as columns of one length would have it: the row's part is what more rows of as many elements take.
        # t = call + r row + r c element
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

    def rising(self) -> Curve:
        """The same without dips: more is never less."""
        found: list[float] = []
        for value in self.values:
            found.append(max(value, found[-1] if found else 0.0))
        return Curve(self.sizes, tuple(found))


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
        products: by dtype, nanoseconds of a row's-worth: by rows, for each column and step of depth.
        product_call: by dtype, nanoseconds beside that.
        read, write: nanoseconds a byte beyond those of L1, by bytes that are used again and again.
        far: of stores that go around the cache.
        hidden: the part of memory's time that computing at the same time hides, 0 to 1.
        call, launch: nanoseconds of a call of an operator from Python, and of each launch in it.
        together: how many times as long memory takes where all cores ask at a time.
    """

    machine: str
    instructions: Mapping[str, Affine]
    operations: Mapping[str, float]
    loads: Mapping[str, float]
    stores: Mapping[str, float]
    reductions: Mapping[str, float]
    walk: Affine
    products: Mapping[str, Curve]
    product_call: Mapping[str, float]
    read: Curve
    write: Curve
    far: float
    hidden: float
    call: float = 0.0
    launch: float = 0.0
    together: float = 1.0
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

    def product(self, dtype: str, m: int, n: int, k: int) -> float:
        """TMATMUL on operands in the nearer caches. Rows beyond those measured take as long each as the last of them."""
        curve = self.products.get(dtype, self.products["fp32"])
        last = curve.sizes[-1]
        rows = curve.at(m) if m <= last else curve.values[-1] * m / last
        return self.product_call.get(dtype, 0.0) + rows * n * k

    def joined(self, computing: float, memory: float) -> float:
        """Nanoseconds of work and of memory at the same time."""
        return computing + memory - self.hidden * min(computing, memory)


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
    loads = {dtype: each(f"load {dtype}*4") / 4 for dtype in ("fp32", "bf16", "fp16", "int8", "int32")}
    stores = {dtype: each(f"store {dtype}*4") / 4 for dtype in ("fp32", "bf16", "fp16", "int8", "int32")}
    products, calls = _products(times)
    read, write = _memory(times, "read"), _memory(times, "write")
    far_sizes = [(float(key.split("@")[1]), value) for key, value in times.items() if key.startswith("write far@")]
    far = max(0.0, min(value * NANO / size for size, value in far_sizes) - _first(times, "write"))
    return Figures(
        machine, affine, operations, loads, stores, reductions, walk, products, calls, read.rising(), write.rising(),
        far, _hidden(times), times.get("call", 0.0) * NANO, times.get("launch", 0.0) * NANO, times.get("together", 1.0),
    )  # fmt: skip


def _products(times: Mapping[str, float]) -> tuple[dict[str, Curve], dict[str, float]]:
    found: dict[str, dict[int, float]] = {}
    small: dict[str, tuple[int, int, int, float]] = {}
    for name, seconds in times.items():
        if name.startswith("product "):
            key, extents = name.removeprefix("product ").split("@")
            m, n, k = map(int, extents.split("x"))
            if n * k < 4096:
                small[key] = m, n, k, seconds * NANO
            else:
                found.setdefault(key, {})[m] = seconds * NANO / (n * k)
    curves = {
        key: Curve(tuple(sorted(points)), tuple(points[m] for m in sorted(points))).rising()
        for key, points in found.items()
    }
    calls = {key: max(0.0, ns - curves[key].at(m) * n * k) for key, (m, n, k, ns) in small.items()}
    return curves, calls


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


def _hidden(times: Mapping[str, float]) -> float:
    """The part of memory's time that a walk with work beside each load does not show."""
    sizes = sorted(int(key.split("@")[1]) for key in times if key.startswith("worked@"))
    small, large = sizes[0], sizes[-1]
    worked = times[f"worked@{small}"] * large / small
    memory = times[f"read@{large}"] - times[f"read@{small}"] * large / small
    shown = times[f"worked@{large}"] - worked
    return min(1.0, max(0.0, 1.0 - shown / min(worked, memory)))
