"""Every PTO instruction that the bundled headers have, by family.

`table.INSTRUCTIONS` are those that lowering selects (each with a numpy meaning); the others are for kernels written by
hand, and for what lowering learns next.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.isa import rows_movement, rows_numbers, rows_system, rows_vector
from pyptogen.lower.isa.table import INSTRUCTIONS, Instruction

FAMILIES: Mapping[str, tuple[Instruction, ...]] = {
    "lowered": tuple(INSTRUCTIONS.values()),
    "vector": tuple(rows_vector.ROWS),
    "movement": tuple(rows_movement.ROWS),
    "numbers": tuple(rows_numbers.ROWS),
    "system": tuple(rows_system.ROWS),
}
"""Rows by the family that documents them (`docs/isa/`)."""

CATALOGUE: Mapping[str, Instruction] = {
    row.name: row for rows in reversed(tuple(FAMILIES.values())) for row in reversed(rows)
}
"""One row a name; where families share a name, the first family's."""
