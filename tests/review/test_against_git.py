"""Specs beside those of a commit or of another folder: the commands, their exit codes, approvals, formats."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pyptogen.cli.app import app
from pyptogen.diagnostics import DiagnosticError

SPEC = """\
pyptogen: 1
operator: scaled
include: more/sizes.yaml
dims:
  rows: {min: 1, max: 64}
attrs:
  eps: {type: fp32, default: 1.0e-6}
inputs:
  x: fp32[rows, cols]
outputs:
  y: fp32[rows, cols]
graph:
  y: exp(x) + eps
verify:
  cases: [{rows: 8}]
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two operators and what one includes; the working directory is its root."""
    monkeypatch.chdir(tmp_path)
    specs = tmp_path / "specs"
    (specs / "more").mkdir(parents=True)
    (specs / "scaled.yaml").write_text(SPEC)
    (specs / "more/sizes.yaml").write_text("dims: {cols: 2048}\n")
    (specs / "plain.yaml").write_text(SPEC.replace("operator: scaled", "operator: plain"))
    git("init", "-q", "-b", "main")
    commit("first")
    return specs


def git(*arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(["git", *who, *arguments], check=True, capture_output=True, text=True).stdout


def commit(message: str) -> None:
    git("add", "-A")
    git("commit", "-q", "-m", message)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.fixture
def run() -> Callable[..., Result]:
    return lambda *arguments: CliRunner().invoke(app, [*map(str, arguments)])


def broken(result: Result) -> list[str]:
    """The codes of the errors that end a command."""
    assert result.exit_code == 1
    if isinstance(result.exception, DiagnosticError):
        return [one.code for one in result.exception.diagnostics]
    return re.findall(r"^\S*\s*error (PTG\d+)", result.output, re.MULTILINE)


def test_nothing_changed(library: Path, run: Callable[..., Result]) -> None:
    for command in ("diff", "breaking"):
        result = run(command, "specs", "--against", "git:HEAD")
        assert result.exit_code == 0
        assert result.output == "against git:HEAD: no operator changes; 2 are as before\n"


def test_a_difference_with_its_kernels(library: Path, run: Callable[..., Result]) -> None:
    edit(library / "scaled.yaml", "exp(x)", f"{'exp(' * 21}x{')' * 21}")
    edit(library / "scaled.yaml", "max: 64", "max: 32")
    result = run("diff", "specs", "--against", "git:main")
    verdict, _, *lines = result.output.splitlines()
    assert verdict == "against git:main: 1 breaks its callers; 1 is as before"
    assert lines[:5] == [
        "scaled: BREAKING",
        "  contract",
        "  ! dim `rows`: narrowed (1 to 64 → 1 to 32) [PTG608]",
        "  numerics",
        "  ~ output `y`: other arithmetic (20 x exp in fp32) [PTG617]",
    ]
    assert "  kernels, a2a3" in lines
    assert any(line.startswith("    `scaled`: changed (+") for line in lines)
    assert "  time, a2a3, estimated" in lines


def test_formats_say_the_same(library: Path, run: Callable[..., Result]) -> None:
    edit(library / "scaled.yaml", "max: 64", "max: 32")
    told = json.loads(run("diff", "specs", "--against", "git:main", "--format", "json").output)
    assert (told["format"], told["against"], told["unchanged"]) == (1, "git:main", 1)
    (operator,) = told["operators"]
    assert (operator["name"], operator["state"], operator["level"]) == ("scaled", "changed", "breaking")
    (change,) = [one for one in operator["changes"] if one["section"] == "contract"]
    assert (change["code"], change["before"], change["after"]) == ("PTG608", "1 to 64", "1 to 32")
    assert change["place"] == {"file": "specs/scaled.yaml", "line": 5, "col": 3}
    comment = run("diff", "specs", "--against", "git:main", "--format", "markdown").output
    assert comment.startswith("### pyptogen: against git:main: 1 breaks its callers; 1 is as before\n")
    assert "| ❗ | contract | dim `rows` | narrowed PTG608 | 1 to 64 | 1 to 32 |" in comment


def test_what_an_include_changes_is_seen_and_the_checkout_stays(library: Path, run: Callable[..., Result]) -> None:
    (library / "more/sizes.yaml").write_text("dims: {cols: 4096}\n")
    (library / "new.txt").write_text("mine")
    before = git("status", "--porcelain", "-uall")
    assert broken(run("breaking", "specs", "--against", "git:main")) == ["PTG606", "PTG606"]
    assert broken(run("breaking", "specs/plain.yaml", "--against", "git:main")) == ["PTG606"]
    assert git("status", "--porcelain", "-uall") == before


def test_operators_that_come_and_go(library: Path, run: Callable[..., Result]) -> None:
    (library / "scaled.yaml").rename(library / "other.yaml")
    edit(library / "other.yaml", "operator: scaled", "operator: other")
    result = run("diff", "specs", "--against", "git:main")
    assert result.output.splitlines() == [
        "against git:main: 1 breaks its callers, 1 is new; 1 is as before",
        "",
        "scaled: BREAKING: removed",
        "",
        "other: added",
    ]
    assert broken(run("breaking", "specs", "--against", "git:main")) == ["PTG601"]
    commit("second")
    assert run("breaking", "specs", "--against", "git:HEAD").exit_code == 0
    git("mv", "specs/other.yaml", "specs/renamed.yaml")
    assert run("breaking", "specs", "--against", "git:HEAD").output.startswith("against git:HEAD: no operator changes")


def test_another_folder(library: Path, run: Callable[..., Result], tmp_path: Path) -> None:
    shutil.copytree(library, tmp_path / "old/specs")
    edit(library / "scaled.yaml", "default: 1.0e-6", "default: 1.0e-5")
    assert broken(run("breaking", "specs", "--against", "old/specs")) == ["PTG610"]
    assert broken(run("breaking", "specs/scaled.yaml", "--against", "old/specs")) == ["PTG610"]
    assert run("breaking", "specs/plain.yaml", "--against", "old/specs").exit_code == 0
    assert broken(run("breaking", "specs", "--against", "nowhere")) == ["PTG620"]


@pytest.mark.parametrize("against", ["git:no-such-branch", "git:--help", "git:"])
def test_a_commit_that_is_not_there(library: Path, run: Callable[..., Result], against: str) -> None:
    result = run("diff", "specs", "--against", against)
    assert broken(result) == ["PTG620"]


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., Result]) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "one.yaml").write_text(SPEC)
    assert broken(run("diff", tmp_path / "one.yaml", "--against", "git:HEAD")) == ["PTG620"]


def test_a_fault_of_the_other_side_is_told_where_it_lies(library: Path, run: Callable[..., Result]) -> None:
    good = (library / "scaled.yaml").read_text()
    (library / "scaled.yaml").write_text(good.replace("exp(x)", "epx(x)"))
    commit("broken")
    (library / "scaled.yaml").write_text(good)
    result = run("breaking", "specs", "--against", "git:HEAD")
    assert "HEAD:specs/scaled.yaml:13:6: error PTG202: there is no operation `epx`\n" in result.output


def approve(text: str) -> None:
    Path("approved-breaks.yaml").write_text(f"pyptogen: 1\napproved:\n{text}")


NARROWED = "  - {operator: scaled, code: PTG608, of: rows, reason: nobody has more, until: %s}\n"


def test_an_approved_change(library: Path, run: Callable[..., Result]) -> None:
    edit(library / "scaled.yaml", "max: 64", "max: 32")
    approve(NARROWED % "2999-12-31")
    result = run("breaking", "specs", "--against", "git:main")
    assert result.exit_code == 0, result.output
    assert "PTG622" not in result.output
    assert result.output.splitlines()[1] == "approved in approved-breaks.yaml: 1 of 1"
    edit(library / "scaled.yaml", "default: 1.0e-6", "default: 1.0e-5")
    result = run("breaking", "specs", "--against", "git:main")
    assert broken(result) == ["PTG610"]
    assert "approved in approved-breaks.yaml: 1 of 2" in result.output


def test_an_approval_that_has_expired(library: Path, run: Callable[..., Result]) -> None:
    edit(library / "scaled.yaml", "max: 64", "max: 32")
    approve(NARROWED % "2001-12-31")
    result = run("breaking", "specs", "--against", "git:main")
    assert broken(result) == ["PTG608"]
    assert "note: was approved until 2001-12-31: nobody has more (approved-breaks.yaml:3:6)" in result.output


@pytest.mark.parametrize("of", ["rows", "cols"])
def test_an_approval_that_nothing_needs(library: Path, run: Callable[..., Result], of: str) -> None:
    approve((NARROWED % "2999-12-31").replace("rows", of))
    if of == "cols":
        edit(library / "scaled.yaml", "max: 64", "max: 32")
    result = run("breaking", "specs", "--against", "git:main")
    assert f"approved-breaks.yaml:3:6: warning PTG622: scaled: nothing here needs the approval of PTG608 of `{of}`" in (
        result.output
    )
    assert result.exit_code == (1 if of == "cols" else 0)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("PTG608", "PTG101", "PTG621"),
        ("PTG608", "PTG699", "PTG621"),
        ("2999-12-31", "soon", "PTG621"),
        (", reason: nobody has more", "", "PTG105"),
        ("reason: nobody has more", "reason: ''", "PTG104"),
        ("of: rows", "for: rows", "PTG103"),
        ("pyptogen: 1", "pyptogen: 2", "PTG112"),
    ],
)
def test_approvals_that_are_none(library: Path, run: Callable[..., Result], old: str, new: str, code: str) -> None:
    approve(NARROWED % "2999-12-31")
    edit(Path("approved-breaks.yaml"), old, new)
    result = run("breaking", "specs", "--against", "git:main")
    assert broken(result) == [code]
    assert result.output.startswith("approved-breaks.yaml:")


def test_a_warning_does_not_end_the_command(library: Path, run: Callable[..., Result]) -> None:
    edit(library / "scaled.yaml", "exp(x)", "exp(exp(x))")
    result = run("breaking", "specs", "--against", "git:main")
    assert result.exit_code == 0
    assert "warning PTG617: scaled: output `y`: other arithmetic (exp in fp32)" in result.output


def test_text_from_specs_is_no_markdown(library: Path, run: Callable[..., Result]) -> None:
    edit(library / "scaled.yaml", "graph:", "requires: ['rows * 2 < 64 | rows > 3']\ngraph:")
    edit(library / "scaled.yaml", " | rows > 3", "")
    comment = run("diff", "specs", "--against", "git:main", "--format", "markdown").output
    assert "| rows \\* 2 \\< 64 |" in comment
