"""`pyptogen review`: pages with their causes, and what accepting and keeping do."""

from __future__ import annotations

import os
import pty
import select
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pyptogen.builder import build
from pyptogen.cli import review
from pyptogen.cli.app import app
from pyptogen.review.pages import pages

SPEC = """\
pyptogen: 1
operator: {name}
dims: {{n: {{min: 1, max: 64}}, d: 64}}
inputs: {{x: "fp32[n, d]"}}
outputs: {{y: "fp32[n, d]"}}
graph:
  a: x * 2
  y: a + 1
tiling: [{{n: 8}}]
verify: {{cases: [{{n: 1}}, {{n: 37}}]}}
targets: [cpu]
"""
Run = Callable[..., Result]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    (folder / "specs").mkdir()
    for name in ("one", "two"):
        (folder / f"specs/{name}.yaml").write_text(SPEC.format(name=name))
    build(folder / "specs", folder / "generated")
    return folder


@pytest.fixture
def run(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """In a library of which both specs changed since they were built."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    for name in ("one", "two"):
        (tmp_path / f"specs/{name}.yaml").write_text(SPEC.format(name=name).replace("x * 2", "x * 3"))
    monkeypatch.chdir(tmp_path)
    return lambda *words, **more: CliRunner().invoke(app, ["review", *words], **more)


def as_terminal(monkeypatch: pytest.MonkeyPatch, keys: str) -> list[str]:
    """A reader at a terminal who presses these keys."""
    pressed: list[str] = []

    def getchar() -> str:
        pressed.append(keys[len(pressed)])
        return pressed[-1]

    monkeypatch.setattr(review, "_key", getchar)
    return pressed


def kernel(name: str) -> str:
    return Path(f"generated/{name}/cpu/kernels/{name}.cpp").read_text()


def test_pages_show_lines_with_the_statements_that_caused_them(run: Run) -> None:
    (operator,) = build("specs/one.yaml", "generated", check=True).operators
    first = pages(operator)[0]
    assert (first.path.as_posix(), first.why) == ("generated/one/cpu/kernels/one.cpp", "changed")
    assert first.added == first.removed > 0
    causes = {line for row in first.rows for line in row.cause}
    assert "one.yaml:7  a: x * 3" in causes
    assert "one.yaml:7  a: x * 2" in causes
    new = next(row for row in first.rows if row.mark == "+" and "3" in row.text)
    assert kernel("one").split("\n")[new.number - 1] != new.text


def test_without_a_terminal_it_prints_and_keeps(run: Run) -> None:
    before = kernel("one")
    result = run("specs")
    assert result.exit_code == 1
    assert "generated/one/cpu/kernels/one.cpp: changed" in result.stdout
    assert "a: x * 3" in result.stdout
    assert result.stderr.count("error PTG511") == 2
    assert kernel("one") == before


def test_accept_by_name_writes_that_operator_alone(run: Run) -> None:
    before = kernel("two")
    assert "PTG110" in str(run("specs", "--accept", "three").exception)
    result = run("specs", "--accept", "one")
    assert result.exit_code == 1
    assert "accepted generated/one" in result.stdout
    assert "generated/two" in result.stderr
    assert "generated/one" not in result.stderr
    assert kernel("two") == before
    assert not build("specs/one.yaml", "generated", check=True).changed
    assert run("specs", "--accept", "all").exit_code == 0
    assert run("specs").stdout == "nothing to review: the generated files are what the specs make\n"


def test_what_was_edited_by_hand_is_seen_and_overwritten_when_accepted(run: Run) -> None:
    path = Path("generated/one/cpu/kernels/one.cpp")
    path.write_text(path.read_text() + "// mine\n")
    assert "edited by hand" in run("specs/one.yaml").stdout
    assert run("specs/one.yaml", "--accept", "one").exit_code == 0
    assert "// mine" not in path.read_text()


def test_a_reader_accepts_and_keeps(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Called directly: the runner's streams are no terminal."""
    changed = [one for one in build("specs", "generated", check=True).operators if one.changed]
    as_terminal(monkeypatch, "xAk")
    taken = list(review._reviewed(changed, True))
    assert [one.name for one in taken] == ["one"]
    as_terminal(monkeypatch, "q")
    assert list(review._reviewed(changed, True)) == []
    count = len(pages(changed[0]))
    as_terminal(monkeypatch, "a" * count + "q")
    assert [one.name for one in review._reviewed(changed, True)] == ["one"]


def test_a_terminal_is_asked_key_by_key(run: Run) -> None:
    """The command itself, in a terminal of the system."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.executable, [sys.executable, "-m", "pyptogen", "review", "specs/one.yaml"])
    said = b""
    try:
        while select.select([terminal], [], [], 30)[0]:
            said += os.read(terminal, 4096)
            if said.endswith(b"q: end\r\n"):
                os.write(terminal, b"A")
                said += b"|"
    except OSError:  # the other side is closed
        pass
    os.close(terminal)  # ends a command that waits for more
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, said
    assert b"accepted generated/one" in said
    assert not build("specs/one.yaml", "generated", check=True).changed


def test_the_difference_of_a_build_ends_with_what_it_means(run: Run) -> None:
    """`pyptogen build --diff`: specs beside those that the generated folders were made from."""
    text = SPEC.format(name="one").replace("max: 64", "max: 32").replace("n: 37", "n: 31")
    Path("specs/one.yaml").unlink()
    Path("specs/first.yaml").write_text(text)  # also under another name
    Path("specs/two.yaml").rename("two.yaml")
    Path("specs/three.yaml").write_text(SPEC.format(name="three"))
    before = sorted(Path("generated").rglob("*"))
    result = CliRunner().invoke(app, ["build", "specs", "--diff"])
    assert result.exit_code == 0, result.stderr
    assert "against generated: 2 break their callers, 1 is new; 0 are as before" in result.stderr
    assert "[PTG608]" in result.stderr
    assert "two: BREAKING: removed" in result.stderr
    assert "BREAKING" not in result.stdout
    assert sorted(Path("generated").rglob("*")) == before
    Path("generated/one/one.yaml").write_text("no spec")
    told = CliRunner().invoke(app, ["build", "specs", "--diff"])
    assert (told.exit_code, "what the change means cannot be told" in told.stderr) == (0, True)


def test_a_spec_that_changes_meanwhile_is_not_written(run: Run) -> None:
    changed = [one for one in build("specs/one.yaml", "generated", check=True).operators if one.changed]
    before = kernel("one")
    Path("specs/one.yaml").write_text(SPEC.format(name="one").replace("x * 2", "x * 5"))
    with pytest.raises(Exception, match="changed while it was reviewed"):
        review._write(changed, Path("generated"))
    assert kernel("one") == before
