"""Every operation of the language, in every dtype that a platform takes: its instructions against its meaning."""

from __future__ import annotations

import numpy as np
import pytest

from lower.small_programs import TARGETS
from pyptogen.diagnostics import DiagnosticError
from pyptogen.explain.platforms import lowered_example
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.instruction import interpret as run_instructions
from pyptogen.lower.tensor import from_spec, interpret
from pyptogen.lower.tensor.building.registry import Operation, operations
from pyptogen.lower.tensor.reading.examples import example_dtypes, example_spec
from pyptogen.lower.tensor.running.numerics import Array
from pyptogen.schema import Source, load_source
from pyptogen.verify import example_inputs

SIZES = {"t": 13, "m": 17}
INDICES = {"i": 13, "j": 13, "c": 13}
"""Index inputs of the examples, and what their elements stay below."""
TOLERANCE = {"float32": 2e-5, "float16": 4e-3, "bfloat16": 2e-2, "float8_e4m3fn": 0.0}
ORDERS = ("argsort", "sort", "topk")
EDGES = (np.nan, np.inf, -np.inf, 0.0, -0.0, 2.5)


def arrays_of(text: str, dims: dict[str, int]) -> dict[str, Array]:
    """Random inputs; floats begin with NaN, infinities and zeros, indices are in range and differ."""
    arrays = example_inputs(load_source(Source("example.yaml", text)), dims, seed=3)
    for name, array in arrays.items():
        if name in INDICES:
            places = np.random.default_rng(1).permutation(array.size) % INDICES[name]
            arrays[name] = places.reshape(array.shape).astype(array.dtype)
        elif array.dtype.name in TOLERANCE:
            array.reshape(-1)[: len(EDGES)] = np.array(EDGES, array.dtype)
    return arrays


def assert_agrees(name: str, got: Array, want: Array) -> None:
    assert got.dtype == want.dtype, name
    if want.dtype.name not in TOLERANCE:
        np.testing.assert_array_equal(got, want, err_msg=name)
        return
    close = TOLERANCE[want.dtype.name]
    np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=close, atol=close, err_msg=name)


def lowered_or_refused(operation: Operation, dtype: str, target: str) -> Lowered | None:
    """None where the platform says that it cannot (PTG303)."""
    try:
        return lowered_example(operation, dtype, target)
    except DiagnosticError as error:
        if {diagnostic.code for diagnostic in error.diagnostics} == {"PTG303"}:
            return None
        raise


@pytest.mark.parametrize("name", sorted(operations()))
def test_operation(name: str) -> None:
    operation = operations()[name]
    for dtype in example_dtypes(operation):
        text = example_spec(operation, dtype)
        program = from_spec(load_source(Source("example.yaml", text)))
        dims = {dim: size for dim, size in SIZES.items() if f"\n  {dim}: " in text}
        arrays = arrays_of(text, dims)
        with np.errstate(all="ignore"):
            want = interpret(program, arrays)
        for target in TARGETS:
            lowered = lowered_or_refused(operation, dtype, target)
            if lowered is None:
                continue
            if name in ORDERS and target != "cpu":  # where a NaN comes there, nobody says
                continue
            got = run_instructions(lowered, arrays)
            for output, expected in want.items():
                assert_agrees(f"{output} of {name}, {dtype} on {target}", got[output], expected)
