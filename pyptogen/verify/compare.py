"""Results against a reference: the worst difference, how much is outside the tolerance, and a verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.numpy_dtypes import dtype_name
from pyptogen.records import dataclass
from pyptogen.verify.last_place import FLOATS, last_place
from pyptogen.verify.neighbourhoods import Neighbourhoods
from pyptogen.verify.tolerance import Allowed

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Furthest:
    """One element that is outside: where, what was computed and wanted, and how much may lie between them."""

    index: tuple[int, ...]
    got: float
    wanted: float
    allowed: float

    def describe(self) -> str:
        """For a person."""
        return f"{list(self.index)}: {self.got:.9g} for {self.wanted:.9g}, allowed {self.allowed:.3g}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one output compares. ``worst`` is the largest absolute difference and ``worst_index`` where it is;
    ``outside`` the fraction of elements beyond the tolerance; ``not_finite`` counts NaN, and infinities
    that the reference does not have, which always fail. NaN fails where the reference is NaN, too: it hides whatever
    was to be compared. ``together`` says what is wrong with all differences together."""

    output: str
    shape: tuple[int, ...]
    dtype: str
    worst: float
    worst_index: tuple[int, ...]
    outside: float
    not_finite: int
    tolerance: Allowed
    problem: str = ""
    together: str = ""
    within: bool = True
    """Whether no more elements are outside than may be."""
    furthest: Furthest | None = None
    """Of the elements outside, the one that is furthest: seldom the one of the largest difference."""

    @property
    def passed(self) -> bool:
        return not self.problem and self.not_finite == 0 and self.within and not self.together

    def describe(self) -> str:
        """One line for a person."""
        if self.problem:
            return f"{self.output}: {self.problem}"
        if self.not_finite:
            return f"{self.output}: {self.not_finite} elements are NaN or Inf"
        state = "agrees" if self.passed else "differs"
        furthest = f" ({self.furthest.describe()})" if self.furthest and not self.within else ""
        together = f"; {self.together}" if self.together else ""
        return (
            f"{self.output}: {state}, worst difference {self.worst:.6g} at {list(self.worst_index)}, "
            f"allowed {self.tolerance.describe()}, {self.outside:.4%} outside{furthest}{together}"
        )


def compare(
    actual: Mapping[str, npt.NDArray[Any]],
    expected: Mapping[str, npt.NDArray[Any]],
    tolerance: Mapping[str, Allowed],
    kept: Mapping[str, npt.NDArray[np.bool_]] | None = None,
) -> tuple[Verdict, ...]:
    """A verdict per output of ``expected``, in its order. A missing output, or one of another shape or dtype,
    fails. ``kept`` has arrays of an output's shape, true where no difference is allowed."""
    exact = kept or {}
    return tuple(
        _verdict(name, actual.get(name), wanted, tolerance[name], exact.get(name)) for name, wanted in expected.items()
    )


def _verdict(
    name: str,
    got: npt.NDArray[Any] | None,
    wanted: npt.NDArray[Any],
    tolerance: Allowed,
    kept: npt.NDArray[np.bool_] | None,
) -> Verdict:
    shape, dtype = tuple(wanted.shape), str(wanted.dtype)
    problem = ""
    if got is None:
        problem = "missing"
    elif tuple(got.shape) != shape:
        problem = f"shape {list(got.shape)}, expected {list(shape)}"
    elif got.dtype != wanted.dtype:
        problem = f"dtype {got.dtype}, expected {dtype}"
    if got is None or problem:
        return Verdict(name, shape, dtype, float("nan"), (), 1.0, 0, tolerance, problem)
    found = _measure(got, wanted, tolerance, kept)
    index = _place(found.worst_at, shape) if wanted.size else ()
    return Verdict(
        name,
        shape,
        dtype,
        found.worst,
        index,
        found.outside / max(wanted.size, 1),
        found.not_finite,
        tolerance,
        together=_together(found, wanted, tolerance),
        within=found.outside <= tolerance.beyond(wanted.size),
        furthest=Furthest(_place(found.furthest_at, shape), *found.furthest) if found.outside else None,
    )


def _place(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(flat, shape))


@dataclass(slots=True)
class _Found:
    """``energy`` is the sum of the squares of the differences inside the tolerance, each relative to its neighbourhood;
    ``free`` that of one unit in the last place everywhere. ``furthest`` is what was computed, wanted and allowed of the
    element that is most outside, by ``excess``."""

    worst: float = 0.0
    worst_at: int = 0
    excess: float = -1.0
    furthest_at: int = 0
    furthest: tuple[float, float, float] = (0.0, 0.0, 0.0)
    outside: int = 0
    not_finite: int = 0
    differing: int = 0
    energy: float = 0.0
    free: float = 0.0


def _measure(
    got: npt.NDArray[Any],
    wanted: npt.NDArray[Any],
    tolerance: Allowed,
    kept: npt.NDArray[np.bool_] | None,
) -> _Found:
    places, found, name = Neighbourhoods(wanted), _Found(), dtype_name(wanted.dtype)
    whole = np.issubdtype(wanted.dtype, np.integer)
    others = [got != wanted] if whole else []
    masks = [kept] if kept is not None else []
    for at, (part_got, part_wanted, *more) in places.parts(got, wanted, *others, *masks):
        finite, real = np.isfinite(part_got), np.isfinite(part_wanted)
        found.not_finite += int(np.count_nonzero(~(finite | (part_got == part_wanted))))
        with np.errstate(invalid="ignore"):
            difference = np.where(finite, np.abs(part_got - part_wanted), 0.0)
        if whole:  # wide integers may differ only in bits for which float64 has no room
            difference = np.maximum(difference, more[0])
        limit = tolerance.limit(part_wanted, places, at)
        if kept is not None:
            limit = np.where(more[-1] != 0, 0.0, limit)
        # Where the reference is not finite, no tolerance says what is near.
        inside = np.where(real, difference <= limit, part_got == part_wanted)
        outside = int(inside.size - np.count_nonzero(inside))
        found.outside += outside
        if outside:
            beyond = np.where(inside, -1.0, np.where(real, difference - np.nan_to_num(limit), np.inf))
            most = int(np.argmax(beyond))
            if beyond.flat[most] > found.excess:
                found.excess, found.furthest_at = float(beyond.flat[most]), at.start * places.size + most
                found.furthest = float(part_got.flat[most]), float(part_wanted.flat[most]), float(limit.flat[most])
        difference = np.nan_to_num(difference, nan=0.0)
        relative = np.where(inside & real, difference, 0.0) / places.weight[at, None]
        found.energy += float(np.sum(np.square(relative)))
        found.differing += int(np.count_nonzero(difference))
        if name in FLOATS:
            found.free += float(np.sum(np.square(last_place(part_wanted, name) / places.weight[at, None])))
        worst = int(np.argmax(difference)) if difference.size else 0
        if difference.size and difference.flat[worst] > found.worst:
            found.worst, found.worst_at = float(difference.flat[worst]), at.start * places.size + worst
    return found


def _together(found: _Found, wanted: npt.NDArray[Any], tolerance: Allowed) -> str:
    """What is wrong with all differences together, or nothing."""
    most = tolerance.energy(wanted.size, found.free)
    if dtype_name(wanted.dtype) in FLOATS and found.energy > most:
        got, allowed = (math.sqrt(energy / max(wanted.size, 1)) for energy in (found.energy, most))
        return f"root mean square of the differences {got:.3g}·|ref|, allowed {allowed:.3g}·|ref|"
    most = max(tolerance.differing(wanted.size), tolerance.beyond(wanted.size))
    if found.differing <= most:
        return ""
    return f"{found.differing} of {wanted.size} differ, allowed {math.floor(most)}"
