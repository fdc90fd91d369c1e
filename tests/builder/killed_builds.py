"""Builds in processes of their own that are killed at any moment: what is left after each.

    forked_runs.server("builder.killed_builds").run([FOLDER])      200 builds in FOLDER; fails as its assertions do

A process that runs tests is large: to fork it, and to copy the pages that both then write, takes several times what a
build of these specs does. So the builds are forks of a process that has imported the builder and nothing else.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from builder.toy_library import Library
from pyptogen.builder import build

KILLS = 200
KERNELS = [f"kernel{number}" for number in range(6)]


def library_of_two(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """Operators ``one`` and ``two``, of six kernels each."""
    made = Library(folder, monkeypatch)
    for name in ("one", "two"):
        made.write(name, " ".join(KERNELS))
    return made


def in_a_child(work: Callable[[], None]) -> int:
    """``work`` in a forked process, whose id is returned."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def states(library: Library) -> dict[str, dict[str, str]]:
    """What the generated folders are in version 1 and in version 2."""
    made = {}
    for version in ("1", "2"):
        library.version = version
        build(library.specs, library.out)
        made[version] = library.tree()
    return made


def warm_up() -> None:
    """The imports above are all."""


def main(arguments: Sequence[str]) -> None:
    """The builds, in the folder that is named."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        _kill_builds(library_of_two(Path(arguments[0]), monkeypatch))


def _kill_builds(library: Library) -> None:
    """Each killed build leaves the folder of an operator as it was or as it is to be, and nothing beside."""
    whole = states(library)
    draw = random.Random(7)
    library.version, seen = "1", {"1": 0, "2": 0}
    build(library.specs, library.out)
    library.version, start = "2", time.perf_counter()
    os.waitpid(in_a_child(lambda: build(library.specs, library.out) and None), 0)
    longest = 1.5 * (time.perf_counter() - start)  # of a child: it has pages to copy first
    for _ in range(KILLS):
        library.version = "2" if library.version == "1" else "1"
        child = in_a_child(lambda: build(library.specs, library.out) and None)
        time.sleep(draw.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        now = library.tree()
        for name in ("one", "two"):
            mine = {path: text for path, text in now.items() if path.startswith(f"{name}/")}
            fits = [
                v for v, tree in whole.items() if mine == {p: t for p, t in tree.items() if p.startswith(f"{name}/")}
            ]
            assert len(fits) == 1, f"a mixture in {name}"
            seen[fits[0]] += 1
    build(library.specs, library.out)
    assert sorted(path.name for path in library.out.iterdir()) == ["one", "pyptogen.lock", "two"]
    assert library.tree() == whole[library.version]
    assert min(seen.values()) > 0
