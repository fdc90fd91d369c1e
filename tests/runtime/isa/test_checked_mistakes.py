"""The checked mode on mistakes that people make, each told on its line, and on right kernels, which it lets pass."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

from .arrays import pointer
from .conftest import HERE, Build

WRONG, RIGHT = ("checked_order", "checked_operands"), "checked_right"
HANDED = "checked_unit_flags"


def kernels(source: str) -> dict[str, tuple[int, str]]:
    """Functions of a source by name, each with the line that its last comment "here:" marks and what stands there."""
    found: dict[str, tuple[int, str]] = {}
    name = ""
    for number, line in enumerate((HERE / "kernels" / f"{source}.cpp").read_text().splitlines(), 1):
        if function := re.match(r'extern "C" void (\w+)\(\)', line):
            name = function[1]
            found[name] = (0, "")
        elif name and "// here: " in line:
            found[name] = (number, line.partition("// here: ")[2])
    return found


MISTAKES = [(source, name, *at) for source in WRONG for name, at in kernels(source).items()]


def said_of(build: Build, source: str, name: str) -> list[str]:
    library = build(source)
    library.end.restype = ctypes.c_char_p
    given, to = np.ones(1 << 14, np.float32), np.zeros(1 << 14, np.float32)
    library.begin(pointer(to), pointer(given))
    getattr(library, name)()
    said: bytes = library.end()
    return said.decode().splitlines()


@pytest.mark.parametrize(("source", "name", "line", "message"), MISTAKES, ids=[m[1] for m in MISTAKES])
def test_a_mistake_is_told_on_its_line(build: Build, source: str, name: str, line: int, message: str) -> None:
    said = said_of(build, source, name)
    assert said
    file, number, text = said[0].split(":", 2)
    assert (Path(file).name, int(number)) == (f"{source}.cpp", line)
    assert text.startswith(" pto check: block 0.0: ")
    assert re.search(message, text), said


@pytest.mark.parametrize(("name", "message"), [(name, told) for name, (_, told) in kernels(HANDED).items()])
def test_a_mistake_of_a_call_with_a_phase_is_told(build: Build, name: str, message: str) -> None:
    said = said_of(build, HANDED, name)
    assert said
    assert "pto check: block 0.0: " in said[0]
    assert re.search(message, said[0]), said


@pytest.mark.parametrize("name", list(kernels(RIGHT)))
def test_a_right_kernel_is_let_pass(build: Build, name: str) -> None:
    assert said_of(build, RIGHT, name) == []


def test_each_mistake_has_its_line() -> None:
    assert len(MISTAKES) > 30
    assert all(line and message for _, _, line, message in MISTAKES)
