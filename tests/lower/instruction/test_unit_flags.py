"""Accumulators that unit flags hand over: what the hardware orders, and kernels that would wait for ever."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from operators.loop_specs import CASES

from lower.instruction.editing import edit, places
from lower.small_programs import lowered, program_of
from pyptogen.lower.instruction import synchronise, unit_flags
from pyptogen.lower.instruction.ir import Choose, Instr, InstrKernel, Node, Phase, SetFlag, WaitFlag, walk
from pyptogen.lower.instruction.known_flags import KnownFlags
from pyptogen.lower.instruction.parser import parse_kernels
from pyptogen.lower.instruction.replay import prove
from pyptogen.lower.instruction.side_by_side import pairs
from pyptogen.lower.pipeline import lower
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec

SPECS = Path(__file__).parents[3] / "specs"
Change = Callable[[Instr], Instr]
PIPES = {("M", "FIX"), ("FIX", "M")}


def product() -> InstrKernel:
    """A product with a K loop, and its store, with flags."""
    return next(k for k in lowered("product", "a2a3").instructions if k.core == "cube")


def with_store(kernel: InstrKernel, change: Change) -> InstrKernel:
    return _changed(kernel, lambda node: isinstance(node, Instr) and node.pipe == "FIX", change)


def with_first_product(kernel: InstrKernel, change: Change) -> InstrKernel:
    return _changed(kernel, lambda node: isinstance(node, Instr) and node.pipe == "M", change)


def with_product(kernel: InstrKernel, change: Change) -> InstrKernel:
    return _changed(kernel, lambda node: isinstance(node, Choose), change)


def _changed(kernel: InstrKernel, wanted: Callable[[Node], bool], change: Change) -> InstrKernel:
    path = next(places(kernel.body, wanted))

    def changed(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Choose):
            return (replace(node, then=change(node.then), other=change(node.other)),)
        assert isinstance(node, Instr)
        return (change(node),)

    return replace(kernel, body=edit(kernel.body, path, changed))


def in_phase(phase: Phase | None) -> Change:
    return lambda instr: replace(instr, phase=phase)


NO_PRODUCT = "waits for a final product of the same tile, and there is none"
NO_STORE = "waits for a final store of the tile before it, and there is none"


def test_no_flag_stands_between_matrix_unit_and_fixpipe() -> None:
    kernel = product()
    flags = [node for node in walk(kernel.body) if isinstance(node, SetFlag | WaitFlag)]
    assert flags
    assert not PIPES & {(flag.src, flag.dst) for flag in flags}
    assert prove(kernel) == []


@pytest.mark.parametrize(
    ("broken", "texts"),
    [
        (with_store(product(), in_phase(None)), {NO_STORE}),
        (with_store(product(), in_phase(Phase("Partial"))), {NO_STORE}),
        (with_product(product(), in_phase(None)), {NO_PRODUCT}),
        (with_product(product(), in_phase(Phase("Partial"))), {NO_PRODUCT}),
        (with_product(product(), in_phase(Phase("Final"))), {NO_STORE}),
    ],
    ids=["plain store", "partial store", "plain product", "partial product", "final in each step"],
)
def test_a_kernel_that_would_wait_for_ever_is_told(broken: InstrKernel, texts: set[str]) -> None:
    found = [finding.text for finding in prove(broken) if finding.kind == "unit flag"]
    assert {text for text in texts if any(text in one for one in found)} == texts


def test_flags_that_stay_set_are_told() -> None:
    """The next kernel on the core would wait for ever."""
    kernel = product()
    store = next(places(kernel.body, lambda node: isinstance(node, Instr) and node.pipe == "FIX"))
    broken = replace(kernel, body=edit(kernel.body, store, lambda node: ()))
    assert any("still set at the end" in finding.text for finding in prove(broken))


TWO = """\
kernel two (cube) on a2a3 stages two
  tensor y: fp32[t, 64] nd
  tensor z: fp32[t, 64] nd
  reads ; writes y, z
  arguments y, z, t
  dims t
  for t0 in 0..t step 64 parallel
    tile l: Left fp16[64, 64] holds 64 x 64, valid 64 x 64 at 0, 8192 bytes of l
    tile r: Right fp16[64, 64] holds 64 x 64, valid 64 x 64 at 0, 8192 bytes of r
    tile a: Acc fp32[64, 64] holds 64 x 64, valid 64 x 64 at 0, 16384 bytes of a
    TMATMUL a, l, r  ; M
    TSTORE y[64 * t0; 64 x 64, strides 64, 1] ND fp32, a  ; FIX
    tile b: Acc fp32[64, 64] holds 64 x 64, valid 64 x 64 at {address}, 16384 bytes of b
    TMATMUL b, l, r  ; M
    TSTORE z[64 * t0; 64 x 64, strides 64, 1] ND fp32, b  ; FIX
"""


@pytest.mark.parametrize(("address", "needed"), [(0, False), (8192, True), (16384, False)])
def test_the_hardware_orders_accesses_to_the_same_bytes_alone(address: int, needed: bool) -> None:
    """Of two accumulators of which one begins inside of the other it knows nothing."""
    (kernel,) = parse_kernels(TWO.format(address=address).replace("reads ; ", "reads y; "))
    found = synchronise.run(unit_flags.run(kernel))
    flags = {(node.src, node.dst) for node in walk(found.body) if isinstance(node, SetFlag)}
    assert bool(flags & PIPES) == needed
    assert prove(found) == []


def test_kernels_in_which_other_tiles_are_handed_over_have_plans_of_their_own() -> None:
    """What is known of flags is known by what is handed over, too."""
    (kernel,) = parse_kernels(TWO.format(address=0).replace("reads ; ", "reads y; "))
    handed, known = unit_flags.run(kernel), KnownFlags()
    some = with_store(with_first_product(handed, in_phase(None)), in_phase(None))
    found = [synchronise.run(one, known) for one in (handed, some, kernel)]
    assert [len([n for n in walk(one.body) if isinstance(n, SetFlag)]) > 0 for one in found] == [False, True, True]


def test_other_texts_have_flags_in_their_place() -> None:
    kernel = product()
    plain = synchronise.with_flags_only(kernel)
    assert not any(isinstance(n, Instr) and n.phase is not None for n in walk(plain.body))
    assert {(n.src, n.dst) for n in walk(plain.body) if isinstance(n, SetFlag)} >= PIPES
    assert prove(plain) == []
    assert synchronise.with_flags_only(plain) is plain


def test_both_programs_of_a_mixed_kernel_see_a_fifo_with_unit_flags() -> None:
    ((cube, vector), *_) = pairs(lower(program_of(CASES["attention_rings"].text), "a2a3").instructions)
    assert any(fifo.unit_flags for fifo in cube.fifos)
    assert cube.fifos == vector.fifos
    assert all(fifo.unit_flags == (fifo.to == "vector") for fifo in cube.fifos)


def test_a_platform_without_unit_flags_has_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLATFORMS, "a2a3", replace(PLATFORMS["a2a3"], unit_flags=False))
    kernel = lower(from_spec(load_spec(SPECS / "matmul_fp32.yaml")), "a2a3").instructions[0]
    assert {(n.src, n.dst) for n in walk(kernel.body) if isinstance(n, SetFlag)} >= PIPES
