"""Kernels whose loops are wrong, in the checked mode: what they leave out of the arrays of a call is told."""

from __future__ import annotations

import re

import pytest

from pyptogen.verify.watched import run_watched
from sanitize.kernel_mutants import mutants
from sanitize.mutant_count import compiled, in_process, kernels, results


@pytest.mark.slow
def test_what_a_loop_leaves_out_is_told() -> None:
    (file,) = kernels("vector_add")
    loops = dict(enumerate((m for m in mutants(file.read_text()) if m.kind == "loop"), 1))
    operator = compiled("vector_add", {file: loops}, True)
    assert in_process(lambda: results(operator, 0, run_watched))[1] == ""
    said = {m.what: in_process(lambda n=n: results(operator, n, run_watched))[1] for n, m in loops.items()}
    for what in ("one round fewer", "begins later"):
        assert re.search(r"\d+ of the \d+ bytes of `\w+` were never (loaded|stored), from byte \d+ on", said[what])
    assert "leaves UB of A2/A3" in said["one round more"]
