"""`pyptogen calibrate`, and what `report` says of cpu with and without figures of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from pyptogen.cli.app import app
from pyptogen.runtime.calibration import kept
from tests.simulate.processor.figures import times

SPEC = str(Path(__file__).parents[2] / "specs" / "softmax.yaml")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYPTOGEN_CACHE_DIR", str(tmp_path / "cache"))
    kept._kept.cache_clear()


def test_without_figures_it_says_how_to_measure_them() -> None:
    shown = CliRunner().invoke(app, ["calibrate", "--show"])
    assert shown.exit_code == 1
    assert "`pyptogen calibrate` measures them" in shown.output
    told = CliRunner().invoke(app, ["report", SPEC, "--target", "cpu"])
    assert told.exit_code == 0
    assert "no figures of this machine" in told.output
    assert "of its roofline" not in told.output


def test_with_figures_report_tells_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "measure", lambda portable, say: times())
    monkeypatch.setattr(kept, "measure_calls", lambda portable: {})
    said = CliRunner().invoke(app, ["calibrate"])
    assert said.exit_code == 0, said.output
    assert "call of an operator" in said.output
    assert CliRunner().invoke(app, ["calibrate", "--show"]).exit_code == 0
    told = CliRunner().invoke(app, ["report", SPEC, "--target", "cpu", "--dims", "rows=64"])
    assert "softmax for cpu, rows=64: about" in told.output
    assert "no figures" not in told.output
