"""What names mean while a kernel is walked: numbers, types, tiles; and what nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from pyptogen.records import dataclass
from pyptogen.sanitize.lexer import Token
from pyptogen.sanitize.syntax import Function, Struct


class Unknown:
    """A value that depends on the call: a run-time argument, an element of memory."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Within:
    """A whole number that is not known, but no smaller than ``least`` and no larger than ``limit``: what a tile has
    left at the end of an axis, and what is counted from it."""

    least: int
    limit: int


SIZES = {
    "float": 4, "float32_t": 4, "int32_t": 4, "uint32_t": 4, "int": 4, "unsigned": 4, "half": 2, "float16_t": 2,
    "bfloat16_t": 2, "int16_t": 2, "uint16_t": 2, "short": 2, "int8_t": 1, "uint8_t": 1, "char": 1, "bool": 1,
    "int64_t": 8, "uint64_t": 8, "long": 8, "double": 8, "size_t": 8, "hifloat8_t": 1, "float8_e4m3_t": 1,
    "float8_e5m2_t": 1, "float8_e8m0_t": 1, "aclFloat16": 2, "event_t": 4, "int4b_t": 1, "float4_e2m1x2_t": 1,
    "float4_e1m2x2_t": 1,
}  # fmt: skip
"""Bytes of the built-in types and of the element types of PTO."""


@dataclass(frozen=True, slots=True)
class ScalarType:
    name: str

    @property
    def size(self) -> int:
        return SIZES[self.name]


@dataclass(frozen=True, slots=True)
class TileKind:
    """A tile type; sizes may be unknown. ``valid`` are the valid rows and columns that the type fixes (-1: given to
    the object). ``compact``: fractals lie by the valid extents (`CompactMode::Normal`)."""

    loc: str
    element: Any
    rows: Any
    cols: Any
    row_major: bool
    valid: tuple[Any, Any]
    compact: bool = False

    def bytes(self) -> int | None:
        """Capacity, if it is known."""
        if not (isinstance(self.rows, int) and isinstance(self.cols, int) and isinstance(self.element, ScalarType)):
            return None
        return self.rows * self.cols * self.element.size


@dataclass(frozen=True, slots=True)
class OtherType:
    """A type of which only the name matters (GlobalTensor, Shape, Event …)."""

    name: str
    arguments: tuple[Any, ...] = ()


@dataclass(slots=True)
class Tile:
    """A tile object. ``address`` is None before TASSIGN. ``k_aligned``: as `SetKAligned` says. ``holder``: the number
    of the TASSIGN that placed it; tiles of one TRESHAPE share it, because they hold one value."""

    kind: TileKind
    name: str
    token: Token
    valid: tuple[Any, Any]
    address: Any = None
    k_aligned: bool = False
    holder: int = 0


@dataclass(slots=True)
class Event:
    """An object of the library's Event type: the number of its last set."""

    number: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What an instruction gives back: its pipe."""

    pipe: str


@dataclass(slots=True)
class Other:
    """An object of another type. Of a GlobalTensor: the ``fifo`` whose slot it stands for, and its five sizes."""

    type: Any
    fifo: str | None = None
    shape: tuple[Any, ...] = ()

    def layout(self) -> str:
        """Of a GlobalTensor: ND, DN, NZ …"""
        arguments = self.type.arguments if isinstance(self.type, OtherType) else ()
        return str(arguments[3]) if len(arguments) > 3 else "ND"

    def element(self) -> Any:
        """Of a GlobalTensor: the type of its elements."""
        arguments = self.type.arguments if isinstance(self.type, OtherType) else ()
        return arguments[0] if arguments else UNKNOWN


@dataclass(frozen=True, slots=True)
class SlotPointer:
    """An address in the slot of a fifo."""

    fifo: str


@dataclass(slots=True)
class Pipe:
    """A TPipe: its flag, direction (1 to the vector core, 2 to the cube core, 3 both), bytes and number of slots; of
    tiles that TPOP places by itself, the consumer's slots, their addresses (of vector and cube core) and how many it
    has taken; whether accumulators are pushed by unit flags."""

    flag: int
    direction: int
    size: int
    slots: int
    local: int
    bases: tuple[Any, ...]
    taken: int = 0
    unit_flags: bool = False


@dataclass(slots=True)
class Cell:
    """A variable. ``element``: of a pointer, the type that it points to."""

    value: Any = field(default_factory=lambda: UNKNOWN)
    element: Any = UNKNOWN


Scope = dict[str, Cell]


@dataclass(frozen=True, slots=True)
class Functions:
    """Functions of one name, and the scopes around their own: those of an object's type and members, or of what stands
    around a lambda."""

    overloads: tuple[Function, ...]
    around: tuple[Scope, ...] = ()


@dataclass(frozen=True, slots=True)
class EnumType:
    name: str
    values: Mapping[str, Any] = field(compare=False)


@dataclass(slots=True)
class Template:
    """The structs of one name: specialisations, and the one without a pattern."""

    name: str
    structs: list[Struct]


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct with its template arguments. ``shared``: its types, static members and template parameters."""

    struct: Struct
    arguments: tuple[Any, ...]
    shared: Scope = field(compare=False)

    @property
    def name(self) -> str:
        return self.struct.name


@dataclass(slots=True)
class Instance:
    """An object of a struct."""

    type: StructType
    members: Scope
