"""Frozen dataclasses that are made quickly.

Lowering an operator makes a hundred thousand small frozen records and changes as many. What ``dataclasses`` generates
for frozen classes sets each field through ``object.__setattr__``, which looks its name up; `quick` gives a slotted class
an ``__init__`` of the same signature that fills the slots themselves (half of the time), and `replace` is
``dataclasses.replace`` without its walk over the fields (a third of the time). Records stay as frozen as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import TYPE_CHECKING, Any, TypeVar, cast

Record = TypeVar("Record")
_KEPT = object()
_replacers: dict[type, Callable[..., Any]] = {}


def quick(cls: type[Record]) -> type[Record]:
    """A decorator above ``@dataclass(frozen=True, slots=True)``. The ``__init__`` is generated when the first record is
    made: most of what is loaded is not used in a run."""

    def __init__(self: Record, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it takes the place of that
        made = _init(cls)
        setattr(cls, "__init__", made)  # noqa: B010 - a type checker does not let methods be set otherwise
        made(self, *args, **kwargs)

    setattr(cls, "__init__", __init__)  # noqa: B010
    return cls


def _init(cls: type) -> Callable[..., None]:
    """An ``__init__`` that sets slots by their descriptors."""
    known: dict[str, Any] = {"_made": _KEPT}
    positional, by_name, body = ["self"], [], []
    for one in fields(cls):
        assert one.init, f"{cls.__name__}.{one.name}: a quick record takes all of its fields"
        known[f"_set_{one.name}"] = getattr(cls, one.name).__set__
        (by_name if one.kw_only else positional).append(_parameter(one, known))
        if one.default_factory is not MISSING:
            body.append(f"if {one.name} is _made: {one.name} = _make_{one.name}()")
        body.append(f"_set_{one.name}(self, {one.name})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = [*positional, *(("*", *by_name) if by_name else ())]
    return _function("__init__", parameters, body or ["pass"], known)


def _parameter(one: Field[Any], known: dict[str, Any]) -> str:
    if one.default_factory is not MISSING:
        known[f"_make_{one.name}"] = one.default_factory
        return f"{one.name}=_made"
    if one.default is not MISSING:
        known[f"_default_{one.name}"] = one.default
        return f"{one.name}=_default_{one.name}"
    return one.name


def _replacer(cls: type) -> Callable[..., Any]:
    names = [one.name for one in fields(cls) if one.init]
    given = ", ".join(f"{name}=_kept" for name in names)
    values = ", ".join(f"{name}=_self.{name} if {name} is _kept else {name}" for name in names)
    return _function("replace", ["_self", "/", "*", given], [f"return _cls({values})"], {"_kept": _KEPT, "_cls": cls})


def _function(name: str, parameters: list[str], body: list[str], known: dict[str, Any]) -> Callable[..., Any]:
    """A function made of text: names of fields, and nothing else that comes from elsewhere."""
    lines = "\n        ".join(body)
    text = (
        f"def make({', '.join(known)}):\n    def {name}({', '.join(parameters)}):\n        {lines}\n    return {name}"
    )
    found: dict[str, Any] = {}
    exec(text, {}, found)  # noqa: S102
    return cast(Callable[..., Any], found["make"](**known))


if TYPE_CHECKING:
    from dataclasses import replace
else:

    def replace(record, /, **changes):
        """The record with other values for some of its fields."""
        cls = record.__class__
        found = _replacers.get(cls)
        if found is None:
            found = _replacers[cls] = _replacer(cls)
        return found(record, **changes)


__all__ = ["quick", "replace"]
