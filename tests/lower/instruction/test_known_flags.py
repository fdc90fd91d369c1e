"""Flags that are taken from another kernel are those that the kernel would get itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lower.instruction.test_synchronise import KERNELS, kernel_of, without_sync
from lower.small_programs import elementwise, lowered
from pyptogen.codegen import generate
from pyptogen.lower.instruction.effects import KernelEffects
from pyptogen.lower.instruction.ir import Barrier, Declare, For, Instr, InstrKernel, Node, walk
from pyptogen.lower.instruction.known_flags import MOST, KnownFlags, Plan, question
from pyptogen.lower.instruction.synchronise import planned
from pyptogen.lower.instruction.synchronise import run as synchronise


def bare(kernel: InstrKernel) -> InstrKernel:
    return replace(kernel, body=without_sync(kernel.body))


def asked(kernel: InstrKernel) -> object:
    return question(kernel, KernelEffects(kernel)).asks


def test_flags_do_not_hang_on_what_was_planned_before() -> None:
    known = KnownFlags()
    for operator, name in KERNELS:
        kernel = bare(kernel_of(operator, name))
        assert planned(kernel, known) == planned(kernel)
        assert synchronise(kernel, known) == synchronise(kernel)
    assert len(known.proved.known) <= len(KERNELS)


def test_kernels_of_other_sizes_ask_the_same() -> None:
    """The second is not planned: its flags are those of the first, moved."""
    small, large = (bare(generate(elementwise(text), "a2a3").instructions[0]) for text in ("y: x + x", "y: x * x"))
    assert small != large
    known = KnownFlags()
    synchronise(small, known)
    (flags,) = known.proved.known.values()
    assert asked(small) == asked(large)
    assert synchronise(large, known) == synchronise(large)
    assert list(known.proved.known.values()) == [flags]


@pytest.mark.parametrize("operator", ["softmax", "indexer_prolog", "matmul_bf16"])
def test_a_plan_that_goes_on_leaves_the_known_one_as_it_is(operator: str) -> None:
    known = KnownFlags()
    for kernel in map(bare, lowered(operator, "a2a3").instructions):
        before = planned(kernel, known)
        synchronise(kernel, known)
        assert planned(kernel, known) == before


def test_what_asks_for_other_flags_is_another_question() -> None:
    kernels = [bare(kernel_of(operator, name)) for operator, name in KERNELS]
    flags = {asked(kernel): planned(kernel) for kernel in kernels}
    assert len(flags) > 4
    (kernel,) = generate(elementwise("y: x + x"), "a2a3").instructions
    single = bare(kernel)
    loop = next(n for n in single.body if type(n).__name__ == "For")
    once = replace(single, body=tuple(replace(n, slot=None, slots=1) if n is loop else n for n in single.body))
    assert asked(once) != asked(single)
    assert asked(replace(single, platform="cpu")) != asked(single)


def test_which_accesses_touch_the_same_bytes_is_part_of_the_question() -> None:
    """All tiles in one place: the same instructions in the same loops, and more has to wait."""
    (kernel,) = generate(elementwise("y: x + x"), "a2a3").instructions
    apart = bare(kernel)
    assert asked(in_one_place(apart)) != asked(apart)


def in_one_place(kernel: InstrKernel) -> InstrKernel:
    first = next(node for node in walk(kernel.body) if isinstance(node, Declare))

    def moved_nodes(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(
            replace(node, address=first.address)
            if isinstance(node, Declare)
            else replace(node, body=moved_nodes(node.body))
            if isinstance(node, For)
            else node
            for node in nodes
        )

    return replace(kernel, body=moved_nodes(kernel.body))


def test_what_goes_on_with_a_known_plan_changes_a_copy() -> None:
    (kernel,) = generate(elementwise("y: x + x"), "a2a3").instructions
    known = KnownFlags()
    planned(bare(kernel), known)
    ((plan, _),) = known.begun.known.values()
    flags = plan.flags
    before = list(flags.orders), dict(flags.barriers), {at: list(syncs) for at, syncs in flags.places.items()}
    other = plan.moved(bare(kernel), question(bare(kernel), KernelEffects(bare(kernel))))
    assert other.orders
    other.add(replace(other.orders[0], first=other.orders[0].then + 1))
    other.orders.clear()
    other.places.clear()
    other.barriers[0,] = Barrier("V", kernel.span)
    assert (flags.orders, flags.barriers, flags.places) == before


def test_kernels_of_other_operators_ask_the_same_with_lines_of_their_own() -> None:
    """The graph of the second stands one line further down: its flags point at its own lines."""
    first, second = (
        bare(generate(elementwise(text), "a2a3").instructions[0]) for text in ("y: x + x", "# a comment\ny: x + x")
    )
    lines = [{node.span.line for node in walk(kernel.body) if isinstance(node, Instr)} for kernel in (first, second)]
    assert lines[0].isdisjoint(lines[1])
    known = KnownFlags()
    synchronise(first, known)
    assert synchronise(second, known) == synchronise(second)
    assert len(known.proved.known) == 1


def test_a_process_keeps_so_many_answers() -> None:
    known = KnownFlags()
    (kernel,) = generate(elementwise("y: x + x"), "a2a3").instructions
    asked = question(bare(kernel), KernelEffects(bare(kernel)))
    synchronise(bare(kernel), known)
    (plan,) = known.proved.known.values()
    for number in range(MOST):
        known.proved.keep((number,), Plan(plan.flags, asked.spans))
    assert len(known.proved.known) <= MOST
