"""Every kind of change of a contract and of numerics, told by its code, its word, and what was and is."""

from __future__ import annotations

import pytest

from pyptogen.review.changes import Change, Level
from pyptogen.review.compare import changes
from pyptogen.review.extract import code_lines, operator
from pyptogen.schema import Source, Spec, load_source

BASE = """\
pyptogen: 1
operator: scaled
dims:
  rows: {min: 1, max: 4096}
  cols: 64
attrs:
  eps: {type: fp32, default: 1.0e-6}
inputs:
  x: fp32[rows, cols]
  gain: fp32[cols]
  cache: fp32[rows, cols]
outputs:
  y: fp32[rows, cols]
  z: bf16[rows, cols]
graph:
  y: (x + eps) * gain
  z: cast(exp(y), bf16) + cast(cache, bf16)
tiling:
  - {rows: 8}
verify:
  tolerance: {y: {rtol: 1.0e-5, atol: 1.0e-6}}
  cases: [{rows: 1}, {rows: 37}]
"""

BREAKING = {
    "an input renamed": (
        [("  gain: fp32", "  weight: fp32"), ("* gain", "* weight")],
        [("PTG602", "input `gain`", "renamed", "gain", "weight")],
    ),
    "an input removed": (
        [("  cache: fp32[rows, cols]\n", ""), (" + cast(cache, bf16)", "")],
        [("PTG602", "input `cache`", "removed", "fp32[rows, cols]", "")],
    ),
    "an output removed": (
        [("  z: bf16[rows, cols]\n", "")],
        [("PTG602", "output `z`", "removed", "bf16[rows, cols]", "")],
    ),
    "an input added": (
        [("  cache: fp32[rows, cols]\n", "  cache: fp32[rows, cols]\n  b: fp32[cols]\n"), ("* gain", "* gain + b")],
        [("PTG603", "input `b`", "added", "", "fp32[cols]")],
    ),
    "an output added": (
        [("  z: bf16", "  w: fp32[rows, cols]\n  z: bf16"), ("  z: cast", "  w: exp(y)\n  z: cast")],
        [("PTG603", "output `w`", "added", "", "fp32[rows, cols]")],
    ),
    "an attr added that calls must give": (
        [("attrs:\n", "attrs:\n  more: {type: fp32}\n"), ("x + eps", "x + eps + more")],
        [("PTG603", "attr `more`", "added", "", "fp32")],
    ),
    "inputs in another order": (
        [("  x: fp32[rows, cols]\n  gain: fp32[cols]\n", "  gain: fp32[cols]\n  x: fp32[rows, cols]\n")],
        [("PTG604", "inputs", "reordered", "x, gain, cache", "gain, x, cache")],
    ),
    "another dtype": (
        [("gain: fp32", "gain: bf16"), ("* gain", "* cast(gain, fp32)")],
        [("PTG605", "input `gain`", "other dtype", "fp32", "bf16")],
    ),
    "another rank": (
        [("gain: fp32[cols]", "gain: fp32[1, cols]")],
        [("PTG606", "input `gain`", "other rank", "[cols]", "[1, cols]")],
    ),
    "another number": (
        [("cols: 64", "cols: 128")],
        [
            (
                "PTG606",
                "axes `x[1]`, `gain[0]`, `cache[1]`, `y[1]`, `z[1]`",
                "other shape",
                "cols (64)",
                "cols (128)",
            )
        ],
    ),
    "two axes that must be the same now": (
        [("gain: fp32[cols]", "gain: fp32[rows]"), ("* gain", "* gain[:, None]")],
        [("PTG606", "axes `gain[0]`", "other shape", "cols (64)", "rows (1 to 4096)")],
    ),
    "another layout": (
        [("gain: fp32[cols]", "gain: fp32[cols, cols]"), ("* gain", "+ matmul(x, gain)")],
        [("gain: fp32[cols]", "gain: fp32[cols, cols] @ nz"), ("* gain", "+ matmul(x, gain)")],
        [("PTG607", "input `gain`", "other layout", "nd", "nz")],
    ),
    "rows that lie apart": (
        [("x: fp32[rows, cols]", "x: {shape: [rows, cols], dtype: fp32, strides: [128, 1]}")],
        [("PTG607", "input `x`", "other strides", "row after row", "[128, 1]")],
    ),
    "a lower maximum": (
        [("max: 4096", "max: 1024")],
        [("PTG608", "dim `rows`", "narrowed", "1 to 4096", "1 to 1024")],
    ),
    "a higher minimum": (
        [("min: 1,", "min: 16,"), ("{rows: 1}", "{rows: 16}")],
        [("PTG608", "dim `rows`", "narrowed", "1 to 4096", "16 to 4096")],
    ),
    "coarser multiples": (
        [("max: 4096}", "max: 4096, multiple_of: 16}"), ("{rows: 1}, {rows: 37}", "{rows: 16}")],
        [("PTG608", "dim `rows`", "narrowed", "1 to 4096", "1 to 4096, multiples of 16")],
    ),
    "a number for a range": (
        [("rows: {min: 1, max: 4096}", "rows: 4096"), ("{rows: 1}, {rows: 37}", "{}")],
        [
            (
                "PTG606",
                "axes `x[0]`, `cache[0]`, `y[0]`, `z[0]`",
                "other shape",
                "rows (1 to 4096)",
                "rows (4096)",
            ),
            ("PTG612", "entry", "other slots", "size rows: int64", "without"),
        ],
    ),
    "an attr removed": (
        [("attrs:\n  eps: {type: fp32, default: 1.0e-6}\n", ""), ("x + eps", "x + 1.0e-6")],
        [("PTG609", "attr `eps`", "removed", "fp32 = 1e-06", "")],
    ),
    "an attr without its default": (
        [(", default: 1.0e-6", "")],
        [("PTG609", "attr `eps`", "without a default", "fp32 = 1e-06", "fp32")],
    ),
    "an attr of another type": (
        [("type: fp32, default: 1.0e-6", "type: int32, default: 1")],
        [
            ("PTG609", "attr `eps`", "other type", "fp32 = 1e-06", "int32 = 1"),
            ("PTG610", "attr `eps`", "other default", "fp32 = 1e-06", "int32 = 1"),
        ],
    ),
    "another default": (
        [("default: 1.0e-6", "default: 1.0e-5")],
        [("PTG610", "attr `eps`", "other default", "fp32 = 1e-06", "fp32 = 1e-05")],
    ),
    "an output in place": (
        [("  y: fp32[rows, cols]", "  y: {inplace: cache}"), (" + cast(cache, bf16)", "")],
        [("PTG611", "output `y`", "other memory", "memory of its own", "in place of `cache`")],
    ),
    "a dim renamed": (
        [("rows", "n")],
        [("PTG612", "entry", "other names", "size rows: int64", "size n: int64")],
    ),
    "an attr with a default added": (
        [("attrs:\n", "attrs:\n  more: {type: fp32, default: 0.0}\n"), ("x + eps", "x + eps + more")],
        [("PTG612", "entry", "other slots", "without", "scalar more: double")],
    ),
    "a target less": (
        [("tiling:", "targets: [cpu]\ntiling:")],
        [("PTG613", "target `a2a3`", "removed", "a2a3", "")],
    ),
    "a requirement": (
        [("graph:", "requires: [rows * 2 <= 4096]\ngraph:")],
        [("PTG614", "requirement", "added", "", "rows * 2 <= 4096")],
    ),
}  # fmt: skip
"""What is edited, and the breaking changes that are found. With three parts, the first edits both sides."""

OTHERS = {
    "a wider range": (
        [("max: 4096", "max: 65536")],
        [("", "dim `rows`", "widened", "1 to 4096", "1 to 65536")],
    ),
    "finer multiples": (
        [("max: 4096}", "max: 4096, multiple_of: 16}"), ("{rows: 1}, {rows: 37}", "{rows: 16}")],
        [("{rows: 1}, {rows: 37}", "{rows: 16}")],
        [("", "dim `rows`", "widened", "1 to 4096, multiples of 16", "1 to 4096")],
    ),
    "a range for a number": (
        [("cols: 64", "cols: {min: 1, max: 64}"), ("{rows: 1}, {rows: 37}", "{rows: 1, cols: 64}")],
        [
            (
                "",
                "axes `x[1]`, `gain[0]`, `cache[1]`, `y[1]`, `z[1]`",
                "widened",
                "cols (64)",
                "cols (1 to 64)",
            ),
            ("", "cases of `verify`", "fewer", "rows=1; rows=37", "rows=1 cols=64"),
        ],
    ),
    "a number for a name": ([("gain: fp32[cols]", "gain: fp32[64]")], []),
    "a name for a product": ([("cols: 64", "half: 32\n  cols: half * 2")], []),
    "a wider scalar": (
        [("type: fp32, default: 1.0e-6", "type: int32, default: 1")],
        [("type: fp32, default: 1.0e-6", "type: int64, default: 1")],
        [("", "attr `eps`", "widened", "int32 = 1", "int64 = 1")],
    ),
    "a default more": (
        [(", default: 1.0e-6", "")],
        [],
        [("", "attr `eps`", "with a default", "fp32", "fp32 = 1e-06")],
    ),
    "an attr with a default": (
        [("attrs:\n", "attrs:\n  more: {type: fp32, default: 0.0}\n"), ("x + eps", "x + eps + more")],
        [
            ("", "attr `more`", "added", "", "fp32 = 0.0"),
            ("PTG617", "outputs `y`, `z`", "other arithmetic", "", "add in fp32"),
        ],
    ),
    "a target more": (
        [("tiling:", "targets: [cpu]\ntiling:")],
        [],
        [("", "target `a2a3`", "added", "", "a2a3")],
    ),
    "a requirement less": (
        [("graph:", "requires: [rows * 2 <= 4096]\ngraph:")],
        [],
        [("", "requirement", "removed", "rows * 2 <= 4096", "")],
    ),
    "names of values, comments, tiles": (
        [("  y: (x", "  # why\n  y: (x"), ("exp(y)", "exp((x + eps) * gain)"), ("{rows: 8}", "{rows: 16}")],
        [],
    ),
    "a looser tolerance": (
        [("rtol: 1.0e-5", "rtol: 1.0e-3")],
        [("PTG615", "tolerance of `y`", "looser", "rtol 1e-05, atol 1e-06", "rtol 0.001, atol 1e-06")],
    ),
    "a tolerance more": (
        [("tolerance: {y", "tolerance: {z: {atol: 0.5}, y")],
        [("PTG615", "tolerance of `z`", "given", "derived", "atol 0.5")],
    ),
    "a tighter tolerance": (
        [("rtol: 1.0e-5", "rtol: 1.0e-6")],
        [("", "tolerance of `y`", "tighter", "rtol 1e-05, atol 1e-06", "rtol 1e-06, atol 1e-06")],
    ),
    "no tolerance": (
        [("  tolerance: {y: {rtol: 1.0e-5, atol: 1.0e-6}}\n", "")],
        [("", "tolerance of `y`", "derived again", "rtol 1e-05, atol 1e-06", "derived")],
    ),
    "fewer cases": (
        [(", {rows: 37}", "")],
        [("", "cases of `verify`", "fewer", "rows=1; rows=37", "rows=1")],
    ),
    "a rounding elsewhere": (
        [("cast(exp(y), bf16) + cast(cache, bf16)", "cast(exp(y) + cache, bf16)")],
        [
            ("PTG616", "output `z`", "other roundings", "cast fp32 to bf16", ""),
            ("PTG617", "output `z`", "other arithmetic", "add in bf16", "add in fp32"),
        ],
    ),
    "another rounding": (
        [("cast(cache, bf16)", "cast(cache, bf16, mode=none)")],
        [("PTG616", "output `z`", "other roundings", "cast fp32 to bf16", "cast fp32 to bf16 (none)")],
    ),
    "other operands": (
        [("exp(y)", "exp(x)")],
        [("PTG617", "output `z`", "other operands", "", "")],
    ),
}
"""The same of changes that break nobody."""


def found(edits: tuple[list[tuple[str, str]], ...]) -> tuple[Change, ...]:
    """The changes from the base to what it is edited to; with two lists of edits, from the one to the other."""
    first, second = edits if len(edits) == 2 else ([], *edits)
    return changes(operator(spec(first)), operator(spec(second)))


def spec(edits: list[tuple[str, str]]) -> Spec:
    text = BASE
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return load_source(Source("scaled.yaml", text))


def plain(change: Change) -> tuple[str, str, str, str, str]:
    return change.code, change.subject, change.word, change.before, change.after


@pytest.mark.parametrize("name", BREAKING)
def test_what_breaks_callers(name: str) -> None:
    *edits, wanted = BREAKING[name]
    breaking = [change for change in found(tuple(edits)) if change.level is Level.BREAKING]
    assert [plain(change) for change in breaking] == wanted
    assert all(change.span is not None for change in breaking)


@pytest.mark.parametrize("name", OTHERS)
def test_what_breaks_nobody_who_calls_by_name(name: str) -> None:
    *edits, wanted = OTHERS[name]
    others = [change for change in found(tuple(edits)) if change.code != "PTG612"]
    assert [plain(change) for change in others] == wanted
    assert all((change.level is Level.WARNING) == bool(change.code) for change in others)


@pytest.mark.parametrize("name", ["a dim renamed", "another number", "a lower maximum", "inputs in another order"])
def test_names_and_sizes_are_no_numerics(name: str) -> None:
    *edits, _ = BREAKING[name]
    assert [change for change in found(tuple(edits)) if change.section == "numerics" and change.code] == []


def test_the_same_spec_has_no_changes() -> None:
    assert found(([],)) == ()


def test_comments_of_kernels_are_no_code() -> None:
    assert code_lines("// y  [a.yaml:3]\n\n  TADD(a, b);  // UB 0x0\n") == ("  TADD(a, b);",)
