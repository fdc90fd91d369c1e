"""Sizes near 2^31: what counts them is int64 where the contract lets calls go beyond 2^30, and int32 elsewhere.

Arrays of 2 GiB cost next to nothing here: those that are read are pages of zeros that nobody has written, and those
that are written are one piece of memory, mapped again and again.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiling import NIGHTLY

import pyptogen
from pyptogen.codegen import generate
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction import count_width
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source

ROWS = """\
pyptogen: 1
operator: far
dims: {rows: {min: 1, max: MOST}}
inputs: {x: "int8[rows, 1]"}
outputs: {y: "int8[rows, 1]"}
graph: {y: "x + 1"}
tiling: [{rows: 16384}]
"""
FLAT = """\
pyptogen: 1
operator: flat
dims: {t: {min: 1, max: MOST}, kv: {min: 1, max: 65536}}
inputs: {x: "fp32[t, kv]"}
outputs: {y: "fp32[1]"}
graph: {y: "sum(reshape(x, [t * kv]), axis=0, keepdim=true)"}
tiling: [{}]
"""


def texts(spec: str, most: int, target: str) -> str:
    """All C++ of an operator."""
    made = generate(from_spec(load_source(Source("far.yaml", spec.replace("MOST", str(most))))), target)
    return "\n".join([made.orchestration, *(kernel.text for kernel in made.kernels)])


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize(("spec", "near", "far"), [(ROWS, 2**30, 2**30 + 1), (FLAT, 2**14, 2**14 + 1)])
def test_texts_count_in_int64_where_calls_may_go_far(spec: str, near: int, far: int, target: str) -> None:
    name = "rows" if spec is ROWS else "kv"
    assert f"int32_t {name}" in texts(spec, near, target)
    text = texts(spec, far, target)
    assert f"int64_t {name}" in text
    assert "for (int32_t" not in text
    assert "static_cast<int32_t>(args." not in text


def test_the_reach_of_a_sum_is_that_of_what_is_added_or_of_what_is_taken_off() -> None:
    end, begin, block = map(Poly.of, ("t_end", "t_begin", "block"))
    limits = {"t_end": 2**30, "t_begin": 2**30}
    assert count_width._reach(end - begin, limits) == 2**30
    assert count_width._reach(end * begin - block, limits) == 2**60


def test_positions_beyond_int32_are_a_requirement() -> None:
    spec = FLAT.replace("fp32[1]", "int32[1]").replace("sum(", "argmax(").replace("MOST", "65536")
    program = from_spec(load_source(Source("far.yaml", spec)))
    assert [requirement.text for requirement in program.requires] == ["2147483648 >= kv*t (positions are int32)"]


def zeros(size: int) -> Any:
    """Bytes that nobody has written: one page of zeros, seen everywhere."""
    return np.frombuffer(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), np.int8)


def repeated(size: int, piece: int) -> tuple[Any, Any]:
    """``size`` bytes that are the same ``piece`` bytes again and again, but for the last piece, which is its own; and
    the first piece. Both begin and end at pages."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    room = -(-size // piece) * piece
    area = mmap.mmap(-1, room, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0))
    at = ctypes.addressof(ctypes.c_char.from_buffer(area))
    shared = os.memfd_create("piece")
    os.ftruncate(shared, piece)
    fixed = mmap.MAP_SHARED | 0x10  # MAP_FIXED
    for offset in range(0, room - piece, piece):
        found = libc.mmap(at + offset, piece, mmap.PROT_READ | mmap.PROT_WRITE, fixed, shared, 0)
        assert found == at + offset, os.strerror(ctypes.get_errno())
    os.close(shared)
    whole = np.frombuffer(area, np.int8)
    return whole[:size], whole[:piece]


LENGTHS = [2**31 - 1, 2**31 - 63, 2**31 - 100] if NIGHTLY else [2**31 - 63]


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="one piece of memory is mapped again and again by memfd")
@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rows", LENGTHS)
def test_calls_at_the_end_of_the_contract(rows: int, threads: int, tmp_path: Path) -> None:
    """rows = 2^31 - 63 used to compute nothing, and 2^31 - 100 on two threads to crash."""
    path = tmp_path / "far.yaml"
    path.write_text(ROWS.replace("MOST", str(2**31 - 1)))
    operator: Any = pyptogen.compile(path, target="cpu", threads=threads)
    y, first = repeated(rows, 1 << 24)
    operator(x=zeros(rows).reshape(rows, 1), out={"y": y.reshape(rows, 1)})
    assert first.all()
    assert y[-(1 << 24) :].all()


@pytest.mark.parametrize("rows", [2**31, 2**40])
def test_sizes_beyond_the_contract_are_refused(rows: int) -> None:
    with pytest.raises(DiagnosticError, match="PTG"):
        from_spec(load_source(Source("far.yaml", ROWS.replace("MOST", str(rows)))))
