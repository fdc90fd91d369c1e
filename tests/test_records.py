"""Records behave as frozen dataclasses of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field

import pytest

from pyptogen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Quick:
    """All kinds of fields."""

    name: str
    size: int = 3
    parts: list[int] = field(default_factory=list)
    note: str = field(default="", compare=False)
    hidden: str = field(default="", repr=False)
    wide: bool = field(default=False, kw_only=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """The same."""

    name: str
    size: int = 3
    parts: list[int] = field(default_factory=list)
    note: str = field(default="", compare=False)
    hidden: str = field(default="", repr=False)
    wide: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Derived(Quick):
    """With a field more, and one that is worked out."""

    more: int = 0
    double: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "double", 2 * self.more)


@dataclass(frozen=True, slots=True)
class Pair:
    """Hashable, with an equality of its own."""

    a: int
    b: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pair) and self.a == other.a

    def __hash__(self) -> int:
        return hash(self.a)


@dataclass(frozen=True, slots=True)
class Point:
    """Hashable."""

    x: int
    y: tuple[int, ...] = ()
    note: str = field(default="", compare=False)


def test_what_is_given_and_what_is_not() -> None:
    for kind in (Quick, Standard):
        record = kind("a", parts=[1], wide=True)
        assert (record.name, record.size, record.parts, record.note, record.wide) == ("a", 3, [1], "", True)
    assert Quick("a").parts is not Quick("a").parts
    assert dataclasses.asdict(Quick("a")) == dataclasses.asdict(Standard("a"))


@pytest.mark.parametrize("arguments", [(), ("a", 1, [], "", "", True)])
def test_wrong_arguments_are_refused(arguments: tuple[object, ...]) -> None:
    for kind in (Quick, Standard):
        with pytest.raises(TypeError):
            kind(*arguments)  # type: ignore[arg-type]


def test_it_is_frozen_and_has_slots() -> None:
    record = Quick("a")
    with pytest.raises(FrozenInstanceError, match="size"):
        record.size = 4  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="size"):
        del record.size
    with pytest.raises(FrozenInstanceError):
        record.other = 4  # type: ignore[attr-defined]
    assert not hasattr(record, "__dict__")
    assert record.size == 3


def test_its_text_is_the_same() -> None:
    assert repr(Quick("a", note="n", hidden="h")) == repr(Standard("a", note="n", hidden="h")).replace(
        "Standard", "Quick"
    )


def test_equality_and_hash() -> None:
    assert Point(1, (2,), "a") == Point(1, (2,), "b")
    assert hash(Point(1, (2,), "a")) == hash(Point(1, (2,), "b"))
    assert Point(1, (2,)) != Point(1, (3,))
    assert Point(1) != (1, (), "")
    assert Point(1).__eq__(3) is NotImplemented
    assert {Point(1), Point(1), Point(2)} == {Point(2), Point(1)}
    with pytest.raises(TypeError):
        hash(Quick("a"))
    assert Pair(1, 2) == Pair(1, 3)
    assert len({Pair(1, 2), Pair(1, 3)}) == 1
    assert Derived("a", more=1) != Quick("a")


def test_replace() -> None:
    record = Quick("a", 5, [1], "n", wide=True)
    changed = replace(record, name="b", parts=[2])
    assert changed == Quick("b", 5, [2], wide=True)
    assert (changed.note, record.name) == ("n", "a")
    with pytest.raises(TypeError):
        replace(record, other=1)
    assert replace(Derived("a", more=1), more=4).double == 8
    assert replace(Standard("a"), size=1) == Standard("a", 1)


class Loose(Quick):
    """No record itself: it has a dictionary beside the slots."""


def test_a_subclass_that_is_no_record_stays_itself() -> None:
    record = Loose("a", 4, parts=[1])
    assert type(record) is type(replace(record, size=5)) is Loose
    assert (record.name, record.size, record.parts, record.note) == ("a", 4, [1], "")
    assert replace(record, size=5).size == 5
    with pytest.raises(FrozenInstanceError, match="size"):
        record.size = 4  # type: ignore[misc]


def test_copies_and_pickles() -> None:
    for record in (Point(1, (2,), "n"), Quick("a", parts=[1]), Derived("a", more=3)):
        for other in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record), copy.copy(record)):
            assert other == record
            assert [getattr(other, f.name) for f in dataclasses.fields(record)] == [
                getattr(record, f.name) for f in dataclasses.fields(record)
            ]


def test_other_classes_are_those_of_the_standard_library() -> None:
    @dataclass
    class Plain:
        a: int = 1

    @dataclass(frozen=True)
    class Wide:
        a: int = 1

    assert Plain() == Plain(1)
    assert hash(Wide()) == hash(Wide(1))
