"""`pyptogen build` as it is typed: what `-q` and `--plan` print, and when `--plan` refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from builder.toy_library import Library
from typer.testing import CliRunner, Result

from pyptogen.cli.app import app

ROOT = Path(__file__).parents[2]
Build = Callable[..., Result]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    return Library(tmp_path, monkeypatch)


@pytest.fixture
def build(library: Library) -> Build:
    words = ("build", str(library.specs), "-o", str(library.out), "--no-cache", "--jobs", "1")
    return lambda *more: CliRunner().invoke(app, [*words, *more])


def test_quiet_prints_no_line_per_file(library: Library, build: Build) -> None:
    library.write("one")
    assert (build("-q").output, bool(library.tree())) == ("", True)
    library.write("one", "first third")
    assert build("--plan", "-q").output == build("--plan").output != ""  # it is what was asked for
    assert build("-q").output == ""
    assert (build("-q").output, build("--plan", "-q").output, build("--check", "-q").output) == ("", "", "")
    assert "up to date" in build().output


def test_quiet_tells_findings(library: Library, build: Build) -> None:
    library.write("one")
    build()
    (library.out / "one/cpu/kernels/first.cpp").write_text("// faster\n")
    for words in ((), ("--check",)):
        result = build("-q", *words)
        assert (result.exit_code, "PTG514" in result.output) == (1, True)


def test_a_quiet_package(tmp_path: Path) -> None:
    words = ["build", str(ROOT / "specs/relu.yaml"), "--target", "cpu", "--package", str(tmp_path / "lib")]
    first = CliRunner().invoke(app, [*words, "-q"])
    assert (first.exit_code, first.output, (tmp_path / "lib/package.json").is_file()) == (0, "", True)
    assert CliRunner().invoke(app, [*words, "-q"]).output == ""
    assert "up to date" in CliRunner().invoke(app, words).output


def test_a_plan_refuses_what_the_build_would_refuse(library: Library, build: Build) -> None:
    library.write("one")
    library.write("two")
    build()
    kernel = library.out / "one/cpu/kernels/first.cpp"
    kernel.write_text("// faster\n")
    library.write("two", "first third")
    before = library.tree()
    planned, built = build("--plan"), build()
    assert (planned.exit_code, built.exit_code, library.tree()) == (1, 1, before)
    assert planned.output == built.output
    assert "PTG514" in planned.output
    forced = build("--plan", "--force")
    assert forced.exit_code == 0
    assert f"would write {kernel}" in forced.output
    assert f"would write {library.out / 'two/cpu/kernels/third.cpp'}" in forced.output
    assert library.tree() == before


def test_documents_of_a_check_name_generated_files(library: Library, build: Build) -> None:
    library.write("edited")
    orphan = library.write("orphan")
    library.write("changed")
    library.write("missing")
    build()
    (library.out / "edited/cpu/kernels/second.cpp").write_text("// faster\n")
    (library.out / "missing/cpu/orchestration.cpp").unlink()
    orphan.unlink()
    library.write("changed", "first third")
    found = json.loads(build("--check", "-q", "--output-format", "json").stdout)
    assert {one["code"]: Path(one["file"]).relative_to(library.out).as_posix() for one in found} == {
        "PTG511": "changed/cpu/kernels/second.cpp",
        "PTG512": "missing/cpu/orchestration.cpp",
        "PTG513": "orphan/cpu/kernels/first.cpp",
        "PTG514": "edited/cpu/kernels/second.cpp",
    }


@pytest.mark.parametrize("form", ["full", "json", "github", "gitlab", "sarif", "junit", "rdjson"])
def test_each_form_of_a_check_names_the_generated_file(form: str, library: Library, build: Build) -> None:
    """As the place of the finding, relative to the working directory or absolute; `full` in a line of its own."""
    library.write("edited")
    build()
    kernel = library.out / "edited/cpu/kernels/second.cpp"
    kernel.write_text("// faster\n")
    result = build("--check", "-q", "--output-format", form)
    said = result.output if form == "full" else result.stdout
    assert result.exit_code == 1
    assert said.count("PTG514") >= 1
    places = {
        "json": lambda: json.loads(said)[0]["file"],
        "github": lambda: re.search(r"file=([^,:]+)", said)[1],  # type: ignore[index]
        "gitlab": lambda: json.loads(said)[0]["location"]["path"],
        "sarif": lambda: json.loads(said)["runs"][0]["results"][0]["locations"][0]["physicalLocation"][
            "artifactLocation"
        ]["uri"],
        "junit": lambda: re.search(r'<testsuite name="([^"]+)"', said)[1],  # type: ignore[index]
        "rdjson": lambda: json.loads(said)["diagnostics"][0]["location"]["path"],
    }
    place = places[form]() if form in places else said
    assert "edited/cpu/kernels/second.cpp" in place, said


def test_a_plan_with_a_check_tells_an_edit_once(library: Library, build: Build) -> None:
    library.write("one")
    build()
    (library.out / "one/cpu/kernels/first.cpp").write_text("// faster\n")
    result = build("--plan", "--check")
    assert (result.exit_code, result.output.count("PTG514")) == (1, 1)
