"""The comparison itself: which operators there are on both sides, and what is different about each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyptogen.builder.at_once import each
from pyptogen.builder.lock import read_lock
from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.regular_files import read_regular
from pyptogen.review.changes import SECTIONS, Change, Level, OperatorReview, Review
from pyptogen.review.contract_changes import contract_changes
from pyptogen.review.extract import operator
from pyptogen.review.generated_changes import generated_changes
from pyptogen.review.numerics_changes import numerics_changes
from pyptogen.review.sides import Sides, sides

if TYPE_CHECKING:
    from pyptogen.builder import OperatorBuild
    from pyptogen.review.model import Operator
    from pyptogen.schema.spec import Spec


def review(
    paths: Sequence[Path], against: str, made: bool = True, targets: Sequence[str] | None = None, jobs: int = 1
) -> Review:
    """Compare specs with those of a commit or of another folder.

    Args:
        paths: specs, or folders of specs.
        against: ``git:REF`` or a folder, as in `sides`.
        made: also compare what is made of them, for which both sides are lowered; else contracts and numerics alone.
        targets: platforms to lower for; None means all of a spec.
        jobs: operators in work at a time; more than 1 only where the caller has no threads.

    Operators whose spec and included files have the same bytes on both sides are not looked into.

    Raises:
        DiagnosticError: the faults of all specs of both sides; PTG620, nothing to compare with.
    """
    with sides(paths, against) as both:
        after, before = _loaded(both.after, None), _loaded(both.before, both)
        known = [_known(name, before.get(name), after.get(name)) for name in dict.fromkeys((*after, *before))]
        looked = [one.name for one in known if one.state == "changed"]
        pairs = [_Pair(before[name].path, after[name].path, made, targets) for name in looked]
        found = dict(zip(looked, each(partial(_reviewed, both), pairs, jobs), strict=True))
    return _review(against, [found.get(one.name, one) for one in known])


def review_built(
    operators: Iterable[OperatorBuild], out: Path, targets: Sequence[str] | None = None, jobs: int = 1
) -> Review:
    """Compare specs with those that their generated folders were made from, which lie in these.

    Args:
        operators: what a build found, as `builder.build` with ``check`` reports it.
        out: the folder of the library, for messages.
        targets: platforms to lower for; None means all of a spec.
        jobs: as in `review`.

    Operators of which only generated files differ are "unchanged": their specs are the same.

    Raises:
        DiagnosticError: the faults of the specs, those in generated folders included.
    """
    both, known, pairs = Sides((), (), str(out)), list[OperatorReview](), dict[str, _Pair]()
    lock = read_lock(out).operators
    for one in operators:
        file = lock[one.name].spec if one.name in lock else one.spec  # it may have had another name
        copy = None if one.spec is None or file is None else one.folder / Path(file).name
        if one.left_out or (one.spec is not None and not one.changed):
            known.append(OperatorReview(one.name, "unchanged"))
        elif one.spec is None or copy is None:
            known.append(OperatorReview(one.name, "removed", (removed(one.name),)))
        elif not copy.is_file():
            known.append(OperatorReview(one.name, "added"))
        else:
            after, before = _loaded([one.spec], None)[one.name], _loaded([copy], None).get(one.name)
            known.append(_known(one.name, before, after))
            if known[-1].state == "changed":
                pairs[one.name] = _Pair(str(copy), after.path, True, targets)
    found = dict(zip(pairs, each(partial(_reviewed, both), list(pairs.values()), jobs), strict=True))
    return _review(str(out), [found.get(one.name, one) for one in known])


def _review(against: str, operators: Sequence[OperatorReview | tuple[Diagnostic, ...]]) -> Review:
    """The report, worst first. Raises the findings where there are any."""
    findings = [one for result in operators if isinstance(result, tuple) for one in result]
    if findings:
        raise DiagnosticError(*findings)
    return Review(against, tuple(sorted((one for one in operators if not isinstance(one, tuple)), key=_worst_first)))


def _worst_first(one: OperatorReview) -> tuple[bool, int, str]:
    return one.state == "unchanged", list(Level).index(one.level), one.name


@dataclass(frozen=True, slots=True)
class _Pair:
    """The specs of an operator, and how far they are compared."""

    before: str
    after: str
    made: bool
    targets: Sequence[str] | None


def _loaded(specs: Iterable[Path], side: Sides | None) -> dict[str, Spec]:
    """The specs of a side by the names of their operators."""
    from pyptogen.schema import load_spec

    found: dict[str, Spec] = {}
    findings: list[Diagnostic] = []
    for path in specs:
        try:
            spec = load_spec(path)
        except DiagnosticError as error:
            findings += error.diagnostics if side is None else map(side.told, error.diagnostics)
            continue
        first = found.setdefault(spec.name, spec)
        if first is not spec:
            message = f"operator `{spec.name}` is defined by `{first.path}` and by `{spec.path}`"
            findings.append(Diagnostic("PTG208", message, None))
    if findings:
        raise DiagnosticError(*findings)
    return found


def _known(name: str, before: Spec | None, after: Spec | None) -> OperatorReview:
    """What names and bytes alone say of an operator."""
    if after is None:
        return OperatorReview(name, "removed", (removed(name),))
    if before is None:
        return OperatorReview(name, "added")
    return OperatorReview(name, "unchanged" if _bytes(before) == _bytes(after) else "changed")


def _reviewed(both: Sides, pair: _Pair) -> OperatorReview | tuple[Diagnostic, ...]:
    """The changes of one operator, or the faults of its specs."""
    from pyptogen.schema import load_spec

    try:
        new = operator(load_spec(pair.after), pair.made, pair.targets)
    except DiagnosticError as error:
        return error.diagnostics
    try:
        old = operator(load_spec(pair.before), pair.made, pair.targets)
    except DiagnosticError as error:
        return tuple(map(both.told, error.diagnostics))
    return OperatorReview(new.contract.operator, "changed", changes(old, new))


def removed(name: str) -> Change:
    """What callers of an operator notice that is gone."""
    return Change("contract", f"operator `{name}`", "removed", name, "", Level.BREAKING, "PTG601")


def changes(before: Operator, after: Operator) -> tuple[Change, ...]:
    """All changes of an operator, in the order of `SECTIONS`."""
    found = (
        *contract_changes(before.contract, after.contract),
        *numerics_changes(before.numerics, after.numerics, after.contract.span),
        *generated_changes(before.made, after.made),
    )
    return tuple(sorted(found, key=lambda change: SECTIONS.index(change.section)))


def _bytes(spec: Spec) -> Mapping[str, bytes]:
    """The spec and what it includes, by their places beside it."""
    root = Path(spec.path).resolve().parent
    included = {Path(file).resolve().relative_to(root).as_posix(): read_regular(file) for file in spec.includes}
    return {**included, "": spec.source.encode(errors="surrogatepass")}
