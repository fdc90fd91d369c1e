"""Priorities of launches: from the paths behind them, and from the spec's `schedule`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pyptogen
from lower.small_programs import library, lowered, program_of
from pyptogen.codegen import generate
from pyptogen.diagnostics import Span
from pyptogen.lower.execution.ir import Cut, ExecutionGraph, LaunchPlan
from pyptogen.lower.execution.prioritise import HIGHEST, run

SPAN = Span("demo.yaml", 3, 1, 3, 2)


def launch(name: str, *after: str) -> LaunchPlan:
    return LaunchPlan(name, "vector", (), None, after, SPAN)


def priorities(launches: list[LaunchPlan], cycles: dict[str, int], **schedule: Any) -> dict[str, int]:
    program = replace(library("softmax"), schedule=schedule)
    graph = ExecutionGraph("demo", "a2a3", "t", ("t",), (), (Cut((), 0, (), SPAN),), (tuple(launches),), SPAN)
    stages = {one.kernel: (f"stage_{one.kernel}",) for one in launches}
    return {one.kernel: one.priority for one in run(graph, program, stages, cycles).plans[0]}


DIAMOND = [launch("a"), launch("b", "a"), launch("c", "a"), launch("d", "b", "c"), launch("alone")]
CYCLES = {"a": 10, "b": 30, "c": 5, "d": 10, "alone": 45}


def test_the_longest_path_comes_first() -> None:
    # Remaining: a 50, alone 45, b 40, c 15, d 10.
    assert priorities(DIAMOND, CYCLES) == {"a": 4, "alone": 3, "b": 2, "c": 1, "d": 0}


def test_without_estimates_launches_are_counted() -> None:
    assert priorities(DIAMOND, {}) == {"a": 2, "b": 1, "c": 1, "d": 0, "alone": 0}


def test_the_spec_comes_before_the_path() -> None:
    found = priorities(DIAMOND, CYCLES, priority={"stage_c": 7, "stage_a": -1})
    assert sorted(found, key=lambda name: -found[name]) == ["c", "alone", "b", "d", "a"]


@pytest.mark.parametrize("policy", ["breadth", "depth"])
def test_other_policies_take_the_spec_only(policy: str) -> None:
    assert set(priorities(DIAMOND, CYCLES, policy=policy).values()) == {0}
    found = priorities(DIAMOND, CYCLES, policy=policy, priority={"stage_c": 100, "stage_d": -5})
    assert found == {"a": 0, "b": 0, "c": HIGHEST, "d": -5, "alone": 0}


def test_many_ranks_share_what_the_chip_tells_apart() -> None:
    chain = [launch("k0"), *(launch(f"k{i}", f"k{i - 1}") for i in range(1, 100))]
    found = list(priorities(chain, {}).values())
    assert (found[0], found[-1]) == (HIGHEST, 0)
    assert found == sorted(found, reverse=True)


def test_the_prolog_starts_with_its_longest_path() -> None:
    plan = lowered("indexer_prolog", "a2a3").execution.plans[0]
    assert max(plan, key=lambda one: one.priority).kernel == "query_linear"
    assert all(one.priority > other.priority for other in plan for one in plan if one.kernel in other.after)


TWO = """
pyptogen: 1
operator: two
dims: {t: {min: 1, max: 64}}
inputs: {x: "fp32[t, 32]"}
outputs: {y: "fp32[t, 32]", z: "fp32[t, 32]"}
graph:
  first:
    y: x + 1.0
  second:
    z: x * 2.0
tiling: [{t: 8}]
schedule: {policy: %s, priority: {second: 3}}
"""


@pytest.mark.parametrize("policy", ["critical_path", "breadth", "depth"])
def test_schedule_of_a_spec_reaches_the_scheduler(policy: str, tmp_path: Path) -> None:
    text = TWO % policy
    (tmp_path / "two.yaml").write_text(text)
    operator = pyptogen.compile(tmp_path / "two.yaml", target="a2a3")
    assert operator.policy == policy
    number = 1 if policy == "critical_path" else 3
    assert f"}}, {{}}, {number});" in generate(program_of(text), "a2a3").orchestration
    with pyptogen.Runtime(level="chip", platform="a2a3", cores=(1, 1)) as rt:
        rt.register("two", operator)
        rt.run("two", operator.example_inputs(t=8), deps=tmp_path / "deps.json")
    tasks = json.loads((tmp_path / "deps.json").read_text())["tasks"]
    assert {task["name"]: task["priority"] for task in tasks} == {"first": 0, "second": number}
