"""Text of the Tile level, which `parser` reads back: the same kernel, but for its places in the spec.

    kernel rows (vector) stages rows
      tensor x: fp32[t, 256] nd
      tensor y: fp32[t, 256] nd
      reads x; writes y
      launch_dim t
      tile x_t: fp32[8(t0_valid), 256] full
      tile y_t: fp32[8(t0_valid), 256] full
      for t0 in t_begin..t_end step 8 over t (t0_valid valid): grid parallel
        x_t = load x[256 * t0; 8(t0_valid) x 256, strides 256, 1]
        y_t = mul x_t, 2.0
        store y[256 * t0; 8(t0_valid) x 256, strides 256, 1] y_t

`8(t0_valid)` is a capacity of 8 with so many valid. Numbers that are expressions stand in parentheses, the fields of an
operation in braces, where they are not what they usually are. An operation of another stage than the kernel's first one
ends in `@ stage`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

from pyptogen.lower.tile.ir import (
    Extent,
    Fifo,
    GmRef,
    GmTensor,
    Loop,
    Node,
    ScalarArg,
    TileKernel,
    TileOp,
    TileVal,
)
from pyptogen.lower.tile.kernels.partition import KernelOps

OF_EVERY_OPERATION = ("dst", "srcs", "span", "stage", "gm")
"""The fields that stand before the braces."""


def extent(e: Extent) -> str:
    return str(e.size) if e.valid is None else f"{e.size}({e.valid})"


def tile(t: TileVal) -> str:
    window = f" = {'scales of' if t.is_scales else 'part of'} {t.parent}" if t.parent else ""
    window += f" columns {t.col_offset}" if t.col_offset else ""
    window += f" rows {t.row_offset}" if t.row_offset.terms else ""
    return f"{t.name}: {t.dtype}[{extent(t.rows)}, {extent(t.cols)}] {t.form}{window}"


def op_text(op: TileOp, stage: str | None = None) -> str:
    """One operation, of a kernel whose first stage is ``stage``."""
    left = f"{op.dst} = " if op.dst else ""
    window = f" {gm_text(op.window)}" if op.window else ""
    sources = " " + ", ".join(map(source_text, op.srcs)) if op.srcs else ""
    details = ", ".join(_details(op))
    own = f" @ {op.stage}" if stage is not None and op.stage != stage else ""
    return f"{left}{op.mnemonic}{window}{sources}{f' {{{details}}}' if details else ''}{own}"


def gm_text(gm: GmRef) -> str:
    """A window of GM."""
    matrix = [("k", gm.k), ("n", gm.n), ("matrix", gm.matrix)]
    place = ", ".join([str(gm.offset), *(f"{name} = {poly}" for name, poly in matrix if poly.terms)])
    return f"{gm.tensor}[{place}; {extent(gm.rows)} x {extent(gm.cols)}, strides {gm.row_stride}, {gm.col_stride}]"


def source_text(source: str | ScalarArg) -> str:
    """An operand: a tile by name, a number, an expression in parentheses."""
    return source if isinstance(source, str) else number_text(source.expr)


def number_text(expr: Any) -> str:
    """A number, or an expression of attrs and dims in parentheses."""
    if isinstance(expr, int | float) and not isinstance(expr, bool):
        return repr(expr)
    text = str(_number_printer().doprint(expr))
    return text if getattr(expr, "is_Number", False) and "/" not in text else f"({text})"


def _number_printer() -> Any:
    """Prints expressions with all digits of their numbers."""
    from sympy.printing.str import StrPrinter

    class Printer(StrPrinter):  # type: ignore[misc]
        def _print_Float(self, expr: Any) -> str:  # noqa: N802 sympy looks for this name
            return repr(float(expr))

    return Printer()


def _details(op: TileOp) -> Iterator[str]:
    """The fields of an operation that its name does not tell, and that are not what they usually are."""
    for field in fields(op):
        if field.name in (*OF_EVERY_OPERATION, *op.spelled):
            continue
        value = getattr(op, field.name)
        if field.default is MISSING or value != field.default:
            yield f"{field.name} = {_value(value)}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " + ".join(value) if isinstance(value, tuple) else str(value)


def loop_text(loop: Loop) -> str:
    """The head of a loop."""
    words = [f"for {loop.var} in {loop.start}..{loop.stop} step {loop.tile}"]
    words += [f"every {loop.every}"] if loop.every > 1 else []
    words += [f"over {loop.dim}"] if loop.dim != loop.var else []
    words += [f"({loop.valid} valid)"] if loop.valid else []
    words += [f"after {loop.after}"] if loop.after is not None else []
    words += [f"before {loop.before}"] if loop.before is not None else []
    words += ["once"] if loop.once else []
    words += [f"if ({loop.only})"] if loop.only is not None else []
    words += [f"half {', '.join(loop.half)}"] if loop.half else []
    words += [f"index_set {loop.index_set}"] if loop.index_set else []
    words += [f"buffer {loop.slot} of {loop.slots}"] if loop.slot else []
    return f"{' '.join(words)}: {loop.role}{' parallel' if loop.parallel else ''}"


def body(nodes: Sequence[Node], depth: int, stage: str | None = None) -> list[str]:
    """Lines of a loop nest, in a kernel whose first stage is ``stage``."""
    lines: list[str] = []
    pad = "  " * depth
    for node in nodes:
        if isinstance(node, Loop):
            lines += [pad + loop_text(node), *body(node.body, depth + 1, stage)]
        else:
            lines.append(pad + op_text(node, stage))
    return lines


def print_partition(kernels: Sequence[KernelOps]) -> str:
    """Which operations each kernel takes, and what it leaves in GM for others."""
    lines: list[str] = []
    for kernel in kernels:
        lines.append(f"kernel {kernel.name} ({kernel.core}) stages {', '.join(kernel.stages)}")
        lines += [f"  {op.result.name} = {op.kind}" for op in kernel.ops]
        lines.append(f"  to GM: {', '.join(kernel.writes)}")
    return "\n".join(lines) + "\n"


def head(kernel: TileKernel) -> list[str]:
    """What a kernel says ahead of its tiles."""
    lines = [f"kernel {kernel.name} ({kernel.core}) stages {', '.join(kernel.stages)}"]
    lines += [f"  tensor {tensor_text(tensor)}" for tensor in kernel.tensors]
    lines.append(f"  reads {', '.join(kernel.reads)}; writes {', '.join(kernel.writes)}")
    lines += [f"  signature {', '.join(kernel.signature)}"] if kernel.signature is not None else []
    lines += [f"  scalars {', '.join(kernel.scalars)}"] if kernel.scalars else []
    lines += [f"  dims {', '.join(kernel.dims)}"] if kernel.dims else []
    longest = f", at most {kernel.longest} at a time" if kernel.longest else ""
    lines += [f"  launch_dim {kernel.launch_dim}{longest}"] if kernel.launch_dim else []
    lines += [f"  sizes {', '.join(f'{dim} {size}' for dim, size, _ in kernel.sizes)}"] if kernel.sizes else []
    lines += [f"  copies {', '.join(f'{stage} {copies}' for stage, copies in kernel.depths)}"] if kernel.depths else []
    lines += [f"  fifo {fifo_text(fifo)}" for fifo in kernel.fifos]
    lines += [f"  fifos of {kernel.slots} buffers"] if kernel.slots else []
    lines += [f"  vector cores {kernel.vector_cores}"] if kernel.vector_cores else []
    lines += [f"  on two vector cores, {kernel.subblock} is the number of each"] if kernel.subblock else []
    return lines


def tensor_text(tensor: GmTensor) -> str:
    shape = ", ".join(map(str, tensor.shape))
    return f"{tensor.name}: {tensor.dtype}[{shape}] {tensor.layout}{' workspace' if tensor.workspace else ''}"


def fifo_text(fifo: Fifo) -> str:
    both = " from both vector cores" if fifo.both else ""
    unit_flags = " with unit flags" if fifo.unit_flags else ""
    return (
        f"{fifo.number} {fifo.name}: {fifo.dtype}[{fifo.rows}, {fifo.cols}] x {fifo.slots} to {fifo.to},"
        f" popped as {fifo.slot}{both}{unit_flags}"
    )


def print_kernel(kernel: TileKernel, memory: Mapping[str, str] | None = None, plan: Sequence[str] = ()) -> str:
    """One kernel, with the memories of its tiles and the lines of its memory plan, where it has them."""
    where = {name: f" in {found}" for name, found in (memory or {}).items()}
    tiles = [f"  tile {tile(t)}{where.get(t.name, '')}" for t in kernel.tiles]
    nodes = body(kernel.body, 1, next(iter(kernel.stages), None))
    return "\n".join([*head(kernel), *tiles, *plan, *nodes]) + "\n"


def print_kernels(kernels: Sequence[TileKernel]) -> str:
    """All kernels of an operator."""
    return "\n".join(print_kernel(k) for k in kernels)


__all__ = [
    "body",
    "extent",
    "fifo_text",
    "gm_text",
    "head",
    "loop_text",
    "number_text",
    "op_text",
    "print_kernel",
    "print_kernels",
    "print_partition",
    "source_text",
    "tensor_text",
    "tile",
]
