"""Run-time scalars of a contract, and the values that their dtypes hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyptogen.diagnostics import Span, fault
from pyptogen.number_formats import BEYOND_FP32


@dataclass(frozen=True, slots=True)
class AttrArg:
    """One run-time scalar. ``default`` is None where a call must give it."""

    name: str
    dtype: str
    default: float | int | None
    span: Span

    @property
    def is_float(self) -> bool:
        return self.dtype.startswith(("fp", "bf"))


def as_whole(attr: AttrArg, value: int) -> int:
    """The value of an integer attr. Raises PTG403 for one beyond its dtype."""
    limits = np.iinfo(attr.dtype)
    if limits.min <= value <= limits.max:
        return value
    shown = str(value) if value.bit_length() < 128 else f"a number of {value.bit_length()} bits"
    message = f"attr `{attr.name}` is {shown}, which {attr.dtype} does not hold"
    raise fault("PTG403", message, attr.span, expected=f"a whole number from {limits.min} to {limits.max}")


def as_float(attr: AttrArg, value: Any) -> float:
    """The value of a float attr in double. Raises PTG403 for a finite one that its dtype rounds to infinity."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if value > 0 else -math.inf
    finite = not isinstance(value, float | np.floating) or np.isfinite(value)
    if finite and abs(number) >= BEYOND_FP32:
        shown = f"{number:g}" if math.isfinite(number) else "a number beyond double"
        message = f"attr `{attr.name}` is {shown}, which is infinity in {attr.dtype}"
        raise fault("PTG403", message, attr.span, expected=f"a {attr.dtype} scalar", fix="give `inf` if you mean it")
    return number
