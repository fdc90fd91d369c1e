"""Numbers of inputs that hold indices, in the words of a spec's ``verify``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from pyptogen.importing.spec_text import Dim, Tensor

_DISTINCT = re.compile(r"permutation\((?P<below>.*)\)\Z")
_COORDINATE = re.compile(r"coordinate\((?P<axis>\d), (?P<sizes>.*)\)\Z")


def any_below(size: str) -> str:
    """Indices below a size."""
    return f"integers(0, {int(size) - 1 if size.isdigit() else f'{size} - 1'})"


def distinct_below(size: str) -> str:
    """Indices below a size, no two the same."""
    return f"permutation({size})"


def distinct_coordinate(axis: int, sizes: Sequence[str]) -> str:
    """Indices along an axis of which, with those along the others, no two are the same place."""
    return f"coordinate({axis}, {', '.join(sizes)})"


def as_many_as_there_are(
    generators: Mapping[str, str], inputs: Sequence[Tensor], dims: Sequence[Dim]
) -> dict[str, str]:
    """The generators of the inputs; distinct ones only where there are enough whatever the dims are."""
    found = {}
    for one in inputs:
        text = generators.get(one.name, "")
        distinct, coordinate = _DISTINCT.match(text), _COORDINATE.match(text)
        if distinct is not None:
            places, own = [distinct["below"]], distinct["below"]
        elif coordinate is not None:
            places = coordinate["sizes"].split(", ")
            own = places[int(coordinate["axis"])]
        else:
            places, own = [], ""
        if places and not _fits(one.shape, places, {dim.name: dim for dim in dims}):
            text = any_below(own)
        if text:
            found[one.name] = text
    return found


def _fits(shape: Sequence[str], places: Sequence[str], dims: Mapping[str, Dim]) -> bool:
    """Whether a tensor has at most as many elements as there are places, along all axes together. A size that is not
    known is no such."""
    most = [_range(size, dims)[1] for size in shape]
    least = math.prod(_range(size, dims)[0] for size in places)
    return all(most) and math.prod(most) <= least


def _range(size: str, dims: Mapping[str, Dim]) -> tuple[int, int]:
    """The least and the largest size; both 0 where it is not known."""
    if size.isdigit():
        return int(size), int(size)
    dim = dims.get(size)
    if dim is None:
        return 0, 0
    return (dim.least, dim.most) if dim.value is None else (dim.value, dim.value)
