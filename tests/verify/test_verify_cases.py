"""One case from end to end, with an operator in numpy that can forget to write."""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pyptogen.verify import verify_case
from pyptogen.verify.inputs import example_inputs
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


@pytest.mark.parametrize("earlier", range(3))
def test_a_row_never_written_fails_whatever_memory_held(earlier: int) -> None:
    for _ in range(earlier):
        verify_case(operator(), {"t": 4})
    result = verify_case(operator(forgotten=1), {"t": 4})
    assert [(v.output, v.passed) for v in result.verdicts] == [("cache", True), ("y", False)]
    assert result.verdicts[1].not_finite == 32
