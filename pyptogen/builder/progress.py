"""Who is told how far a build has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

Progress = Callable[[Sequence[Path]], AbstractContextManager[Callable[[Path, float], None]]]
"""Is given the specs that are about to be rendered; within the context, what it gives is called with each of them as
it is done, and the seconds that it took."""


@contextmanager
def silent(specs: Sequence[Path]) -> Iterator[Callable[[Path, float], None]]:
    """Tells nobody."""
    yield lambda spec, seconds: None
