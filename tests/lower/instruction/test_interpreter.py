"""The Instruction level run: the same results as the Tensor level, however the work is distributed."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from references.agreement import assert_prolog_close
from references.data import prolog_inputs

from lower.small_programs import (
    FUSED,
    PRODUCT,
    TARGETS,
    elementwise,
    elementwise_arrays,
    library,
    lowered,
    program_of,
)
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower import pipeline
from pyptogen.simulate.graph import interpret, launch_ranges
from pyptogen.simulate.tensor import interpret as golden

Arrays = dict[str, Any]


def product_arrays(m: int) -> Arrays:
    rng = np.random.default_rng(m)
    return {name: rng.integers(-128, 128, shape, dtype=np.int8) for name, shape in (("a", (m, 128)), ("b", (128, 64)))}


def fused_arrays(t: int) -> Arrays:
    rng = np.random.default_rng(t)
    return {
        "a": rng.normal(size=(t, 64)).astype(ml_dtypes.bfloat16),
        "b": rng.normal(size=(64, 32)).astype(ml_dtypes.bfloat16),
        "c": rng.normal(size=32).astype(np.float32),
    }


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("m", [1, 15, 16, 17, 48])
def test_product(target: str, m: int) -> None:
    arrays = product_arrays(m)
    want = arrays["a"].astype(np.int64) @ arrays["b"].astype(np.int64)
    for blocks in (1, 3):
        got = interpret(lowered("product", target), arrays, blocks=blocks)["c"]
        assert got.dtype == np.int32
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("t", [1, 7, 8, 9, 37])
def test_fused(target: str, t: int) -> None:
    arrays = fused_arrays(t)
    got, want = interpret(lowered("fused", target), arrays), golden(program_of(FUSED), arrays)
    np.testing.assert_allclose(got["s"], want["s"], rtol=1e-6)
    assert np.abs(got["y"].astype(int) - want["y"].astype(int)).max() <= 1
    assert np.mean(got["y"] != want["y"]) < 0.01


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["fused", "indexer_prolog"])
def test_more_blocks_give_the_same_bytes(name: str, target: str) -> None:
    arrays = fused_arrays(37) if name == "fused" else prolog_inputs(5, skipped=0.2)
    one, three = (interpret(lowered(name, target), arrays, blocks=n) for n in (1, 3))
    assert one.keys() == three.keys()
    for output, array in one.items():
        np.testing.assert_array_equal(array, three[output], err_msg=output)


@pytest.mark.parametrize("target", TARGETS)
def test_both_targets_agree_on_the_prolog(target: str) -> None:
    from types import SimpleNamespace

    arrays = prolog_inputs(34, skipped=0.3)
    kept = {name: array.copy() for name, array in arrays.items()}
    got = interpret(lowered("indexer_prolog", target), arrays, {"eps": 1e-6}, blocks=2)
    assert_prolog_close(SimpleNamespace(**got), SimpleNamespace(**golden(library("indexer_prolog"), arrays)))
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, kept[name], err_msg=f"the input {name} was changed")
    assert not np.array_equal(got["k_cache"], arrays["k_cache"])


@pytest.mark.parametrize("target", TARGETS)
def test_attrs_reach_the_kernels(target: str) -> None:
    x = np.full((3, library("rms_norm").dim("cols").value or 0), 2.0, np.float32)
    arrays = {"x": x, "gamma": np.ones(x.shape[1], np.float32)}
    small, large = (interpret(lowered("rms_norm", target), arrays, {"eps": eps})["y"] for eps in (1e-6, 12.0))
    np.testing.assert_allclose(small, 1.0, rtol=1e-6)
    np.testing.assert_allclose(large, 0.5, rtol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "graph",
    [
        "y: 1 - x",
        "y: x * c + s",
        "y: maximum(x, 1.25) / minimum(z, s)",
        "m: amax(x, axis=-1, keepdim=true)\nw: sum(z * c, axis=-1, keepdim=true)\ny: (x - m) / w",
        "h: cast(x, bf16)\ny: cast(h, fp32) + x",
        "b: concat(x[:, 8:], x[:, :8], axis=-1)\ny: b * z",
        "a: x + 1\nb: concat(a[:, :8] * 2, a[:, 8:], axis=-1)\ny: b",
        "y: exp(-abs(x)) + rsqrt(z) * reciprocal(c) + relu(x - s)",
    ],
)  # fmt: skip
def test_elementwise_forms(target: str, graph: str) -> None:
    program = elementwise(graph)
    arrays = elementwise_arrays(21)
    got = interpret(pipeline.lower(program, target), arrays, blocks=2)["y"]
    np.testing.assert_allclose(got, golden(program, arrays)["y"], rtol=3e-6, atol=1e-6)


def test_launch_ranges_cover_the_range() -> None:
    graph = lowered("fused", "a2a3").execution
    assert list(launch_ranges(graph, {"t": 45})) == [(0, 16), (16, 32), (32, 40), (40, 44), (44, 45)]
    assert list(launch_ranges(lowered("fused", "cpu").execution, {"t": 45})) == [(0, 45)]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda a: a.pop("b"), "PTG404"),
        (lambda a: a.update(b=a["b"].astype(np.int16)), "PTG403"),
        (lambda a: a.update(b=a["b"][:-1]), "PTG405"),
        (lambda a: a.update(b=a["b"][0]), "PTG402"),
    ],
)
def test_arrays_that_do_not_fit(change: Any, code: str) -> None:
    arrays = product_arrays(2)
    change(arrays)
    with pytest.raises(DiagnosticError) as caught:
        interpret(pipeline.lower(program_of(PRODUCT), "cpu"), arrays)
    assert caught.value.diagnostics[0].code == code


def test_an_attr_without_a_value() -> None:
    text = PRODUCT.replace("inputs:", "attrs:\n  f: {type: fp32}\ninputs:").replace("c: int32", "c: fp32")
    program = program_of(text.replace("c: matmul(a, b, dtype=int32)", "c: cast(matmul(a, b, dtype=int32), fp32) * f"))
    with pytest.raises(DiagnosticError) as caught:
        interpret(pipeline.lower(program, "cpu"), product_arrays(2))
    assert caught.value.diagnostics[0].code == "PTG404"
