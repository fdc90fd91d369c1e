"""A loop that belongs to an operation: iterations over the blocks of a dim, with carried and collected values."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.ir import Loop, Value


class BlockLoop:
    """A context: what the builder emits within it is done in every iteration. `carried` and `collected` give what is
    there afterwards."""

    def __init__(
        self, b: Builder, over: Any, tile: int, causal_bound: tuple[str, Any] | None = None, exact: bool = False
    ) -> None:
        """Over the dim whose symbol is ``over``, ``tile`` elements at a time; ``causal_bound`` and ``exact`` as of a
        `Loop`."""
        self._b, self._over, self._name = b, over, b.loop_name()
        self.tile = min(tile, b.dims.number(over) or tile)
        self._dim = b.dims.open_block(over.name, self.tile, b.at)
        self._causal_bound, self._exact = causal_bound, exact
        self._carries: dict[str, Value] = {}
        self._following: tuple[Value, ...] = ()

    @property
    def size(self) -> Any:
        """The size of the iteration's block in shapes."""
        return self._b.dims.symbols[self._dim.name]

    def __enter__(self) -> BlockLoop:
        self._b.loop = self._name
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._b.loop = ""
        pairs = tuple((before.name, after.name) for _, before, after in self._pairs())
        b, over = self._b, self._over.name
        b.loops.append(
            Loop(self._name, b.stage, over, self.tile, self._dim, pairs, b.at, self._causal_bound, self._exact)
        )

    def block(self, x: Value, axis: int) -> Value:
        """This iteration's block of an axis."""
        return self._b.block(x, self._b.axis(x, axis), self.size)

    def carry(self, **starts: Value) -> tuple[Value, ...]:
        """The carried values at the start of an iteration, from what they are before the loop, by a word for each."""
        self._carries = {word: self._b.carry(word, start) for word, start in starts.items()}
        return tuple(self._carries.values())

    def follow(self, *values: Value) -> None:
        """What the carried values are in the next iteration."""
        self._following = values

    def carried(self) -> tuple[Value, ...]:
        """After the loop: what the carried values are when it is over."""
        return tuple(self._b.carried(self._name, before, after, f"{word}_end") for word, before, after in self._pairs())

    def collected(self, x: Value, axis: int, hint: str) -> Value:
        """After the loop: the blocks of all iterations along an axis."""
        return self._b.collected(self._name, x, self._b.axis(x, axis), self._over, False, hint)

    def _pairs(self) -> list[tuple[str, Value, Value]]:
        named = self._carries.items()
        return [(word, before, after) for (word, before), after in zip(named, self._following, strict=False)]
