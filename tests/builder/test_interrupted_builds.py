"""Builds that are killed at any moment, and builds at the same time: each folder is the old one or the new one, and
nothing is left beside."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from forked_runs import server

from builder.killed_builds import KERNELS, in_a_child, library_of_two, states
from builder.toy_library import Library
from pyptogen.builder import build, writer


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    return library_of_two(tmp_path, monkeypatch)


def test_a_build_that_is_killed_leaves_old_or_new(tmp_path: Path) -> None:
    said = server("builder.killed_builds").run([str(tmp_path)])
    assert said.returncode == 0, said.stderr


def test_what_a_killed_build_left_goes_though_nothing_changes(library: Library) -> None:
    """It had swapped the folders and was killed before it deleted the old one."""
    build(library.specs, library.out)
    left = library.out / ".one.staged-by-pyptogen"
    left.mkdir()
    (left / "old.txt").write_text("old")
    build(library.specs, library.out)
    assert sorted(path.name for path in library.out.iterdir()) == ["one", "pyptogen.lock", "two"]


def test_builds_at_the_same_time_end_as_one_of_them(library: Library) -> None:
    whole = states(library)

    def work(version: str) -> Callable[[], None]:
        def builds() -> None:
            library.version = version
            for _ in range(10):
                build(library.specs, library.out)

        return builds

    children = [in_a_child(work(version)) for version in ("1", "2", "1", "2")]
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0, 0, 0, 0]
    assert library.tree() in list(whole.values())
    assert sorted(path.name for path in library.out.iterdir()) == ["one", "pyptogen.lock", "two"]


def test_a_failed_build_leaves_the_old_folder(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    build(library.specs, library.out)
    before = library.tree()
    library.version = "2"

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device", str(self))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(Exception, match=r"PTG504: cannot write .*No space left[^$]*fix: make room there"):
            build(library.specs, library.out)
    assert library.tree() == before
    assert sorted(path.name for path in library.out.iterdir()) == ["one", "pyptogen.lock", "two"]


def test_where_folders_cannot_be_exchanged_they_are_renamed(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = states(library)

    class NoExchange:
        def __init__(self, *_: object, **__: object) -> None: ...

    monkeypatch.setattr(writer.ctypes, "CDLL", NoExchange)
    library.version = "1"
    (library.out / "one/notes.md").write_text("mine")
    build(library.specs, library.out)
    assert library.tree() == {**whole["1"], "one/notes.md": "mine"}
    assert sorted(path.name for path in library.out.iterdir()) == ["one", "pyptogen.lock", "two"]
    # Killed between the two renames: the old folder has another name, and is found again.
    (library.out / "one").rename(library.out / ".one.old.staged-by-pyptogen")
    build(library.specs, library.out)
    assert library.tree() == {**whole["1"], "one/notes.md": "mine"}


def test_what_an_earlier_version_staged_is_deleted_when_its_process_is_dead(library: Library) -> None:
    build(library.specs, library.out)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    for name in (f".one.{child}", f".one.{os.getpid()}", f".other.{child}"):
        (library.out / name).mkdir()
    library.version = "2"
    build(library.specs, library.out)
    left = sorted(path.name for path in library.out.iterdir() if path.name.startswith("."))
    assert left == [f".one.{os.getpid()}", f".other.{child}"]


def test_a_file_that_stays_keeps_its_time_and_its_place(library: Library) -> None:
    build(library.specs, library.out)
    kernel = library.out / "one/cpu/kernels/kernel0.cpp"
    (library.out / "one/link").symlink_to("cpu/kernels")
    before = kernel.stat()
    library.write("one", " ".join(KERNELS[:-1]))
    build(library.specs, library.out)
    after = kernel.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert (library.out / "one/link").is_symlink()
