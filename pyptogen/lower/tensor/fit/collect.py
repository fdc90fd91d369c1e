"""What a loop collects is computed in its iterations: only then is there a tile to store.

before: loop: s = carry(…); k_block = block(k)        before = collected(s); t = collected(transpose(k_block))
after:  loop: …; s_copy = copy(s); t_copy = copy(…)   before = collected(s_copy); t = collected(t_copy)

Parts of a concat that are no columns of one tile are collected apart, and put together after the loop:

before: loop: …; z = concat(x, column)                z_all = collected(z)
after:  loop: …                                       z_all = concat(collected(x), collected(column))
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.concat_parts import lie_in_a_tile
from pyptogen.lower.tensor.fit.fitter import Fitter, Rule
from pyptogen.lower.tensor.ir import Op, Operand, Shape, Value
from pyptogen.lower.tensor.legality import dim_table
from pyptogen.lower.tensor.views import root, value_views


def collected(f: Fitter, op: Op) -> Value:
    """The blocks of all iterations, of a value or of the parts of a concat."""
    value = f.value(op.operands[0])
    maker = next((other for other in f.ops if other.result.name == value.name), None)
    if maker is None or maker.kind != "concat" or not maker.loop:
        return _blocks(f, op, value, op.result.shape)
    if lie_in_a_tile(maker, dim_table(f.program).number):
        return _blocks(f, op, value, op.result.shape)
    blocks = op.operands[0]
    assert isinstance(blocks, Value)
    readers = [other for other in f.program.ops if blocks in other.operands]
    following = {after for loop in f.program.loops for _, after in loop.carried}
    if readers == [op] and blocks.name not in following:
        f.ops.remove(maker)
    axis = int(maker.attrs["axis"]) + bool(op.attrs["stacked"])
    shape = op.result.shape
    parts: list[Operand] = []
    for part in maker.operands:
        assert isinstance(part, Value)
        size = part.shape[int(maker.attrs["axis"])]
        parts.append(_blocks(f, op, part, (*shape[:axis], size, *shape[axis + 1 :])))
    return f.emit("concat", parts, value.dtype, shape, attrs={**maker.attrs, "axis": axis})


def _blocks(f: Fitter, op: Op, value: Value, shape: Shape) -> Value:
    """What a loop collects of a value: of a copy, where the value is a carried one, or a view of something else than a
    reshape is."""
    loop = str(op.attrs["loop"])
    defining = {other.result.name: other for other in f.ops}
    whole = all(view.kind == "reshape" for view in value_views(defining, value.name))
    maker = defining.get(root(value.name, defining))
    if not whole or maker is None or maker.loop != loop or maker.kind == "carry":
        value = f.emit("copy", [value], value.dtype, value.shape, "copy", loop=loop)
    return f.emit("collected", [value], value.dtype, shape, attrs=op.attrs)


RULES: Mapping[str, Rule] = {"collected": collected}
