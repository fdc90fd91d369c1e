"""What a reduction reads, tile by tile: a tensor in GM, or what elementwise work of its kernel makes of some.

before: c = sub(x: [n, d], m: [d]); q = mul(c, c)        the tile of q that a piece of 64 rows and 96 columns takes
after:  load x_tile[64 x 96]; load m_tile[1 x 96]; c = sub x_tile, m_tile; q = mul c, c
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tensor.ir import DTYPES, Op, Scalar, Value
from pyptogen.lower.tile.cutting.axes import Axis, GmView
from pyptogen.lower.tile.ir import Extent, Form, Node
from pyptogen.lower.tile.ops import of_primitive
from pyptogen.lower.tile.standalone.builder import StandaloneBuilder, Step, elements_of_a_tile
from pyptogen.records import replace

MULTIPLE = 512
"""What the elements of a tile are a multiple of: lines of 8 elements in each of 64 rows."""
MOST_TILES = 24
"""More do not fit UB with tiles that are worth a transfer."""


def read_by(ops: Sequence[Op], reduction: Op) -> list[Value]:
    """The values that a reduction with the elementwise work ``ops`` reads."""
    made = {op.result.name for op in ops}
    read = [v for op in (*ops, reduction) for v in op.operands if isinstance(v, Value) and v.name not in made]
    return list({value.name: value for value in read}.values())


def elements_of_a_piece(platform: Platform, ops: Sequence[Op], reduction: Op) -> int:
    """Elements of one tile of a reduction with the elementwise work ``ops``. Loads have two copies, and in the worst
    case all results are there at once.

    Raises:
        Refused: PTG303, they are too many.
    """
    values = read_by(ops, reduction)
    widest = max([*values, *(op.result for op in ops)], key=lambda v: DTYPES[v.dtype]).dtype
    most = elements_of_a_tile(platform, widest)
    if not ops or platform.unified:
        return most
    tiles = 2 * len(values) + len(ops) + (3 if platform.serial_column_reductions else 1)
    if tiles > MOST_TILES:
        raise unsupported(reduction.span, f"a reduction of what {tiles} tiles make", "put it into a stage of its own")
    room = platform.memories["ub"] // tiles // DTYPES[widest]
    return min(most, room // MULTIPLE * MULTIPLE)


class Prologue:
    """Makes the operand of the reduction ``op``.

    ``views`` are those of the tensors that it is made of, each in the shape of the operand: where one is broadcast
    along an axis, its step there is 0. ``budget`` is how many elements a tile has.
    """

    def __init__(self, b: StandaloneBuilder, op: Op) -> None:
        (source,) = op.operands
        assert isinstance(source, Value)
        self.b, self.operand = b, source
        self.ops = [other for other in b.kernel.ops if other is not op]
        self.values = read_by(self.ops, op)
        self.views = [self._broadcast(b.source(value)) for value in self.values]
        self.budget = elements_of_a_piece(b.platform, self.ops, op)

    def _broadcast(self, view: GmView) -> GmView:
        shape = self.b.axes.axes(self.operand.shape)
        missing: tuple[Axis, ...] = ((),) * (len(shape) - len(view.axes))
        axes = [
            found or tuple(replace(factor, stride=ZERO) for factor in wanted)
            for found, wanted in zip((*missing, *view.axes), shape, strict=True)
        ]
        return replace(view, axes=tuple(axes))

    def tile(
        self, rows: Extent, cols: Extent, row_steps: Sequence[Poly], col_steps: Sequence[Poly], at: Sequence[Step]
    ) -> tuple[str, Sequence[Node]]:
        """The tile that a piece is reduced from, and what makes it.

        Args:
            rows, cols: its extents.
            row_steps, col_steps: by view, elements from one row to the next, and from one column to the next.
            at: the loops around it.

        Raises:
            Refused: PTG303, a tensor that is broadcast along both.
        """
        b, tiles = self.b, {}
        nodes: list[Node] = []
        for n, (value, view) in enumerate(zip(self.values, self.views, strict=True)):
            one_row, one_col = row_steps[n] == ZERO and rows.size > 1, col_steps[n] == ZERO and cols.size > 1
            if one_row and one_col:
                raise unsupported(b.op.span, f"one element of `{view.tensor}` for a tile", "put it into its own stage")
            form: Form = "row" if one_row else "col" if one_col else "full"
            height, width = Extent(1) if one_row else rows, Extent(1) if one_col else cols
            name = b.tile(f"{view.tensor}_tile" if self.ops else "part", value.dtype, height, width, form)
            steps = ONE if one_row else row_steps[n], ONE if one_col else col_steps[n]
            nodes.append(b.load(name, view.tensor, b.at(view.offset, at, 1 + n), *steps))
            tiles[value.name] = name
        for op in self.ops:
            sources = tuple(b.scalar(v) if isinstance(v, Scalar) else tiles[v.name] for v in op.operands)
            tiles[op.result.name] = b.tile(op.result.name, op.result.dtype, rows, cols, "full")
            nodes.append(of_primitive(op.kind, tiles[op.result.name], sources, op.span, op.stage, op.attrs))
        return tiles[self.operand.name], nodes
