"""Quotients of run-time dims, such as the chunks of a sequence: they are sizes only as dims of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from pyptogen.lower.tensor.ir import Dim
from pyptogen.lower.tensor.program_names import dim_symbol


def quotient_as_dim(size: Any, dims: Sequence[Dim]) -> str:
    """What a spec says instead of ``s // 16`` in ``size``: the quotient is a dim, and what it is a part of a product.
    "" where no such quotient is there, or the dim is no multiple of the divisor."""
    found = _quotient(size, dims)
    return _as_product(*found, dims) if found and found[0].multiple_of % found[1] == 0 else ""


def quotient_where_equal(a: Any, b: Any, dims: Sequence[Dim]) -> str:
    """The same where two sizes are meant to be equal, and are so as soon as the quotient is a dim; "" else."""
    found = _quotient(a - b, dims)
    if found is None:
        return ""
    dim, divisor = found
    parts = sympy.Dummy("parts", integer=True, positive=True)
    return (
        "" if sympy.simplify((a - b).xreplace({dim_symbol(dim.name): divisor * parts})) else _as_product(*found, dims)
    )


def _quotient(size: Any, dims: Sequence[Dim]) -> tuple[Dim, int] | None:
    """The run-time dim that ``size`` divides, and by what, rounding down."""
    for part in sorted(size.atoms(sympy.floor), key=str):
        over, under = sympy.fraction(part.args[0])
        dim = next((d for d in dims if d.dynamic and d.name == str(over)), None)
        if dim is not None and under.is_Integer and under <= dim.max:
            return dim, int(under)
    return None


def _as_product(dim: Dim, divisor: int, dims: Sequence[Dim]) -> str:
    name = "parts" if all(other.name != "parts" for other in dims) else f"{dim.name}_parts"
    ends = f"min: {-(-dim.min // divisor)}, max: {dim.max // divisor}"
    return f"make the quotient a dim, `{name}: {{{ends}}}`, and `{dim.name}: {divisor} * {name}`"
