"""Transfers between GM and the memories of a core."""

from __future__ import annotations

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.instruction.ir import (
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
from pyptogen.lower.instruction.select import packed
from pyptogen.lower.instruction.select.selector import Handlers, Selector
from pyptogen.lower.refusal import refuse
from pyptogen.lower.tensor.building.rules import SCALE
from pyptogen.lower.tensor.ir import DTYPES, PACKED
from pyptogen.lower.tile import ops as tile_ops
from pyptogen.lower.tile.ir import Extent, GmRef, GmTensor, TileOp, TileVal
from pyptogen.lower.tile.ops import GatherRows, IndexedRows, Load, ScatterRows, Store
from pyptogen.records import replace


def window(sel: Selector, ref: GmRef, op: TileOp, transposed: bool = False) -> GmWindow:
    tensor = sel.tensors[ref.tensor]
    if tensor.layout == "nz":
        return _nz(sel, ref, tensor, op)
    role = op.role if isinstance(op, Load) else "vector"
    if role.endswith("scales"):
        kind: GmLayout = "MX_A_ND" if role.startswith("a") else "MX_B_DN"
        return GmWindow(tensor.name, tensor.dtype, kind, ref.offset, ref.rows, ref.cols, ref.row_stride, ref.col_stride)
    if transposed:
        return GmWindow(tensor.name, tensor.dtype, "ND", ref.offset, Extent(1), ref.rows, ZERO, ref.row_stride)
    layout: GmLayout = "ND" if ref.col_stride == ONE or ref.cols.size == 1 else "DN"
    return GmWindow(tensor.name, tensor.dtype, layout, ref.offset, ref.rows, ref.cols, ref.row_stride, ref.col_stride)


def _nz(sel: Selector, ref: GmRef, tensor: GmTensor, op: TileOp) -> GmWindow:
    """A window of a weight in the platform's fractal form; it must begin at whole fractals.

    Raises:
        Refused: PTG302, a tile of K or N cuts through one.
    """
    k_step, n_step = sel.platform.fractal(DTYPES[tensor.dtype])
    for place, step, axis in ((ref.k, k_step, "K"), (ref.n, n_step, "N")):
        if not place.is_multiple_of(step, sel.steps):
            raise refuse(
                "PTG302",
                f"a tile cuts through the fractals of `{tensor.name}`, {tensor.dtype} @ nz on {sel.platform.name}",
                op.span,
                expected=f"tiles of {axis} that are multiples of {step}",
                fix=f"cut {axis} of this matmul at a multiple of {step}, or leave it whole",
            )
    if sel.platform.packed_nz:
        offset, stride = _in_fractals(sel, ref, tensor, ref.k * 32), _padded(tensor.shape[-2], k_step) * 32
        return GmWindow(tensor.name, tensor.dtype, "CPU_PACKED", offset, ref.rows, ref.cols, stride, ONE)
    offset, stride = _in_fractals(sel, ref, tensor, ref.k * n_step), _padded(tensor.shape[-2], k_step)
    return GmWindow(tensor.name, tensor.dtype, "NZ", offset, ref.rows, ref.cols, stride, ONE)


def _in_fractals(sel: Selector, ref: GmRef, tensor: GmTensor, rows: Poly) -> Poly:
    """Elements before a window in `nz`: matrices, columns, and what the ``rows`` above it take in its own columns."""
    k_step, n_step = sel.platform.fractal(DTYPES[tensor.dtype])
    height = _padded(tensor.shape[-2], k_step)
    before = ref.matrix * height * _padded(tensor.shape[-1], n_step) if ref.matrix.terms else ZERO
    return before + ref.n * height + rows


def _padded(size: Poly, step: int) -> Poly:
    """A size in whole fractals; one that is known at run time only has been proved to be."""
    return size if size.constant is None else Poly.of(-(-size.constant // step) * step)


def as_row(sel: Selector, tile: TileVal, ref: GmRef) -> bool:
    """Whether a column moves between GM and UB as one row: its elements are neighbours in GM."""
    return tile.form == "col" and ref.row_stride == ONE and sel.memory[tile.parent or tile.name] == "ub"


def load(sel: Selector, op: Load) -> list[Node]:
    tile = sel.tiles[str(op.dst)]
    if tile.dtype in PACKED:
        return [sel.instr(op, "TLOAD", packed.tile(sel, tile.name), packed.window(sel, window(sel, op.gm, op), op))]
    flat = as_row(sel, tile, op.gm)
    return [sel.instr(op, "TLOAD", sel.use(tile.name, "row" if flat else "own"), window(sel, op.gm, op, flat))]


def store(sel: Selector, op: Store) -> list[Node]:
    tile = sel.tiles[str(op.srcs[0])]
    if tile.dtype in PACKED:
        return [sel.instr(op, "TSTORE", packed.window(sel, window(sel, op.gm, op), op), packed.tile(sel, tile.name))]
    in_ub = sel.memory[tile.parent or tile.name] == "ub"
    if sel.tensors[op.gm.tensor].layout == "nz" and in_ub and not sel.platform.packed_nz:
        return _by_fractals(sel, op, tile, op.gm)
    flat = as_row(sel, tile, op.gm)
    relu = (Relu(),) if op.relu else ()
    dtype = SCALE if sel.tensors[op.gm.tensor].dtype == SCALE else tile.dtype
    source = sel.use_as(tile.name, dtype, "row" if flat else "own")
    return [sel.instr(op, "TSTORE", window(sel, op.gm, op, flat), source, *relu)]


def _by_fractals(sel: Selector, op: TileOp, tile: TileVal, gm: GmRef) -> list[Node]:
    """A loop over the columns of a tile, as many of them at a time as a fractal of `nz` has: in such a one row lies
    after row."""
    tensor = sel.tensors[gm.tensor]
    _, width = sel.platform.fractal(DTYPES[tensor.dtype])
    sel.use(tile.name)
    at = sel.local("col")
    whole = tile.cols.valid is None and tile.cols.size % width == 0
    valid = None if whole else f"{at}_valid"
    cols = Extent(width, Poly.of(valid) if valid else None)
    part = _columns_of(sel, tile, Poly.of(at), cols)
    sel.declared[part.name] = part
    place = replace(gm, n=gm.n + Poly.of(at))
    offset = _in_fractals(sel, place, tensor, gm.k * width)
    there = GmWindow(tensor.name, tensor.dtype, "ND", offset, gm.rows, cols, Poly.of(width), ONE)
    body: tuple[Node, ...] = (part, sel.instr(op, "TSTORE", there, part.name))
    del sel.declared[part.name]
    note = f"fractals of {tile.name}, {width} columns each"
    return [For(at, ZERO, tile.cols.poly(), width, valid, False, body, note, op.span)]


def _columns_of(sel: Selector, tile: TileVal, at: Poly, cols: Extent) -> Declare:
    """Columns of a tile from ``at`` on, others from iteration to iteration, under a name of their own."""
    own = sel.declared[tile.name]
    size = DTYPES[tile.dtype]
    fixed = cols.size if cols.valid is None else None
    kind = replace(own.type, valid_cols=fixed)
    name, address = f"{tile.name}_fractals", own.address + at * size
    return Declare(
        name, kind, own.rows, cols, address, own.size, f"columns of {tile.name}", tile.span, own.owner, own.size
    )


def scatter(sel: Selector, op: ScatterRows) -> list[Node]:
    source = sel.tiles[str(op.srcs[0])]
    return _row_by_row(sel, op, source, "TSTORE")


def gather_rows(sel: Selector, op: GatherRows) -> list[Node]:
    return _row_by_row(sel, op, sel.tiles[str(op.dst)], "TLOAD")


def _row_by_row(sel: Selector, op: IndexedRows, tile: TileVal, name: str) -> list[Node]:
    """A loop over the rows of a tile, each of which moves to or from the row of GM that its index names."""
    stores = name == "TSTORE"
    sel.use(tile.name)
    at, slot = sel.local("row"), sel.local("slot")
    row = _row_of(sel, tile, op.gm, at)
    sel.declared[row.name] = row
    columns = op.gm.cols
    offset, stride = Poly.of(slot) * op.gm.row_stride + op.gm.offset, Poly.of(columns.size)
    dtype = sel.tensors[op.gm.tensor].dtype
    there = GmWindow(op.gm.tensor, dtype, "ND", offset, Extent(1), columns, stride, ONE, unordered=stores)
    if dtype in PACKED:
        # The tile as what it is may have no declaration here, which would say how far its rows reach.
        row = replace(packed.as_bytes(row), whole=sel.declared[tile.name].size)
        there = packed.window(sel, there, op)
    place = op.index_offset + op.index_step * at
    move = sel.instr(op, name, there, row.name) if stores else sel.instr(op, name, row.name, there)
    body: tuple[Node, ...] = (
        ReadIndex(slot, op.index, place, op.span, op.bound, skips=stores),
        *((SkipIfNegative(slot, "this row is not kept", op.span),) if stores else ()),
        row,
        move,
    )
    del sel.declared[row.name]
    note = f"rows of {tile.name} {'to' if stores else 'from'} the slots in {op.index}"
    return [For(at, ZERO, tile.rows.poly(), 1, None, False, body, note, op.span)]


def _row_of(sel: Selector, tile: TileVal, gm: GmRef, at: str) -> Declare:
    """Row ``at`` of a tile, under a name of its own."""
    columns, owner = gm.cols, tile.parent or tile.name
    buffer, size = sel.buffers[owner], DTYPES[tile.dtype]
    line = buffer.pitch * size
    address = buffer.place() + tile.col_offset * size + tile.row_offset * line + Poly.of(at) * line
    kind = TileType("Vec", tile.dtype, 1, buffer.pitch, 1, columns.size if columns.valid is None else None)
    name = f"{tile.name}_one" if tile.name not in sel.scattered else f"{tile.name}_to_{gm.tensor}"
    sel.scattered.add(tile.name)
    note = f"row of {tile.name}"
    return Declare(name, kind, Extent(1), columns, address, columns.size * size, note, tile.span, owner)


def read_index(sel: Selector, op: tile_ops.ReadIndex) -> list[Node]:
    return [ReadIndex(op.name, op.index, op.index_offset, op.span, op.bound, plus=op.plus, per=op.per)]


HANDLERS: Handlers = {
    Load: load,
    Store: store,
    ScatterRows: scatter,
    GatherRows: gather_rows,
    tile_ops.ReadIndex: read_index,
}
