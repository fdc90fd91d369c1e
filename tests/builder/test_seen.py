"""Generated folders are read again only where the file system says that something changed, and then always."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from builder.toy_library import Library
from pyptogen.builder import build, compare, fingerprint, lock, seen
from pyptogen.builder.report import BuildReport, State


class Watched(Library):
    """A library that was built and looked at once; counts the generated files that are read."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(root, monkeypatch)
        monkeypatch.setenv("PYPTOGEN_CACHE_DIR", str(root / "cache"))
        self.read = 0
        self.kernel = self.out / "one" / "cpu" / "kernels" / "first.cpp"
        for module in (compare, lock):
            monkeypatch.setattr(module, "read_generated", self._counted)
        self.write("one")
        self.write("two")
        self.build()
        time.sleep(seen._TICK / 1e9 + 0.05)  # files may change again within a tick of the file system's clock
        self.build()

    def _counted(self, path: Path) -> bytes:
        self.read += path.name != lock.LOCK
        return fingerprint.read_generated(path)

    def build(self, *, check: bool = False, reuse: bool = True) -> BuildReport:
        return build(self.specs, self.out, check=check, reuse=reuse)

    def times(self, **options: bool) -> int:
        before = self.read
        assert not self.build(**options).changed
        return self.read - before


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(tmp_path, monkeypatch)


def test_what_did_not_change_is_not_read(library: Watched) -> None:
    assert library.times() == 0
    assert library.times(check=True) == 0
    assert library.times(reuse=False) > 8
    assert library.times(check=True, reuse=False) > 8


def test_a_look_at_a_folder_is_enough_for_builds_and_checks(library: Watched) -> None:
    """Also where a check has it."""
    (library.out / "one" / "note.txt").write_text("not ours")
    time.sleep(seen._TICK / 1e9 + 0.05)
    assert 0 < library.times(check=True) < 8
    assert library.times() == library.times(check=True) == 0


def test_an_edit_that_keeps_size_and_date_is_seen(library: Watched) -> None:
    before = library.kernel.stat()
    library.kernel.write_bytes(library.kernel.read_bytes().swapcase())
    os.utime(library.kernel, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = library.kernel.stat()
    assert (before.st_size, before.st_mtime_ns, before.st_ino) == (after.st_size, after.st_mtime_ns, after.st_ino)
    (found,) = (one for one in library.build(check=True).operators if one.changed)
    assert found.states == {"cpu/kernels/first.cpp": State.EDITED}


@pytest.mark.parametrize("way", ["another", "gone", "more", "link"])
def test_other_changes_are_seen(library: Watched, way: str) -> None:
    other = library.kernel.with_name("copy")
    if way == "another":
        other.write_bytes(library.kernel.read_bytes().swapcase())
        other.replace(library.kernel)
    elif way == "gone":
        library.kernel.unlink()
    elif way == "more":
        library.kernel.with_name("more.cpp").write_text("")
    else:
        library.kernel.rename(library.specs / "moved.cpp")
        library.kernel.symlink_to(library.specs / "moved.cpp")
        assert not library.build(check=True).changed
        assert seen.look(library.out / "one") is None
        (library.specs / "moved.cpp").write_text("other")
    assert library.build(check=True).changed


def test_what_was_just_written_is_read_once_more(library: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """It might change again within the same tick."""
    monkeypatch.setattr(seen, "_TICK", 3_600_000_000_000)
    library.write("two", "third")
    library.build()
    assert library.times() > 0
    assert library.times() > 0, "still within the tick"


def test_times_of_whole_seconds_are_of_a_coarse_clock() -> None:
    second = 1_000_000_000
    assert seen.Look("", 5 * second + 1, 6 * second).lasting
    assert not seen.Look("", 5 * second, 6 * second).lasting
    assert seen.Look("", 5 * second, 8 * second).lasting
    assert not seen.Look("", 9 * second, 8 * second).lasting, "a clock that was set back"


def test_a_damaged_index_costs_only_time(library: Watched) -> None:
    (index,) = (library.out.parent / "cache" / "seen").glob("*/*.json")
    for text in (b"", b"[]", b'{"one": 3}', b"\xff"):
        index.write_bytes(text)
        index.with_name(index.name + ".sha256").write_text(fingerprint.sha256(text))
        assert not library.build(check=True).changed
