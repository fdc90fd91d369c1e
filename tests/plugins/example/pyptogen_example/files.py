"""A further file in each generated folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.tensor.ir import Program


def summary(program: Program, targets: Sequence[str]) -> Mapping[str, str]:
    """What the operator is called, and where it runs."""
    return {"summary.txt": f"{program.name}: {', '.join(targets)}\n"}
