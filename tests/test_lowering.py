"""What tests lower once a run is what they would lower anew, and is lowered anew where a test changes lowering."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import lowering
import pytest
from compiling import NIGHTLY
from lower.small_programs import PRODUCT, program_of

from pyptogen.codegen.generate import of_lowered
from pyptogen.lower import pipeline
from pyptogen.lower.instruction import synchronise
from pyptogen.lower.platforms import PLATFORMS

TESTS = Path(__file__).parent
pytestmark = pytest.mark.skipif(NIGHTLY, reason="everything is lowered anew")


@pytest.fixture
def counted() -> Iterator[list[str]]:
    """The targets for which something is lowered."""
    found: list[str] = []

    def lower(program: object, target: str, **options: object) -> object:
        found.append(target)
        return before(program, target, **options)  # type: ignore[arg-type]

    before = lowering.lower_anew
    lowering.lower_anew = lower  # type: ignore[assignment]
    yield found
    lowering.lower_anew = before


def test_the_second_time_is_the_first_again(counted: list[str]) -> None:
    text = PRODUCT.replace("product", "only_here")
    first, second = (pipeline.lower(program_of(text), "a2a3") for _ in range(2))
    assert counted == ["a2a3"]
    assert first is not second
    assert first == second == lowering.lower_anew(program_of(text), "a2a3")
    texts = [[kernel.text for kernel in of_lowered(made).kernels] for made in (first, second)]
    assert [text.origins for text in texts[0]] == [text.origins for text in texts[1]]
    other = pipeline.lower(program_of(text.replace("n: 64", "n: 32")), "a2a3")
    assert [kernel.text for kernel in of_lowered(other).kernels] != texts[0]


OTHER = """
import sys
import lowering
from lower.small_programs import PRODUCT, program_of
from pyptogen.lower import pipeline

lowering.lower_anew = lambda *a, **k: sys.exit("lowered again")
lowering.lower_once_a_run()
pipeline.lower(program_of(PRODUCT.replace("product", "for_both")), "a2a3")
"""


@pytest.mark.parametrize("same", [True, False], ids=["of this run", "of another"])
def test_another_worker_has_it(same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setenv("PYPTOGEN_TESTS_LOWERED", str(kept))
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    first = OTHER.replace("lowering.lower_anew =", "unused =")
    assert subprocess.run([sys.executable, "-c", first], check=False).returncode == 0
    if not same:
        monkeypatch.setenv("PYPTOGEN_TESTS_LOWERED", str(tmp_path))
    assert subprocess.run([sys.executable, "-c", OTHER], check=False, stderr=subprocess.DEVNULL).returncode == (
        0 if same else 1
    )


def test_processes_of_a_test_have_seeds_of_their_own() -> None:
    assert "PYTHONHASHSEED" not in os.environ


@pytest.mark.parametrize("change", ["a function", "an entry", "a word", "the environment"])
def test_a_changed_compiler_lowers_anew(change: str, counted: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(PRODUCT)
    pipeline.lower(program, "cpu")
    counted.clear()
    with monkeypatch.context() as patch:
        if change == "a function":
            patch.setattr(synchronise, "trip_counts", synchronise.trip_counts)
        elif change == "an entry":
            patch.setitem(PLATFORMS, "cpu", PLATFORMS["cpu"])
        elif change == "a word":
            patch.setattr("pyptogen.lower.instruction.synchronise.ROUNDS", 64)
        else:
            patch.setenv("HOME", "/")
        pipeline.lower(program, "cpu")
    assert counted == ([] if change == "the environment" else ["cpu"])
    counted.clear()
    pipeline.lower(program, "cpu")
    assert counted == []
