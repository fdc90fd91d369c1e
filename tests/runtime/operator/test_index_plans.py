"""Native code finds in computed indices the least and the largest number that numpy finds."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyptogen.diagnostics import Span
from pyptogen.runtime.native.binding import NATIVE_SOURCES
from pyptogen.runtime.operator.index_chains import Chain, Step
from pyptogen.runtime.operator.index_plans import NativeBound
from pyptogen.runtime.operator.indices import IndexBound, IndexUse
from pyptogen.runtime.toolchain.compiler import find_compiler

Broken = Callable[[NativeBound, list[np.ndarray[Any, Any]]], bool]
PAIR, ROWS = ((True, 0), (True, 1)), ((True, 0), (False, 0))
TWO = {
    kind: [Step("r", ("i", "j"), kind, PAIR)]
    for kind in ("add", "sub", "mul", "maximum", "minimum", "bitwise_and", "bitwise_or")
}
FLAGS = {
    kind: [
        Step("f", ("i", "j"), kind, PAIR),
        Step("n", ("f",), "cast"),
        Step("r", ("n", "i"), "add", PAIR),
    ]
    for kind in ("lt", "le", "gt", "ge", "eq", "ne")
}
ONE = {kind: [Step("r", ("i",), kind, ((True, 0),))] for kind in ("neg", "abs")}
CHAINS: dict[str, tuple[list[Step], list[list[int]]]] = {
    **{kind: (steps, [[]] * len(steps)) for kind, steps in {**TWO, **FLAGS, **ONE}.items()},
    "where": (
        [Step("f", ("i",), "ge", ROWS), Step("r", ("f", "i", "j"), "where", ((True, 0), (True, 1), (True, 2)))],
        [[0], []],
    ),
    "a number from another": ([Step("r", ("i",), "sub", ((False, 0), (True, 0)))], [[7]]),
    "a sum of flags": (
        [
            Step("f", ("i",), "gt", ROWS), Step("g", ("f",), "cast"), Step("h", ("j",), "gt", ROWS),
            Step("k", ("h",), "cast"), Step("r", ("g", "k"), "add", PAIR),
        ],
        [[0], [], [0], [], []],
    ),
    "a slice": ([Step("r", ("i",), "slice", (2,))], [[1, 3]]),
    "slices of slices": (
        [
            Step("s", ("i",), "slice", (1,)), Step("t", ("s",), "slice", (2,)), Step("u", ("j",), "slice", (1,)),
            Step("v", ("u",), "slice", (2,)), Step("r", ("t", "v"), "mul", PAIR),
        ],
        [[1, 3], [0, 2], [0, 2], [2, 4], []],
    ),
    "rows and columns": ([Step("t", ("j",), "permute", (0, 2, 1)), Step("u", ("t",), "reshape"),
                          Step("r", ("u", "i"), "sub", PAIR)], [[], [2, 3, 4], []]),
    "broadcast": (
        [Step("c", ("i",), "slice", (2,)), Step("d", ("j",), "slice", (0,)), Step("r", ("c", "d"), "add", PAIR)],
        [[1, 2], [1, 2], []],
    ),
    "whole": ([Step("b", ("i",), "whole"), Step("r", ("b",), "mul", ROWS)], [[], [3]]),
    "beyond 64 bits": ([Step("s", ("i",), "add", ROWS), Step("r", ("s",), "mul", ROWS)], [[2**62], [3]]),
}  # fmt: skip
"""Steps from `i` and `j`, each [2, 3, 4], to `r`, and the numbers of each step."""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Broken:
    library = tmp_path_factory.mktemp("bound") / "bound.so"
    source = Path(__file__).parent / "index_bound.cpp"
    flags = ("-std=c++20", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fsanitize=undefined")
    trap = ("-fsanitize-undefined-trap-on-error",)
    said = find_compiler().run([*flags, *trap, f"-I{NATIVE_SOURCES}", str(source), "-o", str(library)])
    assert said.returncode == 0, said.stderr
    ask = ctypes.CDLL(str(library)).broken

    def is_broken(bound: NativeBound, arrays: list[np.ndarray[Any, Any]]) -> bool:
        numbers = bound.numbers((), [array.shape for array in arrays])
        ends = [(a.ctypes.data, a.ctypes.data + a.nbytes, a.itemsize) for a in arrays]
        inputs = [number for end in ends for number in end]
        return bool(ask((ctypes.c_int64 * len(numbers))(*numbers), (ctypes.c_int64 * len(inputs))(*inputs)))

    return is_broken


def bound_of(chain: Chain, least: int, places: int) -> NativeBound:
    use = IndexUse("r", "x", str(places), (), least, "place", 1, Span("spec.yaml", 1, 1, 1, 1))
    return NativeBound(IndexBound(use, chain), tuple("ij".index(name) for name in chain.inputs))


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_the_least_and_the_largest_index(name: str, dtype: Any, broken: Broken) -> None:
    steps, numbers = CHAINS[name]
    inputs = [one for one in "ij" if any(one in step.sources for step in steps)]
    chain = Chain.of(inputs, steps, [[str(n) for n in group] for group in numbers], (), True)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        arrays = [rng.integers(-50, 50, (2, 3, 4), dtype) for _ in "ij"]
        with np.errstate(over="ignore"):
            found = chain.compute(dict(zip("ij", arrays, strict=True)), ())
        least, largest = int(found.min()), int(found.max())
        assert not broken(bound_of(chain, least, largest + 1), arrays)
        assert broken(bound_of(chain, least + 1, largest + 1), arrays)
        assert broken(bound_of(chain, least, largest), arrays)
