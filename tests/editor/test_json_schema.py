"""The JSON Schema takes every spec of the library, refuses broken ones, and says what each key means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pyptogen.cli.app import app
from pyptogen.editor.json_schema import json_schema
from pyptogen.editor.key_docs import KEY_DOCS
from pyptogen.schema import models
from pyptogen.schema.include import read_tree
from pyptogen.schema.models import IncludedModel, Section
from pyptogen.schema.source import Source, read
from pyptogen.schema.tree import plain

jsonschema = pytest.importorskip("jsonschema", reason="pip install jsonschema (it is in the extra dev)")
ROOT = Path(__file__).parents[2]
HEAD = "pyptogen: 1\noperator: a\n"
WHOLE = f"{HEAD}dims: {{n: {{max: 9}}}}\ninputs: {{x: 'fp32[n]'}}\noutputs: {{y: 'fp32[n]'}}\ngraph: {{y: exp(x)}}\n"


def data(text: str) -> Any:
    return plain(read_tree(Source("x.yaml", text)))


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def test_takes_every_spec(validator: Any) -> None:
    paths = [*ROOT.glob("specs/*.yaml"), *ROOT.glob("examples/specs/*.yaml")]
    assert len(paths) > 80
    found = {path.name: next(validator.iter_errors(plain(read_tree(read(str(path))))), None) for path in paths}
    assert {name: error.message for name, error in found.items() if error} == {}


def test_takes_included_files() -> None:
    include = jsonschema.Draft7Validator(json_schema("include"))
    for path in ROOT.glob("specs/common/*.yaml"):
        include.validate(plain(read_tree(read(str(path)))))
    tiling = jsonschema.Draft7Validator(json_schema("tiling"))
    tiling.validate(data("- {n: 8}\n- {}\n"))
    tiling.validate(data("tiling: [{n: {tile: 8, tail: mask}}]\n"))
    assert not tiling.is_valid(data("tilings: [{n: 8}]\n"))
    assert not include.is_valid(data("dimms: {n: 8}\n"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pyptogen: 1", "pyptogen: 2"),
        ("operator: a", "operator: A"),
        ("operator: a\n", ""),
        ("graph: {y: exp(x)}", ""),
        ("graph:", "grph:"),
        ("fp32[n]", "fp64[n]"),
        ("fp32[n]", "fp32(n)"),
        ("fp32[n]", "fp32[n] @ nx"),
        ("{max: 9}", "{mx: 9}"),
        ("{max: 9}", "0"),
        ("{max: 9}", "[9]"),
        ("n: {max", "for: {max"),
        ("graph: {y: exp(x)}", "graph: {s: {loop: {over: n, tile: 0}, next: {y: x}}}"),
        ("graph: {y: exp(x)}", "graph: {s: {loop: {over: n, tile: 1}, nxt: {y: x}}}"),
        ("graph: {y: exp(x)}", "graph: {y: [exp, x]}"),
        ("graph", "tiling: {n: 8}\ngraph"),
        ("graph", "tiling: [{n: 0}]\ngraph"),
        ("graph", "tiling: [{n: {tile: 8, unroll: [8, 1]}}]\ngraph"),
        ("graph", "tiling: [{a: {buffers: 9}}]\ngraph"),
        ("graph", "tiling: [{when: {n: 'below 3'}, n: 8}]\ngraph"),
        ("graph", "targets: [gpu]\ngraph"),
        ("graph", "attrs: {e: {type: fp16}}\ngraph"),
        ("graph", "verify: {generate: {x: unifrm(-1, 1)}}\ngraph"),
        ("graph", "verify: {cases: [{n: many}]}\ngraph"),
        ("graph", "verify: {tolerance: {y: {rtol: -1}}}\ngraph"),
        ("graph", "schedule: {policy: fast}\ngraph"),
        ("graph", "kernels: {k: {level: source, body: []}}\ngraph"),
        ("graph", "functions: {f(x): {y: x}}\ngraph"),
    ],
)
def test_refuses_broken_ones(validator: Any, old: str, new: str) -> None:
    assert validator.is_valid(data(WHOLE))
    assert old in WHOLE
    assert not validator.is_valid(data(WHOLE.replace(old, new, 1)))


def test_every_key_is_explained() -> None:
    given = [one for one in vars(models).values() if isinstance(one, type) and issubclass(one, Section)]
    for model in set(given) - {Section, IncludedModel}:
        keys = {field.alias or name for name, field in model.model_fields.items()}
        assert set(KEY_DOCS[model]) == keys, model.__name__


def test_operations_are_offered() -> None:
    snippets = json_schema()["definitions"]["expression"]["defaultSnippets"]
    told = {one["label"]: one["body"] for one in snippets}
    assert told["matmul"].startswith("matmul(${1:")
    assert told["exp"] == "exp(${1:x})"


def test_the_command_prints_or_writes_it(tmp_path: Path) -> None:
    shown = CliRunner().invoke(app, ["schema"])
    assert json.loads(shown.stdout) == json_schema()
    path = tmp_path / "s.json"
    assert CliRunner().invoke(app, ["schema", "--for", "tiling", "-o", str(path)]).exit_code == 0
    assert json.loads(path.read_text()) == json_schema("tiling")
    lost = CliRunner().invoke(app, ["schema", "-o", str(tmp_path / "no" / "s.json")])
    assert isinstance(lost.exception, Exception)
    assert "PTG504" in str(lost.exception)
