"""How long loops are, and how far their iterations overlap, in the model that compares tilings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lower.instruction.editing import edit, places
from lower.small_programs import library, lowered
from pyptogen.diagnostics import Span
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.duration import duration
from pyptogen.lower.instruction.estimate import Lengths, estimate, nominal_dims
from pyptogen.lower.instruction.ir import Declare, For, InstrKernel, Node
from pyptogen.lower.platforms import PLATFORMS

SPAN = Span("demo.yaml", 3, 1, 3, 2)
A2A3 = PLATFORMS["a2a3"]


def loop(var: str, start: Poly, stop: Poly, step: int, valid: str | None = None, **more: tuple[str, str]) -> For:
    return For(var, start, stop, step, valid, False, (), "", SPAN, **more)  # type: ignore[arg-type]


def kernel_of(operator: str, name: str) -> InstrKernel:
    return next(k for k in lowered(operator, "a2a3").instructions if k.name == name)


@pytest.mark.parametrize(("rows", "rounds", "inner", "shared"), [(40, 3, 16, 8), (16, 1, 16, 8), (5, 1, 5, 3)])
def test_a_loop_over_rows_has_those_of_its_tile(rows: int, rounds: int, inner: int, shared: int) -> None:
    kernel = replace(kernel_of("softmax", "softmax"), launch_dim="t", dims=("t", "kv"))
    tiles = loop("t0", Poly.of("t_begin"), Poly.of("t_end"), 16, "t0_valid", half=("t0_first", "t0_half"))
    lengths = Lengths(rows, {"kv": 100})
    assert lengths.trips(tiles, kernel) == rounds
    inside = lengths.inside(tiles, kernel)
    assert inside.trips(loop("row", Poly.of(0), Poly.of("t0_valid"), 1), kernel) == inner
    assert inside.trips(loop("row", Poly.of(0), Poly.of("t0_half"), 1), kernel) == shared
    assert inside.trips(loop("kv0", Poly.of(0), Poly.of("kv"), 32), kernel) == 4


def test_dims_beside_the_launch_dim_count() -> None:
    kernel = kernel_of("flash_attention", "flash_attention_vec")
    short, long = (estimate(kernel, A2A3, 128, {"kv": keys}) for keys in (512, 4096))
    assert short is not None
    assert long is not None
    assert long.pipes["V"] > 7 * short.pipes["V"]


def test_nominal_dims() -> None:
    program = library("flash_attention")
    found = nominal_dims(program.dims)
    assert found == {dim.name: min(dim.max, 4096) for dim in program.dims if dim.value is None}
    assert found


def test_a_tile_without_copies_holds_a_loop_up() -> None:
    """Of one that rotates the next round's load goes on meanwhile."""
    kernel = kernel_of("softmax", "softmax")
    body = kernel.body
    rotating = list(places(body, lambda n: isinstance(n, Declare) and "rows0_buffer" in str(n.address)))
    assert rotating

    def still(node: Node) -> tuple[Node, ...]:
        assert isinstance(node, Declare)
        return (replace(node, address=Poly.of(0)),)

    for path in rotating:
        body = edit(body, path, still)
    before, after = (duration(k, A2A3, 4096, {}) for k in (kernel, replace(kernel, body=body)))
    assert before is not None
    assert after is not None
    assert after > 1.05 * before
