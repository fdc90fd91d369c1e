"""The instruction interpreter agrees with the headers: each regular vector instruction as a kernel of its own, loaded
from global memory and stored there."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
import sympy

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.instruction.ir import Declare, GmWindow, Imm, Instr, InstrKernel, Mode, Node, Operand, TileType
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Extent, GmTensor
from pyptogen.simulate.gm import GlobalMemory, GmArray
from pyptogen.simulate.kernel import BlockRun
from pyptogen.simulate.memory import Core

from .agreement.cases import CASES, Case
from .agreement.compare import differs
from .agreement.data import extent_of, operands, scalars, storage, valid
from .arrays import Array
from .test_agreement import COMPARISONS, library

__all__ = ["library"]  # the fixture

SPAN = Span("one.yaml", 1, 1, 1, 1)
ROWS, COLS = 5, 17
LOWERABLE = [case for case in CASES if not case.templates]


def own_type(kind: str, dtype: str) -> str:
    return "uint8" if kind == "bits" else "int32" if kind.startswith("index") else dtype


def declared(name: str, kind: str, dtype: str, place: int) -> Declare:
    shape, _ = storage(kind, dtype)
    rows, cols = (shape[0], 1) if kind.endswith("col") else (1, shape[0]) if kind.endswith("row") else shape
    valid_rows, valid_cols = extent_of(kind, ROWS, COLS)
    own = own_type(kind, dtype)
    tile = TileType("Vec", own, rows, cols, valid_rows, valid_cols, kind.endswith("col"))
    size = rows * cols * DTYPES[own]
    return Declare(name, tile, Extent(valid_rows), Extent(valid_cols), Poly.of(place * 0x10000), size, "", SPAN, name)


def window(name: str, kind: str, dtype: str) -> GmWindow:
    rows, cols = extent_of(kind, ROWS, COLS)
    own = own_type(kind, dtype)
    return GmWindow(name, own, "ND", ZERO, Extent(rows), Extent(cols), Poly.of(cols), ONE)


def kernel_of(case: Case, dtype: str, scalar: Any, number: int) -> InstrKernel:
    numbers: dict[str, Operand] = {
        "scalar": Imm("s", sympy.Integer(int(scalar)) if scalar.dtype.kind in "iu" else sympy.Float(float(scalar))),
        "start": Imm("s", sympy.Float(float(scalar))),
        "cmp": Mode(COMPARISONS[number]),
        "binary": Imm("true", sympy.Integer(1)),
    }
    body: list[Node] = [declared(n, k, dtype, i) for i, (n, k) in enumerate(case.kinds.items())]
    body += [
        Instr("TLOAD", (name, window(name, kind, dtype)), "MTE2", "s", SPAN)
        for name, kind in case.kinds.items()
        if case.effects[name] in "ru"
    ]
    body.append(Instr(case.row.name, tuple(numbers.get(name, name) for name in case.form), "V", "s", SPAN))
    written = [name for name, effect in case.effects.items() if effect in "wu"]
    body += [Instr("TSTORE", (window(n, case.kinds[n], dtype), n), "MTE3", "s", SPAN) for n in written]
    tensors = tuple(GmTensor(name, own_type(kind, dtype), (), "nd", False, SPAN) for name, kind in case.kinds.items())
    return InstrKernel("one", "vector", "cpu", (), tensors, tensors, (), (), None, (), tuple(body), (), SPAN)


@pytest.mark.parametrize("case", LOWERABLE, ids=lambda case: case.symbol)
def test_interpreter_agrees_with_header(library: ctypes.CDLL, case: Case) -> None:
    for turn, dtype in enumerate(d for d in DTYPES if d in case.row.dtypes["cpu"]):
        tiles = dict(operands(case, dtype, ROWS, COLS, turn))
        scalar, number = scalars(dtype)[:1].copy(), turn % len(COMPARISONS)
        memory = GlobalMemory(
            {
                n: GmArray(np.ascontiguousarray(valid(tiles[n], k, ROWS, COLS)).reshape(-1))
                for n, k in case.kinds.items()
            }
        )
        with np.errstate(all="ignore"):
            BlockRun(kernel_of(case, dtype, scalar[0], number), Core(PLATFORMS["cpu"]), memory, {}, {}, 0, 1).run()
        magnitude = magnitudes(case, tiles)
        run_header(library, case, dtype, tiles, scalar, number)
        for name, kind in case.kinds.items():
            if case.effects[name] in "wu":
                got = memory.arrays[name].elements.reshape(extent_of(kind, ROWS, COLS))
                wrong = differs(valid(tiles[name], kind, ROWS, COLS), got, case.row.bound, magnitude)
                assert not wrong.any(), (case.symbol, dtype, name)


def magnitudes(case: Case, tiles: dict[str, Array]) -> Array | None:
    """Sums of magnitudes, for bounds that are relative to them."""
    if case.row.bound.kind != "summed":
        return None
    whole = np.abs(valid(tiles["a"], "full", ROWS, COLS).astype(np.float64))
    return np.asarray(whole.sum(axis=1 if case.kinds["dst"] == "col" else 0, keepdims=True))


def run_header(
    library: ctypes.CDLL,
    case: Case,
    dtype: str,
    tiles: dict[str, Array],
    scalar: Array,
    number: int,
) -> None:
    """The compiled case on whole tiles, in place."""
    pointers = (ctypes.c_void_p * len(tiles))(*(tile.ctypes.data for tile in tiles.values()))
    extents = [n for kind in case.kinds.values() for n in extent_of(kind, ROWS, COLS)]
    getattr(library, f"{case.symbol}_{dtype}")(
        pointers, (ctypes.c_int * len(extents))(*extents), scalar.ctypes.data_as(ctypes.c_void_p), number
    )
