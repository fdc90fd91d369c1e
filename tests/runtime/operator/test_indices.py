"""Index inputs are bounded before a kernel sees them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError

SPEC = Path(__file__).parents[3] / "specs" / "indexer_prolog.yaml"


@pytest.fixture(scope="module")
def operator():
    return pyptogen.compile(SPEC, target="cpu")


@pytest.mark.parametrize(("slot", "told"), [(4 * 128, "holds 512"), (-2, "holds -2")])
def test_an_index_outside_the_cache_is_refused_and_nothing_written(operator, slot, told):
    arrays = operator.example_inputs(t=2, blocks=4, seed=1)
    arrays["k_index"] = np.array([3, slot], np.int64)
    before = arrays["k_cache"].copy()
    with pytest.raises(DiagnosticError) as caught:
        operator(**arrays)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "PTG408"
    assert told in diagnostic.message
    assert "0 to 511" in diagnostic.expected
    np.testing.assert_array_equal(arrays["k_cache"], before)


def test_the_last_row_and_the_skip_mark_are_fine(operator):
    arrays = operator.example_inputs(t=2, blocks=4, seed=1)
    arrays["k_index"] = np.array([511, -1], np.int64)
    operator(**arrays)
