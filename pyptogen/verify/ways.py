"""What lies on the way from the inputs of an operator to each of its outputs."""

from __future__ import annotations

from pyptogen.lower.tensor.ir import (
    ARG_REDUCE,
    COMPARE,
    LOOP,
    REDUCE,
    ROUNDING,
    SORTING,
    VIEWS,
    Op,
    Program,
    Value,
)
from pyptogen.records import dataclass, replace
from pyptogen.verify.disturbance import errs, narrows
from pyptogen.verify.last_place import FLOATS

_MOVING = (
    VIEWS
    | LOOP
    | (REDUCE - {"sum"})
    | SORTING
    | {"either", "concat", "scatter_update", "full", "abs", "neg", "relu", "maximum", "minimum", "permute", "expand"}
    | {"gather", "index_select", "bitcast", "where", "arange", "positions"}
)
"""Operations whose result holds elements of their operands, or those with another sign: they round nothing."""
_CHOOSING = COMPARE | ROUNDING | ARG_REDUCE | SORTING | {"floor_div", "gather", "index_select"}
"""Operations for which a small difference may be a large one, or lead elsewhere."""
_NARROW_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Way:
    """Of all ways to a value.

    ``rounded``: something on it rounds; else a kernel's result is the golden's, bit by bit. ``errs``: on it are sums or
    functions, whose error is the kernel's own. ``flips``: behind such an error a rounding to fewer bits, a comparison
    or an order may fall the other way. ``narrow``: floats of eight bits or fewer.
    """

    rounded: bool = False
    errs: bool = False
    flips: bool = False
    narrow: bool = False

    def __or__(self, other: Way) -> Way:
        return Way(
            self.rounded or other.rounded,
            self.errs or other.errs,
            self.flips or other.flips,
            self.narrow or other.narrow,
        )


def ways(program: Program) -> dict[str, Way]:
    """By the contract's name of each output."""
    read = {operand.name for op in program.ops for operand in op.operands if isinstance(operand, Value)}
    last = {value.name for _, value in program.outputs} - read
    found = {value.name: Way(narrow=_is_narrow(value)) for value in program.inputs}
    following = {carry: after for loop in program.loops for carry, after in loop.carried}
    before: dict[str, Way] = {}
    while before != found:  # what an iteration carries has come a way, too
        before = dict(found)
        for op in program.ops:
            names = [operand.name for operand in op.operands if isinstance(operand, Value)]
            names += [following[op.result.name]] if op.result.name in following else []
            way = Way()
            for name in names:
                way |= found.get(name, Way())
            found[op.result.name] = _after(op, way, program, op.result.name in last)
    return {name: found[value.name] for name, value in program.outputs}


def _after(op: Op, way: Way, program: Program, is_last: bool) -> Way:
    own = errs(op, program)
    few = op.result.dtype in FLOATS and FLOATS[op.result.dtype].digits < FLOATS["fp32"].digits
    choosing = op.kind in _CHOOSING or (op.kind == "cast" and narrows(op)) or (few and op.kind not in _MOVING)
    if is_last and op.result.dtype in FLOATS and op.kind not in _CHOOSING:
        choosing = False  # one unit in the last place, which is allowed anyhow
    return replace(
        way,
        rounded=way.rounded or own or (op.kind not in _MOVING and op.result.dtype in FLOATS),
        errs=way.errs or own,
        flips=way.flips or ((way.errs or own) and choosing),
        narrow=way.narrow or _is_narrow(op.result),
    )


def _is_narrow(value: Value) -> bool:
    return value.dtype in FLOATS and FLOATS[value.dtype].digits <= _NARROW_DIGITS
