"""Operations that a platform has no single instruction for → those it has.

before: y = cast(x: fp32, int8, rint)           scatter of a column s [R, 1]
after:  y_int32 = cast(x, int32, rint)          s_wide [R, 32 bytes] = expand(s)
        y_fp16 = cast(y_int32, fp16)            scatter s_wide, one element a row
        y = cast(y_fp16, int8)

Every reduction gets the scratch tile that its instruction asks for. Afterwards each operation is one instruction (or
one row loop for a scatter).
"""

from __future__ import annotations

from dataclasses import replace

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import DTYPES, REDUCE
from pyptogen.lower.tile.axes import unsupported
from pyptogen.lower.tile.ir import Extent, Loop, Node, TileKernel, TileOp, TileVal

SCRATCH_BYTES = 512
"""Scratch of a row reduction, bytes a row: two vector repeats, the most that any path of the A2/A3 code writes."""


class _Legaliser:
    def __init__(self, kernel: TileKernel, platform: Platform) -> None:
        self.tiles = {t.name: t for t in kernel.tiles}
        self.platform = platform

    def rewrite(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop):
                result.append(replace(node, body=self.rewrite(node.body)))
            elif node.kind == "cast":
                result += self.cast(node)
            elif node.kind in REDUCE:
                source = self.tiles[str(node.srcs[0])]
                columns = Extent(min(source.cols.size, SCRATCH_BYTES // DTYPES[source.dtype]))
                scratch = self.add(f"{node.dst}_tmp", replace(source, cols=columns, parent=None, col_offset=0))
                result.append(replace(node, scratch=scratch))
            elif node.kind == "scatter":
                result += self.scatter(node)
            else:
                result.append(node)
        return tuple(result)

    def add(self, wanted: str, like: TileVal) -> str:
        name, n = wanted, 1
        while name in self.tiles:
            n += 1
            name = f"{wanted}_{n}"
        self.tiles[name] = replace(like, name=name)
        return name

    def cast(self, op: TileOp) -> list[TileOp]:
        source, dst = self.tiles[str(op.srcs[0])], self.tiles[str(op.dst)]
        steps: list[TileOp] = []
        at = source.name
        mode = op.mode
        chain = self.platform.cast_chains.get((source.dtype, dst.dtype), ())
        exact = source.dtype.startswith("int") or self.platform.low_bits_of_floats
        if not op.saturate and (chain or not exact):
            raise unsupported(
                op.span,
                f"a cast from {source.dtype} to {dst.dtype} that keeps low bits on {self.platform.name}",
                "let it saturate",
            )
        for dtype in chain:
            name = self.add(f"{dst.name}_{dtype}", replace(dst, dtype=dtype, parent=None, col_offset=0))
            steps.append(replace(op, dst=name, srcs=(at,), mode=mode))
            at, mode = name, "none"
        return [*steps, replace(op, srcs=(at,), mode=mode)]

    def scatter(self, op: TileOp) -> list[TileOp]:
        source = self.tiles[str(op.srcs[0])]
        if source.form != "col":
            return [op]
        wide = self.add(
            f"{source.name}_wide",
            replace(source, cols=Extent(32 // DTYPES[source.dtype]), form="full", parent=None),
        )
        return [TileOp("expand", wide, (source.name,), op.span, op.stage), replace(op, srcs=(wide,))]


def run(kernel: TileKernel, platform: Platform) -> TileKernel:
    """Legalise one kernel for ``platform``."""
    legaliser = _Legaliser(kernel, platform)
    body = legaliser.rewrite(kernel.body)
    return replace(kernel, body=body, tiles=tuple(legaliser.tiles.values()))
