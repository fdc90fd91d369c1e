"""Specs that random drawing or mutation once found to be wrong, cut down: `found/*.yaml`, and how each is judged.

The first lines of a file say what was wrong, what is asked of it (`levels`: those below Tensor, as numpy; `kernels`:
compiled ones of both targets; `checked mode`: those of A2/A3, watched as they run), and for which sizes and seed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from properties.agreement import checked_mode_is_silent, kernels_agree, levels_agree, wanted

FOLDER = Path(__file__).with_name("found")
ASKED = re.compile(r"^# Asked: (?P<asked>[\w, ]+); with (?P<dims>.+), seed (?P<seed>\d+)\.$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Found:
    """A spec of the corpus, what is asked of it, and the inputs."""

    path: Path
    asked: tuple[str, ...]
    dims: dict[str, int]
    seed: int


def read(path: Path) -> Found:
    """A file of the corpus."""
    said = ASKED.search(path.read_text(encoding="utf-8"))
    assert said is not None, f"{path.name} does not say what is asked of it"
    dims = {name: int(size) for name, size in (pair.split(" = ") for pair in said["dims"].split(", "))}
    return Found(path, tuple(said["asked"].split(", ")), dims, int(said["seed"]))


CORPUS = [read(path) for path in sorted(FOLDER.glob("*.yaml"))]


def test_the_corpus_asks_for_what_there_is() -> None:
    assert len(CORPUS) >= 84
    assert {word for found in CORPUS for word in found.asked} == {"levels", "kernels", "checked mode"}
    assert all("levels" in found.asked for found in CORPUS)


@pytest.mark.parametrize("found", CORPUS, ids=lambda found: found.path.stem)
def test_found(found: Found) -> None:
    want = wanted(found.path, found.dims, found.seed)
    levels_agree(want)
    if "kernels" in found.asked:
        kernels_agree(want)
    if "checked mode" in found.asked:
        checked_mode_is_silent(want)
