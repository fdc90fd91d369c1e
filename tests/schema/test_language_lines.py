"""The language page, line by line: a small spec for each thing that it promises is built, or refused with its code."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyptogen.codegen import generate
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec

HEAD = """\
pyptogen: 1
operator: op
dims:
  t: {min: 1, max: 4096}
  d: 64
inputs:
  x: fp32[t, d]
outputs:
  y: fp32[t, d]
"""
PLAIN = "graph: {y: x + 1}\n"
STAGED = "graph: {s: {y: x + 1}}\n"
DTYPES = ("fp16", "bf16", "int8", "uint8", "int16", "int32", "int64", "bool", "int4")
LATER = ("mxfp8", "mxfp4")

BUILT = {
    "requires": PLAIN + "requires: [t % 8 == 0]\n",
    "attr": "attrs: {eps: {type: fp32, default: 1.0e-6}}\ngraph: {y: x + eps}\n",
    "attr_of_integers": "attrs: {k: {type: int32, default: 3}}\ngraph: {y: x * k}\n",
    "function": "functions:\n  f(v):\n    w: v * 2\n    return: w + 1\ngraph: {y: f(x)}\n",
    "unroll": PLAIN + "tiling: [{t: {unroll: [32, 8, 1]}}]\n",
    "mask": PLAIN + "tiling: [{t: {tile: 32, tail: mask}}]\n",
    "empty_row": PLAIN + "tiling: [{}]\n",
    "targets_of_a_row": PLAIN + "tiling:\n  - {when: {target: [cpu, a2a3]}, t: 8}\n",
    "buffers": STAGED + "tiling: [{s: {buffers: 2}, t: 8}]\n",
    "schedule": STAGED + "schedule: {policy: breadth, priority: {s: 1}, buffers: {s: 2}}\n",
    "stage_if": "graph: {s: {if: t > 3, y: x + 1}, u: {if: t <= 3, y: x * 2}}\n",
    "floor_and_remainder": "graph: {y: (x // 2) % 3}\n",
    "power": "graph: {y: x ** 2}\n",
    "comparison": "graph: {y: 'where(x > 0, x, -x)'}\n",
    "new_axis_and_index": "graph: {y: 'x + x[:, None, 0]'}\n",
    "negative_bounds": "graph: {y: 'concat(x[:, -32:], x[:, :-32], axis=-1)'}\n",
    "transposed_twice": "graph: {y: 'x.T.T + 1'}\n",
}
REFUSED = {
    "strides_by_column": (PLAIN, "x: fp32[t, d]", "x: {shape: [t, d], dtype: fp32, strides: [1, t]}", "PTG104"),
    "strides_over_each_other": (PLAIN, "y: fp32[t, d]", "y: {shape: [t, d], dtype: fp32, strides: [8, 1]}", "PTG104"),
    "init": (PLAIN, "x: fp32[t, d]", "x: {shape: [t, d], dtype: fp32, init: 0}", "PTG104"),
    "step": ("graph: {y: 'x[::2]'}\n", "", "", "PTG205"),
    "dn_of_a_row": ("graph: {y: x + z}\n", "x: fp32[t, d]", "x: fp32[t, d]\n  z: fp32[d] @ dn", "PTG104"),
    "nz_of_no_weight": (PLAIN, "x: fp32[t, d]", "x: fp32[t, d] @ nz", "PTG303"),
    "nz_in_vector_work": (PLAIN, "x: fp32[t, d]", "x: fp32[t, d]\n  w: fp32[d, d] @ nz", ""),
    "unknown_layout": (PLAIN, "x: fp32[t, d]", "x: fp32[t, d] @ zn", "PTG212"),
    "unknown_target": (PLAIN + "targets: [tpu]\n", "", "", "PTG218"),
    "option_of_a_row": (STAGED + "tiling: [{s: {merge: 4}, t: 8}]\n", "", "", "PTG217"),
    "golden": (PLAIN + "verify: {golden: my.py}\n", "", "", "PTG104"),
    "cut_at_a_comma": ("graph: {y: maximum(x, 0)}\n", "", "", "PTG107"),
    **{dtype: ("graph: {y: 'cast(x, fp32)'}\n", "x: fp32", f"x: {dtype}", "PTG109") for dtype in LATER},
}


def built(tmp_path: Path, text: str) -> tuple[str, ...]:
    """Lower a spec for all of its targets; gives its notes."""
    file = tmp_path / "op.yaml"
    file.write_text(text)
    program = from_spec(load_spec(file))
    for target in program.targets:
        assert generate(program, target).kernels
    return program.notes


@pytest.mark.parametrize("name", BUILT)
def test_is_built(name: str, tmp_path: Path) -> None:
    built(tmp_path, HEAD + BUILT[name])


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_that_are_computed_with(dtype: str, tmp_path: Path) -> None:
    built(tmp_path, HEAD.replace("x: fp32", f"x: {dtype}") + "graph: {y: 'cast(x, fp32)'}\n")


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name: str, tmp_path: Path) -> None:
    body, old, new, code = REFUSED[name]
    text = (HEAD.replace(old, new) if old else HEAD) + body
    if name == "nz_in_vector_work":
        text, code = text.replace("{y: x + 1}", "{y: 'x + w[0:1, :]'}"), "PTG303"
    with pytest.raises(DiagnosticError) as raised:
        built(tmp_path, text)
    diagnostic = raised.value.diagnostics[0]
    assert (diagnostic.code, diagnostic.span is not None) == (code, True)


@pytest.mark.parametrize(
    ("declared", "code"),
    [
        ("{shape: [t, d], dtype: fp32, layout: nz, strides: [96, 1]}", "PTG104"),  # boxes lie in one piece
        ("fp32[d] @ nz", "PTG104"),
        ("int64[d, d] @ nz", "PTG104"),
        ("fp32[t, d] @ nz", "PTG303"),  # t may be no whole boxes
    ],
)
def test_nz_outputs_that_no_boxes_hold(tmp_path: Path, declared: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        built(tmp_path, HEAD.replace("y: fp32[t, d]", f"y: {declared}") + PLAIN)
    assert raised.value.diagnostics[0].code == code


def test_hints_without_effect_are_named(tmp_path: Path) -> None:
    notes = built(tmp_path, HEAD + STAGED + "tiling: [{s: {l1_reuse: 4}, t: 8}]\n")
    assert any("`l1_reuse` of stage `s` has no effect: it has no product" in note for note in notes)


def test_parts_of_no_product_are_named(tmp_path: Path) -> None:
    notes = built(tmp_path, HEAD + STAGED + "tiling: [{s: {split_k: 4}, t: 8}]\n")
    assert any("`split_k` of stage `s` has no effect: it has no product" in note for note in notes)


def test_schedule_hints_without_effect_are_named(tmp_path: Path) -> None:
    body = "graph: {s: {y: 'matmul(x, x[:1, :].T) + x'}, p: {q: 'matmul(x, x.T)'}}\n"
    text = HEAD.replace("x: fp32[t, d]", "x: fp32[t, d]\n  w: fp32[d, d]").replace("x[:1, :].T", "w")
    body = body.replace("x[:1, :].T", "w").replace("q: 'matmul(x, x.T)'", "q: 'matmul(x, w)'")
    hints = "schedule: {cores: 24, l1_reuse: {s: 4}, merge: {s: 2, p: 2}}\n"
    notes = [note for note in built(tmp_path, text + body + hints) if "no effect" in note]
    assert [note.split("`")[1:4:2] for note in notes] == [["merge", "p"]]
