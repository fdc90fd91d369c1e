"""Which values of an imported graph get a line of their own.

A person gives a name to what is used more than once, to what the program itself named, and to what would make a line
too long; everything else stands where it is used.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from pyptogen.importing.expression import Expression, call
from pyptogen.importing.index_numbers import any_below, distinct_below
from pyptogen.importing.names import FOR_VALUES, Names

_WORD = re.compile(r"[A-Za-z_]\w*(?![\w(=])")
"""A name of a value: no function, and no option of one."""
_LONGEST = 88
"""Characters of an expression that are still read at a glance."""


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor of the graph: how it is written, its dtype in the language, and its shape, sizes as text."""

    expression: Expression
    dtype: str
    shape: tuple[str, ...]
    word: str = "v"
    """What it is called where the program has no name for it."""

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def at_hand(self) -> bool:
        """A name, or a number: nothing is gained by another name."""
        return self.expression.is_name or self.expression.text.replace(".", "").isdigit()


class Writer:
    """The lines of a graph as they come to be."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.lines: list[tuple[str, str]] = []

    def settle(self, value: Value, wanted: str, uses: int) -> Value:
        """The value as its users write it. ``wanted``: the program's own name for it, or empty."""
        if value.at_hand:
            return value
        if wanted or uses > 1 or len(value.expression.text) > _LONGEST:
            return self.named(value, wanted or value.word)
        return value

    def index_generator(self, index: Value, below: str, inputs: Collection[str], distinct: bool) -> dict[str, str]:
        """The numbers of an input that holds indices below a size, or of which alone they are made, in the words of a
        spec's ``verify``."""
        made_of = self.reads(index.expression.text) & set(inputs)
        return {made_of.pop(): distinct_below(below) if distinct else any_below(below)} if len(made_of) == 1 else {}

    def apart(self, values: Sequence[Value]) -> list[Value]:
        """Values that stand in one expression, which is not to be too long."""
        long = sum(len(value.expression.text) for value in values) > _LONGEST
        return [self.named(one, one.word) if long and not one.at_hand else one for one in values]

    def named(self, value: Value, wanted: str) -> Value:
        """The value with a line of its own."""
        return self.line(value, self.names.take(wanted, FOR_VALUES))

    def line(self, value: Value, name: str) -> Value:
        """The value under a name that was taken for it."""
        self.lines.append((name, value.expression.text))
        return replace(value, expression=Expression(name))

    def reads(self, text: str) -> set[str]:
        """The words of an expression, of all the lines that it is made of: the inputs among them."""
        lines, found, todo = {name: line for names, line in self.lines for name in names.split(", ")}, set(), [text]
        while todo:
            for word in _WORD.findall(todo.pop()):
                if word not in found:
                    found.add(word)
                    todo += [lines[word]] if word in lines else []
        return found

    def several(
        self, expression: Expression, values: list[Value], wanted: Sequence[str], outputs: Sequence[str]
    ) -> list[Value]:
        """The results of one operation that has several, all named: by ``outputs``, names that were taken for them,
        or as ``wanted``."""
        names = [
            output or self.names.take(name or value.word, FOR_VALUES)
            for output, name, value in zip(outputs, wanted, values, strict=True)
        ]
        self.lines.append((", ".join(names), expression.text))
        return [replace(value, expression=Expression(name)) for value, name in zip(values, names, strict=True)]

    def output(self, value: Value, name: str) -> None:
        """The value as the output ``name``: its line gets that name if nobody else has asked for it by another."""
        expression = call("clone", value.expression) if value.expression.is_name else value.expression
        self.lines.append((name, expression.text))
