"""The content-addressed cache: hits, damage, failure, privacy, several processes."""

from __future__ import annotations

import multiprocessing
import os
import stat
import time
from pathlib import Path

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime.toolchain import intact
from pyptogen.runtime.toolchain.cache import Cache, default_root, digest

KEY = digest("an entry")


def test_entry_is_made_once(tmp_path: Path) -> None:
    cache, made = Cache(tmp_path / "c"), []

    def make(path: Path) -> None:
        made.append(path)
        path.write_bytes(b"content")

    first, second = (cache.file("kind", KEY, ".so", make) for _ in range(2))
    assert first == second
    assert first.read_bytes() == b"content"
    assert len(made) == 1


@pytest.mark.parametrize("damage", [b"", b"contemt", b"content and more"])
def test_damaged_entry_is_made_again(tmp_path: Path, damage: bytes) -> None:
    cache = Cache(tmp_path / "c")
    entry = cache.file("kind", KEY, ".so", lambda path: path.write_bytes(b"content") and None)
    entry.write_bytes(damage)
    again = cache.file("kind", KEY, ".so", lambda path: path.write_bytes(b"content") and None)
    assert again.read_bytes() == b"content"


@pytest.fixture
def old_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dates are hours ago, so that they tell of each change."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 7200 * 10**9)


def test_an_entry_is_read_once(tmp_path: Path, old_files: None, monkeypatch: pytest.MonkeyPatch) -> None:
    read, hashed = [], intact.content_hash
    monkeypatch.setattr(intact, "content_hash", lambda path: read.append(path) or hashed(path))
    cache = Cache(tmp_path / "c")
    entry, *_ = (cache.file("kind", KEY, ".so", lambda path: path.write_bytes(b"content") and None) for _ in range(4))
    assert read == [entry]
    assert cache.damaged() == []
    assert read == [entry, entry]


@pytest.mark.parametrize("change", ["its bytes", "its mark", "another file", "who may write it", "away"])
def test_a_change_is_noticed_after_the_first_time(tmp_path: Path, old_files: None, change: str) -> None:
    cache = Cache(tmp_path / "c")
    entry, *_ = (cache.file("kind", KEY, ".so", lambda path: path.write_bytes(b"content") and None) for _ in range(2))
    assert entry in intact._read
    dates = entry.stat()
    time.sleep(0.02)  # dates of change have steps
    if change == "its bytes":
        entry.write_bytes(b"contemt")
        os.utime(entry, ns=(dates.st_atime_ns, dates.st_mtime_ns))
    elif change == "its mark":
        intact.mark_of(entry).write_bytes(bytes(64))
    elif change == "another file":
        (tmp_path / "other").write_bytes(b"contemt")
        os.replace(tmp_path / "other", entry)
    elif change == "who may write it":
        entry.chmod(0o666)
    else:
        entry.unlink()
    made = []

    def make(path: Path) -> None:
        made.append(path)
        path.write_bytes(b"content")

    cache.file("kind", KEY, ".so", make)
    assert len(made) == 1


def test_what_was_just_written_is_read_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    entry, *_ = (cache.file("kind", KEY, ".so", lambda path: path.write_bytes(b"content") and None) for _ in range(2))
    assert entry not in intact._read


def test_failure_leaves_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")

    def fail(path: Path) -> None:
        path.write_bytes(b"half")
        raise RuntimeError("compiler died")

    with pytest.raises(RuntimeError, match="compiler died"):
        cache.file("kind", KEY, ".so", fail)
    files = [path.name for path in (tmp_path / "c").rglob("*") if path.is_file()]
    assert files == [f"{KEY}.lock"]


def test_tree_holds_the_files(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    files = {"pto/a.hpp": b"a", "pto/cpu/b.hpp": b"b"}
    tree = cache.tree("headers", KEY, files)
    assert (tree / "pto" / "cpu" / "b.hpp").read_bytes() == b"b"
    assert cache.tree("headers", KEY, files) == tree


def test_damaged_tree_is_made_again(tmp_path: Path) -> None:
    cache, files = Cache(tmp_path / "c"), {"pto/a.hpp": b"a", "b.hpp": b"b"}
    tree = cache.tree("headers", KEY, files)
    (tree / "b.hpp").write_bytes(b"x")
    (tree / "pto" / "a.hpp").unlink()
    assert cache.tree("headers", KEY, files) == tree
    assert {name: (tree / name).read_bytes() for name in files} == files


def test_trim_keeps_the_newest(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    entries = []
    for age, name in enumerate("abcd"):
        entries.append(cache.file("pch", digest(name), ".gch", lambda path: path.write_bytes(b"x") and None))
        os.utime(entries[-1], (1000 - age, 1000 - age))
    cache.trim("pch", ".gch", 2)
    assert [entry.exists() for entry in entries] == [True, True, False, False]


def test_root_is_private(tmp_path: Path) -> None:
    root = tmp_path / "open"
    root.mkdir(mode=0o755)
    os.chmod(root, 0o755)
    Cache(root)
    assert stat.S_IMODE(root.stat().st_mode) == 0o700


def test_unusable_root_is_a_diagnostic(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DiagnosticError) as error:
        Cache(tmp_path / "file" / "below")
    assert error.value.diagnostics[0].code == "PTG504"
    assert "PYPTOGEN_CACHE_DIR" in error.value.diagnostics[0].fix


def test_root_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYPTOGEN_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_root() == tmp_path / "xdg" / "pyptogen"
    monkeypatch.setenv("PYPTOGEN_CACHE_DIR", str(tmp_path / "mine"))
    assert default_root() == tmp_path / "mine"


def test_digest_knows_where_parts_end() -> None:
    assert digest("ab", "c") != digest("a", "bc")


def _race(root: Path, log: Path, start: float) -> None:
    time.sleep(max(0.0, start - time.time()))

    def make(path: Path) -> None:
        with log.open("a") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(0.05)
        path.write_bytes(b"content")

    assert Cache(root).file("kind", KEY, ".so", make).read_bytes() == b"content"


def test_four_processes_make_it_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    start = time.time() + 0.5
    arguments = (tmp_path / "c", tmp_path / "log", start)
    processes = [context.Process(target=_race, args=arguments) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    assert len((tmp_path / "log").read_text().split()) == 1


def _filled(root: Path, sizes: dict[str, int]) -> Cache:
    """A store with entries of these sizes, each used two hours after the one before, the last five hours ago."""
    cache = Cache(root)
    now = time.time()
    for age, (name, size) in enumerate(reversed(sizes.items())):
        entry = cache.file(
            "operators", digest(name), ".so", lambda path, size=size: path.write_bytes(bytes(size)) and None
        )
        used = now - 3600 * (5 + 2 * age)
        os.utime(entry, (used, used))
    return cache


def _names(cache: Cache, sizes: dict[str, int]) -> set[str]:
    kept = {entry.path.stem for entry in cache.entries()}
    return {name for name in sizes if digest(name) in kept}


def test_entries_come_oldest_first_with_their_sizes(tmp_path: Path) -> None:
    sizes = {"old": 300, "older than new": 200, "new": 100}
    cache = _filled(tmp_path / "c", sizes)
    cache.tree("headers", KEY, {"a.hpp": b"12345"})
    assert [(entry.kind, entry.size) for entry in cache.entries()] == [
        *(("operators", size) for size in sizes.values()),
        ("headers", 5),
    ]


@pytest.mark.parametrize(("bound", "kept"), [(600, {"a", "b", "c"}), (599, {"b", "c"}), (100, {"c"}), (0, set())])
def test_prune_removes_what_was_used_longest_ago(tmp_path: Path, bound: int, kept: set[str]) -> None:
    sizes = {"a": 300, "b": 200, "c": 100}
    cache = _filled(tmp_path / "c", sizes)
    removed = cache.prune(bound)
    assert _names(cache, sizes) == kept
    assert {entry.size for entry in removed} == {size for name, size in sizes.items() if name not in kept}
    left = [path for path in (tmp_path / "c" / "operators").rglob("*") if path.is_file()]
    assert len(left) == 3 * len(kept)  # the entry, its hash and its lock


def test_prune_spares_what_was_just_used(tmp_path: Path) -> None:
    sizes = {"a": 300, "b": 200}
    cache = _filled(tmp_path / "c", sizes)
    cache.file("operators", digest("a"), ".so", lambda path: pytest.fail("it is there"))  # type: ignore[arg-type]
    assert _names(cache, sizes) == {"a", "b"}
    cache.prune(0)
    assert _names(cache, sizes) == {"a"}
    cache.prune(0, everything=True)
    assert cache.entries() == []


def test_prune_by_days_unused(tmp_path: Path) -> None:
    sizes = {"a": 300, "b": 200, "c": 100}
    cache = _filled(tmp_path / "c", sizes)
    cache.prune(1 << 30, unused_days=8 / 24)
    assert _names(cache, sizes) == {"b", "c"}


def test_store_keeps_to_its_bound_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"a": 300, "b": 200, "c": 100}
    cache = _filled(tmp_path / "c", sizes)
    monkeypatch.setattr("pyptogen.runtime.toolchain.cache.MOST_BYTES", 350)
    cache.file("operators", digest("d"), ".so", lambda path: path.write_bytes(bytes(50)) and None)
    assert _names(cache, {**sizes, "d": 50}) == {"b", "c", "d"}


def test_a_store_is_looked_through_once_an_hour_or_after_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    monkeypatch.setattr(Cache, "prune", lambda self, most_bytes: looked.append(most_bytes))
    monkeypatch.setattr("pyptogen.runtime.toolchain.cache.MOST_BYTES", 1600)
    cache = Cache(tmp_path / "c")

    def make(name: str) -> int:
        cache.file("operators", digest(name), ".so", lambda path: path.write_bytes(bytes(40)) and None)
        return len(looked)

    assert [make(name) for name in "ab"] == [1, 1]
    os.utime(tmp_path / "c" / ".pruned", (0, 0))
    assert make("a") == 1  # nothing new
    assert make("c") == 2  # more than a sixteenth
    os.utime(tmp_path / "c" / ".pruned", (0, 0))
    monkeypatch.setattr("pyptogen.runtime.toolchain.cache.MOST_BYTES", 1 << 20)
    assert make("d") == 3  # an hour


def test_damage_is_found(tmp_path: Path) -> None:
    cache = _filled(tmp_path / "c", {"a": 300, "b": 200})
    assert cache.damaged() == []
    entry = cache.entries()[0]
    entry.path.write_bytes(b"something else")
    assert [found.path for found in cache.damaged()] == [entry.path]


@pytest.mark.parametrize("damage", ["changed", "missing", "additional", "of an older version"])
def test_damage_to_a_tree_is_found_and_repaired(tmp_path: Path, damage: str) -> None:
    cache, files = Cache(tmp_path / "c"), {"pto/a.hpp": b"a", "b.hpp": b"b"}
    tree = cache.tree("headers", KEY, files)
    assert cache.damaged() == []
    if damage == "changed":
        (tree / "b.hpp").write_bytes(b"x")
    elif damage == "missing":
        (tree / "pto" / "a.hpp").unlink()
    elif damage == "additional":
        (tree / "pto" / "c.hpp").write_bytes(b"c")
    else:
        (tree / ".complete").write_bytes(b"")
    assert [found.path for found in cache.damaged()] == [tree]
    assert cache.tree("headers", KEY, files) == tree
    assert cache.damaged() == []
