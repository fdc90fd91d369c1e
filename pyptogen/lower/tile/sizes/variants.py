"""Tiling rows → the kernels that they need together.

before: row t <= 8: {t: unroll [8 … 1], a: {d: 64}}          stages a, b
        row else:   {t: unroll [32 … 1], a: {d: 128}}
after:  kernel a_t_upto_8 (d 64), kernel a (d 128), kernel b (t 32) shared by both rows

Rows that cut a kernel's static dims alike share the kernel, made for their largest run-time tile; where they differ,
the kernel of a row that is not the last is named after the row's condition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pyptogen.diagnostics import Span
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import Op, Program
from pyptogen.lower.tile.kernels import partition
from pyptogen.lower.tile.kernels.overwritten import Edges
from pyptogen.lower.tile.kernels.partition import KernelOps
from pyptogen.lower.tile.sizes.sizes import Selected, TileSize, common_table, longest_range, stage_sizes
from pyptogen.records import dataclass, replace

CONDITION_WORDS = {"<=": "upto", "<": "below", ">=": "from", ">": "above", "==": "at", "!=": "not"}

Table = Mapping[str, Mapping[str, TileSize]]


@dataclass(frozen=True, slots=True)
class Part:
    """A kernel to be cut: its operations, its tile sizes as written in ``row``, the largest range of the launch dim
    that a launch gets (0: any), and the copies of its buffers by stage, where the author wants a number."""

    ops: KernelOps
    sizes: Table
    longest: int
    row: Span
    depths: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Variants:
    """All kernels, and by tiling row the names of those that a call under it launches, in order."""

    parts: tuple[Part, ...]
    launched: tuple[tuple[str, ...], ...]


def run(
    program: Program,
    rows: Sequence[Selected],
    platform: Platform,
    is_standalone: Callable[[Op], bool],
    unfused: Edges = frozenset(),
    grouped: Mapping[str, str] = MappingProxyType({}),
) -> Variants:
    """Partition the program for every row and merge what rows share; ``is_standalone``, ``unfused`` and ``grouped`` as
    in `partition`."""
    users: dict[tuple[Any, ...], list[tuple[Selected, KernelOps]]] = {}
    by_row: list[list[tuple[Any, ...]]] = []
    for selected in rows:
        keys = []
        for ops in partition.run(program, selected.row, platform, is_standalone, unfused, grouped):
            key = (
                ops.name,
                ops.stages,
                ops.writes,
                ops.slots,
                () if ops.by_hand else _static_part(program, stage_sizes(program, selected.row, ops.stages)),
            )
            users.setdefault(key, []).append((selected, ops))
            keys.append(key)
        by_row.append(keys)
    last = set(by_row[-1])
    parts: dict[tuple[Any, ...], Part] = {}
    for key, shared in users.items():
        selected, ops = shared[0]
        taken = key not in last and any(other[0] == ops.name for other in users if other is not key)
        name = ops.name + "".join(map(_condition_suffix, selected.when)) if taken else ops.name
        table = common_table([stage_sizes(program, row.row, ops.stages) for row, _ in shared])
        longest = longest_range(program, [row for row, _ in shared])
        depths = _depths(program, [row for row, _ in shared], ops.stages)
        parts[key] = Part(replace(ops, name=name), table, longest, selected.row.span, depths)
    return Variants(tuple(parts.values()), tuple(tuple(parts[key].ops.name for key in keys) for keys in by_row))


def _depths(program: Program, rows: Sequence[Selected], stages: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Copies of buffers by stage: `buffers` of a stage in a tiling row, the most of all rows, else of the schedule."""
    found = {s: int(n) for s, n in program.schedule.get("buffers", {}).items() if s in stages}
    for stage in stages:
        written = [int(r.row.sizes[stage]["buffers"]) for r in rows if "buffers" in r.row.sizes.get(stage, {})]
        if written:
            found[stage] = max(written)
    return tuple(sorted(found.items()))


def _static_part(program: Program, table: Table) -> tuple[Any, ...]:
    """What must be equal for two rows to share a kernel: which dims are cut, and the tiles of the static ones."""
    return tuple(
        (stage, dim, size.band, (size.tile, size.inner) if program.dim(dim).value is not None else None)
        for stage, dims in sorted(table.items())
        for dim, size in sorted(dims.items())
    )


def _condition_suffix(condition: tuple[str, str, int]) -> str:
    name, op, value = condition
    return f"_{name}_{CONDITION_WORDS[op]}_{value}"
