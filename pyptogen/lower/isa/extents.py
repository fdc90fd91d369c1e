"""Which valid regions an instruction wants to be equal on devices: what the run-time assertions of the public A2/A3
headers say (``PTO_ASSERT``, 2026-08-21); of products, what they take for granted: they read the depth from one operand.
The bundled headers walk over the region of the result and ask for nothing."""

from __future__ import annotations

from typing import Literal

Extents = Literal["any", "same", "one_same", "same_rows", "same_cols", "depth"]
"""``same``: every operand that is read has the region of the result; ``one_same``: one of them has; ``same_rows`` and
``same_cols``: the first of them has its rows, or its columns; ``depth``: the left one has as many columns as the right
one has rows."""

_STEMS = ("ADD", "SUB", "MUL", "DIV", "MAX", "MIN")
_SAME = {
    *(f"T{stem}" for stem in _STEMS), *(f"T{stem}S" for stem in _STEMS),
    "TABS", "TAND", "TANDS", "TAXPY", "TEXP", "TFMOD", "TFMODS", "TFUSEDMULADD", "TFUSEDMULADDRELU", "TLOG", "TLRELU",
    "TMULADDDST", "TNEG", "TNOT", "TOR", "TORS", "TPRELU", "TRECIP", "TRELU", "TREM", "TREMS", "TRSQRT", "TSHL",
    "TSHLS", "TSHR", "TSHRS", "TSQRT", "TSUBRELU", "TXOR", "TXORS",
}  # fmt: skip
_ONE_SAME = {*(f"TROWEXPAND{stem}" for stem in _STEMS), "TROWEXPANDEXPDIF"}
_SAME_ROWS = {"TCMP", "TCMPS", "TROWSUM", "TROWMAX", "TROWMIN", "TROWPROD"}
_SAME_COLS = {"TCOLSUM", "TCOLMAX", "TCOLMIN", "TCOLPROD", "TCOLEXPAND"}


def extents_of(name: str) -> Extents:
    """What instruction ``name`` asks of its operands' valid regions."""
    if name in _SAME:
        return "same"
    if name in _ONE_SAME:
        return "one_same"
    if name in _SAME_ROWS:
        return "same_rows"
    if name.startswith(("TMATMUL", "TGEMV")):
        return "depth"
    return "same_cols" if name in _SAME_COLS else "any"
