"""Hints of the schedule and sizes of tiling rows that have no effect: said aloud, so that nobody tunes in vain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyptogen.lower.tensor.ir import PRODUCTS, Program

OF_PRODUCTS = ("l1_reuse", "split_k", "fifo", "vector_cores")
"""Hints about products, and about what meets them."""


def notes(program: Program) -> Iterator[str]:
    """A note for each stage whose `l1_reuse`, `split_k` or `fifo` finds no product, or whose `merge` finds no vector
    work, and for each size of a loop's blocks that would change what the loop means."""
    made: dict[str, set[str]] = {stage.name: set() for stage in program.stages}
    for op in program.ops:
        made[op.stage].add(op.kind)
    schedule = [(stage, key, program.span) for key in ("l1_reuse", "merge") for stage in program.schedule.get(key, {})]
    rows = [(stage, key, span) for row in program.tiling for (stage, key), span in row.spans.items() if stage]
    for stage, key, span in (*schedule, *rows):
        if key in OF_PRODUCTS and not made.get(stage, set()) & PRODUCTS:
            yield f"{span}: `{key}` of stage `{stage}` has no effect: it has no product"
        if key == "merge" and made.get(stage, set()) and made[stage] <= PRODUCTS:
            yield f"{span}: `merge` of stage `{stage}` has no effect: it has products alone"
    for loop in (loop for loop in program.loops if loop.exact):
        for row in program.tiling:
            size = row.sizes.get(loop.stage, {}).get(loop.over, loop.tile)
            if (size.get("tile", loop.tile) if isinstance(size, Mapping) else size) != loop.tile:
                yield (
                    f"{row.spans[loop.stage, loop.over]}: `{loop.over}` of stage `{loop.stage}` has no effect: the"
                    f" results of the loop depend on the length of its blocks, which is {loop.tile}"
                )
