"""What an instruction does to each of its tiles and GlobalTensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyptogen.lower.isa.table import INSTRUCTIONS
from pyptogen.sanitize.lexer import Token
from pyptogen.sanitize.regions import Use, use_of
from pyptogen.sanitize.values import UNKNOWN, Event, Other, OtherType, Tile


def shape_of(kind: Any, given: Sequence[Any]) -> tuple[Any, ...]:
    """The five sizes of a GlobalTensor: of its type; those that are dynamic there, of a list behind the address."""
    shape = kind.arguments[1] if isinstance(kind, OtherType) and len(kind.arguments) > 1 else None
    if not isinstance(shape, OtherType) or len(shape.arguments) != 5:
        return ()
    sizes = iter(given[1] if len(given) > 1 and isinstance(given[1], list) else ())
    return tuple(next(sizes, UNKNOWN) if size == -1 else size for size in shape.arguments)


def uses_of(name: str, values: list[Any], token: Token) -> list[Use]:
    """What an instruction does to each of its tiles and GlobalTensors."""
    operands = [v for v in values if isinstance(v, Tile) or is_global(v)]
    numbers = tuple(v for v in values if not isinstance(v, Tile | Other | Event))
    word = INSTRUCTIONS[name].effects_for(len(operands))
    return [
        use_of(v, letter, token, numbers)
        if isinstance(v, Tile)
        else Use(letter, v.shape, name=v.layout(), numbers=numbers, element=v.element())
        for letter, v in zip(word, operands, strict=True)
    ]


def is_global(value: Any) -> bool:
    """Whether an operand is a GlobalTensor."""
    return isinstance(value, Other) and isinstance(value.type, OtherType) and "GlobalTensor" in value.type.name
