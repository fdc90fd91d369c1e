"""The interpreter finds what is wrong with programs that were right before somebody changed them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lower.instruction.editing import (
    changed,
    declares,
    dropped,
    effects,
    move_window,
    places,
    runs,
    with_kernel,
    with_parts,
)
from lower.small_programs import lowered
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Choose, Declare, For, GmWindow, Instr, Mode, Node
from pyptogen.lower.tile.ir import Extent
from pyptogen.simulate.fault import MachineFault
from pyptogen.simulate.graph import interpret

ROWS = 21


def fused_arrays() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    bf16 = ml_dtypes.bfloat16
    return {
        "a": rng.normal(size=(ROWS, 64)).astype(bf16),
        "b": rng.normal(size=(64, 32)).astype(bf16),
        "c": rng.normal(size=32).astype(np.float32),
    }


def fault_of(program: Lowered) -> MachineFault:
    with pytest.raises(MachineFault) as caught:
        interpret(program, fused_arrays())
    fault = caught.value
    assert fault.span.file == "demo.yaml"
    assert f"demo.yaml:{fault.span.line}:" in str(fault)
    return fault


def retyped(**fields: Any) -> Callable[[Node], Node]:
    def change(node: Node) -> Node:
        assert isinstance(node, Declare)
        return replace(node, type=replace(node.type, **fields))

    return change


def moved(by: int) -> Callable[[Node], Node]:
    def change(node: Node) -> Node:
        assert isinstance(node, Declare)
        return replace(node, address=node.address + by)

    return change


def windowed(**fields: Any) -> Callable[[Node], Node]:
    return lambda node: move_window(node, lambda window: replace(window, **fields))


def shifted(by: int) -> Callable[[Node], Node]:
    return lambda node: move_window(node, lambda w: replace(w, offset=w.offset + by))


CPU = "linear_to_scale"


def of_cpu(wanted: Callable[[Node], bool], change: Callable[[Node], Node]) -> Lowered:
    return changed(lowered("fused", "cpu"), CPU, wanted, change)


def test_names_of_the_kernels() -> None:
    """The tests below change kernels and tiles by these names."""
    assert [k.name for k in lowered("fused", "cpu").instructions] == [CPU]
    assert [k.name for k in lowered("fused", "a2a3").instructions] == ["linear", "scale"]


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_every_instruction_is_needed(target: str) -> None:
    program = lowered("fused", target)
    assert set(interpret(program, fused_arrays())) == {"y", "s"}
    for kernel in program.instructions:
        for path in places(kernel.body, lambda node: isinstance(node, Instr | Choose)):
            fault = fault_of(with_kernel(program, dropped(kernel, path)))
            assert fault.kind in ("unwritten", "overlap", "order"), f"without the node at {path}: {fault}"


@pytest.mark.parametrize("by", [32, 64, 512, 1024])
@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_every_vector_tile_at_another_address(target: str, by: int) -> None:
    """A shift is found, or it moved the tile to where nothing else lives: then the results stay the same."""
    program = lowered("fused", target)
    want = interpret(program, fused_arrays())
    found = 0
    for kernel in program.instructions:
        for path in places(kernel.body, lambda node: isinstance(node, Declare) and node.type.loc == "Vec"):
            name = _declared(kernel.body, path)
            try:
                got = interpret(changed(program, kernel.name, declares(name), moved(by)), fused_arrays())
            except MachineFault:
                found += 1
                continue
            for output, array in got.items():
                np.testing.assert_array_equal(array, want[output], err_msg=f"{name} moved by {by}")
    assert found >= 3


def _declared(nodes: tuple[Node, ...], path: tuple[int, ...]) -> str:
    node = nodes[path[0]]
    if len(path) > 1:
        assert isinstance(node, For)
        return _declared(node.body, path[1:])
    assert isinstance(node, Declare)
    return node.name


def test_an_operand_that_overwrites_another() -> None:
    program = lowered("fused", "a2a3")
    fault = fault_of(changed(program, "linear", declares("b_tile"), moved(-3072)))
    assert fault.kind == "order", "the flags were made for the old address"
    unguarded = with_parts(program, target="cpu")
    with pytest.raises(MachineFault, match="after `b_tile` overwrote it") as caught:
        interpret(changed(unguarded, "linear", declares("b_tile"), moved(-3072)), fused_arrays())
    assert (caught.value.kind, caught.value.memory) == ("overlap", "Mat")


def test_tiles_outside_their_memory() -> None:
    for by in (-(1 << 24), 1 << 24):
        fault = fault_of(of_cpu(lambda n: isinstance(n, Declare) and n.type.loc == "Vec", moved(by)))
        assert fault.kind == "capacity"
        assert "leaves its memory" in fault.what


def test_more_valid_than_the_type_has() -> None:
    fault = fault_of(of_cpu(lambda n: isinstance(n, Declare) and n.type.loc == "Vec", retyped(rows=0)))
    assert fault.kind == "capacity"
    assert "valid elements of 0 x" in fault.what


@pytest.mark.parametrize(
    ("wanted", "change", "kind", "memory"),
    [
        (effects("TLOAD", "c"), windowed(cols=Extent(33)), "bounds", "GM c"),
        (effects("TLOAD", "c"), shifted(1), "bounds", "GM c"),
        (effects("TLOAD", "c"), shifted(-1), "bounds", "GM c"),
        (effects("TLOAD", "c"), windowed(cols=Extent(16)), "extent", ""),
        (effects("TLOAD", "c"), windowed(dtype="int32"), "dtype", "GM c"),
        (effects("TLOAD", "b"), shifted(32 * 32 * 2), "bounds", "GM b"),
        (effects("TLOAD", "a"), windowed(row_stride=Poly.of(65)), "bounds", "GM a"),
        (effects("TSTORE", "y"), shifted(32), "bounds", "GM y"),
        (effects("TSTORE", "y"), windowed(row_stride=Poly.of(31)), "unwritten", "GM y"),
        (effects("TSTORE", "y"), windowed(tensor="a"), "bounds", ""),
        (effects("TLOAD", "c"), windowed(tensor="elsewhere"), "bounds", ""),
    ],
)  # fmt: skip
def test_windows(wanted: Callable[[Node], bool], change: Callable[[Node], Node], kind: str, memory: str) -> None:
    fault = fault_of(of_cpu(wanted, change))
    assert (fault.kind, fault.memory) == (kind, memory), str(fault)
    if memory and kind == "bounds":
        assert re.search(r"0x-?[0-9a-f]+\.\.0x[0-9a-f]+", str(fault))


def test_dtypes_that_differ() -> None:
    fault = fault_of(of_cpu(lambda n: isinstance(n, Declare) and n.type.loc == "Acc", retyped(dtype="int32")))
    assert fault.kind == "dtype"
    assert fault.instr.startswith("TMATMUL")


def test_the_wrong_half_of_a_choice() -> None:
    """TMATMUL_ACC in the first step of K adds to what nobody wrote."""

    def always_other(node: Node) -> Node:
        assert isinstance(node, Choose)
        return replace(node, then=node.other)

    fault = fault_of(of_cpu(runs("TMATMUL"), always_other))
    assert fault.kind == "unwritten"
    assert fault.memory == "Acc"
    assert fault.instr.startswith("TMATMUL_ACC")


def test_a_launch_range_left_out() -> None:
    program = lowered("fused", "a2a3")
    cuts = tuple(replace(cut, sizes=(16,)) for cut in program.execution.cuts)
    fault = fault_of(with_parts(program, execution=replace(program.execution, cuts=cuts)))
    assert fault.kind == "unwritten"
    assert "no kernel writes" in fault.what


def test_a_launch_that_waits_for_nobody() -> None:
    program = lowered("fused", "a2a3")
    plans = tuple(tuple(replace(launch, after=()) for launch in plan) for plan in program.execution.plans)
    fault = fault_of(with_parts(program, execution=replace(program.execution, plans=plans)))
    assert fault.kind == "order"
    assert "`scale` reads `p` and does not wait for `linear`" in fault.what


def test_rows_of_another_launch_range() -> None:
    """A kernel of the second launch range that reads what the first wrote has nothing to wait for."""
    program = lowered("fused", "a2a3")

    def from_the_start(window: GmWindow) -> GmWindow:
        return replace(window, offset=Poly())

    fault = fault_of(changed(program, "scale", effects("TLOAD", "p"), lambda n: move_window(n, from_the_start)))
    assert fault.kind == "order"
    assert "another launch range" in fault.what


def test_a_rounding_mode_changes_the_result() -> None:
    """The modes of casts are looked at: an edit that is legal is not a fault, but gives other numbers."""

    def floor(node: Node) -> Node:
        assert isinstance(node, Instr)
        return replace(node, operands=tuple(Mode("floor") if isinstance(o, Mode) else o for o in node.operands))

    got = interpret(of_cpu(runs("TCVT"), floor), fused_arrays())
    assert (got["y"] != interpret(lowered("fused", "cpu"), fused_arrays())["y"]).any()
