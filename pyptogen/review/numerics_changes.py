"""How results may differ: arithmetic, roundings, tolerances, what verification looks at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pyptogen.review.changes import Change, Level

if TYPE_CHECKING:
    from pyptogen.diagnostics import Span
    from pyptogen.review.model import Numerics
    from pyptogen.schema.spec import Tolerance


def numerics_changes(before: Numerics, after: Numerics, span: Span) -> tuple[Change, ...]:
    """The changes of numerics. ``span`` is the operator's place: what is computed otherwise has no smaller one."""
    return (
        *_computed(before, after, span),
        *_tolerances(before.tolerances, after.tolerances, span),
        *_verification(before, after),
    )


def _computed(before: Numerics, after: Numerics, span: Span) -> Iterator[Change]:
    others = [name for name in after.computed if before.computed.get(name, "") not in ("", after.computed[name])]
    if not others:
        return
    roundings = _difference(before.roundings, after.roundings)
    arithmetic = _difference(before.arithmetic, after.arithmetic)
    subject = f"output{'s' if len(others) > 1 else ''} {', '.join(f'`{name}`' for name in others)}"
    if roundings != ("", ""):
        yield Change("numerics", subject, "other roundings", *roundings, Level.WARNING, "PTG616", span)
    if arithmetic != ("", ""):
        yield Change("numerics", subject, "other arithmetic", *arithmetic, Level.WARNING, "PTG617", span)
    if roundings == arithmetic == ("", ""):
        yield Change("numerics", subject, "other operands", level=Level.WARNING, code="PTG617", span=span)


def _difference(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[str, str]:
    """What there is less of, and what more."""
    kinds = sorted({*before, *after})
    change = {kind: after.get(kind, 0) - before.get(kind, 0) for kind in kinds}
    gone = ", ".join(_times(kind, -count) for kind, count in change.items() if count < 0)
    return gone, ", ".join(_times(kind, count) for kind, count in change.items() if count > 0)


def _times(kind: str, count: int) -> str:
    return kind if count == 1 else f"{count} x {kind}"


def _tolerances(before: Mapping[str, Tolerance], after: Mapping[str, Tolerance], span: Span) -> Iterator[Change]:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if _limits(old) == _limits(new):
            continue
        subject, shown = f"tolerance of `{name}`", (_shown(old), _shown(new))
        if new is None:
            yield Change("numerics", subject, "derived again", *shown)
        elif old is None or any(more > less for less, more in zip(_limits(old), _limits(new), strict=True)):
            word = "given" if old is None else "looser"
            yield Change("numerics", subject, word, *shown, Level.WARNING, "PTG615", new.span or span)
        else:
            yield Change("numerics", subject, "tighter", *shown, span=new.span)


def _limits(tolerance: Tolerance | None) -> tuple[float, ...]:
    return () if tolerance is None else (tolerance.rtol, tolerance.atol, tolerance.outliers)


def _shown(tolerance: Tolerance | None) -> str:
    if tolerance is None:
        return "derived"
    named = zip(("rtol", "atol", "outliers"), _limits(tolerance), strict=True)
    return ", ".join(f"{name} {value:g}" for name, value in named if value) or "exact"


def _verification(before: Numerics, after: Numerics) -> Iterator[Change]:
    if before.reference != after.reference:
        old, new = before.reference or "the graph", after.reference or "the graph"
        yield Change("numerics", "reference", "another", old, new)
    if before.cases != after.cases:
        fewer = [case for case in before.cases if case not in after.cases]
        word = "fewer" if fewer else "more"
        yield Change("numerics", "cases of `verify`", word, _cases(before), _cases(after))


def _cases(one: Numerics) -> str:
    return "; ".join(" ".join(f"{dim}={size}" for dim, size in case.items()) for case in one.cases) or "none"
