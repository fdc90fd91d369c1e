"""Numbers for the operations that read or write where an index points: kernels say by them which one met a wrong index.

before: y: index_select(x, k)  (line 12)      z: gather(x, k)  (line 13)
after:  {span of the first: 1, span of the second: 2}

A number, and no line: a kernel stays the same where lines move.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyptogen.diagnostics import Span
from pyptogen.lower.tensor.ir import INDEXED, Op

BY_INDEX = INDEXED | {"scatter_update"}
"""`INDEXED` operations count along one axis; `scatter_update` counts rows, and -1 skips."""


def index_sites(ops: Iterable[Op]) -> Mapping[Span, int]:
    """The number of each such operation by its place in the spec, from 1 on."""
    spans = dict.fromkeys(op.span for op in ops if op.kind in BY_INDEX)
    return {span: number for number, span in enumerate(spans, 1)}
