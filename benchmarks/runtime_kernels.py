"""Kernels in Python for benchmarks/runtime.py: the workers import this module."""

from __future__ import annotations

import time


def nothing() -> None:
    """Returns at once."""


def count(steps: int) -> None:
    """Computes for a while."""
    for _ in range(steps):
        pass


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)
