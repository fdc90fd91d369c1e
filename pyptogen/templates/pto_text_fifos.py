"""Fifos between the cores of a mixed kernel in PTO assembly.

Each fifo is a pipe of global entries: `talloc` waits for a free slot, stores and loads name it as a tensor view of one
slot, `tpush` and `tfree` hand it over and back. The instructions' TPUSH of a tile is the first three together. A slot
has the pitch of a whole tile here, where TPUSH leaves no gap between valid rows; both sides of a fifo agree on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.instruction.ir import For, GmWindow
from pyptogen.lower.tensor.ir import DTYPES as SIZES
from pyptogen.lower.tile.ir import Extent, Fifo
from pyptogen.lower.verify import require
from pyptogen.templates.pto_text_types import DTYPES, partition, pointer
from pyptogen.templates.pto_text_values import Values
from pyptogen.templates.pto_text_windows import split

DIRECTIONS = {"vector": 1, "cube": 2}
"""``dir_mask`` of a fifo by the core that pops from it."""
SIDES = {"vector": ("aiv", "aic"), "cube": ("aic", "aiv")}
"""By the core that pops: the word of who is pushed to, and of who is popped from."""


def entry_type(fifo: Fifo) -> str:
    """``!pto.tensor_view<64x128xf32>``: one slot."""
    return f"!pto.tensor_view<{fifo.rows}x{fifo.cols}x{DTYPES[fifo.dtype]}>"


def split_rows(values: Values, loop: For, subblock: str) -> None:
    """A vector core's rows of the tile of an iteration, where two share it: how many, and the first."""
    assert loop.valid is not None and loop.half is not None
    first, rows = loop.half
    more, two = values.poly(Poly.of(loop.valid) + 1), values.index(2)
    values.bind(rows, values.compute(f"arith.divui {more}, {two} : index", rows))
    values.bind(first, values.poly(Poly.of(subblock) * (Poly.of(loop.valid) - rows)))


@dataclass(slots=True)
class Pipes:
    """The fifos of one program."""

    fifos: dict[str, Fifo]
    values: Values

    @staticmethod
    def of(fifos: Sequence[Fifo], values: Values) -> Pipes:
        return Pipes({fifo.name: fifo for fifo in fifos}, values)

    @property
    def slots(self) -> dict[str, Fifo]:
        """Fifos by the name of their popped slot."""
        return {fifo.slot: fifo for fifo in self.fifos.values()}

    def initialise(self, core: str) -> None:
        """The pipes of a cube or vector program, over this block's part of each fifo."""
        values = self.values
        word = "aic" if core == "cube" else "aiv"
        for number, fifo in enumerate(self.fifos.values()):
            kind, view = pointer(fifo.dtype), entry_type(fifo)
            part = Poly.of("block") * (fifo.slots * fifo.rows * fifo.cols)
            base = values.compute(f"pto.addptr {values.bound(fifo.name)}, {values.poly(part)} : {kind} -> {kind}")
            extents = f"{values.index(fifo.rows)}, {values.index(fifo.cols)}"
            strides = f"{values.index(fifo.cols)}, {values.index(1)}"
            name = values.name(f"{fifo.name}_entry")
            layout = "{layout = #pto.layout<nd>}"
            values.put(
                f"{name} = pto.make_tensor_view {base}, shape = [{extents}], strides = [{strides}] {layout} : {view}"
            )
            size = fifo.rows * fifo.cols * SIZES[fifo.dtype]
            values.put(
                f"pto.{word}_initialize_pipe {{id = {number}, dir_mask = {DIRECTIONS[fifo.to]}, slot_size = {size},"
                f" slot_num = {fifo.slots}}} (gm_slot_tensor = {name} : {view})",
                f"{fifo.slots} tiles of up to {fifo.rows} x {fifo.cols}, to the {fifo.to} core",
            )

    def push(self, name: str, tile: tuple[str, str], valid: tuple[Extent, Extent], row: Poly = ZERO) -> None:
        """A tile (value and type) whose valid part has these rows and columns, into the next free slot from ``row``
        on."""
        fifo, values = self.fifos[name], self.values
        word, marks = SIDES[fifo.to][0], self._marks(name)
        entry = values.name(f"{fifo.slot}_free")
        values.put(f"{entry} = pto.talloc_to_{word} {marks} -> {entry_type(fifo)}")
        part, kind = self._part(entry, fifo, (row, *valid), f"{fifo.slot}_out")
        values.put(f"pto.tstore ins({tile[0]} : {tile[1]}) outs({part} : {kind})")
        values.put(f"pto.tpush_to_{word}({entry} : {entry_type(fifo)}) {marks}")

    def pop(self, name: str) -> None:
        """Binds the name of the fifo's slot to the next filled one."""
        fifo, values = self.fifos[name], self.values
        entry = values.name(fifo.slot)
        values.put(f"{entry} = pto.tpop_from_{SIDES[fifo.to][1]} {self._marks(name)} -> {entry_type(fifo)}")
        values.bind(fifo.slot, entry)

    def free(self, name: str) -> None:
        """Gives the popped slot back."""
        fifo, values = self.fifos[name], self.values
        entry, kind = values.bound(fifo.slot), entry_type(fifo)
        values.put(f"pto.tfree_from_{SIDES[fifo.to][1]}({entry} : {kind}) {self._marks(name)}")

    def window(self, window: GmWindow, wish: str) -> tuple[str, str]:
        """Rows and columns of a popped slot: value and type of the partition."""
        fifo = self.slots[window.tensor]
        place = split(window.offset, window.row_stride)
        rows = place is not None and window.col_stride == ONE and window.layout == "ND"
        require(rows, f"no PTO assembly for other than rows and columns of {fifo.name}", fifo.span)
        assert place is not None
        row, column = place
        return self._part(self.values.bound(fifo.slot), fifo, (row, window.rows, window.cols), wish, column)

    def _marks(self, name: str) -> str:
        return f"{{id = {list(self.fifos).index(name)}, split = 0}}"

    def _part(
        self, entry: str, fifo: Fifo, place: tuple[Poly, Extent, Extent], wish: str, column: Poly = ZERO
    ) -> tuple[str, str]:
        row, *extents = place
        values = self.values
        sizes = ", ".join(values.poly(extent.poly()) for extent in extents)
        kind = partition(fifo.dtype, [extent.poly().constant for extent in extents])
        name = values.name(wish)
        offsets = f"{values.poly(row)}, {values.poly(column)}"
        values.put(
            f"{name} = pto.partition_view {entry}, offsets = [{offsets}], sizes = [{sizes}]"
            f" : {entry_type(fifo)} -> {kind}"
        )
        return name, kind
