"""Writing a file that a person owns: all at once, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from pyptogen.diagnostics import DiagnosticError, fault


def put_file(path: Path, text: str) -> None:
    """Make ``path`` hold ``text``: staged beside it and renamed. A file that is there keeps its permissions, and what a
    link names is written, not the link. Raises PTG504 where that cannot be."""
    place = path.resolve()
    stage = place.with_name(f".{place.name}.{os.getpid()}.staged")
    try:
        try:
            stage.write_bytes(text.encode())
            if place.exists():
                shutil.copymode(place, stage)
            os.replace(stage, place)
        finally:
            stage.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        fix = "name a file in a folder that exists and may be written"
        raise fault("PTG504", f"cannot write `{path}`: {reason}", None, fix=fix) from None


def put_new_files(folder: Path, first: Path, data: bytes, others: Mapping[Path, bytes]) -> list[Path]:
    """Write the new file ``first`` into ``folder``, and those of ``others`` that are not there yet, before it. Gives
    what was written.

    Raises PTG504 where ``first`` is there already, one of the others is there with other bytes and is no JSON Schema,
    or a file cannot be written; then nothing is.
    """
    there = [path for path, _ in others.items() if (folder / path).exists()]
    for path in there:
        if path.suffix != ".json" and (folder / path).read_bytes() != others[path]:
            raise fault("PTG504", f"`{folder / path}` is there, with other text", None, fix="choose another folder")
    if (folder / first).exists():
        raise fault("PTG504", f"`{folder / first}` is there already", None, fix="choose another name, or delete it")
    written: list[Path] = []
    try:
        for path, content in [*((one, others[one]) for one in others if one not in there), (first, data)]:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            put_file(folder / path, content.decode())
            written.append(folder / path)
    except OSError as error:
        _take_back(written)
        reason = error.strerror or type(error).__name__
        raise fault(
            "PTG504", f"cannot write into `{folder}`: {reason}", None, fix="name another folder with -o"
        ) from None
    except DiagnosticError:
        _take_back(written)
        raise
    return written


def _take_back(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
