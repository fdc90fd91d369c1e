"""How far an output may be from its reference: what the spec says, or else what its arithmetic makes of the data.

A tolerance that the spec does not give is derived from the golden and from runs of the same program with the errors
that sound kernels may make (``disturbance``). An element may be off by a unit in the last place and `TIMES` as far as
the worst of its neighbourhood was in those runs; all differences together by `NORM_TIMES` the root mean square that
they had there. So do FlashAttention's tests, for the greatest difference of an output: at most twice that of the
reference at the same precision (Dao et al., tests/test_flash_attn.py). Neither is ever more than a cap relative to the
numbers, but for the few elements where a choice fell the other way.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyptogen.lower.tensor.ir import Program
from pyptogen.records import dataclass
from pyptogen.verify.last_place import FLOATS, last_place
from pyptogen.verify.neighbourhoods import Array, Neighbourhoods
from pyptogen.verify.spread import ELEMENT, Spread, cap, element_cap
from pyptogen.verify.ways import Way, ways

if TYPE_CHECKING:
    from pyptogen.schema.spec import Spec
    from pyptogen.schema.spec import Tolerance as SpecTolerance

TIMES = 3.0
NORM_TIMES = 2.5
_MEANS = 3.0
"""How much larger than its mean an error easily is."""
_FREE = 2.0**-5
"""Root mean square of differences, in units of the last place, that is always allowed where something rounds: one in a
thousand sums may lie so near the middle of two numbers that it falls either way."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """An element may differ by ``atol + rtol * |reference|``; a fraction ``outliers`` of the elements may
    differ by more.

    ``cap`` is the greatest root mean square of all differences relative to the numbers, of whole numbers the greatest
    share of those that differ, and of all the greatest share of outliers; infinite where a spec gives a reason.
    """

    rtol: float = 0.0
    atol: float = 0.0
    outliers: float = 0.0
    cap: float = math.inf
    dtype: str = ""

    def limit(self, wanted: Array, places: Neighbourhoods, at: slice) -> Array:
        """The allowed difference per element, of some neighbourhoods ``[some, size]``."""
        with np.errstate(invalid="ignore"):  # 0 * inf, where the reference is not finite
            allowed: Array = self.rtol * np.abs(wanted) + self.atol
            if self.dtype in FLOATS and self.cap < math.inf:
                most = ELEMENT * self.cap * (np.abs(wanted) + places.weight[at, None])
                allowed = np.minimum(allowed, np.maximum(most, last_place(wanted, self.dtype)))
        return allowed

    def beyond(self, elements: int) -> int:
        """How many elements may differ by more."""
        return int(min(self.outliers, self.cap) * elements)

    def energy(self, elements: int, free: float) -> float:
        """The greatest sum of the squares of relative differences. ``free`` is that of one unit in the last place
        everywhere."""
        return max(elements, 1) * self.cap**2 + _FREE**2 * free

    def differing(self, elements: int) -> float:
        """How many elements may differ at all."""
        if self.dtype in FLOATS or self.cap == math.inf:
            return math.inf
        return max(1, math.ceil(elements * self.cap) - 1)

    def describe(self) -> str:
        """As in a table: ``1``, ``2.5e-05 for 99.5 %``, ``1e-06 + 1e-05·|ref|``."""
        parts = [f"{self.atol:.3g}"] if self.atol or not self.rtol else []
        if self.rtol:
            parts.append(f"{self.rtol:.3g}·|ref|")
        most = f" for {(1 - self.outliers) * 100:g} %" if self.outliers else ""
        return " + ".join(parts) + most


@dataclass(frozen=True, slots=True)
class Derived:
    """What follows from the arithmetic of the program. Without a ``spread`` it is the strictest that any data could
    lead to: what passes need not be looked at twice."""

    dtype: str
    way: Way
    spread: Spread | None = None

    @property
    def exact(self) -> bool:
        """Whether a kernel has no choice."""
        return not (self.way.rounded if self.dtype in FLOATS else self.way.errs)

    def limit(self, wanted: Array, places: Neighbourhoods, at: slice) -> Array:
        """The allowed difference per element, of some neighbourhoods ``[some, size]``."""
        if self.exact:
            return np.zeros(wanted.shape)
        if self.dtype not in FLOATS:
            return np.full(wanted.shape, self.spread.turned if self.spread else 0.0)
        place = last_place(wanted, self.dtype)
        if self.spread is None:
            return place
        near = self.spread.near[at]
        if self.way.flips:
            near = np.maximum(near, self.spread.turned * places.level[at])
        own = np.abs(wanted) + places.weight[at, None]
        other = np.maximum(near[:, None], _MEANS * self.spread.mean * own)
        return np.maximum(place, np.minimum(place + TIMES * other, element_cap(self.way) * own))

    def beyond(self, elements: int) -> int:
        """How many elements may differ by more: where a choice fell the other way."""
        return self.spread.strays if self.spread and not self.exact else 0

    def energy(self, elements: int, free: float) -> float:
        """The greatest sum of the squares of relative differences. ``free`` is that of one unit in the last place
        everywhere."""
        if self.exact:
            return 0.0
        square = min(NORM_TIMES**2 * self.spread.square, cap(self.way) ** 2) if self.spread else 0.0
        return elements * square + _FREE**2 * free

    def differing(self, elements: int) -> float:
        """How many elements may differ at all. Of fp32 most do."""
        if self.dtype == "fp32" and not self.exact:
            return math.inf
        free = _FREE**2 * elements if self.dtype in FLOATS and not self.exact else 0.0
        return free + (NORM_TIMES * elements * self.spread.share if self.spread and not self.exact else 0.0)

    def describe(self) -> str:
        """As in a table: ``equal``, ``1 ulp``, ``1 ulp + 2e-06, rms 3e-07·|ref|``, ``1 for 0.01 %``."""
        if self.exact:
            return "equal"
        if self.dtype not in FLOATS:
            if self.spread is None or not self.spread.share:
                return "equal"
            return f"{self.spread.turned:g} for {min(1.0, NORM_TIMES * self.spread.share):.2g} of all"
        if self.spread is None or not self.spread.square:
            return "1 ulp"
        root = min(NORM_TIMES * math.sqrt(self.spread.square), cap(self.way))
        return f"1 ulp + {TIMES * float(np.median(self.spread.near)):.2g}, rms {root:.2g}·|ref|"


Allowed = Tolerance | Derived


def tolerances(spec: Spec, program: Program) -> dict[str, Allowed]:
    """What each output is allowed before its data is known, by contract name in contract order."""
    given, way = spec.verify.tolerance, ways(program)
    return {
        name: _given(given[name], way[name], value.dtype) if name in given else Derived(value.dtype, way[name])
        for name, value in program.outputs
    }


def _given(own: SpecTolerance, way: Way, dtype: str) -> Tolerance:
    return Tolerance(own.rtol, own.atol, own.outliers, math.inf if own.reason else cap(way), dtype)
