"""`include` and tiling tables in files of their own: what becomes part of a spec, and what is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pyptogen.builder import build
from pyptogen.builder.fingerprint import generator_hash
from pyptogen.builder.lock import read_lock, unchanged_specs
from pyptogen.builder.source_map import SOURCE_MAP, read_map
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec

SPEC = """\
pyptogen: 1
operator: demo
include: [common/norms.yaml]
dims:
  t: {min: 1, max: 64}
inputs:
  x: fp32[t, width]
outputs:
  y: fp32[t, width]
graph:
  y: scaled(x)
"""
NORMS = """\
include: sizes.yaml
dims:
  unused: {min: 1, max: 9}
functions:
  scaled(v):
    return: half(v) * width
  half(v):
    return: v / 2
  never(v):
    return: v * unused
"""
SIZES = "dims: {width: 16}\ntiling: [{t: 4}]\n"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the files of a spec that includes others, some of them changed, and gives the spec's path."""

    def files(**changed: str) -> Path:
        texts = {"demo.yaml": SPEC, "common/norms.yaml": NORMS, "common/sizes.yaml": SIZES}
        texts |= {
            name.replace("__", "/").replace("_yaml", ".yaml").replace("_toml", ".toml"): text
            for name, text in changed.items()
        }
        for name, text in texts.items():
            path = tmp_path / "specs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path / "specs" / "demo.yaml"

    return files


def test_only_what_the_spec_reaches_becomes_part_of_it(write: Write) -> None:
    spec = load_spec(write())
    assert [dim.name for dim in spec.dims] == ["t", "width"]
    assert [function.name for function in spec.functions] == ["scaled", "half"]
    assert [Path(file).name for file in spec.includes] == ["sizes.yaml", "norms.yaml"]
    assert spec.tiling[0].sizes == {"": {"t": 4}}
    assert [op.kind for op in from_spec(spec).ops] == ["div", "mul"]


def test_an_own_table_hides_the_included_one(write: Write) -> None:
    assert load_spec(write(demo_yaml=SPEC + "tiling: [{t: 8}]\n")).tiling[0].sizes == {"": {"t": 8}}


@pytest.mark.parametrize(
    ("name", "text"),
    [("rows.yaml", "- {t: 2}\n"), ("rows.yaml", "tiling: [{t: 2}]\n"), ("rows.toml", "[[tiling]]\nt = 2\n")],
)
def test_a_table_may_stand_in_a_file_of_its_own(write: Write, name: str, text: str) -> None:
    spec = write(demo_yaml=SPEC + f"tiling: {{file: tiling/{name}}}\n", **{f"tiling__{name.replace('.', '_')}": text})
    loaded = load_spec(spec)
    assert loaded.tiling[0].sizes == {"": {"t": 2}}
    assert loaded.tiling[0].span.file == str(spec.parent / "tiling" / name)
    assert str(spec.parent / "tiling" / name) in loaded.includes


def test_a_file_named_twice_is_read_once(write: Write) -> None:
    spec = load_spec(write(demo_yaml=SPEC.replace("[common/norms.yaml]", "[common/sizes.yaml, common/norms.yaml]")))
    assert [Path(file).name for file in spec.includes] == ["sizes.yaml", "norms.yaml"]


def test_the_same_dim_in_both_is_one(write: Write) -> None:
    spec = load_spec(write(demo_yaml=SPEC.replace("dims:\n", "dims:\n  width: 16\n")))
    assert [dim.name for dim in spec.dims] == ["width", "t"]


@pytest.mark.parametrize(
    ("changed", "code", "place", "words"),
    [
        (
            {"common__sizes_yaml": "include: norms.yaml\n"},
            "PTG209",
            "sizes.yaml:1:10",
            "norms.yaml → sizes.yaml → norms.yaml",
        ),
        ({"common__sizes_yaml": "include: ../demo.yaml\n"}, "PTG209", "sizes.yaml:1:10", "demo.yaml"),
        ({"common__sizes_yaml": "include: ../../demo.yaml\n"}, "PTG113", "sizes.yaml:1:10", "leads out"),
        ({"common__sizes_yaml": "dim: {}\n"}, "PTG103", "sizes.yaml:1:1", "no key `dim`"),
        ({"common__sizes_yaml": "pyptogen: 2\n"}, "PTG112", "sizes.yaml:1:11", "version 2"),
        ({"demo_yaml": SPEC.replace("dims:\n", "dims:\n  width: 8\n")}, "PTG208", "sizes.yaml:1:8", "`width`"),
        (
            {"demo_yaml": SPEC.replace("graph:", "functions:\n  half(v):\n    return: v\ngraph:")},
            "PTG208",
            "demo.yaml:11:3",
            "`half`",
        ),
        ({"demo_yaml": SPEC + "tiling: {file: common}\n"}, "PTG113", "demo.yaml:12:16", "no spec file"),
        ({"demo_yaml": SPEC + "tiling: {file: a.yaml, t: 3}\n"}, "PTG103", "demo.yaml:12:24", "no key `t`"),
    ],
)
def test_what_is_refused(write: Write, changed: dict[str, str], code: str, place: str, words: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        load_spec(write(**changed))
    found = raised.value.diagnostics[0]
    assert found.code == code
    assert str(found.span).endswith(place)
    assert words in found.message


def test_a_link_out_of_the_folder_is_no_way_out(write: Write, tmp_path: Path) -> None:
    spec = write()
    (tmp_path / "sizes.yaml").write_text(SIZES)
    (spec.parent / "common" / "sizes.yaml").unlink()
    (spec.parent / "common" / "sizes.yaml").symlink_to(tmp_path / "sizes.yaml")
    with pytest.raises(DiagnosticError) as raised:
        load_spec(spec)
    assert raised.value.diagnostics[0].code == "PTG113"


def test_a_build_depends_on_included_files_and_takes_them_along(write: Write, tmp_path: Path) -> None:
    spec, out = write(), tmp_path / "generated"
    build([spec], out, ["cpu"])
    recorded = read_lock(out).operators["demo"]
    below = [os.path.relpath(out / path, spec.parent) for path in recorded.includes]
    assert below == ["common/norms.yaml", "common/sizes.yaml"]
    origins = read_map((out / "demo" / SOURCE_MAP).read_bytes()).files["cpu/kernels/demo.cpp"]
    assert ("common/norms.yaml", 6) in {(o.span.file, o.span.line) for o in origins if o.span is not None}
    assert from_spec(load_spec(out / "demo" / "demo.yaml")).name == "demo"
    known = unchanged_specs([spec], out, ["cpu"], generator_hash())[spec]
    assert known is not None
    assert known.name == "demo"
    (spec.parent / "common" / "sizes.yaml").write_text(SIZES.replace("4", "8"))
    assert unchanged_specs([spec], out, ["cpu"], generator_hash()) == {spec: None}
    assert build([spec], out, ["cpu"]).changed
