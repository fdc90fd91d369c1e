"""A kernel at block level: one operation a line, on buffers at addresses that the author gives.

before: buffers {xt: {memory: ub, address: 0, shape: [8, 512], dtype: fp32}}, body {xt: load(x[8*i:8*i+8, :]) …}
after:  TLOAD(xt at 0x00000 …) …, with flags placed by the compiler or, under `sync: hand`, by the author and proved
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Literal

from pyptogen.lower.expr import ZERO
from pyptogen.lower.hand.expressions import Expressions, Shape
from pyptogen.lower.hand.finished import Finished
from pyptogen.lower.hand.fixed import FixedBody
from pyptogen.lower.hand.scope import Scope
from pyptogen.lower.hand.windows import Tensor
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tile.ir import GmTensor, TileOp, TileVal
from pyptogen.lower.tile.ops import Extract, Move
from pyptogen.schema.hand import HandKernel


class _Lines:
    """Operations between named buffers."""

    def __init__(self, body: FixedBody, tensors: Mapping[str, Tensor]) -> None:
        self.lines = Expressions(body.kernel.name, body.scope, tensors, {}, self)
        self.body, self.tiles = body, body.vals
        self.lines.accumulators = {name for name, buffer in body.buffers.items() if buffer.memory == "l0c"}

    def known(self, name: str) -> TileVal | None:
        return self.tiles.get(name)

    def place(self, shape: Shape, node: ast.expr, target: str | None, operands: tuple[str, ...]) -> TileVal:
        tile = self.tiles.get(target or "")
        if tile is None:
            what = f"`{target}` is no buffer" if target else f"`{self.lines.expr.text_of(node)}` has no buffer"
            raise self.lines.fault(
                "PTG201", what, node, "one operation a line, named after the buffer that takes its result",
                "add the buffer under `buffers`",
            )  # fmt: skip
        given = f"{tile.dtype} {tile.rows.size} x {tile.cols.size}"
        if (tile.dtype, tile.rows, tile.cols) != (shape.dtype, shape.rows, shape.cols):
            valid = [e.valid for e in (shape.rows, shape.cols)]
            loops = [
                next((n for n, p in self.body.every.items() if v is not None and str(v) == p.valid), "") for v in valid
            ]
            fix = f"`valid: [{loops[0] or shape.rows.size}, {loops[1] or shape.cols.size}]`" if any(loops) else ""
            fix = fix if tile.dtype == shape.dtype else f"`dtype: {shape.dtype}`"
            raise self.lines.fault(
                "PTG205",
                f"the result is {shape.dtype} {shape.rows.poly()} x {shape.cols.poly()}, buffer `{target}` {given}",
                node,
                "a buffer of that dtype whose valid part has that size",
                fix,
            )
        return tile

    def done(self, result: TileVal) -> None:
        """Results go to named buffers at once."""

    def emit(self, op: TileOp) -> None:
        self.body.nodes += self.body.selector.body((op,))

    def vector_operand(self, tile: TileVal, node: ast.expr) -> TileVal:
        if tile.name in self.lines.accumulators:
            raise self.lines.fault(
                "PTG303", f"vector work on `{tile.name}`, which lies in L0C", node, "a buffer in UB",
                "`name: extract(accumulator)` on cpu; elsewhere store it and load it in a vector kernel",
            )  # fmt: skip
        return tile

    def more(self) -> Mapping[str, Callable[[ast.Call, str | None], TileVal]]:
        return {"move": self._move, "extract": self._extract}

    def _move(self, node: ast.Call, target: str | None) -> TileVal:
        """``al: move(at, 64)``: L1 to L0, from depth 64 of K on."""
        source = self.lines.tile(node.args[0]) if node.args else self.lines.tile(node)
        depth = self.body.scope.index(self.lines.expr, node.args[1]) if len(node.args) > 1 else ZERO
        dst = self.tiles.get(target or "")
        if dst is None or dst.dtype != source.dtype:
            raise self.lines.fault(
                "PTG205", "no such buffer of that dtype", node, f"a buffer of {source.dtype} in L0A or L0B"
            )
        role: Literal["a", "b"] = "a" if self.body.buffers[dst.name].memory == "l0a" else "b"
        self.emit(Move(dst.name, (source.name,), self.lines.line.span, self.lines.stage, role, depth))
        return dst

    def _extract(self, node: ast.Call, target: str | None) -> TileVal:
        source = self.lines.tile(node.args[0]) if node.args else self.lines.tile(node)
        if not self.body.platform.unified:
            raise self.lines.fault(
                "PTG303", f"an accumulator to UB on {self.body.platform.name}", node, "a store to global memory"
            )
        dst = self.place(Shape(source.dtype, source.rows, source.cols, source.form), node, target, ())
        self.emit(Extract(dst.name, (source.name,), self.lines.line.span, self.lines.stage))
        return dst


def run(
    kernel: HandKernel, scope: Scope, tensors: Mapping[str, Tensor], gm: Mapping[str, GmTensor], platform: Platform
) -> Finished:
    """Read one kernel. Raises PTG1xx, PTG2xx, PTG301 to PTG305."""
    body = FixedBody(kernel, scope, gm, platform)
    level = _Lines(body, tensors)
    body.read(level.lines.read)
    return body.finish(level.lines.reads, level.lines.writes, body.selector.declared)
