"""Finding a compiler: by CXX, in PATH, too old, not a compiler, none."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime.toolchain.compiler import find_compiler, find_compilers


@pytest.fixture
def bin_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty PATH, and no compiler among the Python packages."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    return tmp_path


def fake(folder: Path, name: str, says: str, code: int = 0) -> Path:
    script = folder / name
    script.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\nexit {code}\n")
    script.chmod(0o755)
    return script


def macros(family: str, major: int) -> str:
    gnuc = "#define __GNUC__ 4\n#define __GNUC_MINOR__ 2\n" if family == "clang" else ""
    name = "__clang_{}__" if family == "clang" else "__GNUC{}__"
    major_name, minor_name = ("major", "minor") if family == "clang" else ("", "_MINOR")
    version = f"#define {name.format(major_name)} {major}\n#define {name.format(minor_name)} 1\n"
    return f'{gnuc}{version}#define __VERSION__ "v"'


@pytest.fixture(autouse=True)
def _shell_tools(bin_dir: Path) -> None:
    cat = shutil.which("cat", path="/bin:/usr/bin")
    assert cat
    (bin_dir / "cat").symlink_to(cat)


def test_none(bin_dir: Path) -> None:
    with pytest.raises(DiagnosticError) as error:
        find_compiler()
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "PTG501"
    assert "apt-get install g++" in diagnostic.fix


def test_only_one_that_is_too_old(bin_dir: Path) -> None:
    fake(bin_dir, "g++", macros("gcc", 9))
    with pytest.raises(DiagnosticError) as error:
        find_compiler()
    assert error.value.diagnostics[0].notes == (("g++: gcc 9 is older than 12", None),)


def test_newer_name_is_found_behind_an_old_default(bin_dir: Path) -> None:
    fake(bin_dir, "g++", macros("gcc", 9))
    fake(bin_dir, "g++-13", macros("gcc", 13))
    assert find_compiler().version == (13, 1)


def test_preference_orders_the_families(bin_dir: Path) -> None:
    fake(bin_dir, "g++", macros("gcc", 12))
    fake(bin_dir, "clang++", macros("clang", 19))
    assert [c.family for c in find_compilers()] == ["gcc", "clang"]
    assert [c.family for c in find_compilers("clang")] == ["clang", "gcc"]


def test_one_compiler_under_two_names_counts_once(bin_dir: Path) -> None:
    real = fake(bin_dir, "g++-12", macros("gcc", 12))
    (bin_dir / "g++").symlink_to(real)
    assert len(find_compilers()) == 1


def test_cxx_is_the_only_candidate(bin_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(bin_dir, "g++", macros("gcc", 12))
    wrapped = fake(bin_dir, "wrapped", macros("clang", 18))
    monkeypatch.setenv("CXX", f"{wrapped} --flag")
    (compiler,) = find_compilers()
    assert compiler.family == "clang"
    assert compiler.command == (str(wrapped), "--flag")


@pytest.mark.parametrize(
    ("says", "code", "why"),
    [
        ("", 1, "does not compile C++20"),
        ("#define __EDG__ 1", 0, "neither GCC nor Clang"),
        (macros("clang", 11), 0, "clang 11 is older than 15"),
    ],
)
def test_unusable_cxx_is_named(bin_dir: Path, monkeypatch: pytest.MonkeyPatch, says: str, code: int, why: str) -> None:
    monkeypatch.setenv("CXX", str(fake(bin_dir, "odd", says, code)))
    with pytest.raises(DiagnosticError) as error:
        find_compiler()
    assert error.value.diagnostics[0].code == "PTG501"
    assert why in error.value.diagnostics[0].message
