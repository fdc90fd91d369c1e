"""The checked mode in a call whose arrays it knows: what begins outside of them and of the call's workspaces is told
and left out, whatever lies there."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from .conftest import Build

ROOM = 16
INPUT, OUTPUT, WHOLLY, APART = 0, 1, 4, 8


@pytest.fixture
def copied(build: Build) -> ctypes.CDLL:
    library = build("checked_arrays")
    for name in ("copy", "copy_in_a_pass", "carry", "told_at_the_end"):
        getattr(library, name).restype = ctypes.c_char_p
    return library


def said(library: ctypes.CDLL, memory: np.ndarray, to: int, source: int, role: int = INPUT, copy: str = "copy") -> str:
    """What is told of a copy of 8 elements between two places of an input, an output, a workspace and other memory, of
    ``ROOM`` elements each, in this order."""

    def place(element: int) -> ctypes.c_void_p:
        return ctypes.c_void_p(memory[element:].ctypes.data)

    for name, kind, at in (("x", role, 0), ("y", OUTPUT, ROOM)):
        library.pto_checked_array(place(at), ctypes.c_uint64(4 * ROOM), ctypes.c_int(kind), name.encode())
    told = getattr(library, copy)(place(to), place(source), place(2 * ROOM), ctypes.c_uint64(4 * ROOM))
    library.pto_checked_over()
    return str(told.decode())


def test_arrays_and_workspaces_of_the_call(copied: ctypes.CDLL) -> None:
    memory = np.arange(4 * ROOM, dtype=np.float32)
    assert said(copied, memory, ROOM, 0) == ""
    assert said(copied, memory, 2 * ROOM, 8, APART) == ""
    assert said(copied, memory, ROOM + 8, 2 * ROOM) == ""
    assert (memory[ROOM : ROOM + 8] == np.arange(8)).all()
    assert (memory[ROOM + 8 : 2 * ROOM] == np.arange(8, 16)).all()
    assert "TLOAD leaves `x`" in said(copied, memory, ROOM, ROOM - 4)
    assert "TSTORE leaves `workspace 1`: at byte 48 of its 64" in said(copied, memory, 3 * ROOM - 4, 0)


def test_memory_of_others(copied: ctypes.CDLL) -> None:
    memory = np.arange(4 * ROOM, dtype=np.float32)
    before = memory.copy()
    assert "TLOAD begins outside of every array and workspace of the call" in said(copied, memory, ROOM, 3 * ROOM)
    assert "TSTORE begins outside of every array and workspace of the call" in said(copied, memory, 3 * ROOM, 0)
    assert (memory[3 * ROOM :] == before[3 * ROOM :]).all(), "what is told does not take place"


@pytest.mark.parametrize(
    ("copy", "load", "store"), [("copy_in_a_pass", "load", "store"), ("carry", "TCARRY", "TCARRY")]
)
def test_passes_and_rows_that_are_carried(copied: ctypes.CDLL, copy: str, load: str, store: str) -> None:
    memory = np.arange(4 * ROOM, dtype=np.float32)

    def pass_said(to: int, source: int, role: int = INPUT) -> str:
        return said(copied, memory, to, source, role, copy)

    assert pass_said(ROOM, 0) == ""
    assert (memory[ROOM : ROOM + 8] == np.arange(8)).all()
    assert f"{load} leaves `x`" in pass_said(ROOM, ROOM - 4)
    assert f"{store} leaves `workspace 1`" in pass_said(3 * ROOM - 4, 0)
    before = memory.copy()
    assert f"{load} begins outside of every array" in pass_said(ROOM, 3 * ROOM)
    assert f"{store} begins outside of every array" in pass_said(3 * ROOM, 0)
    assert f"{store} writes into `x`, which is an input" in pass_said(0, ROOM)
    assert (memory[:ROOM] == before[:ROOM]).all()
    assert (memory[3 * ROOM :] == before[3 * ROOM :]).all(), "what is told does not take place"


@pytest.mark.parametrize("copy", ["copy_in_a_pass", "carry"])
@pytest.mark.parametrize(
    ("parts", "missing"), [(2, ""), (1, "32 of the 64 bytes of `y` were never stored, from byte 32")]
)
def test_what_they_store_is_stored(copied: ctypes.CDLL, parts: int, missing: str, copy: str) -> None:
    memory = np.arange(4 * ROOM, dtype=np.float32)

    def place(element: int) -> ctypes.c_void_p:
        return ctypes.c_void_p(memory[element:].ctypes.data)

    for name, kind, at in (("x", INPUT, 0), ("y", OUTPUT | WHOLLY, ROOM)):
        copied.pto_checked_array(place(at), ctypes.c_uint64(4 * ROOM), ctypes.c_int(kind), name.encode())
    for part in range(parts):
        getattr(copied, copy)(place(ROOM + 8 * part), place(8 * part), None, ctypes.c_uint64(0))
    told = copied.told_at_the_end().decode()
    assert missing in told
    assert bool(told) == bool(missing)
