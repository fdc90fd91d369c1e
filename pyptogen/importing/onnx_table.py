"""Which operators of ONNX are taken, by which function, and what it knows of one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.writing import Value, Writer


@dataclass(frozen=True, slots=True)
class Site:
    """One operator: dtypes and shapes of its results, its attributes, numbers that inputs hold, where they are known,
    what the writer of its lines needs, and the names of
    the spec's inputs, of which ``generators`` has those whose numbers matter."""

    dtypes: tuple[str, ...]
    shapes: tuple[tuple[str, ...], ...]
    attributes: Mapping[str, Any]
    numbers: tuple[list[Any] | None, ...]
    writer: Writer
    wanted: tuple[str, ...]
    outputs: tuple[str, ...]
    generators: dict[str, str]
    inputs: Collection[str]

    @property
    def dtype(self) -> str:
        return self.dtypes[0]

    @property
    def shape(self) -> tuple[str, ...]:
        return self.shapes[0]

    def given(self, name: str, place: int, usual: Any = None) -> Any:
        """What newer versions have as an input, and older ones as an attribute: numbers that are known. Raises
        ``NotTakenError`` for those that are computed."""
        if name in self.attributes:
            return self.attributes[name]
        if place >= len(self.numbers):
            return usual
        if self.numbers[place] is None:
            raise NotTakenError(f"`{name}` that the model computes")
        return self.numbers[place]

    def named(self, value: Value) -> Value:
        return value if value.at_hand else self.writer.named(value, value.word)

    def indexes(self, index: Value, below: str, distinct: bool = False) -> None:
        """An input that holds indices, or of which alone they are made, gets numbers that are some. ``distinct``: where
        something is written to each of them, and which of two comes last is not said."""
        found = self.writer.index_generator(index, below, self.inputs, distinct)
        self.generators.update({k: text for k, text in found.items() if distinct or k not in self.generators})


Translation = Callable[..., Any]
Function = TypeVar("Function", bound=Translation)
TABLE: dict[str, Translation] = {}


def takes(*names: str) -> Callable[[Function], Function]:
    """Enter a translation under names of operators."""

    def enter(function: Function) -> Function:
        TABLE.update(dict.fromkeys(names, function))
        return function

    return enter


def short(value: float) -> float:
    """A float32 of a model as somebody wrote it."""
    return float(f"{value:.7g}")
