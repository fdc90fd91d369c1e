"""`pyptogen explain`: texts for people, and that the table of operations says what is true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner

from pyptogen.cli.app import app
from pyptogen.diagnostics import CODES
from pyptogen.explain import explain_code, list_operations, support
from pyptogen.explain.platforms import lowered_example
from pyptogen.lower.instruction import interpret
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.tensor import interpret as golden
from pyptogen.lower.tensor import verify
from pyptogen.lower.tensor.building.registry import operations
from pyptogen.lower.tensor.ir import LOWERED, Program
from pyptogen.lower.tensor.reading.examples import example_dtypes, example_program
from pyptogen.numpy_dtypes import NUMPY_DTYPES

SIZES = {"t": 11, "m": 13, "d": 64, "n": 32}
TOLERANCE = {"fp16": 2e-3, "bf16": 2e-2}


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["explain", *words])


@pytest.mark.parametrize("name", ["softmax", "rope", "topk", "quant_per_token", "matmul"])
def test_an_operation(name: str, snapshot: SnapshotAssertion) -> None:
    result = run("op", name)
    assert result.exit_code == 0
    assert result.output == snapshot


def test_the_list_holds_every_operation() -> None:
    words = list_operations().replace(",", " ").split()
    assert [name for name in operations() if name not in words] == []
    assert run("op").output == list_operations()


def test_a_code() -> None:
    result = run("ptg301")
    assert result.output == explain_code("PTG301")
    assert result.output.startswith(f"PTG301: {CODES['PTG301'].title}\n\n")


@pytest.mark.parametrize(
    ("words", "hint"),
    [(("op", "sofmax"), "did you mean `softmax`?"), (("PTG3O1",), "neither"), (("softmax",), "neither")],
)
def test_what_does_not_exist(words: tuple[str, ...], hint: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert hint in " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize("name", sorted(operations()))
def test_examples_are_legal_and_refused_with_a_reason(name: str) -> None:
    """An example of each dtype is a legal program; where only lowered primitives occur, every platform takes one
    dtype, if it has those of the results."""
    operation = operations()[name]
    dtypes = example_dtypes(operation)
    assert dtypes
    program = example_program(operation, dtypes[0])
    verify(program)
    entries = support(operation)
    assert all(set(entry.dtypes) | {dtype for dtype, _ in entry.refused} == set(dtypes) for entry in entries)
    if not {op.kind for op in program.ops} <= LOWERED:
        assert all(not entry.dtypes for entry in entries)
    else:
        results = {value.dtype for _, value in program.outputs} - {"bool"}
        taken = INSTRUCTIONS["TLOAD"].dtypes
        assert [bool(entry.dtypes) for entry in entries] == [results <= taken[entry.platform] for entry in entries]


def arrays_for(program: Program) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    arrays = {}
    for value in program.inputs:
        shape = tuple(int(size) if size.is_Integer else SIZES[str(size)] for size in value.shape)
        if value.name == "i":
            data = rng.permutation(SIZES["m"])[: SIZES["t"]]
        elif value.dtype.startswith("int"):
            data = rng.integers(1, 7, shape)
        else:
            data = rng.uniform(0.25 if value.name in "zs" else -2, 2, shape)
        arrays[value.name] = data.astype(NUMPY_DTYPES[value.dtype])
    return arrays


@pytest.mark.slow
def test_what_can_be_lowered_computes_what_the_interpreter_does() -> None:
    """The claim of the table, on every platform: the lowered example gives the golden's numbers."""
    checked = 0
    for name, operation in operations().items():
        for dtype in example_dtypes(operation):
            program = example_program(operation, dtype)
            arrays = arrays_for(program)
            want = golden(program, arrays)
            for entry in support(operation):
                if dtype not in entry.dtypes:
                    continue
                got = interpret(lowered_example(operation, dtype, entry.platform), arrays, blocks=2)
                rtol = TOLERANCE.get(dtype, 2e-5)
                for output, array in want.items():
                    left, right = (a.astype(np.float64) for a in (got[output], array))
                    # A running sum may come near 0 with the rounding of what it was before.
                    finite = np.abs(right[np.isfinite(right)])
                    atol = rtol / 100 * max(1.0, finite.max(initial=0.0))
                    np.testing.assert_allclose(
                        left, right, rtol=rtol, atol=atol, err_msg=f"{name} {dtype} {entry.platform}"
                    )
                checked += 1
    assert checked > 300
