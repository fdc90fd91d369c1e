"""What each PTO instruction computes, once per instruction, on numpy arrays.

A meaning takes the shape and dtype of its destination (a tuple of them where it has several), then the operands in the
order of the table's form: tiles as arrays of their valid elements, scalars and indices as numbers, a round mode or a
comparison by its name; scratch tiles are left out, and a destination that is read and written comes first with its old
elements. It gives the elements of the destination. What only a C++ type or template argument says (a pad value, a mask
pattern) comes as keywords.

Keys are names; a form that computes something else than its instruction's first one has the key ``NAME(form)``.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.isa.meaning import (
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
from pyptogen.lower.isa.meaning.shaped import VALUE_DTYPES, Meaning, Shaped
from pyptogen.lower.isa.table import INSTRUCTIONS

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

__all__ = ["MEANINGS", "SCRATCH", "VALUE_DTYPES", "Meaning", "Shaped"]
