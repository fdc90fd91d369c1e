"""Stages become one kernel where rows leave that open and the model of the device calls it faster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from lowering import lower_anew

from lower.small_programs import program_of
from pyptogen.lower import pipeline
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.passes.state import State
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refused
from pyptogen.simulate.device.call import launch_cycles

SPEC = """
pyptogen: 1
operator: product
dims: {{t: {{min: 1, max: 4096}}, k: 512, n: 256}}
inputs: {{x: "fp16[t, k]", w: "fp16[k, n]", b: "fp32[n]"}}
outputs: {{y: "fp16[t, n]"}}
graph:
  product: {{h: "matmul(x, w, dtype=fp32)"}}
  bias: {{g: "h + b"}}
  activation: {{y: "cast(gelu(g), fp16)"}}
{tiling}
"""
FUSED = "tiling: [{fuse: [[product, bias, activation]], fifo: 4}]"


@pytest.mark.parametrize("tiling", ["", "tiling: [{}]"])
def test_a_product_takes_what_is_done_to_it(tiling: str) -> None:
    made = lower_anew(program_of(SPEC.format(tiling=tiling)), "a2a3")
    assert {stage for kernel in made.instructions for stage in kernel.stages} == {"product", "bias", "activation"}
    assert len(made.execution.plans[-1]) == 1
    assert made.chosen == {"fifo": 4, "fuse": [["product", "bias", "activation"]]}
    assert "fuse: [[product, bias, activation]]" in made.notes[-1]


def test_the_note_may_be_written_as_a_row() -> None:
    chosen, written = (lower_anew(program_of(SPEC.format(tiling=row)), "a2a3") for row in ("", FUSED))
    assert [kernel.body for kernel in chosen.instructions] == [kernel.body for kernel in written.instructions]


def test_what_an_author_says_stays() -> None:
    made = lower_anew(program_of(SPEC.format(tiling="tiling: [{bias: {t: 4}}]")), "a2a3")
    assert made.chosen is None
    assert len(made.execution.plans[-1]) == 3


def test_an_empty_list_keeps_stages_apart() -> None:
    made = lower_anew(program_of(SPEC.format(tiling="tiling: [{fuse: []}]")), "a2a3")
    assert made.chosen is None
    assert len(made.execution.plans[-1]) == 3


def test_fifos_are_chosen_where_rows_say_only_what_is_fused() -> None:
    row = "tiling: [{fuse: [[product, bias, activation]]}]"
    made, written = (lower_anew(program_of(SPEC.format(tiling=one)), "a2a3") for one in (row, FUSED))
    assert made.chosen == {"fifo": 4}
    assert [kernel.body for kernel in made.instructions] == [kernel.body for kernel in written.instructions]


def test_a_plan_that_becomes_the_same_kernels_is_lowered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through GM, a product and vector work on it are the same two kernels in one stage or in two."""
    finished: list[State] = []
    real = pipeline._lowered
    monkeypatch.setattr(pipeline, "_lowered", lambda state: (finished.append(state), real(state))[1])
    lower_anew(program_of(SPEC.format(tiling="tiling: [{fuse: []}]")), "a2a3")
    assert len(finished) == 1
    lower_anew(program_of(SPEC.format(tiling="")), "a2a3")
    plans = [
        [(part.ops.core, [op.result.name for op in part.ops.ops]) for part in state.variants.parts]
        for state in finished[1:]
    ]
    assert len(plans) > 1
    assert all(plan not in plans[:at] for at, plan in enumerate(plans))


def test_nothing_is_fused_without_a_model() -> None:
    for target, options in (("cpu", {}), ("a2a3", {"launch_cost": None})):
        made = lower_anew(program_of(SPEC.format(tiling="")), target, **options)
        assert "fuse" not in (made.chosen or {})


def test_it_goes_by_the_cost() -> None:
    """Kernels of several stages are dear here."""

    def cost(programs: Sequence[InstrKernel], platform: Platform, blocks: int, numbers: Mapping[str, int]) -> float:
        several = len({stage for program in programs for stage in program.stages}) > 1
        return launch_cycles(programs, platform, blocks, numbers) * (10 if several else 1)

    made = lower_anew(program_of(SPEC.format(tiling="")), "a2a3", launch_cost=cost)
    assert made.chosen is None


def test_stages_of_different_calls_stay_apart() -> None:
    """`bias` runs in some calls only, so it is not one kernel with what runs in all of them; writing so is refused."""
    stages = """
  bias: {{if: "t > 8", g: "h + b"}}
  no_bias: {{if: "t <= 8", g: "h - b"}}
  activation"""
    conditional = SPEC.replace('\n  bias: {{g: "h + b"}}\n  activation', stages)
    made = lower_anew(program_of(conditional.format(tiling="")), "a2a3")
    assert len(made.execution.plans[-1]) == 4
    with pytest.raises(Refused, match="do not run in the same calls"):
        lower_anew(program_of(conditional.format(tiling="tiling: [{fuse: [[product, bias]]}]")), "a2a3")


def test_texts_of_the_way_that_is_taken_are_shown() -> None:
    shown: dict[str, str] = {}
    lower_anew(program_of(SPEC.format(tiling="")), "a2a3", dump=shown.__setitem__)
    written: dict[str, str] = {}
    lower_anew(program_of(SPEC.format(tiling=FUSED)), "a2a3", dump=written.__setitem__)
    assert shown.keys() == written.keys()
    assert shown[max(shown)] == written[max(written)]
