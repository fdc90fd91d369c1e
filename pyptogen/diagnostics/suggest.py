"""Did-you-mean: the known name nearest to an unknown one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 100
_SHORTEST = 3
"""Letters of a name that a slip of the keyboard is told from another name by."""
_SHORTEST_REPLACED = 5
"""The same where a letter stands for another one: `gpu` is no slip for `cpu`."""


class Suggestion(str):
    """A fix sentence that a program can follow: where the finding is, the word ``wrong`` becomes ``right``."""

    wrong: str
    right: str

    def __new__(cls, sentence: str, wrong: str = "", right: str = "") -> Suggestion:
        made = super().__new__(cls, sentence)
        made.wrong, made.right = wrong, right
        return made


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like ``name``, or None when none is near; ties go to the first in sorted order. Nothing is
    like a name of more than `_LONGEST` characters, for which the search would take its time."""
    if len(name) > _LONGEST:
        return None
    known = sorted(set(known))
    spelled = [one for one in known if one.lower() == name.lower()]
    found = spelled or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return found[0] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A fix sentence naming the nearest known name, or "" when none is near. It is a `Suggestion` where one slip of the
    keyboard leads from one known name, and from no other, to this one."""
    known = set(known)
    near = nearest(name, known)
    if near is None:
        return ""
    sentence = f"did you mean `{near}`?"
    slips = [one for one in known if _is_slip(name, one)] if len(name) >= _SHORTEST else []
    return Suggestion(sentence, name, near) if slips == [near] else sentence


def _is_slip(name: str, meant: str) -> bool:
    """Whether a letter too many, too few, another one, two exchanged, or capitals are all the difference."""
    if name.lower() == meant.lower():
        return True
    same = 0
    while same < min(len(name), len(meant)) and name[same] == meant[same]:
        same += 1
    rest, other = name[same:], meant[same:]
    exchanged = rest[:2] == other[1::-1] and rest[2:] == other[2:]
    replaced = len(name) >= _SHORTEST_REPLACED and rest[1:] == other[1:]
    return exchanged or rest[1:] == other or rest == other[1:] or replaced
