"""Sorting: pairs of value and place on devices, a walk over a row of GM on CPUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pyptogen.lower.instruction.ir import Choose, Node, Pattern
from pyptogen.lower.instruction.select.selector import Handler, Selector
from pyptogen.lower.instruction.select.transfers import window
from pyptogen.lower.tile.ir import TileOp

WALKS = {"topk": "TTOPK", "bottomk": "TBOTTOMK"}


def walk(sel: Selector, op: TileOp) -> list[Node]:
    assert op.gm is not None
    return [sel.instr(op, WALKS[op.kind], sel.use(str(op.dst)), window(sel, op.gm, op), sel.use(str(op.scratch)))]


def take(sel: Selector, op: TileOp) -> list[Node]:
    assert op.gm is not None
    return [sel.instr(op, "MGATHER", sel.use(str(op.dst)), window(sel, op.gm, op), sel.use(str(op.srcs[0])))]


def pad(sel: Selector, op: TileOp) -> list[Node]:
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


def sort_blocks(sel: Selector, op: TileOp) -> list[Node]:
    values, places = (str(s) for s in op.srcs)
    return [sel.instr(op, "TSORT32", sel.use(str(op.dst)), sel.use(values), sel.use_as(places, "uint32"))]


def merge_blocks(sel: Selector, op: TileOp) -> list[Node]:
    return [sel.instr(op, "TMRGSORT", sel.use(str(op.dst)), sel.use(str(op.srcs[0])), op.row)]


def merge_lists(sel: Selector, op: TileOp) -> list[Node]:
    dst, scratch = sel.use(str(op.dst)), sel.use(str(op.scratch))
    lists = [sel.use(str(s)) for s in op.srcs]
    if op.first is None:
        return [sel.instr(op, "TMRGSORT", dst, scratch, *lists)]
    fresh = sel.instr(op, "TMRGSORT", dst, scratch, *lists[1:])
    return [Choose(op.first, fresh, sel.instr(op, "TMRGSORT", dst, scratch, dst, lists[0]), op.span)]


def every(sel: Selector, op: TileOp) -> list[Node]:
    """Places are whole numbers among the pairs of a sort, whose tile is seen as such."""
    dst = str(op.dst)
    source = sel.use_as(str(op.srcs[0]), sel.tiles[dst].dtype)
    return [sel.instr(op, "TGATHER", sel.use(dst), source, Pattern(op.mode))]


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(WALKS, walk),
    "every": every,
    "take": take,
    "take_rows": take,
    "pad": pad,
    "sort_blocks": sort_blocks,
    "merge_blocks": merge_blocks,
    "merge_lists": merge_lists,
}
