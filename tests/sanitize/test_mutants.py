"""What makes kernels wrong on purpose knows how today's kernels are written."""

from __future__ import annotations

from sanitize.kernel_mutants import KINDS, mutants
from sanitize.mutant_count import kernels


def test_every_kind_of_mutant_is_made() -> None:
    """Buffers, loops and flags are found by their text: a kind that no longer is would be counted as none."""
    (file,) = kernels("matmul_fp32")
    assert {mutant.kind for mutant in mutants(file.read_text())} == set(KINDS)
