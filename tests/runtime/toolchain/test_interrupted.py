"""Processes that are killed in the middle of their work: what they leave is counted, and goes; that of others stays."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pyptogen.cli.app import app
from pyptogen.runtime.toolchain.cache import Cache, digest
from pyptogen.scratch import left_over, scratch, sweep

SPEC = """\
pyptogen: 1
operator: scale
dims: {rows: {min: 1, max: 64}}
inputs:
  x: fp32[rows, 8]
outputs:
  y: fp32[rows, 8]
graph:
  y: x * 2
"""


@contextmanager
def working(code: str, there: Callable[[], bool]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs ``code``, from when ``there`` holds; it and all that it started are killed at the end."""
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], start_new_session=True)
    try:
        end = time.monotonic() + 120
        while not there():
            assert process.poll() is None, "ended before it was killed"
            assert time.monotonic() < end
            time.sleep(0.01)
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends the process itself, not what it started; its number stays taken until `working` is done with it."""
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def _making(root: Path, name: str) -> str:
    return f"""
        import time
        from pathlib import Path
        from pyptogen.runtime.toolchain.cache import Cache, digest

        def make(path):
            path.write_bytes(bytes(3 << 20))
            Path({str(root)!r} + "-{name}").touch()
            time.sleep(600)

        Cache(Path({str(root)!r})).file("operators", digest({name!r}), ".so", make)
    """


def _invoke(*words: str) -> str:
    result = CliRunner().invoke(app, ["cache", *words])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_next_compilation_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    root = tmp_path / "c"
    with working(_making(root, "killed"), lambda: (tmp_path / "c-killed").exists()) as process:
        cache = Cache(root)
        assert cache.left_over() == []  # it is still at work
        _kill(process)

        assert [entry.size for entry in cache.left_over()] == [3 << 20]
        cache.file("operators", digest("next"), ".so", lambda path: path.write_bytes(b"x") and None)

    assert cache.left_over() == []
    assert not any((root / ".scratch").iterdir())


def test_work_of_a_living_process_stays(tmp_path: Path) -> None:
    root = tmp_path / "c"
    with working(_making(root, "alive"), lambda: (tmp_path / "c-alive").exists()):
        cache = Cache(root)
        cache.file("operators", digest("next"), ".so", lambda path: path.write_bytes(b"x") and None)
        cache.sweep()

        assert [path.name for path in (root / ".scratch").glob("*/*")] == [f"{digest('alive')}.so"]


def test_the_command_counts_it_and_clears_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "c"
    monkeypatch.setenv("PYPTOGEN_CACHE_DIR", str(root))
    with working(_making(root, "killed"), lambda: (tmp_path / "c-killed").exists()) as process:
        _kill(process)

        assert "1 folders, 3.0 MiB" in _invoke()
        _invoke("--clear")

    assert "left over" not in _invoke()
    assert not any((root / ".scratch").iterdir())


def test_a_killed_compilation_leaves_nothing_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that takes its time, and a process that does not live to see its end."""
    slow, root, places = tmp_path / "slow", tmp_path / "c", tmp_path / "tmp"
    places.mkdir()
    slow.write_text(f'#!/bin/sh\ncase "$*" in *" -c "*) touch {tmp_path}/compiles; sleep 600;; esac\nexec g++ "$@"\n')
    slow.chmod(0o700)
    for name, value in (("CXX", slow), ("PYPTOGEN_CACHE_DIR", root), ("TMPDIR", places)):
        monkeypatch.setenv(name, str(value))
    code = "from pyptogen.runtime.native.binding import build_scheduler; build_scheduler()"
    with working(code, (tmp_path / "compiles").exists) as process:
        _kill(process)

        assert list(places.iterdir()) == []
        cache = Cache()
        assert len(cache.left_over()) == 2  # the objects, and the entry that they were for
        cache.sweep()
        assert cache.left_over() == []


def test_folders_of_earlier_versions_go_once_nobody_can_use_them(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    entry = cache.file("operators", digest("a"), ".so", lambda path: path.write_bytes(b"x") and None)
    old, new = entry.parent / ".new-old", entry.parent / ".new-new"
    for folder, age in ((old, 7200), (new, 0)):
        folder.mkdir()
        (folder / "half.so").write_bytes(bytes(100))
        os.utime(folder, (time.time() - age, time.time() - age))

    assert {found.path for found in cache.left_over()} == {old, new}
    cache.sweep()

    assert not old.exists()
    assert new.exists()


def test_folders_that_go_away_under_a_sweep_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "c")
    cache.file("operators", digest("a"), ".so", lambda path: path.write_bytes(b"x") and None)
    scandir = os.scandir

    def late(path: str | Path = ".") -> object:
        """Another process is done with the folder in the moment before this one looks into it."""
        if "going" in str(path):
            shutil.rmtree(path, ignore_errors=True)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", late)
    for going in (".scratch/going", "operators/going", "going/aa"):
        (tmp_path / "c" / going).mkdir(parents=True)
        cache.sweep()
        assert cache.left_over() == []


def test_a_sweep_follows_no_link(tmp_path: Path) -> None:
    kept, store = tmp_path / "kept", tmp_path / "store"
    kept.mkdir()
    (kept / "file").touch()
    store.mkdir()
    (store / "new-link").symlink_to(kept)
    (store / "new-file").touch()

    assert sweep(store, "new-") == []
    assert (kept / "file").exists()
    assert (store / "new-file").exists()


def test_a_folder_that_was_swept_while_it_was_made_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    mkdir = Path.mkdir

    def swept(path: Path, *arguments: object, **options: object) -> None:
        mkdir(path, *arguments, **options)  # type: ignore[arg-type]
        if path.name.startswith("new-") and not made:
            made.append(path)
            assert sweep(tmp_path, "new-") == [path]

    monkeypatch.setattr(Path, "mkdir", swept)
    with scratch(tmp_path, "new-") as folder:
        assert folder != made[0]
        assert folder.is_dir()
        assert left_over(tmp_path, "new-") == []
        assert sweep(tmp_path, "new-") == []
    assert not folder.exists()
