"""What reviewers look at in generated code: kernels, memory, synchronisation, estimated times, target by target."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pyptogen.review.changes import Change, Section

if TYPE_CHECKING:
    from pyptogen.review.model import Kernel, Made

_ALIKE = 0.7
"""Part of the lines of two kernels of different names that are the same, from which on one is called the other."""


def generated_changes(before: Mapping[str, Made], after: Mapping[str, Made]) -> tuple[Change, ...]:
    """The changes of what is made for the targets that both sides have."""
    return tuple(
        change
        for target in after
        if target in before
        for change in (
            *_kernels(before[target], after[target], target),
            *_memory(before[target], after[target], target),
            *_synchronisation(before[target], after[target], target),
            *_times(before[target].times, after[target].times, target),
        )
    )


def _pairs(before: Made, after: Made) -> list[tuple[Kernel | None, Kernel | None]]:
    """Kernels beside those that they were before, in the order of the new side; gone ones last."""
    old, new = {one.name: one for one in before.kernels}, {one.name: one for one in after.kernels}
    gone = [one for name, one in old.items() if name not in new]
    pairs: list[tuple[Kernel | None, Kernel | None]] = []
    for name, one in new.items():
        was = old.get(name)
        if was is None:
            alike = [(_alike(other, one), other) for other in gone if other.core == one.core]
            best = max(alike, key=lambda pair: pair[0], default=(0.0, None))
            was = best[1] if best[0] >= _ALIKE else None
            gone = [other for other in gone if other is not was]
        pairs.append((was, one))
    return [*pairs, *((one, None) for one in gone)]


def _alike(one: Kernel, other: Kernel) -> float:
    renamed = [line.replace(one.name, other.name) for line in one.code]
    return difflib.SequenceMatcher(None, renamed, other.code, autojunk=False).ratio()


def _kernels(before: Made, after: Made, target: str) -> Iterator[Change]:
    for old, new in _pairs(before, after):
        if old is None and new is not None:
            yield Change("kernels", f"`{new.name}`", "added", "", f"{len(new.code)} lines", target=target)
        elif new is None and old is not None:
            yield Change("kernels", f"`{old.name}`", "removed", f"{len(old.code)} lines", "", target=target)
        elif old is not None and new is not None and old.name != new.name:
            more, fewer = _lines([line.replace(old.name, new.name) for line in old.code], new.code)
            change = f"`{new.name}`, +{more} -{fewer} lines" if more or fewer else f"`{new.name}`"
            yield Change("kernels", f"`{old.name}`", "renamed", "", change, target=target)
        elif old is not None and new is not None and old.code != new.code:
            more, fewer = _lines(old.code, new.code)
            yield Change("kernels", f"`{new.name}`", "changed", "", f"+{more} -{fewer} lines", target=target)


def _lines(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Lines that are new, and lines that are gone."""
    difference = list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]
    return sum(line.startswith("+") for line in difference), sum(line.startswith("-") for line in difference)


def _memory(before: Made, after: Made, target: str) -> Iterator[Change]:
    for old, new in _pairs(before, after):
        if old is None or new is None:
            continue
        for memory in dict.fromkeys((*old.memory, *new.memory)):
            subject = f"`{new.name}` {memory.upper()}"
            yield from _number("memory", subject, old.memory.get(memory, 0), new.memory.get(memory, 0), "B", target)
    for name in dict.fromkeys((*before.workspaces, *after.workspaces)):
        was, now = before.workspaces.get(name, ""), after.workspaces.get(name, "")
        if was != now:
            word = "added" if not was else "removed" if not now else "changed"
            yield Change("memory", f"workspace `{name}`", word, was, now, target=target)


def _synchronisation(before: Made, after: Made, target: str) -> Iterator[Change]:
    for old, new in _pairs(before, after):
        if old is None or new is None:
            continue
        for kind in dict.fromkeys((*old.sync, *new.sync)):
            subject = f"`{new.name}` {kind}"
            yield from _number("synchronisation", subject, old.sync.get(kind, 0), new.sync.get(kind, 0), "", target)


def _number(section: Section, subject: str, old: float, new: float, unit: str, target: str) -> Iterator[Change]:
    if old == new:
        return
    shown = f"{old:,} {unit}".strip(), f"{new:,} {unit}".strip()
    share = new / old - 1 if old else None
    yield Change(section, subject, "more" if new > old else "less", *shown, target=target, share=share)


def _times(before: Mapping[str, float], after: Mapping[str, float], target: str) -> Iterator[Change]:
    """Estimated microseconds; what differs by less than is shown, of the time or in percent, is the same."""
    for case, new in after.items():
        old = before.get(case)
        if old is None or f"{old:.1f}" == f"{new:.1f}":
            continue
        share = new / old - 1 if old else None
        if share is not None and round(100 * share) == 0:
            continue
        word = "slower" if new > old else "faster"
        yield Change("time", case, word, f"{old:.1f} us", f"{new:.1f} us", target=target, share=share)
