"""Kernels as people write them: struct templates, classes, lambdas, macros, computed event ids, own headers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pyptogen.sanitize import KernelReport, sanitize

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.cpp"))
FLAG = re.compile(r"^\s*(set_flag|wait_flag|pipe_barrier|set|wait|order|free_again|ORDER)\b.*;$")
"""A statement that orders, in a kernel or in a loop of it."""
ID = re.compile(r"^(\s*(?:set_flag|wait_flag)\(\w+, \w+, ).*(\);)$")


def reports(file: Path, text: str, folder: Path) -> tuple[KernelReport, ...]:
    """What is found in another text of a file, with the headers beside it."""
    for header in file.parent.glob("*.hpp"):
        shutil.copy(header, folder)
    changed = folder / file.name
    changed.write_text(text)
    return sanitize(changed)


@pytest.mark.parametrize("file", KERNELS, ids=lambda file: file.stem)
def test_it_is_followed_and_in_order(file: Path) -> None:
    for report in sanitize(file):
        assert report.findings == ()
        assert report.instructions >= 4


def missed(file: Path, folder: Path, changed: Callable[[str], str]) -> tuple[int, list[str]]:
    """How many lines ``changed`` makes others of, and those whose change nobody notices."""
    lines = file.read_text().split("\n")
    places = [i for i, line in enumerate(lines) if changed(line) != line]
    found = []
    for i in places:
        text = "\n".join([*lines[:i], changed(lines[i]), *lines[i + 1 :]])
        if not any(report.findings for report in reports(file, text, folder)):
            found.append(f"{file.name}:{i + 1}: {lines[i].strip()}")
    return len(places), found


@pytest.mark.parametrize("file", KERNELS, ids=lambda file: file.stem)
def test_every_flag_is_needed(file: Path, tmp_path: Path) -> None:
    count, found = missed(file, tmp_path, lambda line: FLAG.sub(";", line))
    assert count >= 3
    assert found == []


@pytest.mark.parametrize("file", KERNELS, ids=lambda file: file.stem)
def test_every_event_id_matters(file: Path, tmp_path: Path) -> None:
    count, found = missed(file, tmp_path, lambda line: ID.sub(r"\1EVENT_ID7\2", line))
    assert count >= (0 if file.stem == "macros_of_flags" else 2)
    assert found == []
