"""What callers notice: arguments, dtypes, shapes, ranges, scalars, the entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyptogen.lower.tensor.building.dims import show_shape, show_size
from pyptogen.review.accepted_sizes import Untaken, untaken
from pyptogen.review.changes import Change, Level

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Attr, Dim
    from pyptogen.review.model import Contract, Tensor


def contract_changes(before: Contract, after: Contract) -> tuple[Change, ...]:
    """The changes of a contract: what breaks callers first, each once."""
    found = [
        *_tensors("input", before.inputs, after.inputs, after),
        *_tensors("output", before.outputs, after.outputs, after),
        *_sizes(before, after),
        *_attrs(before, after),
        *_requires(before, after),
        *_targets(before, after),
    ]
    if not any(change.level is Level.BREAKING and change.code in _CHANGE_SLOTS for change in found):
        found += _slots(before, after)
    return tuple(sorted(found, key=lambda change: list(Level).index(change.level)))


_CHANGE_SLOTS = frozenset({"PTG602", "PTG603", "PTG604", "PTG605", "PTG609", "PTG611"})
"""Codes that say already that the entry has other slots."""


def _breaking(code: str, subject: str, word: str, before: str, after: str, contract: Contract) -> Change:
    return Change("contract", subject, word, before, after, Level.BREAKING, code, contract.span)


def _placed(code: str, what: str, one: Tensor, word: str, before: str, after: str) -> Change:
    return Change("contract", f"{what} `{one.name}`", word, before, after, Level.BREAKING, code, one.span)


def _tensors(what: str, before: Sequence[Tensor], after: Sequence[Tensor], contract: Contract) -> Iterator[Change]:
    old, new = ({one.name: one for one in side} for side in (before, after))
    renamed = dict(_renamed(before, after))
    for name, one in old.items():
        if name in renamed:
            yield _breaking("PTG602", f"{what} `{name}`", "renamed", name, renamed[name], contract)
        elif name not in new:
            yield _breaking("PTG602", f"{what} `{name}`", "removed", typed(one), "", contract)
    for name, one in new.items():
        if name not in old and name not in renamed.values():
            yield _placed("PTG603", what, one, "added", "", typed(one))
    kept = [name for name in old if name in new]
    order = [name for name in new if name in old]
    if kept != order:
        yield _breaking("PTG604", f"{what}s", "reordered", ", ".join(kept), ", ".join(order), contract)
    for name in order:
        yield from _of_one(what, old[name], new[name])


def _renamed(before: Sequence[Tensor], after: Sequence[Tensor]) -> Iterator[tuple[str, str]]:
    """Names that changed at one place of the list, where the type did not."""
    old, new = {one.name for one in before}, {one.name for one in after}
    if len(before) != len(after):
        return
    for one, other in zip(before, after, strict=True):
        if one.name not in new and other.name not in old and typed(one) == typed(other):
            yield one.name, other.name


def _of_one(what: str, before: Tensor, after: Tensor) -> Iterator[Change]:
    if before.dtype != after.dtype:
        yield _placed("PTG605", what, after, "other dtype", before.dtype, after.dtype)
    if len(before.shape) != len(after.shape):
        yield _placed("PTG606", what, after, "other rank", show_shape(before.shape), show_shape(after.shape))
    if before.layout != after.layout:
        yield _placed("PTG607", what, after, "other layout", before.layout, after.layout)
    if len(before.strides) != len(after.strides):
        steps = [show_shape(one.strides) if one.strides else "row after row" for one in (before, after)]
        yield _placed("PTG607", what, after, "other strides", *steps)
    if before.updates != after.updates:
        memory = (f"in place of `{one.updates}`" if one.updates else "memory of its own" for one in (before, after))
        yield _placed("PTG611", what, after, "other memory", *memory)


def _sizes(before: Contract, after: Contract) -> Iterator[Change]:
    """What is taken no more, and what is taken besides."""
    for one in untaken(before, after):
        yield _narrowed(one, before, after)
    for one in untaken(after, before):
        change = _widened(one, before, after)
        if change is not None:
            yield change


def _narrowed(one: Untaken, before: Contract, after: Contract) -> Change:
    if one.dim is not None:
        subject, sizes = f"dim `{one.dim.name}`", (_range(before, one.size), show_dim(one.dim))
        return Change("contract", subject, "narrowed", *sizes, Level.BREAKING, "PTG608", one.dim.span)
    code, word = ("PTG607", "other strides") if one.strides else ("PTG606", "other shape")
    return _breaking(code, _places(one), word, _named(before, one.size), _named(after, one.wanted), after)


def _widened(one: Untaken, before: Contract, after: Contract) -> Change | None:
    """What calls are taken besides; None where `_narrowed` tells it already: sizes that are just others."""
    if one.dim is not None:
        return Change(
            "contract", f"dim `{one.dim.name}`", "widened", show_dim(one.dim), _range(after, one.size), span=after.span
        )
    if not after.dims.resolve(one.size).free_symbols:
        return None
    return Change("contract", _places(one), "widened", _named(before, one.wanted), _named(after, one.size))


def _places(one: Untaken) -> str:
    return f"{'strides' if one.strides else 'axes'} {', '.join(f'`{place}`' for place in one.places)}"


def _attrs(before: Contract, after: Contract) -> Iterator[Change]:
    old, new = ({one.name: one for one in side.attrs} for side in (before, after))
    for name, one in old.items():
        if name not in new:
            yield _breaking("PTG609", f"attr `{name}`", "removed", show_attr(one), "", after)
    for name, one in new.items():
        given = old.get(name)
        if given is None:
            needed = one.default is None
            level, code = (Level.BREAKING, "PTG603") if needed else (Level.COMPATIBLE, "")
            yield Change("contract", f"attr `{name}`", "added", "", show_attr(one), level, code, one.span)
        else:
            yield from _of_attr(given, one)


def _of_attr(before: Attr, after: Attr) -> Iterator[Change]:
    subject, shown = f"attr `{after.name}`", (show_attr(before), show_attr(after))
    if before.dtype != after.dtype:
        wider = (before.dtype, after.dtype) == ("int32", "int64")
        level, code = (Level.COMPATIBLE, "") if wider else (Level.BREAKING, "PTG609")
        yield Change("contract", subject, "widened" if wider else "other type", *shown, level, code, after.span)
    if before.default is not None and after.default is None:
        yield Change("contract", subject, "without a default", *shown, Level.BREAKING, "PTG609", after.span)
    elif before.default is None and after.default is not None:
        yield Change("contract", subject, "with a default", *shown, span=after.span)
    elif before.default != after.default:
        yield Change("contract", subject, "other default", *shown, Level.BREAKING, "PTG610", after.span)


def _requires(before: Contract, after: Contract) -> Iterator[Change]:
    for text in after.requires:
        if text not in before.requires:
            yield _breaking("PTG614", "requirement", "added", "", text, after)
    for text in before.requires:
        if text not in after.requires:
            yield Change("contract", "requirement", "removed", text)


def _targets(before: Contract, after: Contract) -> Iterator[Change]:
    for target in before.targets:
        if target not in after.targets:
            yield _breaking("PTG613", f"target `{target}`", "removed", target, "", after)
    for target in after.targets:
        if target not in before.targets:
            yield Change("contract", f"target `{target}`", "added", "", target)


def _slots(before: Contract, after: Contract) -> Iterator[Change]:
    """The entry of compiled callers: also what Python callers do not notice, such as a number that became a dim."""
    if before.slots == after.slots:
        return
    old, new = ([_kind(slot) for slot in side.slots] for side in (before, after))
    word = "other names" if old == new else "other slots"
    gone = [slot for slot in before.slots if slot not in after.slots]
    come = [slot for slot in after.slots if slot not in before.slots]
    shown = (", ".join(gone) or "without", ", ".join(come) or "without") if gone or come else ("", "in another order")
    yield _breaking("PTG612", "entry", word, *shown, after)


def _kind(slot: str) -> tuple[str, str]:
    """Group and type of a slot: what a compiled caller sees of it."""
    return slot.split()[0], slot.rpartition(": ")[2]


def typed(one: Tensor) -> str:
    """As in a spec: ``bf16[t, h] @ nz``."""
    layout = "" if one.layout == "nd" else f" @ {one.layout}"
    strides = f" strides {show_shape(one.strides)}" if one.strides else ""
    return f"{one.dtype}{show_shape(one.shape)}{layout}{strides}"


def show_attr(attr: Attr) -> str:
    """``fp32 = 1e-06``."""
    return attr.dtype if attr.default is None else f"{attr.dtype} = {attr.default}"


def show_dim(dim: Dim) -> str:
    """The sizes that a dim takes: ``1 to 4096, multiples of 16``."""
    multiple = f", multiples of {dim.multiple_of}" if dim.multiple_of > 1 and dim.value is None else ""
    return str(dim.value) if dim.value is not None else f"{dim.min} to {dim.max}{multiple}"


def _range(contract: Contract, size: Any) -> str:
    """The sizes that an expression takes, where it is a dim with what that is a multiple of."""
    for dim in contract.dims.dims:
        if size == contract.dims.symbols[dim.name]:
            return show_dim(dim)
    low, high = contract.dims.bounds(size)
    return str(low) if low == high else f"{low} to {high}"


def _named(contract: Contract, size: Any) -> str:
    """A size as it is written, and what that is."""
    number = contract.dims.number(size)
    if number is None:
        return f"{show_size(size)} ({_range(contract, size)})"
    return show_size(size) if str(size) == str(number) else f"{show_size(size)} ({number})"
