"""Timeouts as moments of the monotonic clock, for waits in several steps."""

from __future__ import annotations

import time


def until(timeout: float | None) -> float | None:
    """The moment at which a timeout ends."""
    return None if timeout is None else time.monotonic() + timeout


def remaining(end: float | None) -> float | None:
    """The seconds until then, not less than zero."""
    return None if end is None else max(0.0, end - time.monotonic())
