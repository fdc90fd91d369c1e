"""The replay's short ways say what the long way says, of kernels that are in order and of kernels that are not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from lower.instruction.editing import dropped, edit, places
from lower.small_programs import lowered
from pyptogen.lower.instruction import in_order
from pyptogen.lower.instruction.effects import Effects, KernelEffects
from pyptogen.lower.instruction.in_order import all_in_order, first_finding, is_in_order
from pyptogen.lower.instruction.ir import Barrier, Choose, For, Instr, InstrKernel, Node, SetFlag, WaitFlag
from pyptogen.lower.instruction.replay import Replay, Trips, _Past, trip_counts


class _LongWay(Replay):
    def _unordered(self, me: int, instr: Instr, effects: Effects) -> list[_Past]:
        return self._looked_for(me, instr, effects)


def findings(kind: type[Replay], kernel: InstrKernel, trips: Trips, effects: KernelEffects) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    kind(kernel, trips, on_find=lambda f: found.append((f.kind, f.text)), effects=effects).run()
    return found


def _later(node: Node) -> tuple[Node, ...]:
    return (replace(node, event=node.event + 1),) if isinstance(node, SetFlag | WaitFlag) else (node, node)


def _without_phase(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Choose):
        return (replace(node, other=replace(node.other, phase=None)),)
    assert isinstance(node, Instr)
    return (replace(node, phase=None),)


def _has_phase(node: Node) -> bool:
    instr = node.other if isinstance(node, Choose) else node
    return isinstance(instr, Instr) and instr.phase is not None


def variants(kernel: InstrKernel) -> Iterator[InstrKernel]:
    """The kernel, and without each of its flags and barriers, with another event in its place, and without each of its
    phases."""
    yield kernel
    for path in places(kernel.body, _has_phase):
        yield replace(kernel, body=edit(kernel.body, path, _without_phase))
    for path in places(kernel.body, lambda node: isinstance(node, SetFlag | WaitFlag | Barrier)):
        yield dropped(kernel, path)
        yield replace(kernel, body=edit(kernel.body, path, _later))


@pytest.mark.parametrize("long", [0, 1_000_000], ids=["iterations known", "all walked"])
@pytest.mark.parametrize(
    ("operator", "name"),
    [("softmax", "softmax"), ("fused", "scale"), ("product", "product"), ("index_add", None)],
)
def test_yes_or_no_is_what_the_replay_finds(
    operator: str, name: str | None, long: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_order, "_LONG", long)
    kernels = lowered(operator, "a2a3").instructions
    kernel = next((k for k in kernels if k.name == name), kernels[0])
    walks, answers = sorted(trip_counts(kernel), key=lambda trips: sum(trips.counts))[1:4], set[bool]()
    for variant in variants(kernel):
        fresh, effects = KernelEffects(variant), KernelEffects(variant)
        for trips in walks:
            found = findings(_LongWay, variant, trips, fresh)
            assert is_in_order(variant, trips, effects) == (not found)
            assert findings(Replay, variant, trips, effects) == found
            answers.add(not found)
        assert all_in_order(variant, walks, effects) == all(is_in_order(variant, t, effects) for t in walks)
    assert answers == {True, False}


@pytest.mark.parametrize(
    ("operator", "name"), [("softmax", "softmax"), ("product", "product"), ("index_add", None), ("matmul_bf16", None)]
)
def test_known_iterations_change_no_answer(operator: str, name: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long walks first, in which most iterations are known, of kernels with a flag less or another one."""
    kernels = lowered(operator, "a2a3").instructions
    kernel = next((k for k in kernels if k.name == name), kernels[0])
    walks = [Trips((7,)), Trips((2, 7)), Trips((3, 3, 6)), *reversed(trip_counts(kernel))]
    answers = set[object]()
    for variant in variants(kernel):
        effects, found = KernelEffects(variant), []
        for long in (0, 1_000_000):
            monkeypatch.setattr(in_order, "_LONG", long)
            found.append([first_finding(variant, walks[at:], effects) for at in range(4)])
        assert found[0] == found[1]
        answers.add(str(found[0]))
    assert len(answers) > 1


@pytest.mark.parametrize("long", [0, 1_000_000])
def test_what_known_iterations_did_is_not_forgotten(long: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the loop a load into a tile that its last iterations may still read."""
    (kernel,) = lowered("softmax", "a2a3").instructions
    at, loop = next((at, node) for at, node in enumerate(kernel.body) if isinstance(node, For))
    load = next(node for node in loop.body if isinstance(node, Instr))
    early = replace(kernel, body=(*kernel.body[: at + 1], load, *kernel.body[at + 1 :]))
    monkeypatch.setattr(in_order, "_LONG", long)
    assert is_in_order(kernel, Trips((40,)), KernelEffects(kernel))
    assert not is_in_order(early, Trips((40,)), KernelEffects(early))


def test_an_iteration_that_begins_as_another_one_is_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 40 iterations of a loop with two copies a few are walked, in the first walk; in the second none but the
    last."""
    (kernel,) = lowered("softmax", "a2a3").instructions
    counts: list[int] = []
    body = in_order._Walk._body

    def counted(self: in_order._Walk, *args: Any) -> bool:
        counts[-1] += 1
        return body(self, *args)

    monkeypatch.setattr(in_order._Walk, "_body", counted)
    for long in (0, 1_000_000):
        monkeypatch.setattr(in_order, "_LONG", long)
        counts.append(0)
        assert all_in_order(kernel, [Trips((40,)), Trips((40,))], KernelEffects(kernel))
    assert counts[0] < 12
    assert counts[1] > 80
