"""64-bit numbers in halves: programs of 32-bit words, run as numpy, against numpy's int64."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from references.whole_numbers import ALONG, ELEMENTWISE, Array, meaning, pairs, random_pairs

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.passes import prepared
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec, halves
from pyptogen.lower.tensor.halves.forms import is_index
from pyptogen.lower.tensor.ir import Program, Value
from pyptogen.schema import Source, load_source
from pyptogen.simulate.tensor import interpret

CASES = {**ELEMENTWISE, **ALONG}
MOVES = {"slice", "reshape", "cast", "gather", "index_select", "carry", "carried", "block", "collected"}


def read(text: str) -> Program:
    return from_spec(load_source(Source("wide.yaml", text)))


def in_halves(program: Program, target: str = "a2a3") -> Program:
    return halves.run(prepared(program, target), PLATFORMS[target])


def graph(text: str, type_: str) -> Program:
    return read(
        "pyptogen: 1\noperator: wide\ndims: {t: {min: 1, max: 4096}, d: 40}\n"
        f"inputs: {{a: 'int64[t, d]', b: 'int64[t, d]'}}\noutputs: {{y: '{type_}'}}\ngraph:\n  y: {text}\n"
    )


def run(made: Program, arrays: Mapping[str, Array], attrs: Mapping[str, Any] | None = None) -> dict[str, Array]:
    """The outputs of a program in halves, whose memory is that of the arrays."""
    words = {made.halves[name]: np.ascontiguousarray(x) for name, x in arrays.items() if name in made.halves}
    given = {**arrays, **{name: x.view(np.int32).reshape(*x.shape, 2) for name, x in words.items()}}
    found = interpret(made, given, attrs)
    wide = {name for name in found if name in made.halves or made.inplace.get(name) in made.halves.values()}
    return {
        name: np.ascontiguousarray(x).view(np.int64).reshape(x.shape[:-1]) if name in wide else x
        for name, x in found.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_meaning(name: str) -> None:
    """All pairs of extremes, and numbers of all magnitudes; nothing works on int64 any more."""
    case = CASES[name]
    program = graph(case.text, case.type)
    made = in_halves(program)
    for op in made.ops:
        data = [o for i, o in enumerate(op.operands) if isinstance(o, Value) and not is_index(op, i)]
        assert op.kind in MOVES or "int64" not in {op.result.dtype, *(value.dtype for value in data)}
    for a, b in (pairs(), random_pairs(100, 40, seed=5)):
        want = meaning(case, a, b)
        np.testing.assert_array_equal(interpret(program, {"a": a, "b": b})["y"], want)
        np.testing.assert_array_equal(run(made, {"a": a, "b": b})["y"], want)


@pytest.mark.parametrize("target", ["cpu", "a5"])
def test_platforms_with_instructions_keep_them(target: str) -> None:
    program = graph("where(a >= b, a + 1, a // b)", "int64[t, d]")
    assert not in_halves(program, target).halves


def test_a_platform_may_lack_some() -> None:
    """A5 has no bits of 64: what leads to them is done in halves, and what does not is not."""
    program = read(
        "pyptogen: 1\noperator: wide\ndims: {t: {min: 1, max: 64}, d: 40}\n"
        "inputs: {a: 'int64[t, d]', b: 'int64[t, d]'}\noutputs: {y: 'int64[t, d]', z: 'int64[t, d]'}\n"
        "graph:\n  s: a + b\n  y: s & b\n  z: s * 3\n"
    )
    made = in_halves(program, "a5")
    a, b = pairs()
    found = run(made, {"a": a, "b": b})
    np.testing.assert_array_equal(found["y"], (a + b) & b)
    np.testing.assert_array_equal(found["z"], (a + b) * 3)
    assert "z" not in made.halves
    assert "int64" in {op.result.dtype for op in made.ops if op.kind == "mul"}


def test_an_index_stays_whole_where_it_is_given() -> None:
    made = in_halves(read(LABELS))
    assert {value.name for value in made.inputs} == {"labels", "logits", "labels_halves"}


LABELS = """\
pyptogen: 1
operator: wide
dims: {t: {min: 1, max: 64}, v: 50}
inputs: {labels: 'int64[t]', logits: 'fp32[t, v]'}
outputs: {y: 'fp32[t, 1]', keep: 'bool[t]'}
graph:
  y: gather(logits, 1, reshape(labels, [t, 1]))
  keep: ne(labels, -100)
"""


def test_an_index_that_is_computed_is_no_other_row() -> None:
    """2^32 has the low half of row 0."""
    program = read(
        "pyptogen: 1\noperator: wide\ndims: {t: {min: 1, max: 64}, v: 50}\n"
        "inputs: {ids: 'int64[t]', x: 'fp32[v, 8]'}\noutputs: {y: 'fp32[t, 8]'}\n"
        "graph:\n  y: index_select(x, 0, ids + 1)\n"
    )
    x = np.random.default_rng(3).standard_normal((50, 8)).astype(np.float32)
    ids = np.array([-1, 0, 48], np.int64)
    np.testing.assert_array_equal(run(in_halves(program), {"ids": ids, "x": x})["y"], x[ids + 1])
    with pytest.raises(DiagnosticError, match="PTG408"):
        run(in_halves(program), {"ids": np.array([2**32 - 1]), "x": x})


@pytest.mark.parametrize("number", [-(2**63), -(2**32) - 1, -1, 2**31, 2**53 + 1, 2**63 - 1])
def test_numbers_that_only_a_call_knows(number: int) -> None:
    program = read(
        "pyptogen: 1\noperator: wide\ndims: {t: {min: 1, max: 64}, d: 40}\nattrs: {p: {type: int64, default: 3}}\n"
        "inputs: {a: 'int64[t, d]'}\noutputs: {y: 'int64[t, d]', z: 'bool[t, d]'}\n"
        "graph:\n  y: where(a < p, p, a) + p\n  z: eq(a, p)\n"
    )
    a, _ = pairs()
    found = run(in_halves(program), {"a": a}, {"p": number})
    np.testing.assert_array_equal(found["y"], np.maximum(a, number) + np.int64(number))
    np.testing.assert_array_equal(found["z"], a == number)


def test_carried_values() -> None:
    program = read(
        "pyptogen: 1\noperator: wide\ndims: {t: {min: 1, max: 64}, n: 96}\n"
        "inputs: {x: 'int64[t, n]'}\noutputs: {y: 'int64[t, 1]', z: 'int64[t, n]'}\n"
        "graph:\n  y:\n    loop: {over: n, tile: 32}\n    carry: {y: 'full([t, 1], 0, int64)'}\n"
        "    next: {y: 'y + sum(x[:, n], axis=-1, keepdim=true)'}\n    collect: {z: 'x[:, n] + y'}\n"
    )
    x, _ = random_pairs(7, 96, seed=2)
    found = run(in_halves(program), {"x": x})
    np.testing.assert_array_equal(found["y"], interpret(program, {"x": x})["y"])
    np.testing.assert_array_equal(found["y"][:, 0], x.sum(-1))


def test_in_place_and_strided() -> None:
    program = read(
        "pyptogen: 1\noperator: wide\ndims: {t: {min: 1, max: 64}}\n"
        "inputs: {x: 'int64[t, 40]', b: 'int64[t, 40]'}\noutputs: {x: {inplace: true}}\ngraph:\n  x: x + b\n"
    )
    a, b = pairs()
    np.testing.assert_array_equal(run(in_halves(program), {"x": a, "b": b})["x"], a + b)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prod(a)", "`prod` of int64"),
        ("gcd(a, b)", "`gcd` of int64"),
        ("bitwise_left_shift(a, b)", "by other than a number"),
        ("a + cast(cast(a, fp32), int64, mode=round)", "mode=round"),
    ],
)
def test_what_is_not_done_in_halves(text: str, said: str) -> None:
    type_ = "int64[t]" if text.startswith("prod") else "int64[t, d]"
    with pytest.raises(DiagnosticError) as error:
        in_halves(graph(text, type_))
    (found,) = error.value.diagnostics
    assert (found.code, found.span.line) == ("PTG303", 7)
    assert said in found.message
    assert "a2a3" in found.message
    assert "extremes" in found.fix or "number" in found.fix or "round" in found.fix
