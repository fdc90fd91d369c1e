"""Text of the Tile level."""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.expr import ONE
from pyptogen.lower.tile.ir import Extent, Loop, Node, ScalarArg, TileKernel, TileOp, TileVal
from pyptogen.lower.tile.kernels.partition import KernelOps


def extent(e: Extent) -> str:
    return str(e.size) if e.valid is None else f"{e.size}({e.valid})"


def tile(t: TileVal) -> str:
    window = f" = columns {t.col_offset}.. of {t.parent}" if t.parent else ""
    window += f", rows {t.row_offset}.." if t.row_offset.terms else ""
    return f"{t.name}: {t.dtype}[{extent(t.rows)}, {extent(t.cols)}] {t.form}{window}"


def op_text(op: TileOp) -> str:
    """One operation."""
    sources = ", ".join(str(s.expr) if isinstance(s, ScalarArg) else s for s in op.srcs)
    gm = ""
    if op.gm is not None:
        place = f"k={op.gm.k}, n={op.gm.n}" if op.gm.k.terms or op.gm.n.terms else f"{op.gm.offset}"
        size = f"{extent(op.gm.rows)} x {extent(op.gm.cols)}"
        gm = f" {op.gm.tensor}[{place}; {size}, strides {op.gm.row_stride}, {op.gm.col_stride}]"
    apart = f", {op.index_step} apart" if op.index and op.index_step != ONE else ""
    extra = f" by {op.index}[{op.index_offset}{apart}]" if op.index else ""
    extra += f" first at {op.first} = 0" if op.first else ""
    extra += f" from row {op.row}" if op.row.terms else ""
    extra += f" through {op.fifo}" if op.fifo else ""
    extra += f" mode={op.mode}" if op.kind == "cast" or (op.kind, op.mode) == ("store", "relu") else ""
    extra += "" if op.saturate else " saturate=false"
    extra += f" scratch {op.scratch}" if op.scratch else ""
    extra += " mask" if op.mask else ""
    left = f"{op.dst} = " if op.dst else ""
    return f"{left}{op.kind}{gm} {sources}{extra}".rstrip()


def body(nodes: Sequence[Node], depth: int) -> list[str]:
    """Lines of a loop nest."""
    lines: list[str] = []
    pad = "  " * depth
    for node in nodes:
        if isinstance(node, Loop):
            dealt = " parallel" if node.parallel else ""
            valid = f" ({node.valid} valid)" if node.valid else ""
            part = f" after {node.after}" if node.after else ""
            part += f" before {node.before}" if node.before else ""
            part += " once" if node.once else ""
            part += f" if {node.only}" if node.only is not None else ""
            part += f" share {', '.join(node.share)}" if node.share else ""
            lines.append(
                f"{pad}for {node.var} in {node.start}..{node.stop} step {node.tile}{valid}{part}: {node.role}{dealt}"
            )
            lines += body(node.body, depth + 1)
        else:
            lines.append(f"{pad}{op_text(node)}")
    return lines


def print_partition(kernels: Sequence[KernelOps]) -> str:
    """Which operations each kernel takes, and what it leaves in GM for others."""
    lines: list[str] = []
    for kernel in kernels:
        lines.append(f"kernel {kernel.name} ({kernel.core}) stages {', '.join(kernel.stages)}")
        lines += [f"  {op.result.name} = {op.kind}" for op in kernel.ops]
        lines.append(f"  to GM: {', '.join(kernel.writes)}")
    return "\n".join(lines) + "\n"


def print_kernel(kernel: TileKernel) -> str:
    """One kernel."""
    lines = [f"kernel {kernel.name} ({kernel.core}) stages {', '.join(kernel.stages)}"]
    lines[0] += " on two vector cores" if kernel.lane else ""
    lines.append(f"  reads {', '.join(kernel.reads)}; writes {', '.join(kernel.writes)}")
    lines += [f"  tile {tile(t)}" for t in kernel.tiles]
    return "\n".join(lines + body(kernel.body, 1)) + "\n"


def print_kernels(kernels: Sequence[TileKernel]) -> str:
    """All kernels of an operator."""
    return "\n".join(print_kernel(k) for k in kernels)
