"""Which instruction does a primitive of the Tensor level on tiles."""

from __future__ import annotations

from collections.abc import Mapping

STEMS: Mapping[str, str] = {
    "add": "ADD", "sub": "SUB", "mul": "MUL", "div": "DIV", "maximum": "MAX", "minimum": "MIN",
}  # fmt: skip
"""Binary primitives: `T…` of two tiles, `T…S` with a number, `TROWEXPAND…`, `TCOLEXPAND…`."""

UNARY_NAMES: Mapping[str, str] = {
    "neg": "TNEG", "abs": "TABS", "exp": "TEXP", "log": "TLOG", "sqrt": "TSQRT", "rsqrt": "TRSQRT",
    "reciprocal": "TRECIP", "relu": "TRELU", "bitwise_not": "TNOT",
}  # fmt: skip

BITWISE_NAMES: Mapping[str, str] = {
    "bitwise_and": "TAND", "bitwise_or": "TOR", "bitwise_xor": "TXOR", "bitwise_left_shift": "TSHL",
    "bitwise_right_shift": "TSHR",
}  # fmt: skip
"""Of two tiles; with a number the name ends in S."""

REDUCE_NAMES: Mapping[str, str] = {
    "sum": "TROWSUM", "amax": "TROWMAX", "amin": "TROWMIN", "prod": "TROWPROD", "argmax": "TROWARGMAX",
    "argmin": "TROWARGMIN",
}  # fmt: skip
"""Of each row of a tile, with a scratch tile."""

RUNNING_NAMES: Mapping[str, str] = {"cumsum": "TROWCUMSUM", "cumprod": "TROWCUMPROD"}
"""Of each row of a tile, going on from the last column of another."""

COLUMN_NAMES: Mapping[str, str] = {
    kind: name.replace("TROW", "TCOL") for kind, name in REDUCE_NAMES.items()
}  # fmt: skip
"""Of each column of a tile; positions with a scratch tile."""


def instruction_of(kind: str, with_number: bool = False) -> str:
    """The instruction for a primitive on tiles of one form."""
    if kind in STEMS:
        return f"T{STEMS[kind]}{'S' if with_number else ''}"
    if kind in BITWISE_NAMES:
        return f"{BITWISE_NAMES[kind]}{'S' if with_number else ''}"
    if kind.startswith("column_"):
        return COLUMN_NAMES[kind.removeprefix("column_")]
    return {**UNARY_NAMES, **REDUCE_NAMES, **RUNNING_NAMES}[kind]
