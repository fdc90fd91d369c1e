"""Hints of the schedule and of tiling rows that have nothing to act on: said aloud, so that nobody tunes in vain."""

from __future__ import annotations

from collections.abc import Iterator

from pyptogen.lower.tensor.ir import PRODUCTS, Program

OF_PRODUCTS = ("l1_reuse", "split_k", "fifo", "vector_cores")
"""Hints about products, and about what meets them."""


def notes(program: Program) -> Iterator[str]:
    """A note for each stage whose `l1_reuse`, `split_k` or `fifo` finds no product, or whose `merge` finds no vector
    work."""
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
