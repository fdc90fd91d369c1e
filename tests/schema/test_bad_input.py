"""Every fault of form in a spec: its code, its place, and the words that a user needs."""

from __future__ import annotations

import pytest
from faults import Bad, said_about
from syrupy.assertion import SnapshotAssertion

from pyptogen.diagnostics import DiagnosticError
from pyptogen.schema import Source, load_source

BASE = """\
pyptogen: 1
operator: scale
dims:
  rows: {min: 1, max: 64}
  cols: 8
inputs:
  x: fp32[rows, cols]
outputs:
  y: fp32[rows, cols]
graph:
  y: x * 2
"""


CASES = [
    Bad("yaml_syntax", "cols: 8", "cols: [8", "PTG101", (6, 7), ("flow sequence", "close the bracket")),
    Bad("endless_number", "cols: 8", f"cols: {'9' * 321}", "PTG101", (5, 9), ("more than 320 digits",)),
    Bad("yaml_deeper", "  cols: 8", "  cols: 8\n    more: 8", "PTG101", (6, 5), ("indented deeper", "column 3")),
    Bad("yaml_tab", "  cols: 8", "\tcols: 8", "PTG101", (5, 1), ("a tab", "replace tabs by spaces")),
    Bad("yaml_at", "cols: 8", "cols: @8", "PTG101", (5, 9), ("quote text",)),
    Bad("own_column", "  cols: 8", "    cols: 8", "PTG101", (5, 5), ("a column of its own", "column 3 or 1")),
    Bad("wide_float", "x: fp32[rows", "x: fp64[rows", "PTG212", (7, 6), ("write `fp32`: no platform",)),
    Bad("turned", "graph:", "requires: ['rows =< 4']\ngraph:", "PTG106", (10, 18), ("write `<=` for `=<`",)),
    Bad(
        "generator_arguments",
        "graph:",
        "verify: {generate: {x: uniform(-1)}}\ngraph:",
        "PTG203",
        (10, 24),
        ("takes 2 arguments, not 1", "`uniform(low, high)`"),
    ),
    Bad("two_missing", "pyptogen: 1\noperator: scale\n", "", "PTG105", (1, 1), ("the keys `pyptogen`, `operator`",)),
    Bad("colon_in_value", "y: x * 2", "y: x: 2", "PTG101", (11, 7), ("mapping values",)),
    Bad(
        "duplicate_key",
        "cols: 8",
        "cols: 8\n  cols: 9",
        "PTG102",
        (6, 3),
        ("`cols` stands twice", "first here"),
    ),
    Bad(
        "equals_sign", "  y: x * 2", "  z = x * 2\n  y: z", "PTG101", (12, 4), ("write the line before as `z: x * 2`",)
    ),
    Bad("no_space", "  y: x * 2", "  z:x * 2\n  y: z", "PTG101", (12, 4), ("write the line before as `z: x * 2`",)),
    Bad("indented_apart", "  y: x * 2", "   z: x * 2\n  y: z", "PTG101", (12, 3), ("begin in one column",)),
    Bad("round_brackets", "x: fp32[rows, cols]", "x: fp32(rows, cols)", "PTG104", (7, 6), ("`fp32[rows, cols]`",)),
    Bad("capital_layout", "x: fp32[rows, cols]", "x: fp32[rows, cols] @ NZ", "PTG212", (7, 6), ("did you mean `nz`?",)),
    Bad("inplace_yes", "y: fp32[rows, cols]", "x: {inplace: yes}", "PTG201", (9, 6), ("`inplace: true`",)),
    Bad("bare_attr", "inputs:", "attrs: {eps: 0.5}\ninputs:", "PTG104", (6, 14), ("{type: fp32, default: 0.5}",)),
    Bad("tolerance_number", "graph:", "verify: {tolerance: {y: 0.5}}\ngraph:", "PTG104", (10, 25), ("{rtol: ",)),
    Bad("text_for_list", "graph:", "targets: cpu\ngraph:", "PTG104", (10, 10), ("a list", "`[cpu]`")),
    Bad("tiling_mapping", "graph:", "tiling:\n  rows: 8\ngraph:", "PTG104", (11, 3), ("a list of rows", "with a dash")),
    Bad("split_k_of_row", "graph:", "tiling: [{split_k: 2}]\ngraph:", "PTG217", (10, 11), ("`scale: {split_k: …}`",)),
    Bad("duplicate_section", "graph:", "dims: {}\ngraph:", "PTG102", (10, 1), ("`dims` stands twice",)),
    Bad("unknown_section", "graph:", "grpah:", "PTG103", (10, 1), ("did you mean `graph`?",)),
    Bad("unknown_dim_key", "max: 64", "maximum: 64", "PTG103", (4, 18), ("`maximum`", "did you mean `max`?")),
    Bad("missing_section", "operator: scale\n", "", "PTG105", (1, 1), ("lacks the key `operator`",)),
    Bad("missing_max", ", max: 64", "", "PTG105", (4, 10), ("lacks the key `max`",)),
    Bad("wrong_kind", "max: 64", "max: many", "PTG104", (4, 23), ("a whole number", "`many`")),
    Bad(
        "dims_is_list",
        "dims:\n  rows: {min: 1, max: 64}\n  cols: 8",
        "dims: [rows, cols]",
        "PTG104",
        (3, 7),
        (),
    ),
    Bad("graph_is_text", "graph:\n  y: x * 2", "graph: x * 2", "PTG104", (10, 8), ("a mapping",)),
    Bad("float_dim", "cols: 8", "cols: 8.5", "PTG214", (5, 9), ("a positive integer",)),
    Bad("zero_dim", "cols: 8", "cols: 0", "PTG214", (5, 9), ("a positive integer",)),
    Bad("empty_range", "min: 1, max: 64", "min: 9, max: 6", "PTG214", (4, 9), ("min 9 is over max 6",)),
    Bad("expression_syntax", "x * 2", "x * * 2", "PTG106", (11, 10), ("not an expression",)),
    Bad("deep_expression", "x * 2", "x" + " + x" * 100, "PTG106", (11, 6), ("deeper than 100 levels", "names")),
    Bad(
        "attr_default",
        "inputs:",
        "attrs:\n  n: {type: int32, default: 2147483648}\ninputs:",
        "PTG104",
        (7, 6),
        ("does not hold", "2147483647"),
    ),
    Bad(
        "attr_default_beyond_fp32",
        "inputs:",
        "attrs:\n  n: {type: fp32, default: 1.0e+39}\ninputs:",
        "PTG104",
        (7, 6),
        ("infinity", ".inf"),
    ),
    Bad("open_bracket", "x * 2", "exp(x", "PTG106", (11, 9), ("never closed",)),
    Bad("cut_by_yaml", "\n  y: x * 2", " {y: add(x, x)}", "PTG107", (10, 12), ("`add(x`", "quotes")),
    Bad("bad_type", "x: fp32[rows, cols]", "x: fp32", "PTG104", (7, 6), ("dtype[shape]",)),
    Bad("unknown_dtype", "x: fp32[", "x: float32[", "PTG212", (7, 6), ("`float32`", "did you mean `fp32`?")),
    Bad("unknown_layout", "x: fp32[rows, cols]", "x: fp32[rows, cols] @ zn", "PTG212", (7, 6), ("`zn`",)),
    Bad("reserved_name", "  cols: 8", "  cols: 8\n  for: 3", "PTG213", (6, 3), ("`for` is reserved",)),
    Bad("operator_name", "operator: scale", "operator: Scale it", "PTG213", (2, 11), ("lower-case",)),
    Bad("version", "pyptogen: 1", "pyptogen: 2", "PTG112", (1, 11), ("version 2",)),
    Bad("include", "graph:", "include: [no_other.yaml]\ngraph:", "PTG110", (10, 11), ("`no_other.yaml`", "exists")),
    Bad("include_escape", "graph:", "include: ../other.yaml\ngraph:", "PTG113", (10, 10), ("leads out",)),
    Bad("include_absolute", "graph:", "include: /other.yaml\ngraph:", "PTG113", (10, 10), ("relative path",)),
    Bad("include_kind", "graph:", "include: [[a.yaml]]\ngraph:", "PTG104", (10, 11), ("a path cannot be a list",)),
    Bad("tiling_file_kind", "graph:", "tiling: {file: rows.csv}\ngraph:", "PTG113", (10, 16), (".yaml",)),
    Bad("when_of_graph", "y: x * 2", "when: rows > 1\n  y: x * 2", "PTG104", (11, 3), ("belongs to a stage",)),
    Bad("when_value", "y: x * 2", "s:\n    when: rows\n    y: x * 2", "PTG106", (12, 11), ("`heads > 1`",)),
    Bad("when_mapping", "y: x * 2", "s:\n    when: {rows: up}\n    y: x * 2", "PTG104", (12, 18), ("<= 32",)),
    Bad("kernels", "graph:", "kernels: {a: {level: tile}}\ngraph:", "PTG105", (10, 15), ("`body`",)),
    Bad("stage_if", "y: x * 2", "s:\n    if: rows\n    y: x * 2", "PTG106", (12, 9), ("`if` must be",)),
    Bad("tag", "cols: 8", "cols: !int 8", "PTG111", (5, 9), ("tag",)),
    Bad(
        "two_documents",
        "graph:\n  y: x * 2",
        "graph: {}\n---\na: 1",
        "PTG111",
        (12, 1),
        ("one YAML document",),
    ),
    Bad("input_is_output", "  y: fp32[rows", "  x: fp32[rows", "PTG208", (9, 3), ("inplace: true",)),
    Bad("dim_is_input", "x: fp32[rows, cols]", "rows: fp32[cols]", "PTG208", (7, 3), ("a dim", "an input")),
    Bad(
        "inplace_typed",
        "y: fp32[rows, cols]",
        "y: {shape: [rows, cols], dtype: fp32, inplace: x}",
        "PTG103",
        (9, 7),
        ("leave `shape`, `dtype` out",),
    ),
    Bad("inplace_unknown", "y: fp32[rows, cols]", "y: {inplace: z}", "PTG201", (9, 6), ("not an input",)),
    Bad("value_among_stages", "y: x * 2", "a: x\n  s: {y: x}", "PTG104", (11, 3), ("among stages",)),
    Bad("assign_target", "y: x * 2", "y + 1: x", "PTG213", (11, 3), ("`y + 1`",)),
    Bad("empty_expression", "y: x * 2", "y:", "PTG104", (11, 5), ("an expression",)),
    Bad(
        "tiling_unknown",
        "graph:",
        "tiling: [{row: 8}]\ngraph:",
        "PTG217",
        (10, 11),
        ("did you mean `rows`?",),
    ),
    Bad("tiling_size", "graph:", "tiling: [{rows: big}]\ngraph:", "PTG104", (10, 17), ("positive integer",)),
    Bad(
        "unroll_order",
        "graph:",
        "tiling: [{rows: {unroll: [1, 2]}}]\ngraph:",
        "PTG104",
        (10, 26),
        ("falling order",),
    ),
    Bad("no_size", "max: 64", "max: 6, multiple_of: 7", "PTG214", (4, 9), ("from 1 to 6", "multiple of 7")),
    Bad("no_target", "graph:", "targets: []\ngraph:", "PTG104", (10, 10), ("names no target",)),
    Bad("empty_unroll", "graph:", "tiling: [{rows: {unroll: []}}]\ngraph:", "PTG104", (10, 26), ("not empty",)),
    Bad("two_sizes", "graph:", "tiling: [{rows: {tile: 8, unroll: [1]}}]\ngraph:", "PTG104", (10, 17), ("both",)),
    Bad("fifo_size", "graph:", "tiling: [{fifo: 33}]\ngraph:", "PTG104", (10, 17), ("a whole number from 1 to 8",)),
    Bad("when_test", "graph:", 'tiling: [{when: {rows: "=> 3"}}]\ngraph:', "PTG104", (10, 24), ("<= 32",)),
    Bad("fuse_empty", "graph:", "tiling: [{fuse: [[]]}]\ngraph:", "PTG104", (10, 18), ("is empty", "one kernel")),
    Bad("fuse_unknown", "graph:", "tiling: [{fuse: [[scal]]}]\ngraph:", "PTG217", (10, 19), ("`scale`",)),
    Bad(
        "case_unknown",
        "graph:",
        "verify: {cases: [{row: 8}]}\ngraph:",
        "PTG201",
        (10, 19),
        ("did you mean `rows`?",),
    ),
    Bad("case_range", "graph:", "verify: {cases: [{rows: 65}]}\ngraph:", "PTG214", (10, 25), ("1 to 64",)),
    Bad("case_missing", "graph:", "verify: {cases: [{}]}\ngraph:", "PTG105", (10, 18), ("no size to `rows`",)),
    Bad(
        "generator",
        "graph:",
        "verify:\n  generate:\n    x: unifrm(0, 1)\ngraph:",
        "PTG202",
        (12, 8),
        ("`uniform`",),
    ),
    Bad("tolerance", "graph:", "verify: {tolerance: {y: {atoll: 1}}}\ngraph:", "PTG103", (10, 26), ("`atol`",)),
    Bad("attr_type", "graph:", "attrs: {eps: {type: fp64}}\ngraph:", "PTG104", (10, 21), ("fp32",)),
    Bad("requires", "graph:", "requires: [rows + 1]\ngraph:", "PTG106", (10, 12), ("comparison",)),
    Bad("no_return", "graph:", "functions:\n  f(x): {a: x}\ngraph:", "PTG105", (11, 3), ("`return`",)),
    Bad(
        "function_head",
        "graph:",
        "functions:\n  f: {return: x}\ngraph:",
        "PTG104",
        (11, 3),
        ("name(argument",),
    ),
]


@pytest.mark.parametrize("bad", CASES, ids=str)
def test_fault_is_found(bad: Bad, snapshot: SnapshotAssertion) -> None:
    assert said_about(bad, BASE, "scale.yaml", load_source) == snapshot


def test_base_is_fine() -> None:
    assert load_source(Source("scale.yaml", BASE)).name == "scale"


@pytest.mark.parametrize("file", ["scale.yaml", "scale.toml"])
def test_numbers_that_python_does_not_read(file: str) -> None:
    text = "pyptogen" + (": " if file.endswith("yaml") else " = ") + "9" * 5000
    with pytest.raises(DiagnosticError, match="more than 320 digits"):
        load_source(Source(file, text))


def test_deeply_nested_toml_is_refused() -> None:
    with pytest.raises(DiagnosticError) as raised:
        load_source(Source("deep.toml", f"a = {'[' * 5000}{']' * 5000}"))
    assert raised.value.diagnostics[0].code == "PTG111"


def test_all_findings_of_a_mapping_come_together() -> None:
    text = BASE.replace("rows: {min: 1, max: 64}", "rows: {min: one, size: 64}")
    with pytest.raises(DiagnosticError) as raised:
        load_source(Source("scale.yaml", text))
    assert sorted(d.code for d in raised.value.diagnostics) == ["PTG103", "PTG104", "PTG105"]


@pytest.mark.parametrize("text", ["", "# only a comment\n", "\n\n"])
def test_an_empty_file_is_told_as_such(text: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        load_source(Source("empty.yaml", text))
    (found,) = raised.value.diagnostics
    assert (found.code, found.message) == ("PTG105", "the file is empty, or has nothing but comments")


def test_alias_bomb_is_refused() -> None:
    levels = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(DiagnosticError) as raised:
        load_source(Source("bomb.yaml", "\n".join(levels)))
    assert raised.value.diagnostics[0].code == "PTG111"
