"""What instructions that are walked together (`TPASS`) take on operands in L1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from pyptogen.lower.instruction.ir import GmWindow, Instr, Pass
from pyptogen.lower.isa.cost import Shape
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.records import dataclass
from pyptogen.simulate.processor.figures import DIVIDER, LANES, Figures

REDUCTIONS = {"TROWSUM": "RowSum", "TROWMAX": "RowMax", "TROWMIN": "RowMax",
              "TCOLSUM": "ColSum", "TCOLMAX": "ColSum", "TCOLMIN": "ColSum"}  # fmt: skip
OPERATIONS = {
    "EXP": "exp", "LOG": "log", "SQRT": "sqrt", "DIV": "divide", "DIVS": "divide", "RECIP": "divide", "MAX": "max",
    "MIN": "max", "RELU": "max", "MAXS": "maxs", "MINS": "maxs", "ROWEXPANDDIV": "divisor", "COLEXPANDDIV": "divide",
    "ROWEXPANDMAX": "max", "ROWEXPANDMIN": "max", "COLEXPANDMAX": "max", "COLEXPANDMIN": "max",
}  # fmt: skip
"""The operation of an instruction in a pass; others take as long as an addition."""
FREE = frozenset({"MOV", "LOAD", "STORE", "EXPANDS", "ROWEXPAND", "COLEXPAND", "EXTRACT"})
WIDE = frozenset({"fp32", "int32"})
NARROW = frozenset({"bf16", "fp16"})


@dataclass(slots=True)
class PassCost:
    """What a pass does for each of its elements, in nanoseconds: what is computed, what the divider does beside it, and
    what moves between registers and L1. ``read``, ``written``: bytes of tiles in the vector memory."""

    figures: Figures
    node: Pass
    tiles: Mapping[str, Shape]
    rows: int
    cols: int
    computing: float = 0.0
    dividing: float = 0.0
    moving: float = 0.0
    read: float = 0.0
    written: float = 0.0
    reductions: int = 0
    known: set[str] = field(default_factory=set)
    """Tiles whose values are in registers."""
    found: dict[tuple[object, ...], str] = field(default_factory=dict)
    """Results by the instruction and the values that it takes."""
    same: dict[str, str] = field(default_factory=dict)
    """Results that are another one's value: the C++ compiler computes a common subexpression once."""

    def nanoseconds(self) -> float:
        """Of the whole pass: moves go on beside arithmetic, the divider's work as far as it was seen to."""
        walk = self.figures.walk
        apart = self.figures.apart["beside " if self.node.interleaved else ""]
        arithmetic = self.computing + self.dividing - apart * min(self.computing, self.dividing)
        each = max(arithmetic, self.moving)
        wide = -(-self.cols // LANES) * LANES
        return walk.call + self.rows * (walk.row * max(1, self.reductions) + wide * each)

    def member(self, member: Instr, window: GmWindow | None) -> None:
        """One more instruction."""
        dtypes = dict(self.node.dtypes)
        sources = [o for o in member.operands[1:] if isinstance(o, str)]
        if member.name in REDUCTIONS:
            self._values(sources[0], dtypes)
            self.computing += self.figures.reductions[REDUCTIONS[member.name]]
            self.reductions += member.name.startswith("TROW")
            return
        for source in sources:
            self._values(source, dtypes)
        if self._again(member, window, dtypes):
            return
        if window is not None:
            (self._store if member.name == "TSTORE" else self._load)(window.dtype)
        else:
            self._compute(member, dtypes)
        result = member.operands[0]
        if isinstance(result, str):
            self.known.add(result)
            self._keep(result, dtypes[result])

    def _again(self, member: Instr, window: GmWindow | None, dtypes: Mapping[str, str]) -> bool:
        """Whether an instruction of this pass has computed the same already; then its result is only kept."""
        result = member.operands[0]
        if window is not None or not isinstance(result, str):
            return False
        values = tuple(self.same.get(o, o) if isinstance(o, str) else o for o in member.operands[1:])
        key = (member.name, dtypes[result], *values)
        first = self.found.get(key)
        # A tile that is written again has another value from here on.
        self.found = {each: one for each, one in self.found.items() if result not in (one, *each)}
        self.same.pop(result, None)
        if first is None or first == result:
            if result not in values:
                self.found[key] = result
            return False
        self.same[result] = first
        self.known.add(result)
        self._keep(result, dtypes[result])
        return True

    def _values(self, source: str, dtypes: Mapping[str, str]) -> None:
        """Values of a tile, loaded before their first use; those of a column are loaded once a row."""
        shape = self.tiles.get(source)  # None: values that have no tile
        if shape is None or source in self.known or (shape.cols == 1 and self.cols > 1):
            return
        self.known.add(source)
        if shape.loc == "Acc":
            self.moving += self.figures.loads["Acc"]
            return
        self._load(dtypes[source])
        self.read += min(shape.bytes, self.rows * self.cols * DTYPES[dtypes[source]])

    def _keep(self, result: str, dtype: str) -> None:
        target = self.tiles.get(result)
        if target is not None and target.loc == "Left":
            self.moving += self.figures.stores[f"Left {dtype}"]
        elif result in self.node.kept:
            self._store(dtype)
            self.written += self.rows * self.cols * DTYPES[dtype]

    def _load(self, dtype: str) -> None:
        """A vector of L1: what widening takes beyond moving it is computing."""
        plain = self.figures.loads["fp32"]
        self.moving += plain
        if dtype in self.figures.loads and dtype not in WIDE:
            self.computing += max(0.0, self.figures.loads[dtype] - plain)

    def _store(self, dtype: str) -> None:
        plain = self.figures.stores["fp32"]
        narrow = dtype not in WIDE
        self.moving += plain / 2 if narrow else plain
        if dtype in self.figures.stores and narrow:
            self.computing += max(0.0, self.figures.stores[dtype] - self.figures.operations["add"])

    def _compute(self, member: Instr, dtypes: Mapping[str, str]) -> None:
        figures, prefix = self.figures, "beside " if self.node.interleaved else ""
        stem = member.name.removeprefix("T")
        kind = OPERATIONS.get(stem, "add")
        if stem == "RSQRT":
            self.dividing += figures.dividing[f"{prefix}sqrt"] + figures.dividing[f"{prefix}divide"]
        elif kind in DIVIDER:
            self.dividing += figures.dividing[prefix + kind]
        elif stem == "CVT":
            self.computing += self._cast(member, dtypes, prefix)
        elif stem not in FREE:
            self.computing += figures.operations[prefix + kind]

    def _cast(self, member: Instr, dtypes: Mapping[str, str], prefix: str) -> float:
        """Rounding values that are computed with; a store's own rounding is the store's."""
        result, source = str(member.operands[0]), str(member.operands[1])
        to = dtypes[result]
        if dtypes[source] == "int32" and to == "fp32":
            return self.figures.operations[f"{prefix}add"]
        again = any(result in m.operands[1:] and m.name not in ("TSTORE", "TMOV") for m in self.node.members)
        return self.figures.operations[f"{prefix}rounded {to}"] if to in NARROW and again else 0.0
