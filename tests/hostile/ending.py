"""What bad input must never do: keep the tool busy for ever."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

PATIENCE = 30.0
"""Seconds; several times what anything may take, because machines are busy."""


@contextmanager
def ends(seconds: float = PATIENCE) -> Iterator[None]:
    """What is inside ends by itself: after so many seconds it is interrupted, wherever it waits, and has failed."""

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"still busy after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
