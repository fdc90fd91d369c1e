"""The Tensor level: SSA over whole tensors with symbolic shapes, target independent.

Names are imported on first use, so that ``pyptogen.lower.tensor.ir`` alone does not load sympy and numpy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyptogen.lower.tensor.legality import IllegalIR, verify
    from pyptogen.lower.tensor.printer import print_program
    from pyptogen.lower.tensor.reading.read_spec import from_spec

_HOME = {
    "IllegalIR": "legality",
    "from_spec": "reading.read_spec",
    "print_program": "printer",
    "verify": "legality",
}

__all__ = ["IllegalIR", "from_spec", "print_program", "verify"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found
