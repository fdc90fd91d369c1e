"""The content-addressed cache: hits, damage, failure, privacy, several processes."""

from __future__ import annotations

import multiprocessing
import os
import stat
import time
from pathlib import Path

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime.cache import Cache, default_root, digest

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
    tree = cache.tree("headers", KEY, {"pto/a.hpp": b"a", "pto/cpu/b.hpp": b"b"})
    assert (tree / "pto" / "cpu" / "b.hpp").read_bytes() == b"b"
    assert cache.tree("headers", KEY, {}) == tree


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
