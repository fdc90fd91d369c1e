"""What tests lower once a process is what they would lower anew, and is lowered anew where a test changes lowering."""

from __future__ import annotations

from collections.abc import Iterator

import lowering
import pytest
from compiling import NIGHTLY
from lower.small_programs import PRODUCT, program_of

from pyptogen.codegen.generate import of_lowered
from pyptogen.lower import pipeline
from pyptogen.lower.instruction import synchronise
from pyptogen.lower.platforms import PLATFORMS

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


@pytest.mark.parametrize("change", ["a function", "an entry", "a word", "the environment"])
def test_a_changed_compiler_lowers_anew(change: str, counted: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(PRODUCT)
    pipeline.lower(program, "cpu")
    counted.clear()
    with monkeypatch.context() as patch:
        if change == "a function":
            patch.setattr(synchronise, "rounds", synchronise.rounds)
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
