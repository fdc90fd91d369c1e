"""Sorting: pairs of value and place on devices, a walk over a row of GM on CPUs."""

from __future__ import annotations

from pyptogen.lower.instruction.ir import Choose, Node, Pattern
from pyptogen.lower.instruction.select.selector import Handlers, Selector
from pyptogen.lower.instruction.select.transfers import window
from pyptogen.lower.tile.ops import (
    GatherByPattern,
    GatherElements,
    GatherFromTile,
    GatherRowsByTile,
    MergeBlocks,
    MergeLists,
    Pad,
    SortBlocks,
    TopK,
)
from pyptogen.records import replace


def topk(sel: Selector, op: TopK) -> list[Node]:
    """In one walk over a row of GM."""
    name = "TTOPK" if op.largest else "TBOTTOMK"
    return [sel.instr(op, name, sel.use(str(op.dst)), window(sel, op.gm, op), sel.use(op.scratch))]


def gather_from_tile(sel: Selector, op: GatherFromTile) -> list[Node]:
    dst, source, *others = (str(tile) for tile in (op.dst, *op.srcs, op.scratch))
    dtype = sel.tiles[source].dtype
    taken = [sel.use_as(tile, "int16" if dtype == "bf16" else dtype) for tile in (dst, source)]
    return [sel.instr(op, "TGATHER", *taken, *map(sel.use, others))]


def gather(sel: Selector, op: GatherElements | GatherRowsByTile) -> list[Node]:
    return [sel.instr(op, "MGATHER", sel.use(str(op.dst)), window(sel, op.gm, op), sel.use(str(op.srcs[0])))]


def pad(sel: Selector, op: Pad) -> list[Node]:
    """The result's type has the number that fills it up, so it is a declaration of its own."""
    dst, src = str(op.dst), sel.use(str(op.srcs[0]))
    plain = sel.declared.get(dst)
    sel.use(dst)
    padded = f"{dst}_padded"
    whole = sel.declared[dst]
    sel.declared[padded] = replace(whole, name=padded, type=replace(whole.type, pad="Min"), note=f"same bytes as {dst}")
    if plain is None:
        del sel.declared[dst]
    return [sel.instr(op, "TFILLPAD_INPLACE", padded, src)]


def sort_blocks(sel: Selector, op: SortBlocks) -> list[Node]:
    values, places = (str(s) for s in op.srcs)
    return [sel.instr(op, "TSORT32", sel.use(str(op.dst)), sel.use(values), sel.use_as(places, "uint32"))]


def merge_blocks(sel: Selector, op: MergeBlocks) -> list[Node]:
    return [sel.instr(op, "TMRGSORT", sel.use(str(op.dst)), sel.use(str(op.srcs[0])), op.length)]


def merge_lists(sel: Selector, op: MergeLists) -> list[Node]:
    dst, scratch = sel.use(str(op.dst)), sel.use(op.scratch)
    lists = [sel.use(str(s)) for s in op.srcs]
    if not op.first:
        return [sel.instr(op, "TMRGSORT", dst, scratch, *lists)]
    fresh = sel.instr(op, "TMRGSORT", dst, scratch, *lists[1:])
    return [Choose(" + ".join(op.first), fresh, sel.instr(op, "TMRGSORT", dst, scratch, dst, lists[0]), op.span)]


def gather_by_pattern(sel: Selector, op: GatherByPattern) -> list[Node]:
    """Places are whole numbers among the pairs of a sort, whose tile is seen as such. Devices gather without gaps, into
    a tile whose columns are all valid, so a row that is not whole goes by a second name."""
    dst = str(op.dst)
    source = sel.use_as(str(op.srcs[0]), sel.tiles[dst].dtype)
    return [sel.instr(op, "TGATHER", sel.use_whole(dst), source, Pattern(op.pattern))]


HANDLERS: Handlers = {
    TopK: topk,
    GatherByPattern: gather_by_pattern,
    GatherElements: gather,
    GatherFromTile: gather_from_tile,
    GatherRowsByTile: gather,
    Pad: pad,
    SortBlocks: sort_blocks,
    MergeBlocks: merge_blocks,
    MergeLists: merge_lists,
}
