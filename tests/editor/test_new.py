"""`pyptogen new`: what it writes can be checked, built and formatted as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pyptogen.builder.checking import check_specs
from pyptogen.cli.app import app
from pyptogen.diagnostics import DiagnosticError
from pyptogen.editor.format_spec import formatted
from pyptogen.editor.json_schema import schema_text
from pyptogen.editor.new_spec import library, new_spec
from pyptogen.schema import Source, load_source, load_spec
from pyptogen.schema.source import read

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, ["new", *words])


def test_the_small_one_is_in_order(run: Run, tmp_path: Path) -> None:
    result = run("gated")
    assert result.stdout == "wrote specs/pyptogen.schema.json\nwrote specs/gated.yaml\n"
    path = tmp_path / "specs/gated.yaml"
    assert path.read_text().startswith("# yaml-language-server: $schema=pyptogen.schema.json\npyptogen: 1\n")
    assert (tmp_path / "specs/pyptogen.schema.json").read_text() == schema_text()
    (checked,) = check_specs(path)
    assert checked.operator == "gated"
    assert checked.warnings == ()
    assert formatted(read(str(path))) == path.read_text()


def test_every_operator_of_the_library_is_a_start(tmp_path: Path) -> None:
    folder = library()
    assert folder is not None
    for path in sorted(folder.glob("*.yaml")):
        made = new_spec("mine", path.stem)
        spec = load_source(Source(str(path), made.text))
        assert spec.name == "mine"
        assert spec.stages == () or not spec.stages[0].implicit or spec.stages[0].name == "mine"
        assert len(made.beside) == len(spec.includes)


def test_like_brings_the_files_that_the_spec_names(run: Run, tmp_path: Path) -> None:
    result = run("mine", "--like", "transpose_copy", "--no-schema", "-o", "my")
    assert sorted(result.stdout.split()[1::2]) == ["my/kernels/transpose_copy.cpp", "my/mine.yaml"]
    assert load_spec(tmp_path / "my/mine.yaml").name == "mine"


def test_like_leaves_the_gradient_out(run: Run, tmp_path: Path) -> None:
    """It is another operator's, in a file that is not there."""
    assert run("mine", "--like", "rms_norm", "--no-schema", "-o", "my").exit_code == 0
    text = (tmp_path / "my" / "mine.yaml").read_text()
    assert "backward" not in text
    assert "\n\nverify:" in text


def test_like_takes_a_path_and_names_its_golden(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ref.py").write_text("def old(x):\n    return {'y': x}\n")
    text = new_spec("old", schema=False).text.replace("tiling:\n  -", "tiling:\n  - old: {rows: 8}\n  -")
    (tmp_path / "old.yaml").write_text(text + "  golden: {file: ref.py}\n")
    assert run("mine", "--like", "old.yaml", "--no-schema").exit_code == 0
    spec = load_spec(tmp_path / "specs/mine.yaml")
    assert spec.verify.golden is not None
    assert spec.verify.golden.function == "old"
    assert "mine: {rows: 8}" in (tmp_path / "specs/mine.yaml").read_text()


@pytest.mark.parametrize(
    ("out", "files"),
    [
        ("my/x.yaml", ["my/pyptogen.schema.json", "my/x.yaml"]),
        ("x.yml", ["pyptogen.schema.json", "x.yml"]),
        ("v1.2/", ["v1.2/gated.yaml", "v1.2/pyptogen.schema.json"]),
    ],
)
def test_a_file_may_be_named(run: Run, tmp_path: Path, out: str, files: list[str]) -> None:
    if out.endswith("/"):
        (tmp_path / out).mkdir()
    assert run("gated", "-o", out).exit_code == 0
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()) == files
    (made,) = (name for name in files if not name.endswith(".json"))
    assert load_spec(made).name == "gated"
    assert "PTG504" in str(run("gated", "-o", out).exception)


def test_a_file_of_another_kind_is_refused(run: Run, tmp_path: Path) -> None:
    error = str(run("gated", "-o", "specs/gated.toml").exception)
    assert "PTG110" in error
    assert "-o specs/gated.yaml" in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "code"),
    [(("Bad",), "PTG213"), (("for",), "PTG213"), (("mine", "--like", "softmx"), "PTG110"),
     (("mine", "--like", "none.yaml"), "PTG110")],
)  # fmt: skip
def test_bad_names_are_findings_and_nothing_is_written(
    run: Run, tmp_path: Path, words: tuple[str, ...], code: str
) -> None:
    result = run(*words)
    assert isinstance(result.exception, DiagnosticError)
    assert code in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays(run: Run, tmp_path: Path) -> None:
    assert run("mine").exit_code == 0
    before = (tmp_path / "specs/mine.yaml").read_text()
    result = run("mine", "--like", "softmax")
    assert "PTG504" in str(result.exception)
    assert (tmp_path / "specs/mine.yaml").read_text() == before
    (tmp_path / "file").write_text("")
    assert "PTG504" in str(run("other", "-o", "file").exception)
