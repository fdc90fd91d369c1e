"""Frozen dataclasses that are defined, made and changed quickly.

`dataclass` and `replace` are those of ``dataclasses``, for type checkers too, but for what they cost:

- For a frozen class ``dataclasses`` compiles six methods when it is defined, a millisecond that each start of a command
  pays for some hundred classes. Here a method is compiled when it is called first.
- A generated ``__init__`` sets each field of a frozen record through ``object.__setattr__``, which looks its name up.
  Here it fills the slots themselves, of many fields while the record is of a class that is not frozen (a third to
  half of the time): lowering an operator makes a hundred thousand records.
- ``dataclasses.replace`` walks over the fields. Here a function made for the class fills the slots of a new record (a
  quarter of the time).
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from functools import cache
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from dataclasses import dataclass, replace
else:

    def dataclass(cls=None, /, **options):
        """A decorator as ``dataclasses.dataclass``; classes that are not both frozen and slotted are made by that."""
        if cls is not None or not (options.get("frozen") and options.get("slots")):
            return dataclasses.dataclass(**options) if cls is None else dataclasses.dataclass(cls, **options)
        return _record

    def replace(record, /, **changes):
        """The record with other values for some of its fields."""
        kind = record.__class__
        found = _replacers.get(kind)
        if found is None:
            found = _replacers[kind] = _replacer(kind)
        return found(record, **changes)


_NOT_GIVEN = object()
_MANY = 5
"""Fields from which on it pays to change the class of a record twice while they are set."""
_replacers: dict[type, Callable[..., Any]] = {}
_filled: set[type] = set()
"""The records whose ``__init__`` is made here: it fills slots, and calls ``__post_init__`` if there is one."""


def _record(cls: type) -> type:
    own = dict(cls.__dict__)
    made: type = dataclasses.dataclass(slots=True, init=False, repr=False, eq=False)(cls)
    methods: dict[str, Callable[[type], Callable[..., Any]]] = {"__init__": _init, "__repr__": _repr, "__eq__": _eq}
    if own.get("__hash__") is None:
        methods["__hash__"] = _hash
    if "__init__" not in own:
        _filled.add(made)
    for name, compile_ in methods.items():
        if name not in own or name == "__hash__":
            setattr(made, name, _when_called(made, name, compile_))
    for name, method in _FROZEN.items():
        if name not in own:
            setattr(made, name, method)
    return made


def _when_called(cls: type, name: str, compile_: Callable[[type], Callable[..., Any]]) -> Callable[..., Any]:
    """A method that takes its own place when it is called."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = compile_(cls)
        made.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, made)
        return made(self, *args, **kwargs)

    method.__name__ = name
    return method


# -- what a frozen class has ------------------------------------------------------------------------------------------


def _set(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in _names(self.__class__)]


def _restore(self: Any, state: list[Any]) -> None:
    for name, value in zip(_names(self.__class__), state, strict=True):
        object.__setattr__(self, name, value)


@cache
def _names(cls: type) -> list[str]:
    return [one.name for one in fields(cls)]


_FROZEN: dict[str, Callable[..., Any]] = {
    "__setattr__": _set,
    "__delattr__": _delete,
    "__getstate__": _state,
    "__setstate__": _restore,
}


# -- what is compiled -------------------------------------------------------------------------------------------------


def _init(cls: type) -> Callable[..., None]:
    """An ``__init__`` that sets slots by their descriptors."""
    known: dict[str, Any] = {"_not_given": _NOT_GIVEN}
    positional: list[str] = ["self"]
    by_name: list[str] = []
    values: dict[str, str] = {}
    for one in fields(cls):
        if one.init:
            (by_name if one.kw_only else positional).append(_parameter(one, known))
        elif one.default is MISSING and one.default_factory is MISSING:
            continue  # `__post_init__` sets it
        else:
            _parameter(one, known)
        if one.default_factory is not MISSING:
            new = f"_make_{one.name}()"
            given = f"{new} if {one.name} is _not_given else {one.name}" if one.init else new
        else:
            given = one.name if one.init else f"_default_{one.name}"
        values[one.name] = given
    parameters = [*positional, *(("*", *by_name) if by_name else ())]
    plain = [*_filling(cls, "self", values, None, known)] or ["pass"]
    open_ = _open(cls) if len(values) >= _MANY else None
    if open_ is None:
        return _function("__init__", parameters, plain, known)
    known["_as"] = object.__dict__["__class__"].__set__
    quick = ["_as(self, _open)", *_filling(cls, "self", values, open_, known)]
    both = [
        *_indented("if self.__class__ is _cls:", quick),
        *_indented("else:  # a subclass has another layout", plain),
    ]
    return _function("__init__", parameters, both, known)


def _indented(head: str, lines: Iterable[str]) -> list[str]:
    return [head, *(f"    {line}" for line in lines)]


def _parameter(one: Field[Any], known: dict[str, Any]) -> str:
    if one.default_factory is not MISSING:
        known[f"_make_{one.name}"] = one.default_factory
        return f"{one.name}=_not_given"
    if one.default is not MISSING:
        known[f"_default_{one.name}"] = one.default
        return f"{one.name}=_default_{one.name}"
    return one.name


def _repr(cls: type) -> Callable[..., str]:
    names = [one.name for one in fields(cls) if one.repr]

    def __repr__(self: Any) -> str:  # noqa: N807 - it becomes the method of that name
        shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{self.__class__.__qualname__}({shown})"

    return __repr__


def _eq(cls: type) -> Callable[..., bool]:
    names = [one.name for one in fields(cls) if one.compare]
    mine, others = (f"({''.join(f'{of}.{name}, ' for name in names)})" for of in ("self", "other"))
    body = ["if other.__class__ is not self.__class__: return NotImplemented", f"return {mine} == {others}"]
    return _function("__eq__", ["self", "other"], body, {})


def _hash(cls: type) -> Callable[..., int]:
    names = [one.name for one in fields(cls) if (one.compare if one.hash is None else one.hash)]
    return _function("__hash__", ["self"], [f"return hash(({''.join(f'self.{name}, ' for name in names)}))"], {})


def _replacer(cls: type) -> Callable[..., Any]:
    names = [one.name for one in fields(cls) if one.init]
    parameters = ["_self", "/", *(("*", *(f"{name}=_not_given" for name in names)) if names else ())]
    values = {name: f"_self.{name} if {name} is _not_given else {name}" for name in names}
    known: dict[str, Any] = {"_not_given": _NOT_GIVEN, "_cls": cls}
    others = [one for one in fields(cls) if not one.init]
    if cls not in _filled or any(one.default is not MISSING or one.default_factory is not MISSING for one in others):
        call = ", ".join(f"{name}={value}" for name, value in values.items())
        return _function("replace", parameters, [f"return _cls({call})"], known)
    # The slots of a new record are filled here: a call of `__init__` with all fields by name takes twice as long.
    open_ = _open(cls)
    known["_new"] = object.__new__
    body = ["_made = _new(_open)", *_filling(cls, "_made", values, open_, known), "return _made"]
    return _function("replace", parameters, body, known)


def _filling(
    cls: type, record: str, values: dict[str, str], open_: type | None, known: dict[str, Any]
) -> Iterator[str]:
    """Lines that give a record its fields; ``known`` learns what they use. ``open_``: the class that it is of until
    then."""
    known["_cls"] = cls
    for name, value in values.items():
        if open_ is None:
            known[f"_set_{name}"] = getattr(cls, name).__set__
            yield f"_set_{name}({record}, {value})"
        else:
            yield f"{record}.{name} = {value}"
    if open_ is not None:
        known["_open"] = open_
        yield f"{record}.__class__ = _cls"
    if hasattr(cls, "__post_init__"):
        yield f"{record}.__post_init__()"


@cache
def _open(cls: type) -> type:
    """A class with the same slots on the same bases that is not frozen: Python sets its fields without a call."""
    own: Any = cls.__dict__["__slots__"]
    free = {name: getattr(object, name) for name in ("__setattr__", "__delattr__")}
    return type(cls)(cls.__name__, cls.__bases__, {"__slots__": own, **free})


def _function(name: str, parameters: list[str], body: list[str], known: dict[str, Any]) -> Callable[..., Any]:
    """A function made of text: names of fields, and nothing else that comes from elsewhere."""
    lines = "\n        ".join(body)
    text = (
        f"def make({', '.join(known)}):\n    def {name}({', '.join(parameters)}):\n        {lines}\n    return {name}"
    )
    found: dict[str, Any] = {}
    exec(text, {}, found)
    return cast("Callable[..., Any]", found["make"](**known))


__all__ = ["dataclass", "replace"]
