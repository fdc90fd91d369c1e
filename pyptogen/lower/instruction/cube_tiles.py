"""A declared tile as the rules about fractals see it."""

from __future__ import annotations

from pyptogen.lower.instruction.ir import Declare
from pyptogen.lower.isa.fractals import CubeTile
from pyptogen.lower.tensor.ir import DTYPES


def cube_tile(tile: Declare) -> CubeTile:
    """Its capacity, and what is valid: numbers, or the text of an extent at run time."""
    kind, extents = tile.type, (tile.rows, tile.cols)
    rows, cols = (extent.size if extent.valid is None else extent.valid.c() for extent in extents)
    marks = (kind.compact, kind.across, kind.k_aligned)
    return CubeTile(kind.loc, DTYPES[kind.dtype], (kind.rows, kind.cols), (rows, cols), *marks)
