"""What a run is given, with its direction: ``Arg.input(x)``, ``Arg.output(y)``, ``Arg.inout(state)``,
``Arg.scalar(0.5)``.

A list of these is matched by position, in the order of the contract (inputs, outputs that are not in place,
attrs); in a mapping the names match, and a plain array or number is an input or a scalar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Direction = Literal["input", "output", "inout", "scalar"]


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument of a run. ``value`` is an array, a ``TensorHandle``, a number, or None for a new output
    tensor of ``shape`` and ``dtype`` (both may be None where the contract of an operator knows them).
    """

    direction: Direction
    value: Any = None
    shape: tuple[int, ...] | None = None
    dtype: Any = None

    @classmethod
    def input(cls, value: Any) -> Arg:
        """A tensor that is only read."""
        return cls("input", value)

    @classmethod
    def output(cls, value: Any = None, *, shape: Sequence[int] | None = None, dtype: Any = None) -> Arg:
        """A tensor that is written and not read: an existing one, or a new one of this shape and dtype."""
        return cls("output", value, None if shape is None else tuple(shape), dtype)

    @classmethod
    def inout(cls, value: Any) -> Arg:
        """A tensor that is read and updated in place."""
        return cls("inout", value)

    @classmethod
    def scalar(cls, value: float | int | str | bool) -> Arg:
        """A number (or a word, for kernels written in Python)."""
        return cls("scalar", value)

    @property
    def writes(self) -> bool:
        """Whether a task with this argument changes it."""
        return self.direction in ("output", "inout")

    @property
    def reads(self) -> bool:
        """Whether a task with this argument needs what was there before."""
        return self.direction in ("input", "inout")
