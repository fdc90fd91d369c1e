"""`pyptogen why` and `pyptogen where`: from a generated line to the spec and back, and what is no such line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pyptogen.builder import build
from pyptogen.cli import main

SPEC = """\
pyptogen: 1
operator: gated
dims:
  n: {min: 1, max: 64}
inputs:
  x: fp32[n, 64]
outputs:
  y: fp32[n, 64]
graph:
  s: 1 / (exp(-x) + 1)

  # no statement
  y: x * s
"""
KERNEL = "out/gated/a2a3/kernels/gated.cpp"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("library")
    (root / "specs").mkdir()
    (root / "specs" / "gated.yaml").write_text(SPEC)
    build(root / "specs", root / "out", ["a2a3"])
    return root


@pytest.fixture
def run(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in a copy of the library: exit code, output, errors."""
    shutil.copytree(library, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")

    def command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["pyptogen", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    return command


def line_of(words: str, file: str = KERNEL) -> int:
    return next(number for number, line in enumerate(Path(file).read_text().splitlines(), 1) if words in line)


def test_why_shows_the_statement(run: Run) -> None:
    line = line_of("TEXP(")
    code, out, _ = run("why", f"{KERNEL}:{line}")
    assert code == 0
    text = Path(KERNEL).read_text().splitlines()[line - 1].strip()
    assert out.splitlines() == [
        f"{KERNEL}:{line}: {text}",
        "  serves: specs/gated.yaml:10:11",
        "   |",
        "10 |   s: 1 / (exp(-x) + 1)",
        "   |           ^^^^^^^",
        "  stage: gated",
        f"  value: {text.partition('(')[2].partition(',')[0]}",
        "  pass: instruction-select",
        "  template: kernel.cpp.j2: instructions",
    ]


def test_why_takes_a_place_as_compilers_write_it(run: Run) -> None:
    line = line_of("TEXP(")
    assert run("why", f"{KERNEL}:{line}:9") == run("why", f"{KERNEL}:{line}")


def test_why_names_the_template_of_what_every_operator_has(run: Run) -> None:
    line = line_of("#include <cstdint>")
    assert run("why", f"{KERNEL}:{line}") == (
        0,
        f"{KERNEL}:{line}: #include <cstdint>\n  template: kernel.cpp.j2: includes\n",
        "",
    )


def test_why_for_programs(run: Run) -> None:
    line = line_of("set_flag(PIPE_MTE2, PIPE_V")
    code, out, _ = run("why", f"{KERNEL}:{line}", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["pass"], found["stage"], found["value"]) == ("instruction-synchronise", "gated", None)
    assert found["span"]["file"] == "specs/gated.yaml"
    assert found["template"] == "kernel.cpp.j2: instructions"


def test_why_leads_to_the_copy_where_the_spec_changed_since(run: Run) -> None:
    Path("specs/gated.yaml").write_text("# new\n" + SPEC)
    _, out, _ = run("why", f"{KERNEL}:{line_of('TEXP(')}")
    assert "  serves: out/gated/gated.yaml:10:11" in out.splitlines()


def test_where_lists_the_lines_of_each_file(run: Run) -> None:
    code, out, _ = run("where", "specs/gated.yaml:10", "-o", "out")
    assert code == 0
    found = {line.partition(":")[0]: line.partition(":")[2] for line in out.splitlines()}
    assert set(found) == {KERNEL, "out/gated/a2a3/orchestration.cpp", "out/gated/pto/a2a3-gated.pto"}
    _, out, _ = run("where", "specs/gated.yaml:10", "-o", "out", "--json")
    ranges = {entry["file"]: entry["ranges"] for entry in json.loads(out)}
    text = ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in ranges[KERNEL])
    assert found[KERNEL] == text
    served = {number for first, last in ranges[KERNEL] for number in range(first, last + 1)}
    assert line_of("TEXP(") in served
    assert line_of("TMUL(") not in served


def test_where_knows_declarations_and_copies(run: Run) -> None:
    _, out, _ = run("where", "specs/gated.yaml:6", "-o", "out")
    assert f"out/gated/wrapper.hpp:{line_of('fp32[n, 64]', 'out/gated/wrapper.hpp')}" in out.splitlines()
    assert run("where", "out/gated/gated.yaml:6")[1] == out


def test_nothing_comes_from_a_comment(run: Run) -> None:
    assert run("where", "specs/gated.yaml:12", "-o", "out") == (
        0,
        "",
        "specs/gated.yaml:12: no generated line comes from it\n",
    )


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("why", KERNEL), "PTG516", "names no line"),
        (("why", f"{KERNEL}:0"), "PTG516", "names no line"),
        (("why", f"{KERNEL}:-1"), "PTG516", "names no line"),
        (("why", f"{KERNEL}:²"), "PTG516", "names no line"),
        (("why", ":3"), "PTG516", "names no line"),
        (("why", f"{KERNEL}:99999"), "PTG516", "no line 99999"),
        (("why", "out/none.cpp:1"), "PTG516", "no text file that can be read"),
        (("why", "out:1"), "PTG516", "no text file that can be read"),
        (("why", "specs/gated.yaml:1"), "PTG517", "lies in no generated folder"),
        (("why", "out/gated/gated.yaml:1"), "PTG517", "is what was built from"),
        (("why", "out/gated/manifest.json:1"), "PTG517", "describes the folder as a whole"),
        (("why", "out/gated/source_map.json:1"), "PTG517", "describes the folder as a whole"),
        (("where", "specs/gated.yaml", "-o", "out"), "PTG516", "names no line"),
        (("where", "specs/gated.yaml:14", "-o", "out"), "PTG516", "has 13 lines, and no line 14"),
        (("where", "specs/gated.yaml:3", "-o", "elsewhere"), "PTG517", "nothing in `elsewhere` was built from"),
    ],
)
def test_what_is_no_such_line(run: Run, arguments: tuple[str, ...], code: str, words: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (1, "")
    assert code in err
    assert words in err


def test_an_edited_file_has_other_lines(run: Run) -> None:
    Path(KERNEL).write_text("// mine\n" + Path(KERNEL).read_text())
    status, _, err = run("why", f"{KERNEL}:3")
    assert (status, "PTG514" in err) == (1, True)


def test_a_changed_spec_has_other_lines(run: Run) -> None:
    Path("specs/gated.yaml").write_text(SPEC + "# more\n")
    status, _, err = run("where", "specs/gated.yaml:3", "-o", "out")
    assert (status, "PTG517" in err, "changed since" in err) == (1, True, True)


@pytest.mark.parametrize("text", ["", "{}", "[" * 100_000, '{"format": 1}', "\ud800"])
def test_a_map_that_is_none(run: Run, text: str) -> None:
    Path("out/gated/source_map.json").write_text(text, errors="surrogatepass")
    status, _, err = run("why", f"{KERNEL}:3")
    assert (status, "PTG517" in err, "cannot be read" in err) == (1, True, True)
