"""Every operation of the language: what the table says of it, and its instructions against its meaning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pyptogen.explain import operations_page, support
from pyptogen.explain.platforms import lowered_example
from pyptogen.explain.table import Lines, table_lines
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.platforms import DEFAULT_TARGETS
from pyptogen.lower.tensor import verify
from pyptogen.lower.tensor.building.registry import Operation, operations
from pyptogen.lower.tensor.ir import LOWERED, Program
from pyptogen.lower.tensor.reading.examples import example_dtypes, example_program, example_spec
from pyptogen.numerics.operations import Array
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret
from pyptogen.verify import example_inputs

PAGE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
SIZES = {"t": 13, "m": 17}
FIXED = {"d": 64, "n": 32}
"""The dims of the examples: what those have that a call decides, and the others."""
INDICES = {"i": 13, "j": 13, "c": 13}
"""Index inputs of the examples, and what their elements stay below."""
TOLERANCE = {"float32": 2e-5, "float16": 4e-3, "bfloat16": 2e-2, "float8_e4m3fn": 0.0}
ORDERS = ("argsort", "sort", "topk")
EDGES = (np.nan, np.inf, -np.inf, 0.0, -0.0, 2.5)


@pytest.fixture(scope="module", params=sorted(operations()))
def operation(request: pytest.FixtureRequest) -> Operation:
    """Each in turn, for all tests: its examples are lowered once for them."""
    return operations()[request.param]


def written_lines(operation: Operation) -> Lines:
    """What the page has of an operation: its row, and why platforms refuse dtypes."""
    lines, signature = PAGE.splitlines(), operation.signature.replace("|", "\\|")
    (row,) = (line for line in lines if line.startswith(f"| `{signature}` | "))
    return row, [line for line in lines if line.startswith(f"- `{operation.name}`: ")]


def test_what_the_table_says(operation: Operation) -> None:
    """`make docs` writes it; a platform that learns or loses an operation changes it."""
    assert written_lines(operation) == table_lines(operation)


def test_the_table_says_nothing_else() -> None:
    assert operations_page(written_lines) == PAGE


def test_examples_are_legal_and_refused_with_a_reason(operation: Operation) -> None:
    """An example of each dtype is a legal program; where only lowered primitives occur, every platform takes one
    dtype, if it has those of the results."""
    dtypes = example_dtypes(operation)
    assert dtypes
    program = example_program(operation, dtypes[0])
    verify(program)
    entries = support(operation)
    assert [entry.platform for entry in entries] == list(DEFAULT_TARGETS)
    assert all({*entry.dtypes, *dict(entry.refused)} == set(dtypes) for entry in entries)
    assert {diagnostic.code for entry in entries for _, diagnostic in entry.refused} <= {"PTG303"}
    if not {op.kind for op in program.ops} <= LOWERED:
        assert all(not entry.dtypes for entry in entries)
    else:
        results = {value.dtype for _, value in program.outputs} - {"bool"}
        taken = INSTRUCTIONS["TLOAD"].dtypes
        assert [bool(entry.dtypes) for entry in entries] == [results <= taken[entry.platform] for entry in entries]


def finite(program: Program) -> dict[str, Array]:
    """Numbers that every operation takes."""
    rng = np.random.default_rng(0)
    arrays = {}
    for value in program.inputs:
        shape = tuple(int(size) if size.is_Integer else (SIZES | FIXED)[str(size)] for size in value.shape)
        if value.name == "i":
            data = rng.permutation(SIZES["m"])[: SIZES["t"]]
        elif value.dtype.startswith("int"):
            data = rng.integers(1, 7, shape)
        else:
            data = rng.uniform(0.25 if value.name in "zs" else -2, 2, shape)
        arrays[value.name] = data.astype(NUMPY_DTYPES[value.dtype])
    return arrays


def with_edges(text: str) -> dict[str, Array]:
    """Random inputs; floats begin with NaN, infinities and zeros, indices are in range and differ."""
    dims = {dim: size for dim, size in SIZES.items() if f"\n  {dim}: " in text}
    arrays = example_inputs(load_source(Source("example.yaml", text)), dims, seed=3)
    for name, array in arrays.items():
        if name in INDICES:
            places = np.random.default_rng(1).permutation(array.size) % INDICES[name]
            arrays[name] = places.reshape(array.shape).astype(array.dtype)
        elif array.dtype.name in TOLERANCE:
            array.reshape(-1)[: len(EDGES)] = np.array(EDGES, array.dtype)
    return arrays


def assert_agrees(name: str, got: Array, want: Array, nought: float) -> None:
    """``nought``: how far a number near 0 may be off, as a part of what the greatest may."""
    assert got.dtype == want.dtype, name
    if want.dtype.name not in TOLERANCE:
        np.testing.assert_array_equal(got, want, err_msg=name)
        return
    left, right, close = got.astype(np.float64), want.astype(np.float64), TOLERANCE[want.dtype.name]
    greatest = np.abs(right[np.isfinite(right)]).max(initial=1.0)
    np.testing.assert_allclose(left, right, rtol=close, atol=close * nought * greatest, err_msg=name)


@pytest.mark.parametrize("edges", [True, False], ids=["edges", "finite"])
def test_instructions_compute_what_it_means(operation: Operation, edges: bool) -> None:
    """In every dtype that the table claims, on every platform."""
    for dtype in example_dtypes(operation):
        program = example_program(operation, dtype)
        arrays = with_edges(example_spec(operation, dtype)) if edges else finite(program)
        with np.errstate(all="ignore"):
            want = interpret(program, arrays)
        for platform in (entry.platform for entry in support(operation) if dtype in entry.dtypes):
            if edges and operation.name in ORDERS and platform != "cpu":  # where a NaN comes there, nobody says
                continue
            got = run_instructions(lowered_example(operation, dtype, platform), arrays, blocks=2)
            for output, expected in want.items():
                assert_agrees(f"{output}, {dtype} on {platform}", got[output], expected, 1.0 if edges else 0.01)
