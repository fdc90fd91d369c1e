"""The VS Code folder: all that it names is there, its schema is fresh, its matcher reads findings."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pyptogen.diagnostics import Diagnostic, Span
from pyptogen.diagnostics.formats import RENDERERS
from pyptogen.editor.json_schema import schema_text
from pyptogen.schema import Source, load_source

FOLDER = Path(__file__).parents[2] / "editors/vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text())


def test_it_is_configuration_alone() -> None:
    assert "main" not in PACKAGE
    assert not list(FOLDER.rglob("*.js"))
    given = PACKAGE["contributes"]
    named = [*(one["url"] for one in given["yamlValidation"]), *(one["path"] for one in given["snippets"])]
    assert all((FOLDER / path).is_file() for path in named)


def test_the_schema_is_fresh() -> None:
    """`make docs` writes it."""
    assert (FOLDER / "pyptogen.schema.json").read_text() == schema_text()


def test_the_problem_matcher_reads_findings() -> None:
    pattern = PACKAGE["contributes"]["problemMatchers"][0]["pattern"]
    said = RENDERERS["concise"]([Diagnostic("PTG201", "`z` is not defined", Span("specs/a.yaml", 6, 12, 6, 13))])
    found = re.match(pattern["regexp"], said.splitlines()[0])
    assert found is not None
    told = {key: found[group] for key, group in pattern.items() if key != "regexp"}
    assert told == {
        "file": "specs/a.yaml", "line": "6", "column": "12", "severity": "error", "code": "PTG201",
        "message": "`z` is not defined",
    }  # fmt: skip


def test_the_snippet_is_a_spec() -> None:
    body = "\n".join(json.loads((FOLDER / "snippets/specs.json").read_text())["Spec"]["body"])
    text = re.sub(r"\$\{\d+:([^}]*)\}|\$0", lambda hole: hole[1] or "", body)
    assert load_source(Source("snippet.yaml", text)).name == "name"
