"""Whether the extents of an instruction's operands fit their tiles and each other, where a walk knows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from pyptogen.lower.instruction.ir import Instr
from pyptogen.lower.instruction.replay import Finding
from pyptogen.lower.isa.extents import extents_of
from pyptogen.sanitize.regions import Use

_Extent = tuple[Any, Any]


def extents(instr: Instr, uses: Sequence[Use]) -> Iterator[Finding]:
    """What is wrong with the valid extents of one instruction."""
    tiles = [use for use in uses if use.tile is not None]
    for use in tiles:
        yield from _in_tile(instr, use)
    if instr.name.startswith(("TLOAD", "TSTORE")) and len(tiles) == 1:
        for view in (use for use in uses if use.tile is None):
            yield from _of_tensor(instr, tiles[0], view)
    if instr.name.startswith(("TEXTRACT", "TINSERT")) and len(tiles) > 1:
        yield from _window(instr, tiles[1], tiles[0])
    yield from _equal(instr, tiles)


def _in_tile(instr: Instr, use: Use) -> Iterator[Finding]:
    """A valid extent lies between none and all of its tile."""
    assert use.tile is not None
    for what, valid, size in zip(("rows", "columns"), use.extents, (use.tile.rows, use.tile.cols), strict=True):
        if isinstance(valid, int) and isinstance(size, int) and not 0 <= valid <= size:
            yield _finding(instr, f"`{use.name}` has {valid} valid {what}, and room for {size}")


def _of_tensor(instr: Instr, tile: Use, view: Use) -> Iterator[Finding]:
    """A GlobalTensor has the rows and columns that the tile takes, as devices assert it."""
    sizes = view.extents
    if len(sizes) != 5 or not all(isinstance(size, int) for size in (*sizes, *tile.extents)):
        return
    if view.name == "NZ":
        there = sizes[2] * sizes[3], sizes[0] * sizes[1] * sizes[4]
    elif view.name == "ND":
        there = prod(sizes[:4]), sizes[4]
    elif view.name == "DN":
        there = sizes[3], prod(sizes[:3]) * sizes[4]
    else:
        return
    if there != tuple(tile.extents):
        rows, cols = tile.extents
        text = f"`{tile.name}` has {rows} x {cols} valid elements, and the GlobalTensor {there[0]} x {there[1]}"
        yield _finding(instr, text)


def _window(instr: Instr, source: Use, result: Use) -> Iterator[Finding]:
    """What is taken out of a tile, or put into one, lies inside of it."""
    extracts = instr.name.startswith("TEXTRACT")
    part, whole = (result, source) if extracts else (source, result)
    at = source.numbers[-2:]
    assert whole.tile is not None
    for begin, extent, size in zip(at, part.extents, (whole.tile.rows, whole.tile.cols), strict=False):
        if all(isinstance(n, int) for n in (begin, extent, size)) and begin + extent > size:
            yield _finding(instr, f"{extent} from {begin} on leave the {size} of `{whole.name}`")


def _equal(instr: Instr, tiles: Sequence[Use]) -> Iterator[Finding]:
    """Valid extents that devices want to be equal."""
    rule = extents_of(instr.name)
    reads = [use for use in tiles[1:] if use.effect == "r"]
    if rule == "depth":
        left, right = (next((u for u in tiles if u.tile and u.tile.loc == loc), None) for loc in ("Left", "Right"))
        if left and right and _differ(left.extents[1], right.extents[0]):
            yield _finding(instr, f"`{left.name}` is {left.extents[1]} deep and `{right.name}` {right.extents[0]}")
        return
    if rule == "any" or not reads:
        return
    axes = {"same_rows": (0,), "same_cols": (1,)}.get(rule, (0, 1))
    asked = reads if rule in ("same", "one_same") else reads[:1]
    apart = [use for use in asked if any(_differ(use.extents[axis], tiles[0].extents[axis]) for axis in axes)]
    if len(apart) > (len(asked) - 1 if rule == "one_same" else 0):
        yield _finding(instr, f"{_shown(apart[0])}, and {_shown(tiles[0])}")


def _shown(use: Use) -> str:
    rows, cols = use.extents
    return f"`{use.name}` has {rows} x {cols} valid elements"


def _differ(a: Any, b: Any) -> bool:
    return isinstance(a, int) and isinstance(b, int) and a != b


def _finding(instr: Instr, text: str) -> Finding:
    return Finding("extents", None, None, f"{instr.name}: {text}", instr.span)
