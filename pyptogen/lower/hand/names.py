"""What the calls in tile- and block-level kernels mean: the operations of the language on one tile, also under the
names of the instructions (``muls`` for TMULS)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pyptogen.lower.tensor.ir import BINARY, REDUCE, UNARY
from pyptogen.records import dataclass

Second = Literal["tile", "scalar", "col", "row", "any"]


@dataclass(frozen=True, slots=True)
class Call:
    """An operation of the Tile level, and what its last operand must be."""

    kind: str
    second: Second = "any"


_STEMS = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "max": "maximum", "min": "minimum"}

CALLS: Mapping[str, Call] = {
    **{kind: Call(kind) for kind in sorted(UNARY | BINARY | REDUCE)},
    **{stem: Call(kind, "tile") for stem, kind in _STEMS.items() if stem in ("max", "min")},
    **{f"{stem}s": Call(kind, "scalar") for stem, kind in _STEMS.items()},
    **{f"rowexpand{stem}": Call(kind, "col") for stem, kind in _STEMS.items()},
    **{f"colexpand{stem}": Call(kind, "row") for stem, kind in _STEMS.items()},
    "recip": Call("reciprocal"),
    "rowsum": Call("sum"),
    "rowmax": Call("amax"),
    "rowmin": Call("amin"),
}
"""Elementwise operations and reductions over rows."""

OTHERS = ("load", "store", "cast", "cvt", "full", "expands", "copy", "matmul", "move")
"""Calls with operands of their own kind."""

ALL = (*CALLS, *OTHERS)
