"""Values of a loop's iterations that cross kernels: what they look like in GM, where all iterations lie side by side.

before: s: [sq, kv.tile] and a: [sq, 1], made in one kernel's loop over kv and read in another's
after:  s in GM: [sq, kv], each iteration at its columns; a in GM: one [sq, 1] after the other, each at kv0 * sq
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from pyptogen.lower.expr import Poly
from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.lower.tensor.views import indices_of, root, value_views
from pyptogen.lower.tile.cutting.axes import Axes, PerIteration
from pyptogen.lower.tile.loops.block_lengths import named_tiles


def varying(ops: Sequence[Op], defining: Mapping[str, Op]) -> set[str]:
    """Results inside of loops that are others in every iteration: they follow from a carried value or from a block, or
    are as long as the block, which is shorter in the last iteration."""
    found: set[str] = set()
    for op in (op for op in ops if op.loop):
        if any(s.name.endswith(".tile") for size in op.result.shape for s in size.free_symbols):
            found.add(op.result.name)
        names = [v.name for v in op.operands if isinstance(v, Value)]
        names += [index for name in names for index in indices_of(name, defining)]
        blocks = any(view.kind == "block" for name in names for view in value_views(defining, name))
        if op.kind == "carry" or blocks or any(root(name, defining) in found for name in names):
            found.add(op.result.name)
    return found


def varying_in(axes: Axes) -> Set[str]:
    """The same for all of a program."""
    if axes.varying is None:
        ops = axes.program.ops
        axes.varying = varying(ops, {op.result.name: op for op in ops})
    return axes.varying


def values_per_iteration(axes: Axes) -> Mapping[str, PerIteration]:
    """The values that would lie apart in GM, by name. One takes at least as many elements as the value has, rounded
    such that the place of an iteration is a multiple of where its block begins."""
    if axes.per_iteration is None:
        axes.per_iteration = _values_per_iteration(axes)
    return axes.per_iteration


def _values_per_iteration(axes: Axes) -> dict[str, PerIteration]:
    program = axes.program
    found: dict[str, PerIteration] = {}
    loops = {loop.name: loop for loop in program.loops}
    tiles = {loop.name: min(named_tiles(program, loop)) for loop in program.loops}
    changing = varying_in(axes)
    for op in program.ops:
        if op.result.name in changing:
            loop = loops[op.loop]
            factors = [factor for axis in axes.axes(op.result.shape) for factor in axis]
            if not any(factor.dim == loop.block.name for factor in factors):
                size = Poly.of(1)
                for factor in factors:
                    size = size * factor.extent
                step = Poly(tuple((names, -(-count // tiles[loop.name])) for names, count in size.terms))
                found[op.result.name] = PerIteration(loop, step)
    return found
