"""Threads that share compiled operators: each gets the results of its own arguments, whatever the others call."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiling import NIGHTLY

import pyptogen
from pyptogen.runtime import CompiledOperator
from pyptogen.runtime.operator.repeated import Repeated

SPECS = Path(__file__).parents[3] / "specs"
THREADS = 16
SECONDS = 60.0 if NIGHTLY else 1.5

KINDS: dict[str, tuple[str, str, dict[str, int], dict[str, tuple[Any, ...]], int]] = {
    "plain": ("softmax", "cpu", {"rows": 3}, {}, 1),
    "plain, many cores": ("softmax", "cpu", {"rows": 37}, {}, 2),
    "attrs": ("layer_norm", "cpu", {"rows": 2}, {"eps": (1e-5, 0.25, np.float32(0.25))}, 1),
    "in place": ("scatter_update", "cpu", {"tokens": 7, "blocks": 2}, {}, 2),
    "packed weights, scratch, launches": ("matmul_split_k", "cpu", {"m": 5}, {}, 2),
    "indices, scratch, launches": ("moe_dispatch", "cpu", {"t": 3}, {}, 2),
    "indices, one core": ("moe_dispatch", "a2a3", {"t": 3}, {}, 1),
    "in place, scratch, launches": ("causal_conv1d", "a2a3", {"b": 1, "s": 5}, {}, 2),
    "cores side by side": ("flash_attention", "a2a3", {"sq": 5, "kv": 40}, {"scale": (0.09, 0.03)}, 2),
}
"""Spec, target, dims, values of attrs, cores of the chip."""


class Operands:
    """The arrays of one call, and what comes of them for each choice of attrs, as one thread alone has it."""

    def __init__(self, operator: Any, dims: dict[str, int], attrs: dict[str, tuple[Any, ...]], seed: int) -> None:
        self.operator = operator
        inplace = operator.contract.inplace
        self.arrays = operator.example_inputs(seed=seed, **dims)
        self.before = {name: self.arrays[name].copy() for name in inplace.values()}
        nz = [t.name for t in operator.contract.inputs if t.layout == "nz"]
        self.arrays |= {n: pyptogen.pack(self.arrays[n], layout="nz", target=operator.target) for n in nz}
        self.choices = [dict(zip(attrs, values, strict=True)) for values in zip(*attrs.values(), strict=True)] or [{}]
        self.expected = []
        for choice in self.choices:
            results = self.call(choice, None)._asdict()
            self.expected.append({name: value.copy() for name, value in results.items()})
        self.out = {n: np.empty_like(value) for n, value in self.expected[0].items() if n not in inplace}

    def call(self, attrs: dict[str, Any], out: dict[str, Any] | None) -> Any:
        for name, value in self.before.items():
            self.arrays[name][...] = value
        return self.operator(**self.arrays, **attrs, out=out)

    def is_right(self, choice: int, given: bool) -> bool:
        """Call once; whether each bit is as it was."""
        for value in self.out.values():
            value.reshape(-1).view(np.uint8).fill(0xA5)
        results = self.call(self.choices[choice], self.out if given else None)._asdict()
        return all(np.array_equal(_bits(results[name]), _bits(value)) for name, value in self.expected[choice].items())


def _bits(array: Any) -> Any:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


@pytest.fixture
def short_turns() -> Iterator[None]:
    """Threads of Python take turns every few microseconds, and so between any two of its instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(2e-6)
    yield
    sys.setswitchinterval(before)


def _hammer(number: int, phases: list[list[Operands]], meet: Any, wrong: list[str], calls: list[int]) -> None:
    """All threads call one kind, then the next, and in the end whichever: mostly with `out=`, mostly the same again."""
    chance = random.Random(number)
    for phase in phases:
        meet.wait()
        end = time.monotonic() + SECONDS / len(phases)
        first = [True, False]
        while first or time.monotonic() < end:
            own = chance.choice(phase)
            given = first.pop() if first else chance.random() < 0.9
            choice = chance.randrange(len(own.choices))
            for _ in range(chance.randint(1, 4)):
                calls[number] += 1
                try:
                    right = own.is_right(choice, given)
                except Exception as error:  # of whatever kind: the other threads wait for this one
                    wrong.append(f"{own.operator!r}: {error!r}")
                else:
                    wrong += [] if right else [f"{own.operator!r}: another result"]


@pytest.mark.slow
def test_threads_that_share_operators_get_their_own_results(short_turns: None) -> None:
    phases: list[list[list[Operands]]] = [[] for _ in range(THREADS)]
    for spec, target, dims, attrs, cores in KINDS.values():
        operator = pyptogen.compile(SPECS / f"{spec}.yaml", target=target, threads=cores)
        for number, kinds in enumerate(phases):
            kinds.append([Operands(operator, dims, attrs, 2 * number + extra) for extra in (0, 1)])
    wrong: list[str] = []
    calls = [0] * THREADS
    meet = threading.Barrier(THREADS)
    workers = [
        threading.Thread(
            target=_hammer, args=(number, [*kinds, [own for kind in kinds for own in kind]], meet, wrong, calls)
        )
        for number, kinds in enumerate(phases)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(f"{sum(calls)} calls, {len(wrong)} wrong")
    assert all(calls)
    assert not wrong, f"{len(wrong)} of {sum(calls)} calls: {sorted(set(wrong))}"


def only_in_python(operator: CompiledOperator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that native code knows are looked at in Python, too: there another thread may come between."""
    monkeypatch.setattr(operator, "_take", lambda *_: None)


def test_a_call_of_another_thread_between_two_steps_of_a_repeated_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other thread comes, with its own arrays, when this one has just seen that its arguments are the same."""
    product = pyptogen.compile(SPECS / "matmul_fp16.yaml", target="cpu", threads=1)
    only_in_python(product, monkeypatch)
    mine, theirs = (Operands(product, {"m": 3}, {}, seed) for seed in (1, 2))
    assert mine.is_right(0, True)
    matches = Repeated.matches
    right: list[bool] = []

    def interrupted(self: Repeated, arguments: Any, out: Any) -> bool:
        same = matches(self, arguments, out)
        monkeypatch.setattr(Repeated, "matches", matches)
        other = threading.Thread(target=lambda: right.append(theirs.is_right(0, True)))
        other.start()
        other.join()
        return same

    monkeypatch.setattr(Repeated, "matches", interrupted)
    right.append(mine.is_right(0, True))
    assert right == [True, True]


def test_each_thread_repeats_its_own_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    softmax = pyptogen.compile(SPECS / "softmax.yaml", target="cpu", threads=1)
    mine, theirs = (Operands(softmax, {"rows": 3}, {}, seed) for seed in (1, 2))
    assert mine.is_right(0, True)
    other = threading.Thread(target=theirs.is_right, args=(0, True))
    other.start()
    other.join()
    monkeypatch.setattr(type(softmax.contract), "bind", None)  # a call that checks everything again would fail
    assert mine.is_right(0, True)


def test_the_arrays_of_a_call_are_those_that_the_mapping_had_when_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread may use the same mapping for its next call before this one has run."""
    softmax = pyptogen.compile(SPECS / "softmax.yaml", target="cpu", threads=1)
    only_in_python(softmax, monkeypatch)
    x, given = softmax.example_inputs(rows=3)["x"], np.empty((3, 4096), np.float32)
    out = {"y": given}
    softmax(x=x, out=out)
    matches = Repeated.matches

    def interrupted(self: Repeated, arguments: Any, wanted: Any) -> bool:
        same = matches(self, arguments, wanted)
        out["y"] = np.empty_like(given)
        return same

    monkeypatch.setattr(Repeated, "matches", interrupted)
    assert softmax(x=x, out=out).y is given
    assert out["y"] is not given


def test_a_process_may_end_while_its_daemon_threads_call() -> None:
    program = (
        "import sys, threading, time, numpy as np, pyptogen\n"
        "softmax = pyptogen.compile(sys.argv[1], threads=2)\n"
        "x, begun = np.ones((64, 4096), np.float32), threading.Semaphore(0)\n"
        "def work():\n"
        "    while True:\n"
        "        softmax(x=x)\n"
        "        begun.release()\n"
        "for _ in range(4): threading.Thread(target=work, daemon=True).start()\n"
        "for _ in range(8): begun.acquire()\n"
    )
    for _ in range(3):
        said = subprocess.run(
            [sys.executable, "-c", program, str(SPECS / "softmax.yaml")], capture_output=True, text=True, check=False
        )
        assert said.returncode == 0, said.stderr
