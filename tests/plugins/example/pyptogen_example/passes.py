"""A pass that changes nothing but what is said."""

from __future__ import annotations

from dataclasses import replace

from pyptogen.lower.tensor.ir import Program


def noted(program: Program) -> Program:
    """The program with a note on how large it is."""
    return replace(program, notes=(*program.notes, f"{len(program.ops)} operations"))
