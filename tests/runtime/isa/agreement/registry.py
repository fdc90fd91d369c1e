"""Which tests say of which rows that headers and meanings agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., None])

AGREEMENT: dict[str, str] = {}
"""Name of the test by name of the instruction."""


def agreement(*names: str) -> Callable[[Test], Test]:
    """Marks a test as the one that compares these instructions with their meanings."""

    def mark(test: Test) -> Test:
        AGREEMENT.update(dict.fromkeys(names, test.__name__))
        return test

    return mark
