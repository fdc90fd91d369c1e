"""Which values of 64 bits are needed whole, and which in halves."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.isa.kinds import BITWISE_NAMES, COLUMN_NAMES, REDUCE_NAMES, STEMS, UNARY_NAMES, instruction_of
from pyptogen.lower.isa.table import CASTS
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.fit.arithmetic import range_fits
from pyptogen.lower.tensor.ir import BITWISE, COMPARE, DTYPES, VIEWS, Op, Operand, Program, Scalar, Value
from pyptogen.lower.tensor.legality import dim_table

WIDE = "int64"

INDEX_AT: Mapping[str, int] = {
    "gather": 1, "index_select": 1, "gathered": 1, "scatter": 1, "index_add": 1, "scatter_update": 1,
}  # fmt: skip
"""The operand that is an index, which the scalar unit reads from memory."""

MOVED = VIEWS | {
    "carry", "carried", "either", "gather", "index_select", "scatter_update", "copy",
}  # fmt: skip
"""Operations that move elements without a look at them, each where it lies."""

_READ_BY_SCALARS = frozenset({"only", "by_hand"})
"""Operations that read memory as the contract has it."""


def wide(operand: Operand) -> bool:
    """Whether an operand is a tensor of 64-bit numbers."""
    return isinstance(operand, Value) and operand.dtype == WIDE


def is_index(op: Op, position: int) -> bool:
    """Whether an operand only says where other elements lie."""
    return INDEX_AT.get(op.kind) == position


class Forms:
    """``whole``: the values that can be there as 64-bit elements. ``in_halves``: those that are needed as halves;
    ``as_whole``: those that are needed as they are."""

    def __init__(self, program: Program, platform: Platform) -> None:
        self.program, self.platform = program, platform
        self.dims = dim_table(program)
        self.defining = {op.result.name: op for op in program.ops}
        self.following = dict(pair for loop in program.loops for pair in loop.carried)
        self.updated = {program.inplace[name]: value for name, value in program.outputs if name in program.inplace}
        self.whole = {value.name for value in program.inputs if value.dtype == WIDE}
        self.whole |= {op.result.name for op in program.ops if op.result.dtype == WIDE}
        while any(list(map(self._loses, program.ops))) or self._overwritten():
            pass
        self.as_whole: set[str] = set()
        self.in_halves: set[str] = set()
        for value in (value for _, value in program.outputs if value.dtype == WIDE):
            (self.as_whole if self.stays_whole(value) else self.in_halves).add(value.name)
        size = -1
        while size != (size := len(self.as_whole) + len(self.in_halves)):
            for op in reversed(program.ops):
                self._ask(op)

    # -- what can be whole ---------------------------------------------------------------------------------------------

    def _loses(self, op: Op) -> bool:
        """Whether this shows that a result cannot be whole."""
        name = op.result.name
        if name not in self.whole:
            return False
        follows = self.following.get(name)
        if self.is_native(op) and (follows is None or follows in self.whole):
            return False
        self.whole.discard(name)
        return True

    def _overwritten(self) -> bool:
        """Whether an input turned out to be overwritten by halves: then it is read as halves too."""
        lost = {name for name, value in self.updated.items() if name in self.whole and value.dtype == WIDE}
        lost = {name for name in lost if not self.stays_whole(self.updated[name])}
        self.whole -= lost
        return bool(lost)

    def stays_whole(self, value: Value) -> bool:
        """Whether an output's value can be written as it is."""
        return value.name in self.whole and self._readable(value)

    def is_native(self, op: Op) -> bool:
        """Whether the platform does an operation on 64-bit elements, operands whole."""
        if any(wide(o) and o.name not in self.whole for o in op.operands if isinstance(o, Value)):
            return False
        if op.kind in MOVED or op.kind in _READ_BY_SCALARS:
            return True
        data = [o for i, o in enumerate(op.operands) if isinstance(o, Value) and wide(o) and not is_index(op, i)]
        if not data and op.result.dtype != WIDE:
            return True
        return all(map(self._readable, data)) and self._computes(op)

    def _takes(self, *names: str) -> bool:
        return all(WIDE in INSTRUCTIONS[name].dtypes[self.platform.name] for name in names)

    def _computes(self, op: Op) -> bool:
        """Whether there are instructions on tiles of 64-bit elements for it."""
        kind, with_number = op.kind, any(isinstance(operand, Scalar) for operand in op.operands)
        if kind in COMPARE:
            return self._takes("TCMPS" if with_number else "TCMP")
        if kind in STEMS or kind in BITWISE:
            return self._takes(instruction_of(kind, with_number))
        if kind in ("neg", "abs", "relu"):
            return self._takes(UNARY_NAMES[kind]) or self._takes("TMULS", "TMAX", "TMAXS")
        if kind in REDUCE_NAMES:
            last = all(size == 1 for size in op.result.shape[op.attrs["axis"] + 1 :])
            return self._takes((REDUCE_NAMES if last else COLUMN_NAMES)[kind])
        if kind in _INSTRUCTIONS:
            return self._takes(*_INSTRUCTIONS[kind])
        if kind == "cast":
            return self._casts(op)
        if kind == "scatter" and op.attrs["reduce"] == "none":
            return True
        if kind == "arange":
            return range_fits(self.dims, op) or self._takes("TMULS", "TADDS")
        if kind == "permute":
            return op.attrs["axes"][-1] == len(op.attrs["axes"]) - 1 or self._turns()
        return kind == "concat"

    def _casts(self, op: Op) -> bool:
        source = op.operands[0]
        assert isinstance(source, Value)
        pair = (source.dtype, op.result.dtype)
        if "bool" in pair:
            return self._takes("TCMPS") if pair[0] == WIDE else True
        one_step = pair in CASTS[self.platform.name]
        narrows = DTYPES[pair[1]] < DTYPES[pair[0]]
        if narrows and not op.attrs["saturate"] and pair[1].lstrip("u").startswith("int") and not one_step:
            return self._takes("TSHLS", "TSHRS")
        return one_step or pair in self.platform.cast_chains

    def _turns(self) -> bool:
        """Whether elements that lie apart become rows and columns of tiles."""
        return not self.platform.runs_of_elements or self._takes("TTRANS")

    def _readable(self, value: Value) -> bool:
        """Whether tiles of a value can be loaded: what lies apart is transposed on chip, and that takes narrower
        elements."""
        if self._turns():
            return True
        at = value
        while at.name in self.defining and self.defining[at.name].kind in VIEWS:
            op = self.defining[at.name]
            source = op.operands[0]
            assert isinstance(source, Value)
            thin = op.kind == "slice" and op.attrs["axis"] == len(at.shape) - 1 and self.dims.is_one(at.shape[-1])
            if op.kind in ("transpose", "unfold") or (thin and not self.dims.is_one(source.shape[-1])):
                return False
            at = source
        return at.layout == "nd" or at.name in self.defining

    # -- what is needed ------------------------------------------------------------------------------------------------

    def _ask(self, op: Op) -> None:
        """What an operation needs of its operands, by what is needed of its result."""
        native, name = self.is_native(op), op.result.name
        both = op.result.dtype == WIDE
        as_whole = native and (not both or name in self.as_whole)
        in_halves = (not native and not both) or (both and (name in self.in_halves or not native))
        if name in self.following and both:
            following = self.following[name]
            self.as_whole |= {following} if name in self.as_whole else set()
            self.in_halves |= {following} if name in self.in_halves else set()
        for position, operand in enumerate(op.operands):
            if not isinstance(operand, Value) or operand.dtype != WIDE:
                continue
            if is_index(op, position) or op.kind in _READ_BY_SCALARS:
                (self.as_whole if operand.name in self.whole else self.in_halves).add(operand.name)
                continue
            if as_whole:
                self.as_whole.add(operand.name)
            if in_halves:
                self.in_halves.add(operand.name)


_INSTRUCTIONS: Mapping[str, tuple[str, ...]] = {
    "bitwise_not": ("TNOT",), "where": ("TSEL", "TSELS"), "full": ("TEXPANDS",), "cumsum": ("TROWCUMSUM",),
    "cumprod": ("TROWCUMPROD",), "floor_div": ("TDIV", "TDIVS"), "expand": ("TROWEXPAND", "TCOLEXPAND"),
    "topk_values": ("TTOPK",), "topk_indices": ("TTOPK",), "index_add": ("TADD",), "scatter": ("TADD",),
}  # fmt: skip
assert BITWISE_NAMES.keys() == BITWISE
