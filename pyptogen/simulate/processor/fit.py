"""Figures of a machine from times of microbenchmarks by name (`pyptogen.runtime.calibration` measures them). Nothing
here knows of operators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pyptogen.records import replace
from pyptogen.simulate.processor.figures import DIVIDER, Affine, Bound, Curve, Figures, Jumps, Picks, Products

NANO = 1e9
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
        rows = np.array([Picks.parts(kept, among) for kept, among, _ in points])
        wanted = np.array([ns for *_, ns in points])
        # Where all are kept, those that are looked at and those that enter are no parts of their own.
        parts = [0, 1, 2, 3] if any(kept != among for kept, among, _ in points) else [0, 3]
        solved = np.zeros(4)
        while parts:
            solved[:] = 0.0
            solved[parts] = np.linalg.lstsq(rows[:, parts] / wanted[:, None], np.ones(len(points)), rcond=None)[0]
            if solved.min() >= 0:
                break
            parts.remove(int(solved.argmin()))
        call, looked, entered, of_kept = (float(part) for part in solved)
        picks = Picks(call, looked, entered, of_kept)
        missed = tuple((kept, among, ns / picks.of(kept, among)) for kept, among, ns in points)
        found[name] = replace(picks, missed=missed)
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
    """From products of few rows, whose time is mostly that of the operand's bytes, and of many: the time of the bytes
    and the part that is hidden which miss the measured times least, relative to each."""
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
