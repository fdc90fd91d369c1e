"""`conv` against its definition: one to three axes, strides, dilations, paddings, groups, transposed; its faults."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from references.convolution import convolution, transposed

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec, verify
from pyptogen.schema import Source, load_source
from pyptogen.simulate.tensor import interpret

PLACES = {1: ((9,), (3,)), 2: ((7, 8), (3, 2)), 3: ((8, 9, 7), (2, 3, 1))}
FORMS = {
    "plain": "",
    "same": "paddings=1",
    "steps": "strides=2, paddings=1",
    "holes": "dilations=2, paddings=2",
    "groups": "groups=2",
    "each_channel": "groups=4, strides=3",
    "all": "strides=2, dilations=2, paddings=2, groups=2",
}


def result(text: str, **arrays: Any) -> Any:
    """y of a spec around the lines ``inputs``, ``outputs`` and ``graph``."""
    program = from_spec(
        load_source(Source("demo.yaml", f"pyptogen: 1\noperator: demo\ndims: {{n: {{max: 64}}}}\n{text}"))
    )
    verify(program)
    return interpret(program, arrays)["y"]


def typed(shape: Any) -> str:
    return "[n, " + ", ".join(map(str, shape[1:])) + "]"


def wanted(x: Any, w: Any, call: str, turned: bool) -> Any:
    given = {"strides": 1, "dilations": 1, "paddings": 0, "groups": 1, "output_paddings": 0}
    given |= {k.arg: ast.literal_eval(k.value) for k in ast.parse(f"f({call})", mode="eval").body.keywords}  # type: ignore[attr-defined]
    axes = x.ndim - 2
    each = [given["strides"]] * axes, [(given["paddings"],) * 2] * axes, [given["dilations"]] * axes, given["groups"]
    if turned:
        return transposed(x.astype(np.float64), w.astype(np.float64), *each, given["output_paddings"])
    return convolution(x.astype(np.float64), w.astype(np.float64), *each)


@pytest.mark.parametrize("turned", [False, True], ids=["forward", "transposed"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("axes", PLACES)
def test_is_what_its_definition_says(axes: int, form: str, turned: bool) -> None:
    places, kernel = PLACES[axes]
    groups = 4 if "groups=4" in FORMS[form] else 2 if "groups=2" in FORMS[form] else 1
    rng = np.random.default_rng([axes, len(form)])
    x = rng.normal(size=(2, 4, *places)).astype(np.float32)
    w = rng.normal(size=((4, 8 // groups) if turned else (8, 4 // groups)) + kernel).astype(np.float32)
    options = FORMS[form] + ", output_paddings=1" * (turned and form in ("steps", "each_channel"))
    y = wanted(x, w, options, turned)
    call = ", ".join(["x", "w", *filter(None, [options]), *["transposed=true"] * turned])
    spec = (
        f"inputs: {{x: 'fp32{typed(x.shape)}', w: 'fp32{list(w.shape)}'}}\noutputs: {{y: 'fp32{typed(y.shape)}'}}\n"
        f'graph: {{y: "conv({call})"}}\n'
    )
    got = result(spec, x=x, w=w)
    assert got.shape == y.shape
    np.testing.assert_allclose(got, y, rtol=1e-5, atol=2e-5)


def test_paddings_in_front_and_behind_and_a_number_for_each_axis() -> None:
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(1, 2, 5, 6)).astype(np.float32), rng.normal(size=(3, 2, 2, 3)).astype(np.float32)
    spec = (
        "inputs: {x: 'fp32[n, 2, 5, 6]', w: 'fp32[3, 2, 2, 3]', bias: 'fp32[3]'}\noutputs: {y: 'fp32[n, 3, 6, 3]'}\n"
        'graph: {y: "conv(x, w, strides=[1, 2], dilations=[2, 1], paddings=[3, 0, 1, 0], bias=bias)"}\n'
    )
    bias = np.array([1, -2, 3], np.float32)
    want = convolution(x.astype(np.float64), w.astype(np.float64), (1, 2), ((3, 0), (1, 0)), (2, 1))
    np.testing.assert_allclose(result(spec, x=x, w=w, bias=bias), want + bias[:, None, None], rtol=1e-5, atol=2e-5)


def test_bytes_are_exact_and_the_result_is_rounded_once() -> None:
    rng = np.random.default_rng(4)
    x, w = (rng.integers(-128, 128, shape, dtype=np.int8) for shape in ((2, 3, 9), (4, 3, 3)))
    whole = convolution(x.astype(np.float64), w.astype(np.float64), (1,), ((1, 1),), (1,))
    spec = "inputs: {x: 'int8[n, 3, 9]', w: 'int8[4, 3, 3]'}\noutputs: {y: 'int32[n, 4, 9]'}\n"
    np.testing.assert_array_equal(result(spec + 'graph: {y: "conv(x, w, paddings=1)"}\n', x=x, w=w), whole)


BASE = "inputs: {x: 'fp32[n, 4, 9]', w: 'fp32[6, 2, 3]', i: 'int8[6, 2, 3]'}\noutputs: {y: 'fp32[n, 6, 7]'}\n"
BAD = {
    "conv(x, w)": ("PTG205", "in 1 groups"),
    "conv(x, w, groups=4)": ("PTG205", "in 4 groups"),
    "conv(x, w[:, :, 0], groups=2)": ("PTG204", "x [n, c, …] and weight"),
    "conv(x, i, groups=2)": ("PTG206", "fp32 and int8"),
    "conv(x, w, groups=2, strides=0)": ("PTG215", "`strides` [0]"),
    "conv(x, w, groups=2, strides=[1, 2])": ("PTG215", "`strides` [1, 2]"),
    "conv(x, w, groups=2, output_paddings=1)": ("PTG215", "without transposed=true"),
    "conv(x, w, groups=2, dilations=5)": ("PTG205", "a kernel that spans 11"),
}


@pytest.mark.parametrize("call", BAD)
def test_faults(call: str) -> None:
    code, words = BAD[call]
    with pytest.raises(DiagnosticError) as caught:
        result(BASE + f'graph: {{y: "{call}"}}\n')
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert words in diagnostic.message + diagnostic.expected
