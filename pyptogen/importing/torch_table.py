"""Which operations of PyTorch (ATen) are taken, and by which function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Translation = Callable[..., Any]
"""Of a ``Site`` and the arguments of the operation: the value that it gives, or a list of them."""
TABLE: dict[str, Translation] = {}


Function = TypeVar("Function", bound=Translation)


def takes(*names: str) -> Callable[[Function], Function]:
    """Enter a translation under the names of operations: ``add`` for all its forms, ``max.dim`` for one."""

    def enter(function: Function) -> Function:
        TABLE.update(dict.fromkeys(names, function))
        return function

    return enter
