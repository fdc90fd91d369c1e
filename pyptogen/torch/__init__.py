"""Operators for PyTorch on the CPU, as ``torch.library`` custom operators (extra ``torch``).

``load(spec)`` gives a :class:`TorchOperator`: tensors in, tensors out, no copy of what lies in memory as the contract
says. ``torch.compile``, ``torch.export`` and autograd know it (``docs/pytorch.md``).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyptogen.torch.operator import TorchOperator as TorchOperator
    from pyptogen.torch.operator import load as load

__all__ = ["TorchOperator", "load"]


def __getattr__(name: str) -> object:
    """Import a public name at its first use (PEP 562), and with it torch."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pyptogen.torch.required import require_torch

    require_torch()
    value: object = getattr(import_module("pyptogen.torch.operator"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
