"""Did-you-mean: the known name nearest to an unknown one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 100


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like ``name``, or None when none is near; ties go to the first in sorted order. Nothing is
    like a name of more than `_LONGEST` characters, for which the search would take its time."""
    if len(name) > _LONGEST:
        return None
    found = difflib.get_close_matches(name, sorted(set(known)), n=1, cutoff=0.6)
    return found[0] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A fix sentence naming the nearest known name, or "" when none is near."""
    near = nearest(name, known)
    return f"did you mean `{near}`?" if near else ""
