"""The translation of an operation of PyTorch, whichever file has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyptogen.importing import torch_indexing, torch_operations
from pyptogen.importing.torch_complex import Complex, of_complex
from pyptogen.importing.torch_table import TABLE, Translation

_FILES = (torch_indexing, torch_operations)
"""What enters its translations when it is imported, beside those of complex numbers."""


def translation(target: Any, operands: Sequence[Any] = ()) -> Translation | None:
    """That of an operation of a graph for these operands; None for one that is not taken. Raises ``NotTakenError`` for
    one that takes no complex numbers."""
    packet, _, form = str(target).removeprefix("aten.").partition(".")
    found = TABLE.get(f"{packet}.{form}") or TABLE.get(packet)
    return of_complex(packet, found) if any(isinstance(one, Complex) for one in operands) else found
