"""A spec through all levels: its golden and bounds are computed once, and it is lowered once for each target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import reject
from lowering import lower_anew

import pyptogen
from properties.checked_run import said_by_checked_mode
from properties.error_bounds import bounded
from pyptogen.codegen import Generated, generate
from pyptogen.codegen.generate import of_lowered
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tile import interpret as run_tiles
from pyptogen.verify import example_inputs

TARGETS = ("cpu", "a2a3")
ROWS_OF_TWO = ("has no name", "a tile of rank")
"""Said of tiles with rows of two dims."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A spec with inputs, what they give at the Tensor level, and how far from that a kernel may be."""

    path: Path
    program: Program
    dims: Mapping[str, int]
    seed: int
    arrays: Mapping[str, Any]
    values: Mapping[str, Any]
    allowed: Mapping[str, Any]


def wanted(path: Path, dims: Mapping[str, int], seed: int) -> Wanted:
    """What a spec gives for the sizes and the seed."""
    spec = load_spec(path)
    program = from_spec(spec)
    arrays = example_inputs(spec, dims, seed=seed)
    values, allowed = bounded(program, arrays)
    return Wanted(path, program, dims, seed, arrays, values, allowed)


def lowered(program: Program, target: str) -> Generated:
    """Generated; a random tile that overflows a memory, or has rows of two dims of which one has no name, is the spec's
    fault, and no example. Where the compiler chose all of them, it is the compiler's."""
    try:
        return generate(program, target)
    except DiagnosticError as error:
        drawn = any(row.sizes for row in program.tiling)
        no_room = {d.code for d in error.diagnostics} == {"PTG301"}
        if drawn and (no_room or any(words in str(error) for words in ROWS_OF_TWO)):
            reject()
        raise


def levels_agree(want: Wanted, *, twice: bool = False) -> None:
    """The Tile, Block and Instruction levels of both targets. ``twice``: lowered again, they have the same text."""
    for target in TARGETS:
        one = lowered(want.program, target)
        if twice:
            two = of_lowered(lower_anew(want.program, target))
            assert [k.text for k in one.kernels] == [k.text for k in two.kernels]
        runs = {
            "tile": run_tiles(one, want.arrays, level="tile"),
            "block": run_tiles(one, want.arrays, level="block", blocks=3),
            "instruction": run_instructions(one, want.arrays, blocks=2),
        }
        for level, got in runs.items():
            for name, expected in want.values.items():
                close(got[name], expected, want.allowed[name], f"{name} on {target} at the {level} level")


def kernels_agree(want: Wanted) -> None:
    """Compiled kernels of both targets; two calls give the same bits."""
    for target in TARGETS:
        lowered(want.program, target)
        operator = pyptogen.compile(want.path, target=target, threads=2)
        as_elements = {tensor.name: tensor.elements for tensor in operator.contract.outputs}
        # Inputs of its own for each call: what is updated in place may not be so twice.
        first, second = (operator(**operator.example_inputs(seed=want.seed, **want.dims))._asdict() for _ in range(2))
        for name, expected in want.values.items():
            close(as_elements[name](first[name]), expected, want.allowed[name], f"{name} on {target}, compiled")
            np.testing.assert_array_equal(first[name], second[name], err_msg=f"{name} on {target}, twice")


def checked_mode_is_silent(want: Wanted) -> None:
    """Of the kernels of A2/A3: those of the CPU have no flags, and what a pass writes is not followed."""
    lowered(want.program, "a2a3")
    assert said_by_checked_mode(want.path, "a2a3", want.dims, want.seed) == ""


def close(got: Any, want: Any, allowed: Any, what: str) -> None:
    """No further from each other than allowed; where that is infinite, anything. NaN and infinity agree by place."""
    got, want = np.asarray(got), np.asarray(want)
    assert (got.shape, got.dtype) == (want.shape, want.dtype), what
    a, b = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(invalid="ignore"):
        fine = (np.abs(a - b) <= allowed) | (a == b) | (np.isnan(a) & np.isnan(b)) | np.isinf(allowed)
    if fine.all():
        return
    at = tuple(int(i) for i in np.argwhere(~fine)[0])
    raise AssertionError(
        f"{what}: {int((~fine).sum())} of {fine.size} elements, first at {at}: {a[at]} and {b[at]}, "
        f"{abs(a[at] - b[at]):.3g} apart, {allowed[at]:.3g} allowed"
    )
