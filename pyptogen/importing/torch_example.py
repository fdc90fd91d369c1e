"""``--example``: arguments for an import, in the words of a spec.

``x=bf16[rows=1..65536, cols=4096]`` is a tensor with a dynamic and a static dim, ``gamma=fp32[cols]`` one with a dim
that stands before it, ``fp32[37, 64]`` one whose sizes have no names; ``eps=1.0e-6`` is a number, ``causal=true`` a
flag. Without a name arguments are in order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyptogen.diagnostics import DiagnosticError, Span, did_you_mean, fault
from pyptogen.importing.spec_text import Dim
from pyptogen.importing.torch_site import COMPLEX_DTYPE, DTYPES

_ARGUMENT = re.compile(r"\s*(?:(?P<name>[A-Za-z_]\w*)\s*=)?\s*(?P<value>[^=\[]*?)\s*(?:\[(?P<axes>[^\]]*)\])?\s*\Z")
_AXIS = re.compile(
    r"(?:(?P<name>[A-Za-z]\w*)\s*=\s*)?(?P<least>\d+)(?:\s*\.\.\s*(?P<most>\d+))?\Z|(?P<known>[A-Za-z]\w*)\Z"
)
_USUAL = 37
"""A dynamic dim has this size while the program is traced: neither 0 nor 1, which would be special."""


@dataclass(frozen=True, slots=True)
class TensorExample:
    """A tensor: its dtype in the language, and the dims of its axes by name."""

    dtype: str
    axes: tuple[str, ...]


@dataclass(slots=True)
class Examples:
    """Arguments by position and by name, and the dims that they name. A dim that has no name of its own is named by its
    size."""

    positional: list[Any] = field(default_factory=list)
    named: dict[str, Any] = field(default_factory=dict)
    dims: dict[str, Dim] = field(default_factory=dict)

    def size(self, axis: str) -> int:
        """The size of an axis in the example."""
        if axis.isdigit():
            return int(axis)
        dim = self.dims[axis]
        if dim.value is not None:
            return dim.value
        place = list(self.dims).index(axis)  # two dims are of two sizes, so that no trace takes them for one
        return max(dim.least, min(dim.most, _USUAL + 6 * place))


def parse_examples(texts: Sequence[str]) -> Examples:
    """What ``--example`` says, in order. Raises PTG803."""
    made = Examples()
    for text in texts:
        match = _ARGUMENT.match(text)
        if match is None:
            raise _wrong(text, 1, f"`{text}` is no example")
        value = _tensor(text, match, made) if match["axes"] is not None else _scalar(text, match)
        if match["name"]:
            made.named[match["name"]] = value
        elif made.named:
            raise _wrong(text, 1, f"`{text}` has no name, and stands behind arguments that have one")
        else:
            made.positional.append(value)
    return made


def _tensor(text: str, match: re.Match[str], made: Examples) -> TensorExample:
    known = [*DTYPES.values(), COMPLEX_DTYPE]
    if match["value"] not in known:
        column = match.start("value") + 1
        raise _wrong(text, column, f"there is no dtype `{match['value']}`", did_you_mean(match["value"], known))
    axes, column = [], match.start("axes") + 1
    for part in match["axes"].split(",") if match["axes"].strip() else ():
        axes.append(_axis(text, part.strip(), column, made))
        column += len(part) + 1
    return TensorExample(match["value"], tuple(axes))


def _axis(text: str, part: str, column: int, made: Examples) -> str:
    axis = _AXIS.match(part)
    if axis is None:
        raise _wrong(text, column, f"`{part}` is no axis")
    if axis["known"]:
        if axis["known"] not in made.dims:
            raise _wrong(
                text, column, f"the dim `{part}` has no size", f"`{part}=64`, or `{part}=1..65536` at run time"
            )
        return axis["known"]
    least, most = int(axis["least"]), axis["most"]
    if not axis["name"]:
        if most is not None:
            raise _wrong(text, column, f"the range `{part}` has no name", f"give it one: `rows={part}`")
        return str(least)
    dim = Dim(axis["name"], least) if most is None else Dim(axis["name"], None, least, int(most))
    if made.dims.setdefault(axis["name"], dim) != dim:
        raise _wrong(text, column, f"the dim `{axis['name']}` has another size before", "write its name alone")
    if dim.value is None and (dim.most < 2 or dim.most < dim.least):
        raise _wrong(text, column, f"the range `{part}` holds no size above 1")
    return axis["name"]


def _scalar(text: str, match: re.Match[str]) -> Any:
    value = match["value"]
    words = {"true": True, "false": False, "none": None}
    if value.lower() in words:
        return words[value.lower()]
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    raise _wrong(text, match.start("value") + 1, f"`{value}` is neither a tensor nor a number")


def _wrong(text: str, column: int, what: str, fix: str = "") -> DiagnosticError:
    span = Span("--example", 1, column, 1, len(text) + 1)
    expected = "such as `x=bf16[rows=1..65536, cols=4096]`, `gamma=fp32[cols]` or `eps=1.0e-6`"
    return fault("PTG803", what, span, expected=expected, fix=fix)
