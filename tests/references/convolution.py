"""Convolutions by their definitions in float64: a sum over the kernel for each place, or a kernel for each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]


def convolution(
    x: F64,
    w: F64,
    strides: Sequence[int],
    paddings: Sequence[tuple[int, int]],
    dilations: Sequence[int],
    groups: int = 1,
) -> F64:
    """x [n, c, places…], w [oc, c / groups, kernel…] to [n, oc, places…]."""
    x = np.pad(x, [(0, 0), (0, 0), *paddings])
    kernel, reach = w.shape[2:], [d * (k - 1) for d, k in zip(dilations, w.shape[2:], strict=True)]
    places = [(size - r - 1) // s + 1 for size, r, s in zip(x.shape[2:], reach, strides, strict=True)]
    y = np.zeros((x.shape[0], w.shape[0], *places))
    ins, outs = x.shape[1] // groups, w.shape[0] // groups
    for group, place in itertools.product(range(groups), np.ndindex(*places)):
        for tap in np.ndindex(*kernel):
            at = tuple(p * s + t * d for p, s, t, d in zip(place, strides, tap, dilations, strict=True))
            seen = x[(slice(None), slice(group * ins, (group + 1) * ins), *at)]
            factors = w[(slice(group * outs, (group + 1) * outs), slice(None), *tap)]
            y[(slice(None), slice(group * outs, (group + 1) * outs), *place)] += seen @ factors.T
    return y


def transposed(
    x: F64,
    w: F64,
    strides: Sequence[int],
    paddings: Sequence[tuple[int, int]],
    dilations: Sequence[int],
    groups: int = 1,
    extra: int = 0,
) -> F64:
    """x [n, c, places…], w [c, oc / groups, kernel…]: each place adds its kernel to the result, whose edges the
    paddings then cut off; ``extra`` places are added behind."""
    kernel, reach = w.shape[2:], [d * (k - 1) for d, k in zip(dilations, w.shape[2:], strict=True)]
    whole = [(p - 1) * s + r + 1 + extra for p, s, r in zip(x.shape[2:], strides, reach, strict=True)]
    ins, outs = x.shape[1] // groups, w.shape[1]
    y = np.zeros((x.shape[0], outs * groups, *whole))
    for group, place in itertools.product(range(groups), np.ndindex(*x.shape[2:])):
        for tap in np.ndindex(*kernel):
            at = tuple(p * s + t * d for p, s, t, d in zip(place, strides, tap, dilations, strict=True))
            seen = x[(slice(None), slice(group * ins, (group + 1) * ins), *place)]
            factors = w[(slice(group * ins, (group + 1) * ins), slice(None), *tap)]
            y[(slice(None), slice(group * outs, (group + 1) * outs), *at)] += seen @ factors
    cut = [slice(before, size - after) for (before, after), size in zip(paddings, whole, strict=True)]
    return y[(slice(None), slice(None), *cut)]
