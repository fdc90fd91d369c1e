"""Tiling tables → the tile size of every dim in every stage, for one target.

A size written for a stage wins over the row's own; in a fused kernel a stage without sizes takes those of the stage
before it; a dim that nobody names is whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span
from pyptogen.lower.tensor.ir import Dim, Program, TilingRow
from pyptogen.records import dataclass, replace

HINTS = frozenset({"l1_reuse", "split_k", "buffers", "merge", "fifo", "vector_cores"})
"""Keys of a stage's row that are hints, not dims."""

SLOTS = 4
"""Tiles of a fifo whose length nobody gave: cores work up to three iterations ahead of each other. By the model of
A2/A3 attention of 2048 keys gains a quarter over two tiles, and eight gain no more."""


@dataclass(frozen=True, slots=True)
class TileSize:
    """Tile of one dim: ``tile`` elements at the outer level (L1), ``inner`` at L0 (equal when not given), and the
    greedy ``unroll`` list when the author cuts the dim by one. ``vector``: of the rows of a loop, how many its vector
    work takes at a time (0: all); ``rows``: the same for matrix and vector work together; ``band``: how many
    elements of a grid's dim are done for all tiles of the other dims before the next ones are begun (0: one tile)."""

    tile: int
    inner: int
    unroll: tuple[int, ...]
    span: Span
    vector: int = 0
    rows: int = 0
    band: int = 0


@dataclass(frozen=True, slots=True)
class Selected:
    """A row that may apply on this target. ``when`` keeps the conditions that only run time can decide."""

    row: TilingRow
    when: tuple[tuple[str, str, int], ...]


def _holds(left: Any, op: str, right: Any) -> bool:
    if op == "in":
        return left in right
    result = {
        "==": left == right,
        "!=": left != right,
        "<=": left <= right if op == "<=" else False,
        "<": left < right if op == "<" else False,
        ">=": left >= right if op == ">=" else False,
        ">": left > right if op == ">" else False,
    }[op]
    return bool(result)


def select_rows(program: Program, target: str) -> tuple[Selected, ...]:
    """The rows for ``target``, top-down, up to the first that always holds.

    Raises:
        DiagnosticError: PTG304, the table ends in conditions that some run-time size misses.
    """
    chosen: list[Selected] = []
    for row in program.tiling:
        dynamic: list[tuple[str, str, int]] = []
        applies = True
        for name, op, value in row.when:
            if name == "target":
                applies &= _holds(target, op, value)
            elif program.dim(name).value is not None:
                applies &= _holds(program.dim(name).value, op, int(value))
            else:
                dynamic.append((name, op, int(value)))
        if applies:
            chosen.append(Selected(row, tuple(dynamic)))
            if not dynamic:
                return tuple(chosen)
    if chosen:
        last = chosen[-1].row
        raise DiagnosticError(
            Diagnostic(
                "PTG304",
                f"no tiling row covers every size on target {target}",
                last.span,
                expected="a last row for this target without conditions on run-time dims",
                fix=f"add `- when: {{target: {target}}}` (or `- {{}}`) below this row",
            )
        )
    return (Selected(TilingRow((), {}, None, {}, program.span), ()),)


def normalise(value: Any, span: Span, dim: Dim) -> TileSize:
    """One written size of a dim as a TileSize.

    Raises:
        DiagnosticError: PTG304, not a positive size, or ranges that leave a rest.
    """
    unroll: tuple[int, ...] = ()
    vector, rows, band = (
        int(value.get(key, 0)) if isinstance(value, Mapping) else 0 for key in ("vector", "rows", "band")
    )
    if isinstance(value, Mapping):
        unroll = tuple(int(v) for v in value.get("unroll", ()))
        tile = max(unroll) if unroll else int(value.get("tile", value.get("l1", 0)))
        inner = int(value.get("l0", tile))
    else:
        tile = inner = int(value)
    parts = (inner, vector or tile, rows or tile)
    if tile < 1 or inner < 1 or any(tile % part for part in parts) or band % tile:
        raise DiagnosticError(
            Diagnostic(
                "PTG304",
                f"illegal tile for `{dim.name}`: {_shown(value)}",
                span,
                expected="a positive size; `l1` a multiple of `l0`, `tile` of `vector` and of `rows`, `band` of `tile`",
                fix=f"for example `{dim.name}: 128` or `{dim.name}: {{l1: 512, l0: 256}}`",
            )
        )
    if unroll and any(size % unroll[-1] for size in (*unroll, dim.multiple_of)):
        raise DiagnosticError(
            Diagnostic(
                "PTG304",
                f"the unroll list of `{dim.name}` ends with {unroll[-1]}, which leaves a rest",
                span,
                expected="a list that falls to 1, or to a number that divides the others and the dim's `multiple_of`",
                fix=f"`{dim.name}: {{unroll: [{', '.join(map(str, (*unroll, 1)))}]}}`",
            )
        )
    return TileSize(tile, inner, unroll, span, vector, rows, band)


def _shown(value: Any) -> str:
    """A size as a spec has it."""
    pairs = ", ".join(f"{key}: {item}" for key, item in value.items()) if isinstance(value, Mapping) else ""
    return f"`{{{pairs}}}`" if pairs else f"`{value}`"


def stage_sizes(program: Program, row: TilingRow, stages: tuple[str, ...]) -> dict[str, dict[str, TileSize]]:
    """Sizes by stage and dim for the stages of one kernel, in order, inheritance applied."""

    def read(scope: str) -> dict[str, TileSize]:
        return {
            dim: normalise(value, row.spans.get((scope, dim), row.span), program.dim(dim))
            for dim, value in row.sizes.get(scope, {}).items()
            if dim not in HINTS
        }

    common = read("")
    previous: dict[str, TileSize] = {}
    result: dict[str, dict[str, TileSize]] = {}
    for stage in stages:
        previous = {**common, **previous, **read(stage)}
        result[stage] = previous
    return result


def fifo_slots(row: TilingRow, stages: tuple[str, ...]) -> int:
    """Tiles that each fifo between the cores of a mixed kernel holds (``fifo``); 0: the author wants no such kernel."""
    return _most(row, stages, "fifo")


def vector_cores(row: TilingRow, stages: tuple[str, ...]) -> int:
    """Vector cores that the author wants beside the cube core of a mixed kernel; 0: as the compiler likes."""
    return _most(row, stages, "vector_cores")


def _most(row: TilingRow, stages: tuple[str, ...], hint: str) -> int:
    return max(int(row.sizes.get(scope, {}).get(hint, 0)) for scope in ("", *stages))


def common_table(tables: Sequence[Mapping[str, Mapping[str, TileSize]]]) -> dict[str, dict[str, TileSize]]:
    """One table for rows that share a kernel: of each dim the largest tile.

    A kernel is made for the largest tile; a launch with fewer rows only fills less of it.
    """
    merged = {stage: dict(dims) for stage, dims in tables[-1].items()}
    for table in tables[:-1]:
        for stage, dims in table.items():
            for dim, size in dims.items():
                if size.tile > merged[stage][dim].tile:
                    merged[stage][dim] = size
    return merged


def resized(
    table: Mapping[str, Mapping[str, TileSize]], dim: str, tile: int, place: Span
) -> dict[str, dict[str, TileSize]]:
    """The table with another tile for ``dim`` wherever it is larger than that; everywhere, pointing at ``place``, where
    nobody cuts it."""
    if not any(dim in dims for dims in table.values()):
        return {stage: {**dims, dim: TileSize(tile, tile, (), place)} for stage, dims in table.items()}

    def smaller(size: TileSize) -> TileSize:
        return replace(size, tile=min(size.tile, tile), inner=min(size.inner, tile))

    return {stage: {d: smaller(s) if d == dim else s for d, s in dims.items()} for stage, dims in table.items()}


def longest_range(program: Program, rows: Sequence[Selected]) -> int:
    """The largest unrolled size of a dynamic dim over all rows; 0 where a row leaves a range whole."""
    longest = 0
    for selected in rows:
        sizes = [
            max(value["unroll"])
            for table in selected.row.sizes.values()
            for dim, value in table.items()
            if dim not in HINTS and isinstance(value, Mapping) and "unroll" in value
        ]
        if not sizes:
            return 0
        longest = max(longest, *sizes)
    return longest
