"""Operators of the library, compiled once each, and their outputs beside goldens by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import pyptogen
from library.optimised import flags_for

SPECS = Path(__file__).parents[2] / "specs"
Allowed = Mapping[str, tuple[float, float]]
"""(relative, absolute) difference allowed, by output."""


@cache
def operator(name: str, target: str) -> Any:
    with flags_for(name, target):
        return pyptogen.compile(SPECS / f"{name}.yaml", target=target)


def assert_agree(
    name: str, target: str, arrays: dict[str, Any], golden: Callable[[dict[str, Any]], Any], allowed: Allowed
) -> Any:
    """Run an operator and compare each output, its dtype too; the operator's result. The golden gets copies: outputs in
    place overwrite what they were made from."""
    want = golden({key: np.array(value) for key, value in arrays.items()})
    got = operator(name, target)(**arrays)
    assert set(got._fields) == set(want)
    for output, expected in want.items():
        relative, absolute = allowed[output]
        actual = np.asarray(getattr(got, output))
        assert actual.dtype == expected.dtype
        np.testing.assert_allclose(
            actual.astype(np.float64), expected.astype(np.float64), rtol=relative, atol=absolute, err_msg=output
        )
    return got
