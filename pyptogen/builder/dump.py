"""``--dump-ir``: the text of every level after every pass, one file each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pyptogen.diagnostics import fault


def dump_to(folder: Path) -> Callable[[str, str], None]:
    """A function that writes the text of a level to ``folder/<pass>.txt``, as soon as the pass has run: when
    a later one fails, the levels before it can be read.

    Raises:
        DiagnosticError: PTG504, the folder cannot be written; so does the function.
    """
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.txt"):
            old.unlink()

    def write(name: str, text: str) -> None:
        with _writing(folder):
            (folder / f"{name}.txt").write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")

    return write


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        fix = "choose another folder with `--dump-ir`"
        raise fault("PTG504", f"cannot write `{error.filename or folder}`: {reason}", None, fix=fix) from None
