"""Figures of cases for manifests."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyptogen.lower.instruction.estimate import STEPS, about
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.simulate.device.cases import call_time, case_times, in_manifest

SPEC = Path(__file__).parents[3] / "specs" / "rms_norm.yaml"


@given(st.floats(1e-3, 1e9))
def test_rounded_figures_are_near_and_few(number: float) -> None:
    rounded = about(number)
    assert 1 / 1.3 < rounded / number < 1.3
    assert any(abs(rounded / step / 10.0**power - 1) < 1e-6 for step in STEPS for power in range(-4, 10))


def test_nothing_is_nothing() -> None:
    assert about(0) == 0


@pytest.mark.parametrize("target", ["a2a3", "cpu"])
def test_a_platform_without_figures_has_no_times(target: str) -> None:
    spec = load_spec(SPEC)
    lowered = lower(from_spec(spec), target)
    known = target == "a2a3"
    assert bool(in_manifest(lowered, spec.verify.cases)) == known
    assert bool(case_times(lowered, spec.verify.cases)) == known
    assert in_manifest(lowered, ()) == {}
    assert call_time(lowered, {}) is None


def test_more_rows_take_longer_and_come_nearer_to_the_roofline() -> None:
    spec = load_spec(SPEC)
    lowered = lower(from_spec(spec), "a2a3")
    few, many = case_times(lowered, [{"rows": 48}, {"rows": 4096}])
    assert few.us < many.us
    assert few.roofline_share < many.roofline_share <= 1
    assert (many.cores, many.launches) == (48, 1)
