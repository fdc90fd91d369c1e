"""Copies of buffers: which tiles rotate, how deep, what gives way where memory is short, and unchanged numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lower.instruction.editing import edit, places
from lower.small_programs import elementwise, elementwise_arrays, program_of
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower import pipeline
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Declare, For, InstrKernel, Node, SetFlag, WaitFlag, walk
from pyptogen.lower.instruction.replay import Replay, Trips
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.simulate.graph import interpret
from pyptogen.simulate.tensor import interpret as golden

PRODUCT = """\
pyptogen: 1
operator: product
dims: {{m: {{min: 1, max: 4096}}, k: {k}, n: 256}}
inputs: {{a: "bf16[m, k]", b: "bf16[k, n] @ nz"}}
outputs: {{c: "fp32[m, n]"}}
graph: {{c: "matmul(a, b, dtype=fp32)"}}
tiling: [{{m: {{tile: 16, tail: mask}}, k: {{l1: 128, l0: 64}}, n: 64}}]
{more}
"""
ROWS = """\
pyptogen: 1
operator: rows
dims: {{t: {{min: 1, max: 4096}}, d: {d}}}
inputs: {{x: "fp32[t, d]"}}
outputs: {{y: "fp32[t, d]"}}
graph: {{y: "exp(x) * 2"}}
tiling: [{{t: {{tile: 8, tail: mask}}}}]
{more}
"""

BUFFERS = "schedule: {{buffers: {{{stage}: {depth}}}}}"


def kernel_of(text: str) -> InstrKernel:
    (kernel,) = pipeline.lower(program_of(text), "a2a3").instructions
    return kernel


def counters(kernel: InstrKernel) -> dict[str, int]:
    return {n.slot: n.slots for n in walk(kernel.body) if isinstance(n, For) and n.slot is not None}


def rotating(kernel: InstrKernel) -> dict[str, set[str]]:
    """The counters in each tile's address."""
    return {n.name: set(n.address.names()) for n in walk(kernel.body) if isinstance(n, Declare)}


def test_a_product_rotates_on_every_level() -> None:
    kernel = kernel_of(PRODUCT.format(k=512, more=BUFFERS.format(stage="product", depth=2)))
    assert counters(kernel) == {"n0_buffer": 2, "k0_buffer": 2, "k1_buffer": 2}
    found = rotating(kernel)
    assert found["a_tile"] == found["b_tile"] == {"k0_buffer"}
    assert found["a_tile_l0a"] == found["b_tile_l0b"] == {"k1_buffer"}


def test_a_double_buffered_k_loop_takes_four_pairs() -> None:
    kernel = kernel_of(PRODUCT.format(k=512, more=""))
    loop = next(n for n in walk(kernel.body) if isinstance(n, For) and n.var == "k0")
    pairs = [(n.src, n.dst) for n in walk(loop.body) if isinstance(n, SetFlag)]
    assert sorted(pairs) == [("M", "MTE1"), ("MTE1", "M"), ("MTE1", "MTE2"), ("MTE2", "MTE1")]
    assert all(n.slot is not None for n in walk(loop.body) if isinstance(n, SetFlag | WaitFlag))


@pytest.mark.parametrize(("depth", "tiles"), [(1, set()), (3, {"x_tile", "y_tile"})])
def test_the_author_says_how_many(depth: int, tiles: set[str]) -> None:
    kernel = kernel_of(ROWS.format(d=64, more=BUFFERS.format(stage="rows", depth=depth)))
    assert set(counters(kernel).values()) == ({depth} if tiles else set())
    assert {name for name, names in rotating(kernel).items() if names} == tiles


@pytest.mark.parametrize(("loops", "places"), [(2, 2), (5, 1)], ids=["disjoint", "by loop"])
def test_loops_in_a_row_have_their_copies_in_one_place_where_memory_is_short(loops: int, places: int) -> None:
    """72 KB each with two copies: two of them lie beside each other in 184 KB, five follow each other."""
    inputs = [f"x{at}" for at in range(loops)]
    parts = ", ".join(f"reshape({name}[:, ::2], [1, t, 256])" for name in inputs)
    text = f"""\
pyptogen: 1
operator: halves
dims: {{t: {{min: 1, max: 4096}}}}
inputs: {{{", ".join(f'{name}: "fp32[t, 512]"' for name in inputs)}}}
outputs: {{y: "fp32[{loops}, t, 256]"}}
graph: {{y: "concat({parts}, axis=0)"}}
"""
    program = program_of(text)
    result = pipeline.lower(program, "a2a3")
    (kernel,) = result.instructions
    assert list(counters(kernel).values()) == [2] * loops
    loaded = [n for n in walk(kernel.body) if isinstance(n, Declare) and n.name.endswith("_between")]
    assert (
        len({min(n.address.evaluate(dict.fromkeys(counters(kernel), at)) for at in (0, 1)) for n in loaded}) == places
    )
    arrays = {
        name: np.random.default_rng(at).normal(size=(40, 512)).astype(np.float32) for at, name in enumerate(inputs)
    }
    np.testing.assert_array_equal(interpret(result, arrays)["y"], np.stack([x[:, ::2] for x in arrays.values()]))


@pytest.mark.parametrize(
    ("columns", "copies", "places"),
    [
        (256, 4, 3),  # apart: four of x, four of y, one between; they are worth it by the model
        (2048, 2, 1),  # in place: 64 KB a tile, two copies of the whole chain
        (4096, 1, 1),  # tight: 128 KB a tile
    ],
)
def test_overlap_gives_way_to_memory(columns: int, copies: int, places: int) -> None:
    kernel = kernel_of(ROWS.format(d=columns, more=""))
    assert max(counters(kernel).values(), default=1) == copies
    tiles = [n for n in walk(kernel.body) if isinstance(n, Declare)]
    assert len({tuple(t.address.terms) for t in tiles}) == places
    assert dict(kernel.occupancy)["ub"] <= 184 * 1024


@pytest.mark.parametrize(("k", "unit_flags", "copies"), [(64, False, 4), (8192, False, 2), (64, True, 2)])
def test_copies_hide_what_transfers_wait_for(
    k: int, unit_flags: bool, copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without unit flags an accumulator is free once its store has settled, which takes longer than a product of little
    depth."""
    monkeypatch.setitem(PLATFORMS, "a2a3", replace(PLATFORMS["a2a3"], unit_flags=unit_flags))
    text = PRODUCT.format(k=k, more="").replace("m: {tile: 16, tail: mask}", "m: {tile: 128, tail: mask}")
    assert counters(kernel_of(text))["n0_buffer"] == copies


def test_what_does_not_fit_is_still_named() -> None:
    with pytest.raises(DiagnosticError, match="PTG301"):
        kernel_of(ROWS.format(d=8192, more=""))


def test_copies_that_were_asked_for_and_do_not_fit_are_named() -> None:
    """Three of 64 KB each: the compiler's own two would have become one."""
    with pytest.raises(DiagnosticError, match="PTG301") as caught:
        kernel_of(ROWS.format(d=2048, more=BUFFERS.format(stage="rows", depth=3)))
    (diagnostic,) = caught.value.diagnostics
    assert "x_tile 196608 B" in diagnostic.expected
    assert "fewer copies in `buffers`" in diagnostic.fix


def test_tiles_are_chosen_so_that_the_copies_fit() -> None:
    text = ROWS.format(d=2048, more=BUFFERS.format(stage="rows", depth=3)).replace("{t: {tile: 8, tail: mask}}", "{}")
    kernel = kernel_of(text)
    assert set(counters(kernel).values()) == {3}


def test_what_a_core_runs_once_stays_single() -> None:
    text = ROWS.format(d=64, more="").replace("{tile: 8, tail: mask}", "{unroll: [8, 4, 2, 1]}")
    assert counters(kernel_of(text)) == {}


@pytest.mark.parametrize("rows", [1, 8, 16, 17, 40])
@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_numbers_do_not_change(rows: int, blocks: int, depth: int) -> None:
    program = program_of(PRODUCT.format(k=384, more=BUFFERS.format(stage="product", depth=depth)))
    rng = np.random.default_rng(rows)
    arrays = {
        "a": rng.uniform(-1, 1, (rows, 384)).astype(NUMPY_DTYPES["bf16"]),
        "b": rng.uniform(-1, 1, (384, 256)).astype(NUMPY_DTYPES["bf16"]),
    }
    got = interpret(pipeline.lower(program, "a2a3"), arrays, blocks=blocks)["c"]
    np.testing.assert_allclose(got, golden(program, arrays)["c"], rtol=1e-5, atol=1e-5)


def test_an_address_that_does_not_rotate_is_a_race() -> None:
    """The flags are made for copies: with one of them left out, the next load is not ordered after the last use."""
    kernel = kernel_of(PRODUCT.format(k=512, more=""))
    path = next(places(kernel.body, lambda n: isinstance(n, Declare) and n.name == "a_tile"))

    def still(node: Node) -> tuple[Node, ...]:
        assert isinstance(node, Declare)
        return (replace(node, address=Poly.of(0)),)

    body = edit(kernel.body, path, still)
    found: list[str] = []
    Replay(replace(kernel, body=body), Trips((3,)), on_find=lambda f: found.append(f.kind)).run()
    assert "race" in found


def test_what_all_iterations_read_is_loaded_once() -> None:
    program = elementwise("y: x * c + s")
    lowered = pipeline.lower(program, "a2a3")
    (kernel,) = lowered.instructions
    outside = [n.name for n in kernel.body if isinstance(n, Declare)]
    assert outside
    assert all(rotating(kernel)[name] == set() for name in outside)
    arrays = elementwise_arrays(37)
    np.testing.assert_array_equal(interpret(lowered, arrays)["y"], golden(program, arrays)["y"])
