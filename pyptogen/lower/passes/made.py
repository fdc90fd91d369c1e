"""What passes made of kernels and programs, by identity: a kernel whose tiles were tried is not put through the passes
again when they are taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


class Made:
    """Results of steps, each with what it was made of, which has to stay alive to be known by its identity."""

    def __init__(self) -> None:
        self._by_step: dict[tuple[object, ...], tuple[tuple[object, ...], Any]] = {}

    def of(self, step: str, before: tuple[object, ...], make: Callable[[], Result]) -> Result:
        """What ``step`` makes of programs; made if it is not known, and known from then on."""
        key = (step, *map(id, before))
        if key not in self._by_step:
            self._by_step[key] = before, make()
        result: Result = self._by_step[key][1]
        return result

    def add(self, other: Made) -> None:
        """What was made elsewhere is known here too."""
        self._by_step |= other._by_step
