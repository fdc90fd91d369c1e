"""What the language server answers, as functions of a text and a place: without pygls."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.editor.complete import completions
from pyptogen.editor.document import Document
from pyptogen.editor.facts import LoweredFacts, Types, lowered_facts
from pyptogen.editor.hints import inlays, lenses
from pyptogen.editor.hover import hover
from pyptogen.editor.navigate import definitions, references, rename, renamed
from pyptogen.editor.places import Place, place
from pyptogen.editor.positions import Positions
from pyptogen.editor.session import OpenSpec
from pyptogen.schema import Source, load_source

ROOT = Path(__file__).parents[2]
PROLOG = (ROOT / "specs/indexer_prolog.yaml").read_text()
TEXT = """\
pyptogen: 1
operator: small
dims:
  t: {min: 1, max: 4096}      # tokens
  d: 64
inputs:
  x: bf16[t, d]
outputs:
  y: bf16[t, d]
functions:
  twice(v):
    w: v + v
    return: w * 1
graph:
  first:
    a: twice(cast(x, fp32))
  second:
    y: cast(a * a, bf16)
tiling:
  - when: {target: cpu, t: "<= 32"}
    second: {t: 8}
    t: 32
  - {}
verify:
  generate: {x: "uniform(-1, 1)"}
  cases: [{t: 1}, {t: 37}]
"""


def document(text: str = TEXT, file: str = "small.yaml") -> Document:
    return Document(file, text)


def opened(text: str = TEXT, file: str = "small.yaml") -> OpenSpec:
    spec = OpenSpec(Document("", ""))
    spec.change(Document(file, text), 1)
    return spec


@cache
def facts(name: str) -> LoweredFacts:
    return lowered_facts("x.yaml", {"small": TEXT, "prolog": PROLOG}[name])


def shown(text: str, marked: str, lowered: LoweredFacts | None = None) -> str:
    """The hover at the `|` of a piece of the text."""
    spec = opened(text)
    at = text.index(marked.replace("|", "")) + marked.index("|")
    return hover(spec.document, at, spec.types, lowered or LoweredFacts())


def offered(text: str) -> list[str]:
    """What is offered at the `|` of a text, by the names of the text around it."""
    at = text.index("|")
    whole = opened(TEXT)
    typed = Document("small.yaml", text.replace("|", "", 1))
    return [one.label for one in completions(typed, at, whole.names, whole.types)]


def test_what_is_typed_is_looked_at_in_150_ms() -> None:
    """Of the indexer prolog, with a change that nobody has seen; of processor time, the least of five."""
    spec = opened(PROLOG, "indexer_prolog.yaml")
    best = 1.0
    for number in range(5):
        text = PROLOG.replace("maximum(amax", f"maximum({number + 2} * amax")
        begin = time.process_time()
        spec.change(Document("indexer_prolog.yaml", text), number)
        best = min(best, time.process_time() - begin)
    assert spec.found == ()
    assert best < 0.150


def test_findings_while_typing_keep_names_and_types() -> None:
    spec = opened()
    spec.change(document(TEXT.replace("a * a", "a * b")), 2)
    assert [(one.code, str(one.span)) for one in spec.shown] == [("PTG201", "small.yaml:18:17")]
    spec.change(document(TEXT.replace("a * a", "a * (")), 3)
    assert [one.code for one in spec.shown] == ["PTG106"]
    spec.change(document(TEXT.replace("graph:", "graph: [")), 4)
    assert [one.code for one in spec.shown] == ["PTG101"]
    assert spec.types.type_of("a") == "fp32[t, d]"
    assert "twice" in spec.names.defined("function")


def test_lowering_is_told_where_nothing_else_is_wrong() -> None:
    spec = opened(TEXT.replace("d: 64", "d: 16384"))
    assert spec.found == ()
    spec.lowered = lowered_facts("small.yaml", TEXT.replace("t: 8", "t: 4096").replace("d: 64", "d: 16384"))
    assert {one.code for one in spec.shown} == {"PTG301"}


def test_files_that_specs_include_have_findings_too() -> None:
    part = opened("pyptogen: 1\nfunctions:\n  f(a):\n    b: a + 1\n", "part.yaml")
    assert [one.code for one in part.found] == ["PTG105"]
    assert opened((ROOT / "specs/common/latent.yaml").read_text(), "latent.yaml").found == ()


@pytest.mark.parametrize(
    ("marked", "says"),
    [
        ("    |a: twice", "value `a`: `fp32[t, d]`"),
        ("cast(|a * a", "value `a`: `fp32[t, d]`"),
        ("  |x: bf16", "input `x`: `bf16[t, d]`"),
        ("bf16[|t, d]\noutputs", "dim `t`: 1 to 4096"),
        ("  |d: 64", "dim `d`: 64"),
        ("tw|ice(cast", "function `twice`"),
        ("|cast(x", "cast(x, dtype: dtype"),
        ("|max: 4096", "`max`: Largest size."),
        ("|verify:", "`verify`: How results are checked"),
        ("|when: {", "`when`: The row counts where"),
        ("|uniform(-1", "generator `uniform(low, high)`"),
    ],
)
def test_hover(marked: str, says: str) -> None:
    assert says in shown(TEXT, marked)


def test_hover_shows_tile_memory_and_cost() -> None:
    told = shown(PROLOG, "    |q_i32: matmul", facts("prolog"))
    assert told.startswith("value `q_i32`: `int32[t, d*heads]`")
    assert "kernel `query_linear` (a2a3, cube)" in told
    assert "- tiles: t 128" in told
    assert "- `q_i32`: 128 x 128 int32 in L0C 0x00000..0x20000, 2 copies" in told
    assert "L1 262144 of 524288 bytes" in told
    assert "µs for 128 rows on one core, MTE2 is busiest" in told
    assert "slot" not in shown(PROLOG, "|block_size: 128")
    assert "flat slot; -1 skips the token" in shown(PROLOG, "  |k_index:  ")


@pytest.mark.parametrize(
    ("text", "some", "none"),
    [
        ("p|", ["pyptogen"], ["dims"]),
        (TEXT + "|", ["schedule", "kernels"], ["exp"]),
        (TEXT.replace("cast(a * a, bf16)", "so|"), ["softmax", "sort"], ["exp", "x"]),
        (TEXT.replace("cast(a * a, bf16)", "|"), ["exp", "a", "x", "twice", "t", "d"], ["v", "w", "fp32"]),
        (TEXT.replace("cast(a * a, bf16)", "cast(a, |"), ["bf16", "mode"], []),
        (TEXT.replace("cast(a * a, bf16)", "cast(a, bf16, mode=r|"), ["rint", "round"], ["relu"]),
        (TEXT.replace("    w: v + v", "    w: v + |"), ["v", "w", "x"], []),
        (TEXT.replace("  x: bf16[t, d]", "  x: |"), ["bf16", "int8"], ["t", "exp"]),
        (TEXT.replace("  x: bf16[t, d]", "  x: bf16[|"), ["t", "d"], ["bf16"]),
        (TEXT.replace("  x: bf16[t, d]", "  x: bf16[t, d] @ |"), ["nd", "nz"], ["t"]),
        (TEXT.replace("    second: {t: 8}", "    s|"), ["second"], ["t"]),
        (TEXT.replace("{t: 8}", "{|"), ["t", "d", "buffers", "split_k"], ["when", "exp"]),
        (TEXT.replace("{target: cpu,", "{target: |"), ["cpu", "a2a3", "a5"], ["t"]),
        (TEXT.replace("    t: 32", "    t: {|"), ["tile", "unroll", "l1"], ["second"]),
        (TEXT.replace('{x: "uniform(-1, 1)"}', "{|"), ["x"], ["y", "uniform"]),
        (TEXT.replace('{x: "uniform(-1, 1)"}', "\n    x: |"), ["uniform", "permutation"], ["exp"]),
        (TEXT.replace("[{t: 1}", "[{|"), ["t", "d"], ["tile"]),
        (TEXT.replace("{min: 1, max: 4096}", "{min: 1, |"), ["max", "multiple_of"], ["tile"]),
        (TEXT.replace("  first:\n", "  first:\n    |"), ["when", "if", "loop"], ["exp"]),
        (TEXT.replace("verify:", "schedule:\n  policy: |\nverify:"), ["breadth"], ["t"]),
        (TEXT.replace("verify:", "targets: [|\nverify:"), ["a5"], ["t"]),
    ],
)
def test_completion(text: str, some: list[str], none: list[str]) -> None:
    found = offered(text)
    assert set(some) <= set(found)
    assert not set(none) & set(found)


def test_places() -> None:
    text = "tiling:\n  - when: {target: a}\n    second: {t: {tile: 8, "
    assert place(text, len(text)) == Place(("tiling", "-", "second", "t"), "key", "", "")
    text = "kernels:\n  k:\n    body:\n      - for: {i: 2}\n        body:\n          - TLOAD(a"
    assert place(text, len(text)) == Place(("kernels", "k", "body", "-", "body", "-"), "value", "TLOAD(a", "a")
    assert place("a: 1\n", 5) == Place((), "key", "", "")


def at(text: str, marked: str) -> int:
    return text.index(marked.replace("|", "")) + marked.index("|")


def test_definition_and_references() -> None:
    here = document()
    (found,) = definitions(here, at(TEXT, "cast(|a * a"))
    assert TEXT[found.start :].startswith("a: twice")
    (found,) = definitions(here, at(TEXT, "w: |v + v"))
    assert TEXT[found.start :].startswith("v):")
    tokens = references(here, at(TEXT, "  |t: {min"))
    assert [TEXT.count("\n", 0, one.start) + 1 for one in tokens] == [4, 7, 9, 20, 21, 22, 26, 26]
    assert len(references(here, at(TEXT, "  |t: {min"), False)) == 7
    stages = references(here, at(TEXT, "  |second:\n"))
    assert len(stages) == 2


def test_definition_in_an_included_file() -> None:
    path = ROOT / "specs/mla_indexer_prolog.yaml"
    here = Document(str(path), path.read_text())
    (found,) = definitions(here, here.text.index("levels(") + 1)
    assert found.document.file.endswith("common/latent.yaml")
    with pytest.raises(DiagnosticError, match="PTG121"):
        rename(here, here.text.index("levels(") + 1, "other")


@pytest.mark.parametrize(
    ("marked", "new"),
    [("cast(|a * a", "b"), ("|t: {min", "tokens"), ("|first:", "start"), ("twice(|v", "u"), ("|twice(v", "double")],
)
def test_rename_changes_every_place(marked: str, new: str) -> None:
    here = document()
    text = renamed(here, rename(here, at(TEXT, marked), new))
    old = here.word(at(TEXT, marked))[0]
    load_source(Source("small.yaml", text))
    assert not [one for one in document(text).names.occurrences if one.symbol.name == old]
    back = document(text)
    first = next(one for one in back.names.occurrences if one.symbol.name == new)
    assert renamed(back, rename(back, first.start, old)) == TEXT


@pytest.mark.parametrize(("new", "code"), [("x", "PTG208"), ("for", "PTG213"), ("1a", "PTG213"), ("d", "PTG208")])
def test_rename_refuses_what_the_spec_would_not_take(new: str, code: str) -> None:
    with pytest.raises(DiagnosticError, match=code):
        rename(document(), at(TEXT, "cast(|a * a"), new)


def test_every_name_of_the_library_can_be_renamed() -> None:
    """The occurrences of a symbol are all of them: with another name, the spec still loads and has the same shape."""
    for name in ("indexer_prolog", "flash_attention", "blend", "moe_dispatch", "rope_qkv", "block_sparse_attention"):
        path = ROOT / f"specs/{name}.yaml"
        here = Document(str(path), path.read_text())
        symbols = {one.symbol for one in here.names.occurrences if one.defines and one.symbol.kind != "operator"}
        for number, symbol in enumerate(sorted(symbols, key=lambda one: (one.scope, one.name))):
            places = sorted({(one.start, one.stop) for one in here.names.of(symbol)}, reverse=True)
            text = renamed(here, [(start, stop, f"other{number}") for start, stop in places])
            load_source(Source(str(path), text))


def test_inlays_show_types() -> None:
    spec = opened()
    shown_ = {(TEXT[: one.offset].rsplit("\n")[-1].strip(), one.text) for one in inlays(spec.document, spec.types)}
    assert ("a", " fp32[t, d]") in shown_
    assert inlays(document(), Types()) == []


def test_lenses_name_kernels_and_the_report() -> None:
    found = lenses(document(), facts("small"))
    assert (found[0].title, found[0].command) == ("report", "pyptogen.report")
    kernels = [one for one in found if one.command == "pyptogen.kernel"]
    assert {one.arguments[0] for one in kernels} == {"cpu", "a2a3"}
    assert all(TEXT[one.offset :].startswith(("first:", "second:")) for one in kernels)


def test_columns_count_utf_16_units() -> None:
    places = Positions("a: 1\n# \U0001f600 é x\n")
    assert places.offset(1, 7) == 5 + 6
    assert places.position(5 + 6) == (1, 7)
    assert places.of_character(2, 7) == (1, 7)
    assert places.offset(9, 3) == len("a: 1\n# \U0001f600 é x\n")
