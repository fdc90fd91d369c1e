"""A spec in the making: dims, inputs and definitions, from which it is drawn what comes next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st

FLOATS = ("fp32", "bf16", "fp16")
WHOLE = ("int32", "int16", "int8")
T = TypeVar("T")


@dataclass(frozen=True)
class Known:
    """A value that later definitions may use. ``shape`` names dims, or `1`; ``size`` is about its greatest magnitude;
    ``positive``: no element is under 0.1."""

    name: str
    dtype: str
    shape: tuple[str, ...]
    size: float = 1.0
    positive: bool = False


@dataclass
class Draft:
    """What was drawn so far. ``static`` are dims with a number, ``dynamic`` those of run time with the number of the
    run; ``lines`` are (names, expression)."""

    draw: st.DrawFn
    static: dict[str, int] = field(default_factory=dict)
    dynamic: dict[str, int] = field(default_factory=dict)
    inputs: dict[str, Known] = field(default_factory=dict)
    generate: dict[str, str] = field(default_factory=dict)
    attrs: dict[str, str] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    lines: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    known: list[Known] = field(default_factory=list)
    ended: list[Known] = field(default_factory=list)
    """Results that are outputs, and nothing else."""

    def any(self, *choices: T) -> T:
        return self.draw(st.sampled_from(choices))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def seldom(self, once_in: int) -> bool:
        return self.number(1, once_in) == once_in

    def length(self, most: int = 140) -> int:
        """The size of a static dim: mostly of no special residue."""
        round_ones = [size for size in (8, 16, 32, 33, 64, 100, 128, 136) if size <= most]
        return self.draw(st.one_of(st.integers(1, min(most, 72)), st.sampled_from(round_ones)))

    def dim(self, size: int) -> str:
        """A new static dim of this size: no tensor has one twice, and equal sizes need not be equal dims."""
        name = f"d{len(self.static)}"
        self.static[name] = size
        return name

    def extent(self, dim: str) -> int:
        """The size of a dim in the run."""
        return 1 if dim == "1" else self.static[dim] if dim in self.static else self.dynamic[dim]

    def fixed(self, dim: str) -> bool:
        return dim == "1" or dim in self.static

    def fresh(self, dtype: str, shape: Sequence[str], generate: str = "", size: float = 1.0) -> Known:
        """A new input."""
        made = Known(f"x{len(self.inputs)}", dtype, tuple(shape), size)
        if dtype in WHOLE and not generate:
            generate = '"integers(-9, 9)"'
            made = Known(made.name, dtype, made.shape, 9.0)
        self.inputs[made.name] = made
        if generate:
            self.generate[made.name] = generate
        if dtype != "int64":  # an index only
            self.known.append(made)
        return made

    def pick(self, suits: Callable[[Known], bool] = lambda k: True) -> Known | None:
        """Something known that suits, the newest ones with more chance; None where nothing does."""
        found = [k for k in self.known if suits(k)]
        if not found:
            return None
        return self.draw(st.one_of(st.sampled_from(found[-3:]), st.sampled_from(found)))

    def emit(self, text: str, dtype: str, shape: Sequence[str], *, size: float = 1.0, positive: bool = False) -> Known:
        """One more definition."""
        made = Known(f"v{len(self.lines)}", dtype, tuple(shape), size, positive)
        self.lines.append(((made.name,), text))
        self.known.append(made)
        return made

    def emit_pair(
        self, text: str, kinds: tuple[tuple[str, Sequence[str], float], tuple[str, Sequence[str], float]]
    ) -> None:
        """A definition of two values: (dtype, shape, size) of each."""
        number = len(self.lines)
        made = [Known(f"v{number}{s}", d, tuple(shape), size) for s, (d, shape, size) in zip("ab", kinds, strict=True)]
        self.lines.append((tuple(k.name for k in made), text))
        self.known += made
