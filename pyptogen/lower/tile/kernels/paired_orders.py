"""Values and positions of an order are two sides of the same sorted pairs, where cube and vector cores are separate.

before: v, i = topk(x: [t, 4096], 64)
after:  v_order = topk_pairs(x): [t, 128]          pairs of value and position, the first ones in order
        v = pair_values(v_order): [t, 64], i = pair_indices(v_order)

What reads pairs is made in the kernel that sorts them (`orders`): they never lie in GM. The order of one element is
that element. Where cube and vector cores are one (`cpu`), an instruction finds positions in GM.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Integer

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import SORTING, Op, Program, Value
from pyptogen.lower.tensor.program_names import FreeNames
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.sorted_rows import LONGEST_PIECE, LONGEST_ROW, fastest, in_pieces, kept_of
from pyptogen.records import replace

SIDES = {"topk_values": "pair_values", "topk_indices": "pair_indices"}


def run(program: Program, platform: Platform) -> Program:
    """The program with such pairs; as it is where there are no orders. One that the platform cannot make stays."""
    if platform.unified or not any(op.kind in SORTING for op in program.ops):
        return program
    pairs = _Pairs(program)
    return replace(program, ops=tuple(made for op in program.ops for made in pairs.of(op)))


class _Pairs:
    def __init__(self, program: Program) -> None:
        self.axes, self.names = Axes(program), FreeNames(program)
        self.known: dict[tuple[str, str, int, bool], Value] = {}
        """The pairs of each order by stage, operand, count and direction."""

    def of(self, op: Op) -> Sequence[Op]:
        """The operations for one."""
        if op.kind not in SORTING or op.loop:
            return [op]
        (x,) = op.operands
        assert isinstance(x, Value)
        k, size = self.axes.poly(op.attrs["k"]).constant, op.attrs.get("length", x.shape[-1])
        length = self.axes.poly(size).constant
        if k is None or (k > LONGEST_PIECE and (length is None or length > LONGEST_ROW)):
            return [op]
        if length == 1:
            return [_of_one(op)]
        kind = "merged_pairs" if "span" in op.attrs else "topk_pairs"
        key, made = (op.stage, x.name, k, bool(op.attrs["largest"])), list[Op]()
        how = {**op.attrs, "k": k, "length": size}
        if key not in self.known:
            count = kept_of(k) if kind == "merged_pairs" else _pairs_of(length, k)
            name, shape = self.names.take(f"{op.result.name}_order"), (*op.result.shape[:-1], Integer(2 * count))
            self.known[key] = Value(name, "fp32", shape, "nd", op.span)
            made.append(replace(op, kind=kind, result=self.known[key], attrs=how))
        return [*made, replace(op, kind=SIDES[op.kind], operands=(self.known[key],), attrs=how)]


def _pairs_of(length: int | None, k: int) -> int:
    """Pairs of a row of that length, None where a call tells."""
    return kept_of(k) if length is None or in_pieces(length, k) else fastest(length, kept_of(k)).pairs


def _of_one(op: Op) -> Op:
    """What the order of one element is."""
    if op.kind == "topk_values":
        return replace(op, kind="copy", attrs={})
    return replace(op, kind="full", operands=(), attrs={"value": Integer(0)})
