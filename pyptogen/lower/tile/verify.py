"""Legality of the Tile level."""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Loop, Node, TileKernel, is_one_nest, walk
from pyptogen.lower.tile.ops import Binary, ReadIndex
from pyptogen.lower.verify import require


def verify(kernels: Sequence[TileKernel]) -> None:
    """Every tile is written before it is read, loop names are bound where they are used, windows stay inside their
    parent, operands of a binary operation have one dtype.

    Raises:
        IllegalIR: a rule is broken.
    """
    for kernel in kernels:
        _Checker(kernel).run()


class _Checker:
    def __init__(self, kernel: TileKernel) -> None:
        self.kernel = kernel
        self.tiles = {t.name: t for t in kernel.tiles}
        bounds = (f"{kernel.launch_dim}_begin", f"{kernel.launch_dim}_end") if kernel.launch_dim else ()
        self.outside = {*bounds, *kernel.dims, *({kernel.subblock} if kernel.subblock else ())}

    def run(self) -> None:
        for tile in self.kernel.tiles:
            if tile.parent is not None:
                parent = self.tiles[tile.parent]
                inside = tile.col_offset + tile.cols.size <= parent.cols.size and parent.parent is None
                require(
                    inside and parent.dtype == tile.dtype,
                    f"window {tile.name} leaves {parent.name}",
                    tile.span,
                )
        self.nodes(self.kernel.body, set(self.outside), set())

    def nodes(self, nodes: Sequence[Node], bound: set[str], written: set[str]) -> None:
        for node in nodes:
            if isinstance(node, Loop):
                require(node.var not in bound, f"loop {node.var} hides another", node.span)
                require(is_one_nest(node), f"a distributed loop in {node.var} is not directly nested in it", node.span)
                require(
                    all(poly.names() <= bound for poly in node.bounds()),
                    f"bounds of loop {node.var} are not bound",
                    node.span,
                )
                inner = bound | {node.var} | ({node.valid} if node.valid else set()) | {*(node.half or ())}
                if node.only is not None:
                    missing = node.only.names() - inner - set(self.kernel.scalars)
                    require(not missing, f"the condition of loop {node.var} uses {sorted(missing)}", node.only.span)
                    inner |= {element.name for element in node.only.elements}
                stages = [part for part in node.body if isinstance(part, Loop) and part.once]
                # A stage of a software pipeline reads what another one wrote in an earlier iteration.
                written |= {self.tiles[name].owner for op in walk(stages) for name in op.written}
                self.nodes(node.body, inner, written)
                continue
            if isinstance(node, ReadIndex):
                require(node.index_offset.names() <= bound, f"index of {node.index} is not bound", node.span)
                bound = bound | {node.name}
            for name in node.tiles:
                require(name in self.tiles, f"{name} is no tile of {self.kernel.name}", node.span)
            for source in node.operands:
                owner = self.tiles[source].parent or source
                require(source in written or owner in written, f"{source} is read before it is written", node.span)
            if node.window is not None:
                names = node.window.place()
                require(names <= bound, f"address of {node.window.tensor} uses {sorted(names - bound)}", node.span)
            if isinstance(node, Binary):
                dtypes = {self.tiles[name].dtype for name in node.tiles}
                require(
                    len(dtypes) == 1 and dtypes <= DTYPES.keys(),
                    f"{node.mnemonic} mixes {sorted(dtypes)}",
                    node.span,
                )
            if node.dst is not None:
                written |= {node.dst, self.tiles[node.dst].parent or node.dst}
