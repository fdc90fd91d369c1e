"""``--dump-ir``: the text of every level after every pass, one file each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def dump_to(folder: Path) -> Callable[[str, str], None]:
    """A function that writes the text of a level to ``folder/<pass>.txt``, as soon as the pass has run: when
    a later one fails, the levels before it can be read."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.txt"):
        old.unlink()

    def write(name: str, text: str) -> None:
        (folder / f"{name}.txt").write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")

    return write
