"""What moves elements moves their halves alike."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.halves.forms import MOVED, is_index, wide
from pyptogen.lower.tensor.halves.halver import HALF, Halver, Pair, Rule
from pyptogen.lower.tensor.ir import Op, Operand, Value


def moved(h: Halver, op: Op) -> Pair:
    """The operation on the low words, and on the high ones."""
    found = []
    for hint in ("low", "high"):
        words: list[Operand] = []
        for position, operand in enumerate(op.operands):
            if wide(operand) and not is_index(op, position):
                assert isinstance(operand, Value)
                words.append(h.value(getattr(h.pair(operand), hint), operand.shape))
            else:
                words.append(h.operand(op, position))
        found.append(h.emit(op.kind, words, HALF, op.result.shape, hint, **op.attrs))
    return Pair(*found)


RULES: Mapping[str, Rule] = dict.fromkeys((*MOVED, "concat", "permute", "expand"), moved)
