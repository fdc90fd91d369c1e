"""The Instruction level run as numpy, against the Tensor level's golden: nothing was lost between them."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from references.agreement import assert_close, assert_prolog_close
from references.data import Arrays, prolog_inputs

from operators.cases import (
    MATMUL_DTYPES,
    assert_matmul_close,
    matmul_inputs,
    rms_norm_inputs,
    softmax_inputs,
)

Load = Callable[[str], Any]
Attrs = dict[str, float] | None


def both(program: Any, target: str, arrays: Arrays, attrs: Attrs = None) -> tuple[Any, Any]:
    """The outputs by name: of the instructions of a target, and of the golden."""
    from pyptogen.lower.pipeline import lower
    from pyptogen.simulate.graph import interpret as run_instructions
    from pyptogen.simulate.tensor import interpret

    got = run_instructions(lower(program, target), arrays, attrs)
    return SimpleNamespace(**got), SimpleNamespace(**interpret(program, arrays, attrs))


@pytest.mark.parametrize("kind", ["plain", "masked"])
@pytest.mark.parametrize("rows", [1, 37])
def test_softmax(program: Load, target: str, rows: int, kind: str) -> None:
    x = softmax_inputs(kind, rows, program("softmax").dim("cols").value)
    got, want = both(program("softmax"), target, {"x": x})
    assert_close("y", got.y, want.y, atol=1e-37, rtol=1e-5)


@pytest.mark.parametrize("rows", [1, 37])
def test_rms_norm(program: Load, target: str, rows: int) -> None:
    x, gamma = rms_norm_inputs(rows, program("rms_norm").dim("cols").value)
    got, want = both(program("rms_norm"), target, {"x": x, "gamma": gamma}, {"eps": 1e-3})
    assert_close("y", got.y, want.y, atol=1e-37, rtol=1e-5)


@pytest.mark.parametrize("m", [1, 37])
@pytest.mark.parametrize("name", MATMUL_DTYPES)
def test_matmul(program: Load, target: str, name: str, m: int) -> None:
    graph = program(name)
    a, b = matmul_inputs(MATMUL_DTYPES[name], m, graph.dim("k").value, graph.dim("n").value)
    got, want = both(graph, target, dict(zip((v.name for v in graph.inputs), (a, b), strict=True)))
    output = graph.outputs[0][0]
    assert_matmul_close(getattr(got, output), a, b)
    assert_matmul_close(getattr(want, output), a, b)


@pytest.mark.parametrize("t", [1, 5, 33])
def test_indexer_prolog(program: Load, target: str, t: int) -> None:
    arrays = prolog_inputs(t, skipped=0.2 if t > 1 else 0.0)
    assert_prolog_close(*both(program("indexer_prolog"), target, arrays, {"eps": 1e-6}))
