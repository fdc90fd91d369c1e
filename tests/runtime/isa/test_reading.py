"""What a compiler said is kept, by all that it hangs on, and only where it is an answer."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from compiling import NIGHTLY

from pyptogen.runtime.toolchain.headers import Headers, bundled_headers

from . import reading
from .conftest import INCLUDE
from .reading import Said, asked, kept

pytestmark = pytest.mark.skipif(NIGHTLY, reason="compilers are asked anew")
IN_A_HEADER = f"{INCLUDE}/pto/pto-inst.hpp:3:1: error: a name\n"


@pytest.fixture(autouse=True)
def _a_store_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYPTOGEN_CACHE_DIR", str(tmp_path / "cache"))


def answers(said: list[str], code: int, stderr: str = "") -> Callable[[], Said]:
    def ask() -> Said:
        said.append(stderr)
        return subprocess.CompletedProcess((), code, "", stderr)

    return ask


@pytest.mark.parametrize(("code", "stderr"), [(0, ""), (0, "a warning"), (1, IN_A_HEADER)])
def test_an_answer_is_asked_for_once(code: int, stderr: str) -> None:
    said: list[str] = []
    for _ in range(3):
        found = kept(answers(said, code, stderr), "g++", "-Wall", "int x;")
        assert (found.returncode, found.stderr) == (code, stderr)
    assert len(said) == 1


@pytest.mark.parametrize(
    ("code", "stderr"),
    [
        (1, "fatal error: Killed signal terminated program cc1plus\n"),
        (1, "<stdin>:1:1: error: a name\ninternal compiler error: no reason\n"),
        (1, ""),
        (4, "error: a name\n"),
        (-9, "error: a name\n"),
    ],
)
def test_what_is_no_answer_is_not_kept(code: int, stderr: str) -> None:
    said: list[str] = []
    for _ in range(2):
        assert kept(answers(said, code, stderr), "g++", "int x;").returncode == code
    assert len(said) == 2


def test_another_compiler_flag_source_or_header_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    for parts in (("g++", "-Wall", "int x;"), ("g++ 13", "-Wall", "int x;"), ("g++", "-Wall", "int y;"), ("g++", "")):
        kept(answers(said, 0), *parts)
    assert len(said) == 4
    changed = Headers("other", None, bundled_headers().own)
    monkeypatch.setattr(reading, "bundled_headers", lambda: changed)
    kept(answers(said, 0), "g++", "-Wall", "int x;")
    assert len(said) == 5


def test_another_checkout_has_its_own_places(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    kept(answers(said, 1, IN_A_HEADER), f"-I{INCLUDE}")
    monkeypatch.setattr(reading, "INCLUDE", Path("/elsewhere"))
    assert kept(answers(said, 1), "-I/elsewhere").stderr == "/elsewhere/pto/pto-inst.hpp:3:1: error: a name\n"
    assert len(said) == 1


def test_the_compiler_is_asked_about_its_input() -> None:
    for _ in range(2):
        assert asked(["-fsyntax-only", "-xc++", "-"], "int x;\n").returncode == 0
        assert "error: " in asked(["-fsyntax-only", "-xc++", "-"], "int x\n").stderr
