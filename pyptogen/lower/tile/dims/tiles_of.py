"""Dims that passes make have the tiles that a tiling row gives the dims of the spec which they came from."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.ir import TilingRow
from pyptogen.records import replace


def with_tiles_of(row: TilingRow, original: Mapping[str, str]) -> TilingRow:
    """The row with tiles for each dim of ``original``: those that it gives the dim which that one came from."""
    sizes = {
        scope: {**of, **{name: of[dim] for name, dim in original.items() if dim in of}}
        for scope, of in row.sizes.items()
    }
    more = {
        (scope, name): span for (scope, dim), span in row.spans.items() for name in original if original[name] == dim
    }
    return replace(row, sizes=sizes, spans={**row.spans, **more})
