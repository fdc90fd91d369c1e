"""Transfers between GM and the memories of a core."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.instruction.ir import (
    Barrier,
    Declare,
    For,
    GmLayout,
    GmWindow,
    Node,
    ReadIndex,
    Relu,
    SkipIfNegative,
    TileType,
)
from pyptogen.lower.instruction.select.selector import Handler, Selector
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Extent, GmRef, GmTensor, TileOp, TileVal


def window(sel: Selector, ref: GmRef, op: TileOp, transposed: bool = False) -> GmWindow:
    tensor = sel.tensors[ref.tensor]
    if tensor.layout == "nz":
        return _nz(sel, ref, tensor, op)
    if transposed:
        return GmWindow(tensor.name, tensor.dtype, "ND", ref.offset, Extent(1), ref.rows, ZERO, ref.row_stride)
    layout: GmLayout = "ND" if ref.col_stride == ONE or ref.cols.size == 1 else "DN"
    return GmWindow(tensor.name, tensor.dtype, layout, ref.offset, ref.rows, ref.cols, ref.row_stride, ref.col_stride)


def _nz(sel: Selector, ref: GmRef, tensor: GmTensor, op: TileOp) -> GmWindow:
    """A window of a weight in the platform's fractal form; it must begin at whole fractals.

    Raises:
        DiagnosticError: PTG302, a tile of K or N cuts through one.
    """
    size, k_total = DTYPES[tensor.dtype], tensor.shape[-2].constant
    assert k_total is not None
    k_step, n_step = (64 // size, 32) if sel.platform.packed_nz else (16, 32 // size)
    for place, step, axis in ((ref.k, k_step, "K"), (ref.n, n_step, "N")):
        if not place.is_multiple_of(step, sel.steps):
            raise DiagnosticError(
                Diagnostic(
                    "PTG302",
                    f"a tile cuts through the fractals of `{tensor.name}`, {tensor.dtype} @ nz on {sel.platform.name}",
                    op.span,
                    expected=f"tiles of {axis} that are multiples of {step}",
                    fix=f"cut {axis} of this matmul at a multiple of {step}, or leave it whole",
                )
            )
    padded = -(-k_total // k_step) * k_step
    before = ZERO
    if ref.matrix.terms:
        n_total = tensor.shape[-1].constant
        assert n_total is not None
        before = ref.matrix * (padded * (-(-n_total // n_step) * n_step))
    if sel.platform.packed_nz:
        offset, stride = before + ref.n * padded + ref.k * 32, Poly.of(padded * 32)
        return GmWindow(tensor.name, tensor.dtype, "CPU_PACKED", offset, ref.rows, ref.cols, stride, ONE)
    offset = before + ref.n * padded + ref.k * n_step
    return GmWindow(tensor.name, tensor.dtype, "NZ", offset, ref.rows, ref.cols, Poly.of(padded), ONE)


def as_row(sel: Selector, tile: TileVal, ref: GmRef) -> bool:
    """Whether a column moves between GM and UB as one row: its elements are neighbours in GM."""
    return tile.form == "col" and ref.row_stride == ONE and sel.memory[tile.parent or tile.name] == "ub"


def load(sel: Selector, op: TileOp) -> list[Node]:
    assert op.gm is not None
    tile = sel.tiles[str(op.dst)]
    flat = as_row(sel, tile, op.gm)
    return [sel.instr(op, "TLOAD", sel.use(tile.name, "row" if flat else "own"), window(sel, op.gm, op, flat))]


def store(sel: Selector, op: TileOp) -> list[Node]:
    assert op.gm is not None
    tile = sel.tiles[str(op.srcs[0])]
    flat = as_row(sel, tile, op.gm)
    relu = (Relu(),) if op.mode == "relu" else ()
    return [sel.instr(op, "TSTORE", window(sel, op.gm, op, flat), sel.use(tile.name, "row" if flat else "own"), *relu)]


def scatter(sel: Selector, op: TileOp) -> list[Node]:
    assert op.gm is not None and op.index is not None
    source = sel.tiles[str(op.srcs[0])]
    sel.use(source.name)
    buffer, size = sel.buffers[source.parent or source.name], DTYPES[source.dtype]
    columns = op.gm.cols
    at, slot = sel.local("row"), sel.local("slot")
    address = buffer.place() + source.col_offset * size + Poly.of(at) * (buffer.pitch * size)
    kind = TileType("Vec", source.dtype, 1, buffer.pitch, 1, columns.size if columns.valid is None else None)
    name = f"{source.name}_one" if source.name not in sel.scattered else f"{source.name}_to_{op.gm.tensor}"
    sel.scattered.add(source.name)
    note = f"row of {source.name}"
    owner = source.parent or source.name
    row = Declare(name, kind, Extent(1), columns, address, columns.size * size, note, op.span, owner)
    sel.declared[name] = row
    target = GmWindow(
        op.gm.tensor,
        sel.tensors[op.gm.tensor].dtype,
        "ND",
        Poly.of(slot) * op.gm.row_stride + op.gm.offset,
        Extent(1),
        columns,
        Poly.of(columns.size),
        ONE,
    )
    body: tuple[Node, ...] = (
        ReadIndex(slot, op.index, op.index_offset + at, op.span, op.places, skips=True),
        SkipIfNegative(slot, "this row is not kept", op.span),
        row,
        sel.instr(op, "TSTORE", target, name),
    )
    del sel.declared[name]
    return [
        For(
            at,
            ZERO,
            source.rows.poly(),
            1,
            None,
            False,
            body,
            f"rows of {source.name} to the slots in {op.index}",
            op.span,
        )
    ]


def read_index(sel: Selector, op: TileOp) -> list[Node]:
    assert op.index is not None
    return [ReadIndex(op.mode, op.index, op.index_offset, op.span, op.places)]


def barrier(sel: Selector, op: TileOp) -> list[Node]:
    return [Barrier("ALL", op.span)] if sel.platform.flags else []


HANDLERS: Mapping[str, Handler] = {
    "load": load,
    "store": store,
    "scatter": scatter,
    "read_index": read_index,
    "barrier": barrier,
}
