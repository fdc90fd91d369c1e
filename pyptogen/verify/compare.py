"""Results against a reference: the worst difference, how much is outside the tolerance, and a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.verify.tolerance import Tolerance

if TYPE_CHECKING:
    import numpy.typing as npt

_CHUNK = 1 << 20
"""Elements compared at a time: float64 copies of two chunks stay in cache, and a large output costs no large
memory."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one output compares. ``worst`` is the largest absolute difference and ``worst_index`` where it is;
    ``outside`` the fraction of elements beyond the tolerance; ``not_finite`` counts NaN, and infinities
    that the reference does not have, which always fail. NaN fails where the reference is NaN, too: it hides whatever
    was to be compared."""

    output: str
    shape: tuple[int, ...]
    dtype: str
    worst: float
    worst_index: tuple[int, ...]
    outside: float
    not_finite: int
    tolerance: Tolerance
    problem: str = ""

    @property
    def passed(self) -> bool:
        return not self.problem and self.not_finite == 0 and self.outside <= self.tolerance.outliers

    def describe(self) -> str:
        """One line for a person."""
        if self.problem:
            return f"{self.output}: {self.problem}"
        if self.not_finite:
            return f"{self.output}: {self.not_finite} elements are NaN or Inf"
        state = "agrees" if self.passed else "differs"
        return (
            f"{self.output}: {state}, worst difference {self.worst:.6g} at {list(self.worst_index)}, "
            f"allowed {self.tolerance.describe()}, {self.outside:.4%} outside"
        )


def compare(
    actual: Mapping[str, npt.NDArray[Any]],
    expected: Mapping[str, npt.NDArray[Any]],
    tolerance: Mapping[str, Tolerance],
) -> tuple[Verdict, ...]:
    """A verdict per output of ``expected``, in its order. A missing output, or one of another shape or dtype,
    fails."""
    return tuple(_verdict(name, actual.get(name), wanted, tolerance[name]) for name, wanted in expected.items())


def _verdict(name: str, got: npt.NDArray[Any] | None, wanted: npt.NDArray[Any], tolerance: Tolerance) -> Verdict:
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
    worst, worst_at, outside, not_finite = 0.0, 0, 0, 0
    scale = _root_mean_square(wanted) if tolerance.scaled else 0.0
    for start, part_got, part_wanted in _chunks(got, wanted):
        reference = part_wanted.astype(np.float64)
        finite = np.isfinite(part_got)
        sound = finite | (part_got == part_wanted)
        not_finite += int(sound.size - np.count_nonzero(sound))
        difference = np.where(finite, _difference(part_got, part_wanted, reference), 0.0)
        # Where the reference is not finite, no tolerance says what is near.
        near = difference <= tolerance.allowed(np.abs(reference), scale)
        inside = np.where(np.isfinite(reference), near, part_got == part_wanted)
        outside += int(inside.size - np.count_nonzero(inside))
        difference = np.nan_to_num(difference, nan=0.0)
        at = int(np.argmax(difference))
        if difference[at] > worst:
            worst, worst_at = float(difference[at]), start + at
    index = tuple(int(i) for i in np.unravel_index(worst_at, shape)) if wanted.size else ()
    return Verdict(name, shape, dtype, worst, index, outside / max(wanted.size, 1), not_finite, tolerance)


def _difference(
    got: npt.NDArray[Any], wanted: npt.NDArray[Any], reference: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Absolute differences in float64; ``reference`` is ``wanted`` in float64. Wide integers that differ only
    in bits for which float64 has no room differ by at least 1."""
    with np.errstate(invalid="ignore"):
        difference: npt.NDArray[np.float64] = np.abs(got.astype(np.float64) - reference)
    if np.issubdtype(wanted.dtype, np.integer):
        difference = np.maximum(difference, got != wanted)
    return difference


def _chunks(
    got: npt.NDArray[Any], wanted: npt.NDArray[Any]
) -> Iterator[tuple[int, npt.NDArray[Any], npt.NDArray[Any]]]:
    """Both arrays flat, a chunk at a time, with the index where it starts."""
    flat_got, flat_wanted = np.ascontiguousarray(got).reshape(-1), np.ascontiguousarray(wanted).reshape(-1)
    for start in range(0, flat_got.size, _CHUNK):
        yield start, flat_got[start : start + _CHUNK], flat_wanted[start : start + _CHUNK]


def _root_mean_square(values: npt.NDArray[Any]) -> float:
    total = 0.0
    for _, part, _ in _chunks(values, values):
        wide = part.astype(np.float64)
        total += float(np.sum(np.square(wide), where=np.isfinite(wide)))
    return float(np.sqrt(total / max(values.size, 1)))
