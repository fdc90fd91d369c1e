"""What the cube instructions put off never shows: random programs against memories that are arrays."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from .arrays import BF16, Array, pointer
from .conftest import Build

SIDE, DEPTH, WIDE = 64, 128, 512
LOAD_A, LOAD_B, LEFT, RIGHT, MULTIPLY, STORE, SET, STORE_MAT, CHANGE, READ_LEFT, READ_RIGHT, PART, MOVE = range(13)
SET_LEFT, WALK, FILL = range(13, 16)


def nz_places(rows: int, cols: int, size: int) -> Array:
    """Where element (r, c) of an Nz tile lies, in elements."""
    r, c = np.indices((rows, cols))
    line = 32 // size
    return c // line * rows * line + r * line + c % line


class Core:
    """The memories of a core as arrays, and what each step does to them."""

    def __init__(self, dtype: np.dtype, memory: Array) -> None:
        self.size = dtype.itemsize
        self.memory = memory
        self.mat = np.zeros(6 * SIDE * DEPTH, dtype)
        self.left = np.zeros((2, SIDE, SIDE), dtype)
        self.right = np.zeros((2, SIDE, SIDE), dtype)
        self.acc = np.zeros((2, SIDE, SIDE), np.int32 if dtype == np.int8 else np.float32)
        self.sums: list[Array] = []
        self.elements: list[Array] = []

    def places(self, place: int, rows: int, cols: int) -> Array:
        return nz_places(rows, cols, self.size) + place * SIDE * DEPTH // 2

    def step(self, what: int, place: int, source: int, accumulate: int, row: int, col: int) -> None:
        if what in (LOAD_A, LOAD_B, PART):
            rows, cols = (DEPTH, SIDE) if what == LOAD_B else (SIDE, DEPTH)
            count = 48 if what == PART else rows
            part = self.memory[row : row + count, col : col + cols]
            self.mat[self.places(place, rows, cols)[:count]] = part
        elif what == LEFT:
            rows = SIDE // 2 if accumulate else SIDE
            image = self.mat[self.places(source, SIDE, DEPTH)]
            self.left[place, :rows] = image[row : row + rows, col : col + SIDE]
        elif what == RIGHT:
            image = self.mat[self.places(source, DEPTH, SIDE)]
            self.right[place] = image[row : row + SIDE, col : col + SIDE]
        elif what == MULTIPLY:
            a, b = (x.astype(np.float32) for x in (self.left[source % 2], self.right[source // 2]))
            before = self.acc[place] if accumulate else 0
            self.acc[place] = before + (a @ b).astype(self.acc.dtype)
        elif what in (STORE, WALK):
            self.sums.append(self.acc[place].copy())
        elif what == SET:
            self.mat[self.places(place, SIDE, DEPTH)[row, col]] = source
        elif what == STORE_MAT:
            self.elements.append(self.mat[self.places(place, DEPTH, SIDE)].ravel())
        elif what == CHANGE:
            r, c = np.indices((DEPTH, DEPTH))
            self.memory[row : row + DEPTH, col : col + DEPTH] = (source + r * 5 + c * 3) % 7 - 3
        elif what in (READ_LEFT, READ_RIGHT):
            self.elements.append((self.left if what == READ_LEFT else self.right)[place].flatten())
        elif what == FILL:
            if self.acc.dtype == np.float32:
                self.left[place] = np.clip(self.acc[source], -3, 3)
        elif what == MOVE:
            self.mat[self.places(place, SIDE, DEPTH)] = self.mat[self.places(source, SIDE, DEPTH)]
        else:
            self.left[place, row, col] = source


def beginning(rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Gives every memory a value, in the way that teaches the loads what they are for."""
    steps: list[tuple[int, ...]] = []
    for place in (0, 2, 4, 6, 8):
        for what in (LOAD_A, LOAD_B):
            steps.append((what, place, 0, 0, *(rng.integers(0, 300, 2))))
    for place in (0, 1):
        steps += [(LEFT, place, 2 * place, 0, 0, 0), (RIGHT, place, 4 + 2 * place, 0, 0, 0)]
        steps.append((MULTIPLY, place, 3 * place, 0, 0, 0))
    return steps


def next_steps(rng: np.random.Generator, disturbed: float) -> list[tuple[int, ...]]:
    """A stage of a product, or (with the given probability) an access of another kind."""
    place = int(rng.integers(0, 2))
    row, col = (int(n) for n in rng.integers(0, 300, 2))
    if rng.random() < disturbed:
        what = int(rng.choice([SET, STORE_MAT, CHANGE, READ_LEFT, READ_RIGHT, PART, MOVE, SET_LEFT, LEFT, FILL]))
        if what in (SET, SET_LEFT):
            limit = place if what == SET_LEFT else int(rng.integers(0, 9))
            return [(what, limit, int(rng.integers(-3, 4)), 0, row % SIDE, col % SIDE)]
        if what == FILL:
            return [(what, place, int(rng.integers(0, 2)), 0, 0, 0)]
        if what == MOVE:
            return [(what, 2 * int(rng.integers(0, 4)), 2 * int(rng.integers(0, 4)), 0, 0, 0)]
        if what in (STORE_MAT, PART):
            return [(what, int(rng.integers(0, 9)), 0, 0, row, col)]
        if what == LEFT:  # a place that no step begins at, or fewer rows
            half = int(rng.integers(0, 2))
            return [(what, place, 2 * place, half, half * int(rng.choice([0, 16, 32])), int(rng.choice([0, 16, 64])))]
        return [(what, place, int(rng.integers(0, 7)), 0, row, col)]
    if rng.random() < 0.5:  # in no order; odd places overlap the halves of two others
        source, half, step = (int(n) for n in rng.integers(0, (3, 2, 2)))
        return [
            [(LOAD_A, source, 0, 0, row, col)],
            [(LOAD_B, 4 + source, 0, 0, row, col)],
            [(LEFT, place, source, half, 32 * half, 64 * step)],
            [(RIGHT, place, 4 + source, 0, 64 * step, 0)],
            [(MULTIPLY, place, int(rng.integers(0, 4)), int(rng.integers(0, 3)), 0, 0)],
        ][int(rng.integers(0, 5))]
    return [
        (LOAD_A, 2 * place, 0, 0, row, col),
        (LOAD_B, 4 + 2 * place, 0, 0, col, row),
        (LEFT, 0, 2 * place, 0, 0, 0),
        (RIGHT, 0, 4 + 2 * place, 0, 0, 0),
        (MULTIPLY, place, 0, int(rng.integers(0, 3)), 0, 0),
        (LEFT, place, 2 * place, 0, 0, 64),
        (RIGHT, place, 4 + 2 * place, 0, 64, 0),
        (MULTIPLY, place, 3 * place, int(rng.integers(1, 3)), 0, 0),
    ][: int(rng.integers(4, 9))] + [(int(rng.choice([STORE, WALK])), place, 0, 0, 0, 0)] * int(rng.integers(0, 2))


def check(library: ctypes.CDLL, name: str, rng: np.random.Generator, steps: list[tuple[int, ...]]) -> int:
    """Runs a program both ways and compares all that it stores. How much was put off on the way."""
    dtype = BF16 if name == "bf16" else np.dtype(np.int8)
    memory = rng.integers(-3, 4, (WIDE, WIDE)).astype(dtype)
    core = Core(dtype, memory.copy())
    for step in steps:
        core.step(*(int(n) for n in step))
    sums = np.zeros((len(core.sums), SIDE, SIDE), core.acc.dtype)
    expected = np.concatenate(core.elements) if core.elements else np.zeros(0, dtype)
    elements = np.zeros_like(expected)
    program = np.array(steps, np.int32)
    run = getattr(library, f"held_{name}")
    put_off = run(pointer(sums), pointer(elements), pointer(memory), pointer(program), ctypes.c_int(len(steps)))
    assert np.array_equal(sums, np.array(core.sums))
    assert np.array_equal(elements, expected)
    return int(put_off)


@pytest.mark.parametrize("name", ["bf16", "int8"])
def test_nothing_that_is_put_off_shows(build: Build, name: str) -> None:
    library = build("held")
    put_off = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        steps = beginning(rng)
        for _ in range(20):
            steps += next_steps(rng, (0.0, 0.05, 0.3)[seed % 3])
        put_off += check(library, name, rng, [*steps, (STORE, 0, 0, 0, 0, 0), (STORE, 1, 0, 0, 0, 0)])
    assert (put_off > 2000) == bool(library.holds()), put_off


LOADS = [(LOAD_A, 0, 0, 0, 7, 100), (LOAD_B, 4, 0, 0, 50, 3)]
OPERANDS = [(LEFT, 0, 0, 0, 0, 0), (RIGHT, 0, 4, 0, 0, 0)]
PRODUCT = (MULTIPLY, 0, 0, 0, 0, 0)
STORED = (STORE, 0, 0, 0, 0, 0)
CASES = {
    "a part of an operand anew": [*OPERANDS, (LEFT, 0, 0, 1, 32, 64), PRODUCT, STORED, (READ_LEFT, 0, 0, 0, 0, 0)],
    "half of a tile below another": [(LOAD_A, 1, 0, 0, 200, 30), *OPERANDS, PRODUCT, STORED],
    "half of a tile above another": [
        (LOAD_A, 1, 0, 0, 200, 30),
        (LOAD_A, 2, 0, 0, 9, 9),
        (LEFT, 0, 1, 0, 0, 0),
        PRODUCT,
    ],
    "the same columns twice": [*OPERANDS, PRODUCT, (LEFT, 0, 0, 0, 0, 64), (MULTIPLY, 0, 0, 1, 0, 0), STORED],
    "the same rows twice": [*OPERANDS, PRODUCT, (RIGHT, 0, 4, 0, 64, 0), (MULTIPLY, 0, 0, 2, 0, 0), STORED],
    "two accumulators": [
        *(*OPERANDS, (MULTIPLY, 1, 0, 0, 0, 0), PRODUCT, (LEFT, 0, 0, 0, 0, 64), (RIGHT, 0, 4, 0, 64, 0)),
        *((MULTIPLY, 1, 0, 1, 0, 0), STORED, (STORE, 1, 0, 0, 0, 0)),
    ],
    "an operand that stays": [*OPERANDS, PRODUCT, (LOAD_A, 0, 0, 0, 70, 10), (MULTIPLY, 0, 0, 1, 0, 0), STORED],
    "memory that changes": [*OPERANDS, (CHANGE, 0, 3, 0, 0, 60), (CHANGE, 0, 5, 0, 20, 0), PRODUCT, STORED],
    "a walk over the accumulator": [*OPERANDS, PRODUCT, (WALK, 0, 0, 0, 0, 0)],
    "a walk that fills the operand": [*OPERANDS, PRODUCT, (FILL, 0, 1, 0, 0, 0), (READ_LEFT, 0, 0, 0, 0, 0), STORED],
    "no step of K after another": [*OPERANDS, PRODUCT, *LOADS, *OPERANDS, (MULTIPLY, 0, 0, 1, 0, 0), STORED],
}


@pytest.mark.parametrize("name", ["bf16", "int8"])
@pytest.mark.parametrize("case", list(CASES))
def test_what_was_put_off_is_done_before(build: Build, name: str, case: str) -> None:
    rng = np.random.default_rng(3)
    lesson = []
    for place in (2, 1, 0):  # what was guessed wrong before is forgotten after some loads
        lesson += [(LOAD_A, place, 0, 0, 1, 2), (LEFT, 0, place, 0, 0, 0)] * 20
    lesson += [*LOADS, *OPERANDS] * 20
    check(
        build("held"),
        name,
        rng,
        [*beginning(rng), *lesson, *CASES[case], (MULTIPLY, 1, 0, 1, 0, 0), (STORE, 1, 0, 0, 0, 0)],
    )
