"""The Tensor level's golden, against the references by hand: what judges the kernels is judged here."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from references.agreement import assert_close, assert_prolog_close
from references.basic import rms_norm, softmax
from references.data import Arrays, prolog_inputs
from references.indexer_prolog import indexer_prolog

from operators.cases import (
    MATMUL_DTYPES,
    assert_matmul_close,
    matmul_inputs,
    rms_norm_inputs,
    softmax_inputs,
)

Load = Callable[[str], Any]


def golden(program: Any, arrays: Arrays, attrs: dict[str, float] | None = None) -> SimpleNamespace:
    """The outputs of the Tensor level's interpreter, by name."""
    from pyptogen.simulate.tensor import interpret

    return SimpleNamespace(**interpret(program, arrays, attrs))


@pytest.mark.parametrize("kind", ["plain", "wide", "masked", "equal", "huge"])
def test_softmax(program: Load, kind: str) -> None:
    x = softmax_inputs(kind, 37, program("softmax").dim("cols").value)
    assert_close("y", golden(program("softmax"), {"x": x}).y, softmax(x), atol=1e-37, rtol=1e-5)


@pytest.mark.parametrize("eps", [1e-6, 3.0])
def test_rms_norm(program: Load, eps: float) -> None:
    x, gamma = rms_norm_inputs(37, program("rms_norm").dim("cols").value)
    got = golden(program("rms_norm"), {"x": x, "gamma": gamma}, {"eps": eps})
    assert_close("y", got.y, rms_norm(x, gamma, eps), atol=1e-37, rtol=1e-5)


@pytest.mark.parametrize("name", MATMUL_DTYPES)
def test_matmul(program: Load, name: str) -> None:
    graph = program(name)
    a, b = matmul_inputs(MATMUL_DTYPES[name], 37, graph.dim("k").value, graph.dim("n").value)
    got = golden(graph, dict(zip((v.name for v in graph.inputs), (a, b), strict=True)))
    assert_matmul_close(getattr(got, graph.outputs[0][0]), a, b)


@pytest.mark.parametrize("t", [1, 5, 8, 33, 512, pytest.param(4096, marks=pytest.mark.slow)])
def test_indexer_prolog(program: Load, t: int) -> None:
    arrays = prolog_inputs(t, skipped=0.2 if t > 1 else 0.0)
    before = {name: arrays[name].copy() for name in ("k_cache", "k_scale_cache")}
    got = golden(program("indexer_prolog"), arrays, {"eps": 1e-6})
    assert_prolog_close(got, indexer_prolog(arrays))
    for name, array in before.items():
        assert (arrays[name] == array).all(), f"the interpreter wrote into {name}"
