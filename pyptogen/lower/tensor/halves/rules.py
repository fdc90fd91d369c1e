"""What becomes of each kind of operation on 64-bit numbers."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.halves import arithmetic, conversions, division, moves, reductions
from pyptogen.lower.tensor.halves.halver import Rule

RULES: Mapping[str, Rule] = {
    **moves.RULES, **arithmetic.RULES, **reductions.RULES, **conversions.RULES,
    **division.RULES,
}  # fmt: skip
