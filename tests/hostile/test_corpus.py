"""What the fuzzer kept (`fuzz.py`): a text for each thing that is said, and each that once led to a traceback."""

from __future__ import annotations

from pathlib import Path

from hostile.ending import ends
from pyptogen.diagnostics import DiagnosticError, gathering, render_json, render_text
from pyptogen.diagnostics.plain_text import unseen
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec

CORPUS = sorted(Path(__file__).with_name("corpus").glob("*.yaml"))


def test_every_text_of_the_corpus_is_answered() -> None:
    assert len(CORPUS) > 100
    for path in CORPUS:
        try:
            with ends(), gathering():
                from_spec(load_spec(path))
        except DiagnosticError as error:
            said = error.diagnostics
        else:
            continue
        assert said, path.name
        assert all(unseen(render_text(found)) is None for found in said), path.name
        render_json(said).encode()
