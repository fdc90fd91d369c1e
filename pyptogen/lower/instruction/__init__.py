"""Instruction level: structured PTO-ISA programs, one a kernel.

Names are imported on first use, so that `pyptogen.lower.instruction.ir` alone does not load sympy and numpy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyptogen.lower.instruction.interpret_fault import MachineFault
    from pyptogen.lower.instruction.interpret_graph import interpret

_HOME = {"MachineFault": "interpret_fault", "interpret": "interpret_graph"}

__all__ = ["MachineFault", "interpret"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found
