"""Parts of tiles that PTO assembly shows an instruction, where the assembler compares capacities.

The C++ instructions go by valid extents. The assembler of August 2026 also wants both tiles of a conversion to have the
same capacity, what a gather by pattern takes and gives to fit without a rest, and the lists of a merge to be no longer
than its scratch tile. A tile that is larger than its valid part is then shown by ``pto.subview``: the same bytes, lines
as far apart, and a capacity that fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.instruction.ir import Declare, Instr, Pattern, TileType
from pyptogen.records import replace
from pyptogen.templates.merges import is_merge_of_lists

EVERY = {"P1111": 1, "P0101": 2, "P1010": 2}
"""Of how many elements a mask pattern takes one, where it is not four."""


def shown(node: Instr, tiles: Mapping[str, Declare]) -> dict[str, TileType]:
    """Type of the part that stands for a tile, by its name, for the tiles of which it is not the whole."""
    names = [operand for operand in node.operands if isinstance(operand, str)]
    kinds = [tiles[name].type for name in names]
    if node.name == "TCVT" or (node.name == "TMRGSORT" and not is_merge_of_lists(node)):
        parts = _common(kinds)
    elif node.name == "TMRGSORT":
        result, scratch, *lists = kinds
        parts = [_valid_line(result), scratch, *map(_valid_line, lists)]
    elif node.name == "TGATHER" and isinstance(node.operands[-1], Pattern):
        parts = _without_rest(kinds, EVERY.get(node.operands[-1].name, 4))
    else:
        return {}
    return {name: part for name, kind, part in zip(names, kinds, parts, strict=True) if part != kind}


def _common(kinds: Sequence[TileType]) -> list[TileType]:
    """What all have room for, which holds the valid part of each."""
    rows, cols = min(kind.rows for kind in kinds), min(kind.cols for kind in kinds)
    return [replace(kind, rows=rows, cols=cols) for kind in kinds]


def _without_rest(kinds: Sequence[TileType], step: int) -> list[TileType]:
    """As many columns as are valid in the result and the source has room for, and ``step`` times as many of the source.
    The last ones of these may be none of its valid ones: the pattern does not take them, or nobody their result."""
    result, source = kinds
    if result.valid_cols is None:
        return [result, source]
    cols = min(result.valid_cols, source.cols // step)
    taken = source if source.valid_cols == step * cols else replace(source, cols=step * cols, valid_cols=step * cols)
    return [replace(result, cols=cols, valid_cols=cols), taken]


def _valid_line(kind: TileType) -> TileType:
    """As many columns as are valid."""
    return kind if kind.valid_cols is None else replace(kind, cols=kind.valid_cols)
