"""Platforms are data: their cast chains are legal, A5 works from spec to result, and an invented one needs no code."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import pyptogen
from lower.small_programs import TARGETS, elementwise, elementwise_arrays, program_of
from pyptogen.codegen import generate
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.instruction.ir import Barrier, For, walk
from pyptogen.lower.isa.table import CASTS, INSTRUCTIONS, PRODUCTS
from pyptogen.lower.platforms import DEFAULT_TARGETS, PLATFORMS, Platform
from pyptogen.lower.platforms.a2a3 import A2A3
from pyptogen.lower.platforms.a2a3_timing import TIMING_A2A3
from pyptogen.lower.platforms.a5 import A5
from pyptogen.lower.platforms.timing import Figure
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret
from pyptogen.simulate.tensor import interpret as golden

SPECS = Path(__file__).parents[3] / "specs"
DTYPES = ("fp32", "fp16", "bf16", "int8", "uint8", "int16", "int32", "int64")


@pytest.mark.parametrize("name", sorted(PLATFORMS))
def test_every_cast_has_a_legal_chain(name: str) -> None:
    platform = PLATFORMS[name]
    for source in DTYPES:
        for target in DTYPES:
            if source != target:
                steps = (source, *platform.cast_chains.get((source, target), ()), target)
                for pair in pairwise(steps):
                    assert pair in CASTS[name], f"{source} to {target} by {pair} on {name}"


def test_a5_is_built_on_demand_only() -> None:
    assert DEFAULT_TARGETS == TARGETS
    assert "a5" in PLATFORMS


def test_a5_takes_more_and_waits_less() -> None:
    text = """\
pyptogen: 1
operator: rows
dims: {t: {min: 1, max: 64}, d: 6656}
inputs: {x: "fp32[t, d]"}
outputs: {y: "fp32[t, d]"}
graph: {y: "exp(x) * 2 + x"}
tiling: [{t: {tile: 4, tail: mask}}]
"""
    with pytest.raises(DiagnosticError, match="PTG301"):
        generate(program_of(text), "a2a3")
    (kernel,) = generate(program_of(text), "a5").instructions
    assert not any(isinstance(n, Barrier) for n in walk(kernel.body))
    assert dict(kernel.occupancy)["ub"] > PLATFORMS["a2a3"].memories["ub"]


@pytest.mark.parametrize("name", ["quant_per_token", "rms_norm", "linear_int8", "indexer_prolog"])
def test_a5_agrees_with_the_golden(name: str) -> None:
    from pyptogen.verify import example_inputs

    spec = load_spec(SPECS / f"{name}.yaml")
    program = from_spec(spec)
    sizes = {d.name: {"blocks": 2}.get(d.name, 5) for d in program.dims if d.dynamic}
    arrays = example_inputs(spec, sizes, seed=3)
    got, want = interpret(generate(program, "a5"), arrays), golden(program, arrays)
    for output, array in want.items():
        np.testing.assert_allclose(got[output].astype(np.float64), array.astype(np.float64), rtol=1e-2, atol=1)


def test_a5_kernels_compile_and_run() -> None:
    operator = pyptogen.compile(SPECS / "softmax.yaml", target="a5", threads=2)
    arrays = operator.example_inputs(seed=1, rows=9)
    np.testing.assert_allclose(operator(**arrays).y, operator.golden(**arrays).y, rtol=1e-5, atol=1e-6)


def test_a_spec_that_names_its_targets_has_no_others(tmp_path: Path) -> None:
    path = tmp_path / "only.yaml"
    path.write_text((SPECS / "softmax.yaml").read_text() + "\ntargets: [cpu, a2a3]\n")
    with pytest.raises(DiagnosticError, match="PTG218"):
        pyptogen.compile(path, target="a5")


SMALL = Platform(
    name="tiny",
    memories={"ub": 48 * 1024, "l1": 64 * 1024, "l0a": 8 * 1024, "l0b": 8 * 1024, "l0c": 8 * 1024},
    cube_cores=1,
    vector_cores=2,
    unified=False,
    operands_from_gm=False,
    packed_nz=False,
    flags=True,
    cast_chains={},
    low_bits_of_floats=False,
    frequency_ghz=1.0,
)
"""An invented platform: what a file in `platforms/` holds."""

LEGAL = {
    f"T{name}": frozenset({"fp32"})
    for name in [
        "LOAD",
        "STORE",
        "ROWMAX",
        "ROWSUM",
        "ROWEXPANDSUB",
        "ROWEXPANDDIV",
        "EXPANDS",
        "EXP",
        "ADD",
        "SUB",
        "DIV",
        "MAX",
    ]
}
"""Its legality rows: the instructions that it has, with their dtypes."""


SOFTMAX = """\
pyptogen: 1
operator: softmax
dims: {{rows: {{min: 1, max: 4096}}, cols: {cols}}}
inputs: {{x: "fp32[rows, cols]"}}
outputs: {{y: "fp32[rows, cols]"}}
graph: {{y: "softmax(x)"}}
tiling: [{{rows: {{tile: 8, tail: mask}}}}]
"""


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(PLATFORMS, SMALL.name, SMALL)
    monkeypatch.setitem(CASTS, SMALL.name, frozenset())  # type: ignore[arg-type]
    for row in INSTRUCTIONS.values():
        monkeypatch.setitem(row.dtypes, SMALL.name, LEGAL.get(row.name, frozenset()))  # type: ignore[arg-type]
    return SMALL.name


def test_softmax_on_an_invented_platform(tiny: str) -> None:
    with pytest.raises(DiagnosticError, match="PTG301") as caught:
        generate(program_of(SOFTMAX.format(cols=4096).replace("tile: 8", "tile: 4096")), tiny)
    assert "available on tiny" in str(caught.value)
    for cols in (512, 4096):  # in tiles of whole rows, and in pieces of them
        program = program_of(SOFTMAX.format(cols=cols))
        lowered = generate(program, tiny)
        assert "set_flag" in lowered.kernels[0].text
        rotates = any(n.slot for k in lowered.instructions for n in walk(k.body) if isinstance(n, For))
        assert rotates == (cols == 512), "nothing tells of this platform that smaller pieces are faster"
        x = np.random.default_rng(0).uniform(-4, 4, (37, cols)).astype(np.float32)
        found, expected = interpret(lowered, {"x": x})["y"], golden(program, {"x": x})["y"]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_what_an_invented_platform_lacks_is_named(tiny: str) -> None:
    program = elementwise("y: log(x)")
    with pytest.raises(DiagnosticError, match="TLOG takes no fp32 on tiny"):
        generate(program, tiny)
    assert interpret(generate(elementwise("y: x + z"), tiny), elementwise_arrays(9))["y"].shape == (9, 16)


COMPACT = replace(
    A2A3,
    name="compact",
    memories={"ub": 64 * 1024, "l1": 128 * 1024, "l0a": 16 * 1024, "l0b": 16 * 1024, "l0c": 32 * 1024},
    cube_cores=4,
    vector_cores=8,
    timing=replace(TIMING_A2A3, load_latency=Figure(300.0, "a chip of these tests")),
)
"""Another: instructions and rules of A2/A3, a third of its memory, transfers that take longer to begin."""


@pytest.fixture
def compact(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(PLATFORMS, COMPACT.name, COMPACT)
    for rows in (CASTS, PRODUCTS, *(row.dtypes for row in INSTRUCTIONS.values())):
        monkeypatch.setitem(rows, COMPACT.name, rows["a2a3"])  # type: ignore[index, arg-type]
    return COMPACT.name


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("softmax", {"rows": 5}),
        ("rms_norm", {"rows": 5}),
        ("swiglu", {"rows": 5}),
        ("gelu", {"rows": 3}),
        ("linear_gelu", {"t": 7}),
        ("flash_attention", {"sq": 33, "kv": 70}),
    ],
)
def test_the_library_on_another_platform(compact: str, name: str, sizes: dict[str, int]) -> None:
    """Chosen for its memories and figures, and it runs: no code knows its name."""
    spec = SPECS / f"{name}.yaml"
    lowered = generate(from_spec(load_spec(spec)), compact)
    for kernel in lowered.instructions:
        assert all(used <= COMPACT.memories[memory] for memory, used in dict(kernel.occupancy).items())
    operator = pyptogen.compile(spec, target=compact)
    arrays = operator.example_inputs(seed=1, **sizes)
    for got, want in zip(operator(**arrays), operator.golden(**arrays), strict=True):
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=2e-2, atol=1e-2)


def test_a5_memory_facts() -> None:
    assert A5.memories["ub"] == 240 * 1024
    assert A5.memories["l0c"] == 256 * 1024
