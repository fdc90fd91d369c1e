"""Whatever a spec says, it is lowered or refused: no traceback, and an end.

`HYPOTHESIS_PROFILE=nightly` draws thousands, others each time.
"""

from __future__ import annotations

import pytest
from compiling import NIGHTLY
from hypothesis import HealthCheck, given, settings

from hostile.drafts import DRAFTS
from hostile.ending import ends
from pyptogen.diagnostics import DiagnosticError, render_json, render_text
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source

TARGETS = ("cpu", "a2a3")
QUICK = {"graphs": 60, "sizes": 60, "forms": 60, "texts": 12}
"""Examples of each kind; specs of the library take longest."""


def answered(text: str, file: str = "draft.yaml") -> None:
    """The spec goes through all levels, or what is wrong with it is said, with a place, in words that can be shown."""
    try:
        with ends():
            program = from_spec(load_source(Source(file, text)))
            for target in TARGETS:
                lower(program, target)
    except DiagnosticError as error:
        for found in error.diagnostics:
            assert found.span is not None
            said = render_text(found, lambda _: text)
            assert said.replace("\n", "").isprintable()
            assert len(said) < 20_000
            render_json([found]).encode()


@pytest.mark.parametrize("kind", sorted(DRAFTS))
def test_drafts(kind: str) -> None:
    count = 3000 if NIGHTLY else QUICK[kind]

    @settings(
        deadline=None,
        derandomize=not NIGHTLY,
        max_examples=count,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(DRAFTS[kind])
    def run(text: str) -> None:
        answered(text)

    run()
