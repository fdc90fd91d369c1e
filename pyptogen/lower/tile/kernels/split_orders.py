"""The first elements of few long rows: spans of a row on all cores, then the lists of a row.

before: v, i = topk(x: [t, n], 64)                                  t and n run-time dims, one core sorts a row
after:  if t <= 24 and n > 4096:
          v_pairs = span_pairs(x, k=64, span=4096): [24, 32, 128]   the best of each span, pairs of value and position
          v_order = merged_pairs(v_pairs); v_merged = pair_values(v_order), i_merged = pair_indices(v_order)
        else: v_whole, i_whole = topk(x, 64)
        v = either(v_whole, v_merged), i = either(i_whole, i_merged)

The call decides, by its rows and their length; what is known at build time is decided there. Memory for lists is that
of as many rows as are ever split, whatever the rows of the longest call. Where cube and vector cores are one (`cpu`)
rows stay whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import sympy

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import SORTING, Op, Program, Value
from pyptogen.lower.tensor.legality import dim_table
from pyptogen.lower.tensor.program_names import FreeNames
from pyptogen.lower.tensor.views import root, value_views
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.sorted_rows import LONGEST_PIECE, START, fastest, list_length, lists_at_once
from pyptogen.records import replace

LONG = 8
"""The least pieces of the longest row that is split: of a shorter one two more kernels save few microseconds."""
LISTS_BYTES = 32 << 20
"""Most bytes of the lists of spans, in GM: what a device has in L2 many times over."""


def run(program: Program, platform: Platform) -> Program:
    """The program with such orders in two steps; as it is where there are none."""
    if platform.unified:
        return program
    splitter = _Splitter(program, platform)
    ops = tuple(made for op in program.ops for made in splitter.split(op))
    return program if len(ops) == len(program.ops) else replace(program, ops=ops)


class _Splitter:
    def __init__(self, program: Program, platform: Platform) -> None:
        self.program, self.platform = program, platform
        self.dims, self.axes = dim_table(program), Axes(program)
        self.defining = {op.result.name: op for op in program.ops}
        self.names = FreeNames(program)
        self.pairs: dict[tuple[str, str, int, bool], Op] = {}
        """By stage, operand, count and direction: values and positions are taken from the same lists."""

    def split(self, op: Op) -> Sequence[Op]:
        """The operations for one."""
        if op.kind not in SORTING or op.loop or self._has_own_layout(op):
            return [op]
        (x,) = op.operands
        assert isinstance(x, Value)
        k, (least, longest) = self.axes.poly(op.attrs["k"]).constant, self._bounds(x.shape[-1])
        if k is None or k > LONGEST_PIECE or longest <= (LONG - 1) * LONGEST_PIECE:
            return [op]
        rows, split_rows = self.dims.product(x.shape[:-1]), self._cores() // 2
        fewest, most = self._bounds(rows)
        if fewest > split_rows:
            return [op]
        held = min(most, split_rows)
        span = elements_of_a_span(self.platform, k, held, longest)
        few = sympy.true if most <= split_rows else sympy.Le(rows, split_rows)
        long = sympy.true if least > span else sympy.Gt(x.shape[-1], span)
        shape = (held, -(-longest // span), 2 * list_length(k))
        op = replace(op, attrs={**op.attrs, "k": k})
        return self._in_spans(op, x, span, shape, self.dims.resolve_condition(sympy.And(few, long)))

    def _in_spans(self, op: Op, x: Value, span: int, shape: Sequence[int], condition: Any) -> Sequence[Op]:
        """The two steps where a condition holds, the operation as it is elsewhere."""
        always = condition == sympy.true
        how = {**op.attrs, "span": span} if always else {**op.attrs, "span": span, "condition": condition}
        made: list[Op] = []
        key = op.stage, x.name, int(op.attrs["k"]), bool(op.attrs["largest"])
        if key not in self.pairs:
            name = self.names.take(f"{x.name}_pairs")
            lists = Value(name, "fp32", tuple(map(sympy.Integer, shape)), "nd", op.span)
            self.pairs[key] = replace(op, kind="span_pairs", result=lists, attrs=how)
            made.append(self.pairs[key])
        result = op.result if always else self._named(op.result, "merged")
        merged = replace(op, operands=(self.pairs[key].result,), result=result, attrs={**how, "length": x.shape[-1]})
        made.append(merged)
        if always:
            return made
        other = sympy.Not(condition)
        whole = replace(op, result=self._named(op.result, "whole"), attrs={**op.attrs, "condition": other})
        conditions, stages = [other, condition], [op.stage, op.stage]
        one_of = {"conditions": conditions, "stages": stages}
        return [whole, *made, replace(op, kind="either", operands=(whole.result, result), attrs=one_of)]

    def _named(self, value: Value, word: str) -> Value:
        return replace(value, name=self.names.take(f"{value.name}_{word}"))

    def _cores(self) -> int:
        """Vector cores that share the work of a launch, at most."""
        return min(self.platform.vector_cores, int(self.program.schedule.get("cores") or self.platform.vector_cores))

    def _bounds(self, size: Any) -> tuple[int, int]:
        """The least and the greatest number of a size."""
        low, high = self.dims.bounds(size)
        return int(low), int(high)

    def _has_own_layout(self, op: Op) -> bool:
        """Whether the result is an output that does not lie row after row in memory of its own: it has one writer."""
        for name, value in self.program.outputs:
            if root(value.name, self.defining) == op.result.name:
                views = value_views(self.defining, value.name)
                if name in {**self.program.inplace, **self.program.laid_out} or any(v.kind == "reorder" for v in views):
                    return True
        return False


def elements_of_a_span(platform: Platform, k: int, rows: int, longest: int) -> int:
    """Elements of a row that one block sorts out, whole pieces: as many as make the least work of a row half as long as
    the ``longest``, if each of its spans has a core: that of one span, and that of merging the lists of all. More where
    the lists of so many ``rows`` would take more than `LISTS_BYTES`."""
    kept = list_length(k)
    way = fastest(LONGEST_PIECE, kept)
    piece = way.work + kept + (kept if len(way.lists()) > 1 else way.size) + START
    lists = lists_at_once(platform, kept)
    merge = ((lists + 1) * kept + START) / lists
    pieces, spans = -(-longest // LONGEST_PIECE), LISTS_BYTES // (8 * kept * rows)
    return LONGEST_PIECE * max(1, round(sqrt(pieces / 2 * merge / piece)), -(-pieces // spans))
