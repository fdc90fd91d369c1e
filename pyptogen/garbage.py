"""When Python looks for objects that only each other know.

The programs of a compiler are trees: what nobody has any more is gone at once, and looking through hundreds of
thousands of functions, classes and nodes for cycles finds next to nothing.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

NEW_OBJECTS = 500_000
"""More objects than before by which cycles are looked for: some tens of megabytes. Python's own number is 700, which
costs a build a twentieth of its time."""


def collect_seldom() -> None:
    """From now on, in this process and those that it forks."""
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])


@contextmanager
def seldom_collected() -> Iterator[None]:
    """While something is compiled, in this process and those that it forks meanwhile."""
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.set_threshold(*before)


def leave_all_to_the_system() -> None:
    """When the process ends nothing is looked through once more: the interpreter's shutdown does that several times."""
    atexit.register(gc.freeze)
