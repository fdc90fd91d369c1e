"""What was lately asked of programs, by identity: passes, checks and prices ask the same of one program in turn.

Programs are frozen, so what is told of one stays true; it is kept alive with the answer, so that its identity is nobody
else's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

MOST = 256
"""Answers that are kept: those of a few ways to lower an operator."""
Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class Lately(Generic[Asked, Answer]):
    """Answers about things that never change."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Asked, Answer]] = {}

    def of(self, asked: Asked, answer: Callable[[Asked], Answer]) -> Answer:
        """The answer about a tuple; about anything else, which may change, it is worked out each time."""
        if asked.__class__ is not tuple:
            return answer(asked)
        known = self._known.get(id(asked))
        if known is None:
            if len(self._known) >= MOST:
                self._known.clear()
            known = self._known[id(asked)] = asked, answer(asked)
        return known[1]
