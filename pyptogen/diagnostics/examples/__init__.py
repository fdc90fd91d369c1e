"""An example of every code, in a file beside this one: what leads to it, and what is right instead.

The first line of a file says of what kind it is. ``spec``: the fragments ``wrong`` and ``right`` are sections of a
spec, the others are those of ``base.yaml``. ``change``: ``wrong`` and ``right`` are what a spec becomes that was
``before``. ``call``: Python, where ``operator`` is what ``spec`` describes. ``rename``: lines of ``spec``, where an
editor gives the name behind the bar another one. ``commands``: lines for a shell in a folder where
`specs/example.yaml` is the base spec, with the sections of ``spec`` if there are any; the last one of ``wrong`` ends
with the finding, and those of ``right``, after them, mend it. ``given`` says what is installed, or is not, when
``wrong`` runs; what changes that is a comment in ``right``. Tests execute all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

from pyptogen.records import dataclass

Kind = Literal["spec", "change", "call", "rename", "commands"]

_FOLDER = Path(__file__).parent
_SECTION = re.compile(r"^(?=\w+:)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Example:
    """``parts`` are the fragments by their names."""

    kind: Kind
    parts: Mapping[str, str]


def example_of(code: str) -> Example:
    """The example of a code such as ``PTG201``. Raises ``FileNotFoundError`` for one without."""
    kind, _, rest = (_FOLDER / f"{code}.txt").read_text(encoding="utf-8").partition("\n")
    named = re.split(r"^--- (\w+)\n", rest, flags=re.MULTILINE)[1:]
    return Example(cast(Kind, kind), dict(zip(named[::2], named[1::2], strict=True)))


def whole_spec(fragment: str) -> str:
    """The base spec with the sections of a fragment in the place of its own."""
    given = {part.partition(":")[0]: part for part in _SECTION.split(fragment) if part}
    own = _SECTION.split((_FOLDER / "base.yaml").read_text(encoding="utf-8"))
    parts = [given.pop(part.partition(":")[0], part) for part in own if part]
    return "".join((*parts, *given.values()))
