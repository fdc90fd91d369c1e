"""Tiles of different layouts on the same bytes agree with the layouts as the API defines them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .arrays import pointer
from .conftest import Build

SIDE = 64
LAYOUTS = ("rows", "columns", "nz", "zn", "zz", "nn")
TYPES = {"alias_mat_2": np.uint16, "alias_vec_4": np.uint32, "alias_mat_1": np.uint8}


def places(layout: str, size: int, rows: int = SIDE, cols: int = SIDE) -> np.ndarray:
    """Where element (r, c) of a tile lies, in elements: boxes of 16 lines of 32 bytes."""
    r, c = np.indices((rows, cols))
    line = 32 // size
    along_rows = layout in ("nz", "zz")
    height, width = (16, line) if along_rows else (line, 16)
    inside = r % height * width + c % width if along_rows else c % width * height + r % height
    return {
        "rows": r * cols + c,
        "columns": c * rows + r,
        "nz": c // width * rows * width + r // height * height * width + inside,
        "nn": c // width * rows * width + r // height * height * width + inside,
        "zn": r // height * cols * height + c // width * height * width + inside,
        "zz": r // height * cols * height + c // width * height * width + inside,
    }[layout]


@pytest.mark.parametrize("name", list(TYPES))
def test_every_pair_of_layouts(build: Build, name: str) -> None:
    native = getattr(build("aliases"), name)
    rng = np.random.default_rng(5)
    dtype = np.dtype(TYPES[name])
    for written, seen in itertools.product(range(len(LAYOUTS)), repeat=2):
        for load, store, reshape in itertools.product((0, 1), repeat=3):
            matrix = rng.integers(0, 100, (SIDE, SIDE)).astype(dtype)
            out = np.zeros_like(matrix)
            native(pointer(out), pointer(matrix), written, seen, load, store, reshape)
            image = np.empty(SIDE * SIDE, dtype)
            image[places(LAYOUTS[written], dtype.itemsize)] = matrix
            expected = image[places(LAYOUTS[seen], dtype.itemsize)]
            assert np.array_equal(out, expected), (LAYOUTS[written], LAYOUTS[seen], load, store, reshape)


LOAD, STORE, SET, GET = range(4)
STEPS = st.lists(
    st.tuples(
        st.integers(0, len(LAYOUTS) - 1),
        st.sampled_from([0, SIDE * SIDE]),  # the second tile begins in the middle of the first
        st.booleans(),
        st.sampled_from([-1, 0, 16, 32]),
        st.sampled_from([LOAD, LOAD, STORE, STORE, SET, GET]),
        st.integers(0, SIDE // 2 - 1),
        st.integers(0, SIDE // 2 - 1),
    ),
    min_size=1,
    max_size=30,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_views_of_one_memory(build: Build, steps: list[tuple[int, int, bool, int, int, int, int]]) -> None:
    """Programs of TASSIGN, TRESHAPE, TSUBVIEW and accesses of their tiles, against one array of elements."""
    native = build("aliases").view
    image = np.zeros(3 * SIDE * SIDE // 2, np.uint16)
    number = 0
    for address in (0, SIDE * SIDE):
        native(0, address, 0, -1, LOAD, pointer(np.zeros(SIDE * SIDE, np.uint16)), 0, 0)
    for step in [*steps, (0, 0, False, -1, STORE, 0, 0), (0, SIDE * SIDE, False, -1, STORE, 0, 0)]:
        layout, address, reshape, part, access, row, col = step
        name = LAYOUTS[layout]
        by_rows = name in ("rows", "zn", "zz")
        shape = (SIDE, SIDE) if part < 0 else (SIDE // 2, SIDE) if by_rows else (SIDE, SIDE // 2)
        seen = image[address // 2 + max(part, 0) * SIDE :]
        where = places(name, 2, *shape)
        writes = access in (LOAD, SET)
        data = (np.arange(number, number + where.size) if writes else np.zeros(where.size)).astype(np.uint16)
        native(layout, address, int(reshape), part, access, pointer(data), row, col)
        if access == LOAD:
            seen[where] = data.reshape(shape)
            number += where.size
        elif access == SET:
            seen[where[row, col]] = data[0]
            number += 1
        elif access == STORE:
            assert np.array_equal(data.reshape(shape), seen[where]), step
        else:
            assert data[0] == seen[where[row, col]], step
