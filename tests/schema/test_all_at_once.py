"""All independent errors of a spec are told in one round, none twice, and none that only follows from another."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from compiling import NIGHTLY

from pyptogen.builder.checking import check_specs
from pyptogen.diagnostics import Diagnostic, DiagnosticError, gathering, keep, kept
from pyptogen.diagnostics.gather import MOST_ERRORS
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source

EIGHT = """\
pyptogen: 1
operator: eight
dims:
  rows: {min: 1, max: 64}
  cols: 8
  none: 0                              # PTG214
  after: none * 2
attrs:
  eps: {type: fp33, default: 0.5}      # PTG104
inputs:
  x: fp32[rows, cols]
  z: float[rows, after]                # PTG212
outputs:
  y: fp32[rows, cols]
graph:
  a: epx(x) + z                        # PTG202
  b: x * eps
  c: a + b
  y: c * 2
tiling:
  - {rows: 8, cools: 8}                # PTG217
schedule: {policy: quick}              # PTG104
verify:
  cases: [{rows: 65}]                  # PTG214
  generate: {z: zeros()}
targets: [cpuu]                        # PTG218
"""


def found(text: str) -> tuple[Diagnostic, ...]:
    """What is said of a spec up to the Tensor level."""
    try:
        with gathering():
            from_spec(load_source(Source("spec.yaml", text)))
    except DiagnosticError as error:
        return error.diagnostics
    return ()


def test_eight_errors_in_one_round(tmp_path: Path) -> None:
    spec = tmp_path / "eight.yaml"
    spec.write_text(EIGHT)
    planted = [
        (number, line.split("# ")[1])
        for number, line in enumerate(EIGHT.splitlines(), 1)
        if line.endswith(tuple("0123456789")) and "# PTG" in line
    ]
    with pytest.raises(DiagnosticError) as raised:
        check_specs(spec)
    assert [(one.span.line, one.code) for one in raised.value.diagnostics if one.span] == planted
    assert len(planted) == 8


@pytest.mark.parametrize("pure", [False, True], ids=["C parser", "parser in Python"])
@pytest.mark.parametrize("lines", [range(4, 5), (7, 15, 20), range(1, 30)], ids=["one", "several", "all that indent"])
def test_a_tab_hides_no_other_error(lines: Iterable[int], pure: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is told, and the others with the places that they have in the text as it is."""
    if pure:
        monkeypatch.setitem(sys.modules, "_ruamel_yaml", None)
    text = EIGHT.replace("  cases: [{rows: 65}]                  # PTG214", "  cases:\n    - {rows: 65}")
    before = {(one.span.line, one.code, one.span.col) for one in found(text) if one.span}
    given = text.splitlines()
    tabs = {line: (len(given[line - 1]) - len(given[line - 1].lstrip())) // 2 for line in lines if line <= len(given)}
    for line, count in tabs.items():
        given[line - 1] = "\t" * count + given[line - 1][2 * count :]
    after = {(one.span.line, one.code, one.span.col) for one in found("\n".join(given)) if one.span}
    moved = {(line, code, col - tabs.get(line, 0)) for line, code, col in before}
    assert len(moved) == 8
    assert after == moved | {(line, "PTG101", 1) for line, count in tabs.items() if count}


def test_what_follows_from_a_guess_about_a_tab_is_not_told() -> None:
    text = "pyptogen: 1\noperator: x\ndims:\n    rows: 8\n  \tcols: 8\n     a: [1\n"
    assert [(one.code, one.span.line) for one in found(text) if one.span] == [("PTG101", 5)]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        pytest.param("  cols: 8\n", "", [4, 7], id="a dim that is gone"),
        pytest.param("x: fp32[rows, cols]", "x: fp32(rows, cols)", [6], id="an input of a form that is none"),
        pytest.param("  y: fp32[rows, cols]", "  y: fp32[rows cols]", [8], id="an output"),
        pytest.param("  a: x * 2", "  a: x * * 2", [11], id="a value"),
        pytest.param("twice(v): {return: v * 2}", "twice(v): {return: v * w}", [14], id="a function"),
        pytest.param("dims:", "dms:", [3], id="a section by a slip"),
        pytest.param("functions:", "verfy:", [13], id="a section that is lost"),
        pytest.param("rows: {min: 1, max: 64}", "rows: {min: 1}", [4], id="a range"),
    ],
)
def test_what_hangs_on_an_error_is_not_told(old: str, new: str, lines: list[int]) -> None:
    text = (
        "pyptogen: 1\noperator: base\ndims:\n  rows: {min: 1, max: 64}\n  cols: 8\ninputs:\n  x: fp32[rows, cols]\n"
        "outputs:\n  y: fp32[rows, cols]\ngraph:\n  a: x * 2\n  y: twice(a)\nfunctions:\n  twice(v): {return: v * 2}\n"
        "tiling: [{rows: 4}]\nverify: {cases: [{rows: 3}]}\n"
    )
    assert found(text) == ()
    said = found(text.replace(old, new, 1))
    at = [one.span.line for one in said if one.span]
    if "cols: 8" in old:  # each tensor names the dim
        assert [one.code for one in said] == ["PTG201", "PTG201"]
        lines = [6, 8]
    elif "fp32[rows cols]" in new:
        lines = [9]
    elif "fp32(" in new:
        lines = [7]
    assert at == lines


@dataclass(frozen=True)
class Plant:
    """A line with an error below the head of a section."""

    section: str
    line: str


PLANTS = (
    Plant("dims", "planted_zero: 0"),
    Plant("dims", "planted_unknown: nowhere * 2"),
    Plant("dims", "planted_range: {min: 9, max: 6}"),
    Plant("inputs", "planted_input: fp31[1]"),
    Plant("inputs", "planted_shape: fp32[planted_nowhere]"),
    Plant("inputs", "planted_form: fp32"),
    Plant("outputs", "planted_output: fp32[1]"),
    Plant("outputs", "planted_layout: fp32[1] @ zz"),
    Plant("graph", "planted_stage: {planted_value: planted_operation(1)}"),
    Plant("graph", "planted_syntax: {planted_other: '1 +* 2'}"),
    Plant("verify", "planted_key: 1"),
    Plant("", "planted_top: 1"),
    Plant("", "targets: [planted_target]"),
    Plant("", "requires: ['planted_name > 2']"),
    Plant("", "attrs: {planted_attr: {type: fp31}}"),
    Plant("", "schedule: {planted_hint: 2}"),
)
SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.yaml"))


def _planted(text: str, plants: list[Plant]) -> str:
    lines = text.splitlines()
    for plant in plants:
        at = lines.index(f"{plant.section}:") + 1 if plant.section else len(lines)
        lines.insert(at, f"  {plant.line}" if plant.section else plant.line)
    return "\n".join(lines) + "\n"


def _takes(text: str, plant: Plant) -> bool:
    """Whether the spec has the section, in block style, and a graph of stages where the plant is a stage."""
    lines = text.splitlines()
    if not plant.section:
        return not any(line.startswith(plant.line.partition(":")[0] + ":") for line in lines)
    if f"{plant.section}:" not in lines:
        return False
    below = lines[lines.index(f"{plant.section}:") + 1 :]
    first = next(line for line in below if line.strip() and not line.strip().startswith("#"))
    return plant.section != "graph" or first.rstrip().endswith(":")


@pytest.mark.parametrize("spec", SPECS if NIGHTLY else SPECS[::7], ids=lambda path: path.stem)
def test_planted_errors_are_found_in_two_rounds(spec: Path) -> None:
    text = spec.read_text()
    draw = random.Random(spec.stem)
    for _ in range(8 if NIGHTLY else 2):
        possible = [plant for plant in PLANTS if _takes(text, plant)]
        left = draw.sample(possible, min(len(possible), draw.randint(2, 8)))
        for _round in range(2):
            planted = _planted(text, left)
            lines = planted.splitlines()
            said = found(planted.replace("../", "")) if left else ()
            told = {lines[one.span.line - 1].strip() for one in said if one.span}
            assert all("planted" in line for line in told)
            assert len({(one.code, one.span) for one in said}) == len(said)
            left = [plant for plant in left if plant.line not in told]
        assert not left


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ("a: b, b: c, c: a * 2, far: a + 1", "dims depend on themselves: a → b → c → a"),
        ("a: c, b: c, c: gone, far: b * 2", "`gone` is no dim"),
    ],
)
def test_dims_that_lead_to_an_error_are_told_once(dims: str, message: str) -> None:
    text = EIGHT[: EIGHT.index("dims:")] + f"dims: {{{dims}}}\ninputs: {{x: 'fp32[far]'}}\n"
    text += "outputs: {y: 'fp32[b]'}\ngraph: {y: relu(x)}\n"
    assert [one.message for one in found(text)] == [message]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("amax(bad, axs=-1)", ["`amax` has no argument `axs`"]),
        ("exp(bad) + topk(bad)", ["`topk` lacks the argument `k`"]),
        ("twice(bad, w=1)", ["`twice` has no argument `w`"]),
        ("matmul(bad, gone)", ["`gone` is not defined"]),
        ("relu(bad, x)", ["`relu` takes 1 argument"]),
        ("amax(bad, axis=-1)", []),
        ("max(bad, 2)", []),
        ("reshape(bad, [rows, 2, 4])", []),
        ("twice(bad)", []),
    ],
)
def test_a_call_is_judged_where_its_operand_hangs_on_an_error(value: str, told: list[str]) -> None:
    text = EIGHT[: EIGHT.index("attrs:")].replace("  none: 0                              # PTG214\n", "")
    text = text.replace("  after: none * 2\n", "") + "inputs: {x: 'fp32[rows, cols]', bad: 'fp31[rows]'}\n"
    text += "outputs: {y: 'fp32[rows, cols]'}\nfunctions: {twice(v): {return: v * 2}}\n"
    text += f"graph: {{a: '{value}', y: relu(a)}}\n"
    bad, *rest = found(text)
    assert (bad.code, [one.message for one in rest]) == ("PTG212", told)


def test_reading_ends_after_many_errors() -> None:
    text = EIGHT.replace("  cols: 8\n", "".join(f"  d{n}: 0\n" for n in range(3 * MOST_ERRORS)))
    assert len(found(text)) == MOST_ERRORS


def test_without_a_gathering_the_first_error_is_raised() -> None:
    error = DiagnosticError(Diagnostic("PTG101", "one", None))
    with pytest.raises(DiagnosticError):
        keep(error)


def test_a_gathering_inside_of_another_raises_nothing_itself() -> None:
    def two() -> None:
        with gathering():
            for code in ("PTG101", "PTG102"):
                with kept(), gathering():
                    raise DiagnosticError(Diagnostic(code, "wrong", None))

    with pytest.raises(DiagnosticError) as raised:
        two()
    assert [one.code for one in raised.value.diagnostics] == ["PTG101", "PTG102"]
