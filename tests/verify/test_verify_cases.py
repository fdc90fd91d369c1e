"""One case from end to end, with an operator in numpy that can forget to write."""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pyptogen.inputs.example import example_inputs
from pyptogen.verify import verify_case
from pyptogen.verify.cases import _unchanged
from pyptogen.verify.compare import compare
from pyptogen.verify.tolerance import Tolerance
from verify import toy
from verify.test_verify_inputs import spec

Outputs = namedtuple("Outputs", "cache y")


class Operator(SimpleNamespace):
    """Computes into ``out`` all rows but the last ``forgotten`` ones."""

    def example_inputs(self, seed: int, **dims: int) -> dict[str, Any]:
        return example_inputs(self.spec, dims, seed, program=self.program)

    def golden(self, *, x: Any, w: Any, cache: Any, index: Any) -> Outputs:
        product = x.astype(np.float32) @ w.astype(np.float32)
        cache = cache.copy()
        cache[index] = product
        return Outputs(cache, product.astype(np.float16))

    def __call__(self, *, x: Any, w: Any, cache: Any, index: Any, out: dict[str, Any]) -> Outputs:
        result = self.golden(x=x, w=w, cache=cache, index=index)
        rows = len(x) - self.forgotten
        out["y"][:rows] = result.y[:rows]
        cache[...] = result.cache
        return Outputs(cache, out["y"])


def operator(forgotten: int = 0) -> Any:
    return Operator(spec=spec(), program=toy.program(), target="cpu", last_run=0.5, forgotten=forgotten)


def test_a_good_operator_passes() -> None:
    result = verify_case(operator(), {"t": 4})
    assert result.passed
    assert (result.dims, result.seconds) == ({"t": 4, "blocks": 4}, 0.5)
    assert [verdict.output for verdict in result.verdicts] == ["cache", "y"]


def test_rows_in_place_that_nothing_writes_stay_as_they_were() -> None:
    program, inputs = toy.program(), operator().example_inputs(7, t=4)
    given = dict(zip(("cache", "y"), operator().golden(**inputs), strict=True))
    kept = {"cache": _unchanged(given["cache"], inputs["cache"])}
    assert 0 < np.count_nonzero(~kept["cache"].any(axis=1)) <= 4
    nudged = given["cache"] * np.float32(1 + 2.0**-22)
    allowed = {"cache": Tolerance(rtol=1e-5)}
    wrong = np.where(kept["cache"], nudged, given["cache"])
    right = np.where(kept["cache"], given["cache"], nudged)
    assert program.inplace == {"cache": "cache"}
    assert compare({"cache": right}, {"cache": given["cache"]}, allowed, kept)[0].passed
    assert not compare({"cache": wrong}, {"cache": given["cache"]}, allowed, kept)[0].passed


@pytest.mark.parametrize("earlier", range(3))
def test_a_row_never_written_fails_whatever_memory_held(earlier: int) -> None:
    for _ in range(earlier):
        verify_case(operator(), {"t": 4})
    result = verify_case(operator(forgotten=1), {"t": 4})
    assert [(v.output, v.passed) for v in result.verdicts] == [("cache", True), ("y", False)]
    assert result.verdicts[1].not_finite == 32
