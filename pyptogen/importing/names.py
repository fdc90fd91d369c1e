"""Names for an imported spec: legal ones, each for one thing."""

from __future__ import annotations

import re

from pyptogen.schema.naming import RESERVED

_KERNELS_OWN = frozenset({"nblk"})


FOR_INPUTS = frozenset({"target"})
FOR_VALUES = frozenset({"target", "out"})
"""Reserved words of dims and attrs that inputs, and values of the graph, may have."""


OF_IMAGES = {3: ("batch", "channels", "length"), 4: ("batch", "channels", "rows", "cols")}
"""What the axes of images are called, by their number, where a program does not say."""


class Names:
    """The names of a spec, of dims and tensors alike."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, wanted: str, allowed: frozenset[str] = frozenset()) -> str:
        """``wanted``, or what is nearest to it and free. ``allowed``: reserved words that may be taken here."""
        name = wanted if wanted in allowed else legal(wanted)
        found, number = name, 2
        while found in self._taken:
            found, number = f"{name}_{number}", number + 1
        self._taken.add(found)
        return found


def legal(wanted: str) -> str:
    """A name of the language near to ``wanted``."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", wanted).strip("_")
    if not name or not name[0].isalpha():
        name = f"v_{name}".rstrip("_")
    return f"{name}_" if name in RESERVED | _KERNELS_OWN else name


def operator_name(wanted: str) -> str:
    """A name of an operator: ``TinyBlock`` is ``tiny_block``."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", wanted)
    return legal(parts).lower()
