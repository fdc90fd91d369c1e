"""What another user could have put into the cache is not executed."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime.toolchain.cache import Cache, digest

KEY = digest("an entry")
STRANGER = 54321
only_the_administrator_gives_away = pytest.mark.skipif(os.geteuid() != 0, reason="giving a file away takes root")


def _made(cache: Cache, content: bytes = b"ours") -> Path:
    return cache.file("operators", KEY, ".so", lambda path: path.write_bytes(content) and None)


def _plant(entry: Path) -> None:
    """Another content, with the mark that goes with it."""
    import hashlib

    entry.write_bytes(b"theirs")
    entry.with_name(f"{entry.name}.sha256").write_text(hashlib.sha256(b"theirs").hexdigest())


def test_a_planted_entry_of_our_own_is_used(tmp_path: Path) -> None:
    """The other tests fail for want of an owner or a mode, not because a planted entry looks wrong otherwise."""
    entry = _made(Cache(tmp_path / "c"))
    _plant(entry)

    assert _made(Cache(tmp_path / "c")).read_bytes() == b"theirs"


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o702])
@pytest.mark.parametrize("up", [0, 1], ids=["shard", "kind"])
def test_a_folder_that_others_may_write_is_emptied(tmp_path: Path, mode: int, up: int) -> None:
    entry = _made(Cache(tmp_path / "c"))
    _plant(entry)
    folder = entry.parents[up]
    folder.chmod(mode)

    assert _made(Cache(tmp_path / "c")).read_bytes() == b"ours"
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("planted", ["entry", "mark"])
def test_an_entry_that_others_may_write_is_made_again(tmp_path: Path, planted: str) -> None:
    entry = _made(Cache(tmp_path / "c"))
    _plant(entry)
    (entry if planted == "entry" else entry.with_name(f"{entry.name}.sha256")).chmod(0o666)

    again = _made(Cache(tmp_path / "c"))

    assert again.read_bytes() == b"ours"
    assert not again.stat().st_mode & 0o022


@pytest.mark.parametrize("planted", ["entry", "mark", "shard"])
def test_a_link_is_no_entry(tmp_path: Path, planted: str) -> None:
    entry = _made(Cache(tmp_path / "c"))
    _plant(entry)
    place = {"entry": entry, "mark": entry.with_name(f"{entry.name}.sha256"), "shard": entry.parent}[planted]
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")

    if planted == "shard":
        with pytest.raises(DiagnosticError, match="PTG504"):
            _made(Cache(tmp_path / "c"))
    else:
        assert _made(Cache(tmp_path / "c")).read_bytes() == b"ours"
        assert not place.is_symlink()


@only_the_administrator_gives_away
@pytest.mark.parametrize("planted", ["entry", "mark"])
def test_an_entry_of_another_user_is_made_again(tmp_path: Path, planted: str) -> None:
    entry = _made(Cache(tmp_path / "c"))
    _plant(entry)
    os.chown(entry if planted == "entry" else entry.with_name(f"{entry.name}.sha256"), STRANGER, STRANGER)

    again = _made(Cache(tmp_path / "c"))

    assert again.read_bytes() == b"ours"
    assert again.stat().st_uid == os.geteuid()


@only_the_administrator_gives_away
@pytest.mark.parametrize("up", [0, 1, 2], ids=["shard", "kind", "root"])
def test_a_folder_of_another_user_is_refused(tmp_path: Path, up: int) -> None:
    entry = _made(Cache(tmp_path / "c"))
    folder = entry.parents[up]
    os.chown(folder, STRANGER, STRANGER)

    with pytest.raises(DiagnosticError) as raised:
        _made(Cache(tmp_path / "c"))

    found = raised.value.diagnostics[0]
    assert found.code == "PTG504"
    assert str(folder) in found.message


@only_the_administrator_gives_away
@pytest.mark.parametrize("name", ["b.hpp", "pto/a.hpp", "pto", "."])
def test_headers_of_another_user_are_made_again(tmp_path: Path, name: str) -> None:
    """Their content is compared, but could change before the compiler reads it."""
    cache, files = Cache(tmp_path / "c"), {"pto/a.hpp": b"a", "b.hpp": b"b"}
    tree = cache.tree("headers", KEY, files)
    os.chown(tree / name, STRANGER, STRANGER)

    again = Cache(tmp_path / "c").tree("headers", KEY, files)

    assert all(path.stat().st_uid == os.geteuid() for path in (again, *again.rglob("*")))


@pytest.mark.parametrize("mode", [0o777, 0o733])
def test_a_root_that_others_may_replace_is_refused(tmp_path: Path, mode: int) -> None:
    above = tmp_path / "open"
    above.mkdir()
    above.chmod(mode)
    with pytest.raises(DiagnosticError) as raised:
        Cache(above / "c")
    assert raised.value.diagnostics[0].code == "PTG504"
    assert str(above) in raised.value.diagnostics[0].message

    above.chmod(mode | 0o1000)  # as /tmp is: each has his own
    Cache(above / "c")


@pytest.mark.parametrize("place", ["operators", f"operators/{KEY[:2]}"])
def test_a_file_in_place_of_a_folder_is_said(tmp_path: Path, place: str) -> None:
    cache = Cache(tmp_path / "c")
    (cache.root / place).parent.mkdir(exist_ok=True)
    (cache.root / place).touch()

    with pytest.raises(DiagnosticError) as raised:
        _made(cache)

    assert raised.value.diagnostics[0].code == "PTG504"
    assert str(cache.root / place) in raised.value.diagnostics[0].message


def test_a_folder_in_place_of_an_entry_gives_way(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    entry = _made(cache)
    entry.unlink()
    (entry / "inside").mkdir(parents=True)

    assert _made(cache).read_bytes() == b"ours"


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    """The limit on the size of files stands for it: a write comes to the same end."""
    code = f"""
import resource
from pathlib import Path
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime.toolchain.cache import Cache
cache = Cache(Path({str(tmp_path / "c")!r}))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for make in (
    lambda: cache.file("operators", {KEY!r}, ".so", lambda path: path.write_bytes(bytes(5000)) and None),
    lambda: cache.tree("headers", {KEY!r}, {{"a.hpp": bytes(5000)}}),
):
    try:
        make()
    except DiagnosticError as error:
        print(error.diagnostics[0].message)
"""
    end = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    said = end.stdout.splitlines()
    assert len(said) == 2
    assert all("too large" in line and "None" not in line for line in said)
    assert [path.name for path in (tmp_path / "c").rglob("*") if path.is_file() and path.suffix != ".lock"] == []


def test_a_full_disk_is_said_of_a_build(tmp_path: Path) -> None:
    spec = tmp_path / "scale.yaml"
    spec.write_text(
        "pyptogen: 1\noperator: scale\ndims: {rows: {min: 1, max: 64}}\ninputs:\n  x: fp32[rows, 8]\n"
        "outputs:\n  y: fp32[rows, 8]\ngraph:\n  y: x * 2\n"
    )

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    command = [sys.executable, "-m", "pyptogen", "build", str(spec), "-o", str(tmp_path / "out"), "--jobs", "1"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    end = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=full, env=environment)

    assert end.returncode == 1
    assert "PTG504" in end.stderr
    assert "scale.staged-by-pyptogen/" in end.stderr, "the file's name, where it is staged"
    assert "`None`" not in end.stderr
    assert list((tmp_path / "out").iterdir()) == []
