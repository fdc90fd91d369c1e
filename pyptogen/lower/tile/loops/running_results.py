"""The result of a reduction so far, which each piece of the axis is joined to."""

from __future__ import annotations

from typing import Any

import sympy

JOINS = {"sum": "add", "prod": "mul", "amax": "maximum", "amin": "minimum"}
"""By reduction, the operation that joins the results of two pieces."""


def neutral(kind: str, dtype: str) -> Any:
    """What a running result begins with."""
    if kind in ("sum", "prod"):
        return sympy.Integer(kind == "prod")
    if dtype.startswith(("fp", "bf")):
        return -sympy.oo if kind == "amax" else sympy.oo
    import numpy as np

    limits = np.iinfo(dtype)
    return sympy.Integer(int(limits.min if kind == "amax" else limits.max))
