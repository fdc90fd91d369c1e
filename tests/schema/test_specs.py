"""The specs of this project, and the same spec as TOML."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.inputs import generators
from pyptogen.lower.tensor import from_spec, print_program
from pyptogen.schema import Source, load_source, load_spec
from pyptogen.schema.verify_section import GENERATORS

SPECS = Path(__file__).parents[2] / "specs"

TOML = """\
pyptogen = 1
operator = "softmax"
doc = "Softmax over the last axis."

targets = ["cpu", "a2a3"]
[dims]
rows = {min = 1, max = 1048576}
cols = 4096

[inputs]
x = "fp32[rows, cols]"
[outputs]
y = "fp32[rows, cols]"

[functions."share(v)"]
total = "sum(v, axis=-1, keepdim=true)"
return = "v / total"

[graph]
m = "amax(x, axis=-1, keepdim=true)"
e = "exp(x - m)"
y = "share(e)"

[[tiling]]
when = {target = "cpu"}
rows = {tile = 8, tail = "mask"}
[[tiling]]
rows = 4

[verify]
cases = [{rows = 1}, {rows = 37}]
[verify.generate]
x = "uniform(-4, 4)"
[verify.tolerance]
y = {rtol = 1.0e-5}
"""


def test_indexer_prolog_holds_what_the_file_says() -> None:
    spec = load_spec(str(SPECS / "indexer_prolog.yaml"))
    assert [t.name for t in spec.inputs if t.layout == "nz"] == ["w_qb", "w_k", "w_proj"]
    assert {t.name: t.inplace for t in spec.outputs if t.inplace} == {
        "k_cache": "k_cache",
        "k_scale_cache": "k_scale_cache",
    }
    assert [stage.name for stage in spec.stages if not stage.implicit][:3] == [
        "query_linear",
        "query_rope",
        "query_quant",
    ]
    assert spec.verify.cases[2] == {"t": 33, "blocks": 64}
    assert set(spec.verify.generate) <= {t.name for t in spec.inputs}
    assert spec.source == (SPECS / "indexer_prolog.yaml").read_text("utf-8")


@pytest.mark.parametrize("path", sorted(SPECS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_spec_is_named_as_its_file(path: Path) -> None:
    spec = load_spec(path)
    assert spec.name == path.stem
    assert spec.doc
    assert spec.verify.cases


def test_toml_is_the_same_language() -> None:
    spec = load_source(Source("softmax.toml", TOML))
    assert spec.dims[0].max == 1048576
    assert spec.tiling[0].when == (("target", "==", "cpu"),)
    assert spec.tiling[0].sizes == {"": {"rows": {"tile": 8, "tail": "mask"}}}
    assert spec.tiling[1].sizes == {"": {"rows": 4}}
    assert [dict(case) for case in spec.verify.cases] == [{"rows": 1}, {"rows": 37}]
    assert spec.verify.tolerance["y"].rtol == 1.0e-5
    text = print_program(from_spec(spec))
    assert "  y: fp32[rows, cols] = div(e, y_total)" in text


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        ('"exp(x - m)"', '"exp(x - n)"', "PTG201", (21, 14)),
        ('"v / total"', '"v / totl"', "PTG201", (17, 15)),
        ("max = 1048576", "mx = 1048576", "PTG103", (7, 18)),
        ("cols = 4096", "cols = 0", "PTG214", (8, 8)),
        ("rtol = 1.0e-5", 'rtol = "x"', "PTG104", (35, 13)),
        ("{rows = 37}", "{row = 37}", "PTG201", (31, 23)),
        ("{rows = 37}", "{rows = 0}", "PTG214", (31, 30)),
        ("rows = 4\n", "rows = [1, -2]  # ], }\n", "PTG104", (28, 8)),
        ("cols = 4096", "cols = 4096\ncols = 1", "PTG102", (9, 9)),
        ("cols = 4096", "cols = ", "PTG101", (8, 8)),
    ],
)
def test_toml_faults_have_places(old: str, new: str, code: str, place: tuple[int, int]) -> None:
    assert TOML.count(old) == 1
    with pytest.raises(DiagnosticError) as raised:
        from_spec(load_source(Source("softmax.toml", TOML.replace(old, new))))
    found = raised.value.diagnostics[0]
    assert found.span is not None
    assert (found.code, (found.span.line, found.span.col)) == (code, place)


def test_unreadable_files(tmp_path: Path) -> None:
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("doc: \xe9".encode("latin-1"))
    for path in (tmp_path / "none.yaml", tmp_path, latin):
        with pytest.raises(DiagnosticError) as raised:
            load_spec(path)
        assert raised.value.diagnostics[0].code == "PTG110"


def test_generators_are_those_that_verify_knows() -> None:
    assert set(GENERATORS) == set(generators._FUNCTIONS)
