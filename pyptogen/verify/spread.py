"""How far sound implementations of an operator are apart, output by output, on the data of one case."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from pyptogen.lower.tensor.ir import Program
from pyptogen.records import dataclass
from pyptogen.simulate.arithmetic import IN_DOUBLE, AsDeclared
from pyptogen.simulate.tensor import interpret
from pyptogen.verify.disturbance import Disturbed
from pyptogen.verify.last_place import FLOATS, last_place
from pyptogen.verify.neighbourhoods import FEWEST, Array, Neighbourhoods
from pyptogen.verify.ways import Way, ways

CAP, NARROW_CAP = 0.01, 0.05
"""The greatest root mean square of the differences that is derived, relative to that of the numbers; the second where
floats of eight bits or fewer lie on the way."""
ELEMENT = 4.0
"""How often the cap a single element may be off, relative to itself and its neighbourhood."""
_STRONG = 32.0
"""How much larger errors are made to see the roundings and choices that small ones turn now and then."""
_FEWEST_ROWS, _MOST_RUNS = 4, 8
_MANY_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Spread:
    """What other runs differ by from the golden.

    Attributes:
        near: ``[count]``, by neighbourhood the greatest difference of an element beyond a unit in the last place
        turned: the greatest such difference relative to the neighbourhood's numbers, where roundings and choices that
            fell the other way make it so; of whole numbers the greatest difference
        mean: of all differences, each relative to its number and its neighbourhood's. Of numbers that are rounded to
            few bits most do not differ, and some by a unit: on average that is the difference before the rounding.
            What is 0 in all runs was cut off (``relu``, a mask, a row of nothing) and says nothing about errors
        square: mean square of all differences, each relative to its neighbourhood's numbers
        share: of the elements, those that differ
        strays: elements beyond what a single one may be off
    """

    near: Array
    turned: float
    mean: float
    square: float
    share: float
    strays: int


def spreads(
    program: Program,
    inputs: Mapping[str, Array],
    attrs: Mapping[str, float | int],
    expected: Mapping[str, Array],
    *,
    own: bool = False,
) -> dict[str, Spread]:
    """The spread of each output.

    Args:
        program: the operator.
        inputs: as ``interpret`` takes them; they stay as they are.
        attrs: run-time scalars.
        expected: the golden's outputs, in elements.
        own: the golden is one of the author's, which need not make the roundings between.
    """
    way = ways(program)
    places = {name: Neighbourhoods(array) for name, array in expected.items()}
    runs = max((_runs(places[name]) for name in expected if way[name].errs), default=1)
    samples: list[tuple[AsDeclared, float]] = [(Disturbed(program, seed), 1.0) for seed in range(runs)]
    narrowed = {name: value.dtype != "fp32" and way[name].errs for name, value in program.outputs}
    if any(found.flips for found in way.values()) or any(narrowed.values()):
        samples.append((Disturbed(program, 101, _STRONG), _STRONG))
    if own:
        samples.append((IN_DOUBLE, 1.0))
    reference = interpret(program, inputs, attrs) if own else expected
    seen: dict[str, list[_Seen]] = {name: [] for name in expected}
    for arithmetic, strength in samples:
        run = interpret(program, inputs, attrs, arithmetic=arithmetic)
        for name, value in program.outputs:
            if strength == 1.0 or way[name].flips or narrowed[name]:
                seen[name].append(_see(run[name], reference[name], places[name], value.dtype, way[name], strength))
    return {name: _spread(seen[name], places[name], way[name].flips) for name in expected}


def _runs(places: Neighbourhoods) -> int:
    """How many runs it takes that none of them is near the golden by accident: errors of many elements are seen in one,
    but those of a row may have one cause."""
    wanted = max(-(-FEWEST // max(places.elements, 1)), -(-_FEWEST_ROWS // max(places.count, 1)))
    return min(wanted, _MOST_RUNS)


def element_cap(way: Way) -> float:
    return ELEMENT * cap(way)


def cap(way: Way) -> float:
    return NARROW_CAP if way.narrow else CAP


@dataclass(frozen=True, slots=True)
class _Seen:
    """Of one run."""

    strength: float
    near: Array
    turned: float
    sum: float
    alive: int
    """Elements that are not cut off: over how many ``sum`` goes."""
    energy: float
    greatest: float
    """The energy of the neighbourhood that has most."""
    differing: int
    most_differing: int
    strays: int
    most: int
    """Strays of the neighbourhood that has most."""


def _see(run: Array, reference: Array, places: Neighbourhoods, dtype: str, way: Way, strength: float) -> _Seen:
    near, energies, strays, differing = (np.zeros(places.count) for _ in range(4))
    floats, total, alive = dtype in FLOATS, 0.0, 0
    # Floats of few bits also round to 0 what is merely small: there a 0 is a number like others.
    cut = floats and FLOATS[dtype].digits >= _MANY_DIGITS
    for at, (got, wanted) in places.parts(run, reference):
        with np.errstate(invalid="ignore"):
            apart = np.nan_to_num(np.abs(got - wanted), nan=0.0, posinf=0.0)
        differing[at] = np.count_nonzero(apart, axis=1)
        if not floats:
            near[at] = np.max(apart, axis=1, initial=0)
            continue
        beyond = np.maximum(apart - last_place(wanted, dtype), 0.0)
        sizes = places.weight[at, None]
        own = np.abs(np.where(np.isfinite(wanted), wanted, 0)) + sizes
        stray = beyond > element_cap(way) * own
        strays[at] = np.count_nonzero(stray, axis=1)
        near[at] = np.max(np.where(stray, 0, beyond), axis=1, initial=0)
        total += float(np.sum(np.where(stray, 0, apart) / own))
        alive += int(np.count_nonzero((got != 0) | (wanted != 0)))
        energies[at] = np.sum(np.square(np.where(stray, 0, apart) / sizes), axis=1)
    common = places.level >= places.weight
    turned = float(np.max((near / places.weight)[common], initial=0) if floats else np.max(near, initial=0))
    return _Seen(
        strength,
        near,
        turned,
        total,
        alive if cut else places.elements,
        float(energies.sum()),
        float(energies.max(initial=0)),
        int(differing.sum()),
        int(differing.max(initial=0)),
        int(strays.sum()),
        int(strays.max(initial=0)),
    )


def _spread(seen: list[_Seen], places: Neighbourhoods, flips: bool) -> Spread:
    usual = [one for one in seen if one.strength == 1.0]
    strong = [one for one in seen if one.strength != 1.0]
    turning = strong if flips else []
    energy = max([one.energy for one in usual] + [one.energy / one.strength for one in strong])
    differing = max(one.differing / one.strength for one in seen)
    elements = max(places.elements, 1)
    strays = max([one.strays for one in usual] + [math.ceil(one.strays / one.strength) for one in strong])
    return Spread(
        near=np.max([one.near for one in usual], axis=0),
        turned=max((one.turned for one in (*usual, *turning)), default=0.0),
        mean=max(one.sum / one.strength / max(one.alive, 1) for one in seen),
        square=(energy + _ONE_TURN * max((one.greatest for one in turning), default=0.0)) / elements,
        share=(differing + _ONE_TURN * max((one.most_differing for one in turning), default=0)) / elements,
        strays=_TIMES * strays + max((one.most for one in turning), default=0),
    )


_TIMES = 3
_ONE_TURN = 0.5
"""How much of the greatest energy that a turn made there may be besides: a small output has one or none."""
