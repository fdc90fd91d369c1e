"""``pyptogen cache``."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pyptogen.cli.app import app
from pyptogen.runtime.toolchain.cache import Cache, digest


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    monkeypatch.setenv("PYPTOGEN_CACHE_DIR", str(tmp_path / "c"))
    cache = Cache()
    for age, name in enumerate(("new", "old")):
        entry = cache.file("operators", digest(name), ".so", lambda path: path.write_bytes(bytes(3 << 20)) and None)
        used = time.time() - 3600 * (2 + age)
        os.utime(entry, (used, used))
    return cache


def invoke(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["cache", *words])
    return result.exit_code, result.output


def test_shows_place_and_content(cache: Cache) -> None:
    code, said = invoke()
    assert code == 0
    assert said.splitlines() == [f"{cache.root}: 2 entries, 6.0 MiB", "  operators        2     6.0 MiB"]


def test_prunes_to_a_size(cache: Cache) -> None:
    code, said = invoke("--prune", "--max-size", "4M")
    assert code == 0
    assert said.splitlines()[0] == "removed 1 entries, 3.0 MiB"
    assert [entry.path.stem for entry in cache.entries()] == [digest("new")]


def test_clears(cache: Cache) -> None:
    assert invoke("--clear") == (0, f"removed 2 entries, 6.0 MiB\n{cache.root}: 0 entries, 0 B\n")


def test_checks(cache: Cache) -> None:
    assert invoke("--check")[0] == 0
    entry = cache.entries()[0].path
    entry.write_bytes(b"damage")
    code, said = invoke("--check")
    assert code == 1
    assert f"operators/{entry.parent.name}/{entry.name}" in said


def test_a_size_must_be_one(cache: Cache) -> None:
    assert invoke("--prune", "--max-size", "much")[0] == 2
