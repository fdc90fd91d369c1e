"""What a dtype of memory refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

import pyptogen
from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.lower.tensor import from_spec


def refused(dtype: str, graph: str, folder: Path) -> Diagnostic:
    """What is said of one expression over matrices x and z of a dtype."""
    path = folder / "refused.yaml"
    path.write_text(
        "pyptogen: 1\noperator: refused\ndims: {d: 64}\n"
        f"inputs: {{x: '{dtype}[d, d]', z: '{dtype}[d, d]'}}\noutputs: {{y: '{dtype}[d, d]'}}\n"
        f"graph:\n  y: {graph}\n"
    )
    with pytest.raises(DiagnosticError) as caught:
        from_spec(pyptogen.load(path))
    return caught.value.diagnostics[0]
