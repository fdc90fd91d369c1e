"""What each PTO instruction computes, once per instruction, on numpy arrays.

A meaning takes the shape and dtype of its destination (a tuple of them where it has several), then the operands in the
order of the table's form: tiles as arrays of their valid elements, scalars and indices as numbers, a round mode or a
comparison by its name; scratch tiles are left out, and a destination that is read and written comes first with its old
elements. It gives the elements of the destination. What only a C++ type or template argument says (a pad value, a mask
pattern) comes as keywords.

Keys are names; a form that computes something else than its instruction's first one has the key ``NAME(form)``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pyptogen.lower.isa.table import INSTRUCTIONS
from pyptogen.simulate.meaning import (
    arithmetic,
    axes,
    bits,
    conversion,
    indexed,
    movement,
    partial,
    products,
    quantisation,
    system,
)
from pyptogen.simulate.meaning.shaped import VALUE_DTYPES, Meaning, Shaped

MEANINGS: Mapping[str, Meaning] = {
    **arithmetic.MEANINGS,
    **bits.MEANINGS,
    **axes.MEANINGS,
    **partial.MEANINGS,
    **movement.MEANINGS,
    **indexed.MEANINGS,
    **conversion.MEANINGS,
    **products.MEANINGS,
    **quantisation.MEANINGS,
    **system.MEANINGS,
}

SCRATCH = frozenset(row.name for row in INSTRUCTIONS.values() if "t" in row.effects)
"""Instructions with a form whose last tile is scratch: overwritten with nobody knows what, and not read."""


def meaning_of_call(name: str, operands: Sequence[object]) -> Meaning:
    """What a call of an instruction with these operands computes: the form that they are of, with what the C++ text
    says beside them.

    Args:
        name: the instruction.
        operands: as a program has them, the destination first.
    """
    if name == "TGATHER" and len(operands) == 3:
        return lambda dst, a, pattern: MEANINGS["TGATHER(dst, a)"](dst, a, pattern=pattern)
    if name == "TMATMUL_MX" and len(operands) == 6:
        return MEANINGS["TMATMUL_MX(acc, acc, left, ls, right, rs)"]
    if name == "TMRGSORT" and len(operands) == 3:
        return MEANINGS["TMRGSORT(pairs, a, block)"]
    if name == "TMRGSORT":
        return lambda dst, *lists: MEANINGS["TMRGSORT"](dst, *lists)[0][:, : dst.cols]
    if name == "MGATHER":
        return lambda dst, table, index: MEANINGS["MGATHER"](
            dst, table, index, coalesce="element" if index.shape == dst.shape else "row"
        )
    if name == "TFILLPAD_INPLACE":
        return lambda dst, a: MEANINGS["TFILLPAD_INPLACE"](dst, a, pad=-math.inf)
    return MEANINGS[name]


__all__ = ["MEANINGS", "SCRATCH", "VALUE_DTYPES", "Meaning", "Shaped", "meaning_of_call"]
