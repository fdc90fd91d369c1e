"""The build itself: which specs, which of them are unchanged, render the rest, write."""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyptogen import plugins
from pyptogen.builder.at_once import each
from pyptogen.builder.compare import compare, compare_orphan
from pyptogen.builder.findings import edits
from pyptogen.builder.fingerprint import MANIFEST, generator_hash, sha256
from pyptogen.builder.lock import (
    LOCK,
    Lock,
    LockEntry,
    Places,
    Unchanged,
    entry,
    identity,
    read_lock,
    render_lock,
    unchanged_specs,
)
from pyptogen.builder.progress import Progress, silent
from pyptogen.builder.report import BuildReport, OperatorBuild
from pyptogen.builder.seen import Seen
from pyptogen.builder.steady import rendered_steadily
from pyptogen.builder.writer import exclusive, is_staging, replace_file, write
from pyptogen.diagnostics import Diagnostic, DiagnosticError, fault
from pyptogen.diagnostics.plain_text import name_shown
from pyptogen.records import dataclass, replace
from pyptogen.spec_files import PathLike, find_specs, given_paths
from pyptogen.templates import ejected

if TYPE_CHECKING:
    from pyptogen.builder.kept import Kept
    from pyptogen.builder.rendered import Rendered


def build(
    spec_paths: PathLike | Iterable[PathLike],
    out: PathLike = "generated",
    targets: Sequence[str] | None = None,
    check: bool = False,
    dump_ir: PathLike | None = None,
    verify_each: bool = False,
    jobs: int = 1,
    force: bool = False,
    reuse: bool = False,
    progress: Progress = silent,
) -> BuildReport:
    """Write ``out/<operator>/`` for each spec: kernels and orchestration per target, wrappers, harness,
    manifest; and what they were made from to ``out/pyptogen.lock``.

    Args:
        spec_paths: specs, or folders of specs (not their sub-folders, which hold tables). For a folder, operators whose
            spec lay in it and is gone are deleted from ``out``: what their manifest lists and nobody edited
        out: the folder of all operators
        targets: platforms to build for; None means those that each spec declares. A spec that has none of them is
            left out where a folder led to it. A folder of an operator holds what was built last:
            files of another target, and kernels that no longer exist, are deleted
        check: compare with what is on disk and write nothing; ``BuildReport.changed`` then says that the
            output is stale, and `OperatorBuild.states` why
        dump_ir: a folder for the text of every level after every pass
        verify_each: check after every pass that it made a legal program, also where hashes say that nothing changed
        jobs: specs in work at a time, each in a forked process; more than 1 only where the caller has no threads
        force: overwrite and delete files that were edited by hand, too
        reuse: take what was rendered before of the same bytes by the same generator (`pyptogen.builder.kept`), and
            read no generated folder again in which nothing changed (`pyptogen.builder.seen`)
        progress: is told which specs are rendered, and when each of them is done

    Each folder is staged beside the old one and takes its place in one step; a file that would not change is not
    touched. Either all specs are in order and all folders are written, or none is. Raises ``DiagnosticError`` with the
    findings of all specs, PTG514 where a file was edited by hand that a build would overwrite, and PTG504 when ``out``
    cannot be written.
    """
    folder = Path(out)
    if "\0" in str(folder):
        raise fault("PTG504", f"`{name_shown(str(folder))}` is no name of a folder", None)
    # A check, or a look inside, must go the long way: the quick answer trusts the manifest.
    quick = check is False and dump_ir is None and not verify_each
    given = given_paths(spec_paths)
    options = _Options(
        targets, _generator(), None if dump_ir is None else Path(dump_ir), verify_each, reuse, progress, Places(folder)
    )
    seen = Seen.open(folder) if reuse else None
    try:
        return _build(given, folder, options, seen, check, quick, jobs, force)
    finally:
        if seen is not None:
            seen.save()


def _build(
    given: Sequence[Path],
    folder: Path,
    options: _Options,
    seen: Seen | None,
    check: bool,
    quick: bool,
    jobs: int,
    force: bool,
) -> BuildReport:
    plans = _plans(find_specs(given), given, folder, options, seen, quick, jobs)
    if check:
        with _using(folder, "read"):
            return BuildReport(
                _compare(plans, _gone(plans, given, folder, options.places), read_lock(folder), seen), True
            )
    with _using(folder, "write"):
        done = all(plan.built is not None for plan in plans) and not _gone(plans, given, folder, options.places)
        if done and not is_staging(folder):
            return BuildReport(tuple(plan.built for plan in plans if plan.built is not None), False)
        with exclusive(folder):
            plans = _again(plans, given, folder, options, seen)
            return BuildReport(_write(plans, _gone(plans, given, folder, options.places), folder, force, seen), False)


def _generator() -> str:
    """The hash of what generates: the package's sources, plug-ins, and templates of the project's own."""
    more = plugins.fingerprint() + ejected.fingerprint()
    return sha256(generator_hash().encode() + more) if more else generator_hash()


@contextmanager
def _using(folder: Path, to: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        message = f"cannot {to} `{error.filename or folder}`: {reason}"
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        fix = "make room there, or choose another folder with `-o`" if full else "choose another folder with `-o`"
        expected = "room for the generated files; what was there is as it was" if full else ""
        raise fault("PTG504", message, None, expected=expected, fix=fix) from None


@dataclass(frozen=True, slots=True)
class _Plan:
    """A spec with what is to be done for it: the finished answer, or the rendered folder and its entry in the lock."""

    spec: Path
    name: str
    folder: Path
    built: OperatorBuild | None = None
    known: Unchanged | None = None
    rendered: Rendered | None = None
    entry: LockEntry | None = None


def _compare(
    plans: Sequence[_Plan], gone: Mapping[Path, Path], lock: Lock, seen: Seen | None
) -> tuple[OperatorBuild, ...]:
    """What is to be written and deleted, in the order of the specs, and then for orphans."""
    found = []
    for plan in plans:
        if plan.built is not None:
            found.append(plan.built)
        elif plan.rendered is not None:
            before = lock.operators.get(plan.name)
            one = compare(plan.rendered, plan.folder, before, plan.entry, seen)
            found.append(replace(one, notes=plan.rendered.notes, spec=plan.spec))
    return (*found, *(one for folder, by in gone.items() if (one := compare_orphan(folder.name, folder, by)).changed))


def _write(
    plans: Sequence[_Plan], gone: Mapping[Path, Path], out: Path, force: bool, seen: Seen | None
) -> tuple[OperatorBuild, ...]:
    lock = read_lock(out)
    operators = _compare(plans, gone, lock, seen)
    edited = () if force else edits(operators)
    if edited:
        raise DiagnosticError(*edited)
    for operator in operators:
        write(operator)
    _update(lock, {plan.name: plan.entry for plan in plans if plan.entry is not None}, gone, out)
    return operators


def _update(lock: Lock, entries: Mapping[str, LockEntry], gone: Mapping[Path, Path], out: Path) -> None:
    names = {folder.name for folder in gone}
    kept = {name: one for name, one in lock.operators.items() if name not in names}
    data = render_lock(Lock({**kept, **entries}))
    if not (out / LOCK).is_file() or (out / LOCK).read_bytes() != data:
        replace_file(out / LOCK, data)


def _gone(plans: Sequence[_Plan], given: Sequence[Path], out: Path, places: Places) -> dict[Path, Path]:
    """Folders of operators that the lock knows and no spec makes any more, and what was given that says so: the folder
    in which the spec lay and is not there, or the spec that describes another operator now."""
    names = {plan.name for plan in plans}
    specs = {places.of(plan.spec): plan.spec for plan in plans}
    folders = {places.of(path): path for path in given if path.is_dir()}
    gone = {}
    for name, one in sorted(read_lock(out).operators.items()):
        by = specs.get(one.spec)
        if by is None and not (out / one.spec).is_file():
            by = folders.get(_parent(one.spec))
        if name not in names and by is not None:
            gone[out / name] = by
    return gone


def _parent(path: str) -> str:
    return Path(path).parent.as_posix()


@dataclass(frozen=True, slots=True)
class _Options:
    """How all specs of a build are rendered: as in `build`, and the hash of the generator."""

    targets: Sequence[str] | None
    generator: str
    dump_ir: Path | None
    verify_each: bool
    reuse: bool
    progress: Progress
    places: Places

    def kept(self) -> Kept | None:
        """Where to look for what was rendered before. Not where the way there is what somebody wants to see."""
        if not self.reuse or self.dump_ir is not None or self.verify_each:
            return None
        from pyptogen.builder.kept import Kept

        return Kept.open(self.generator, self.targets)


def _plans(
    specs: Sequence[Path],
    given: Sequence[Path],
    out: Path,
    options: _Options,
    seen: Seen | None,
    quick: bool,
    jobs: int,
) -> list[_Plan]:
    """A plan for each spec; findings of all specs are collected."""
    ask = [spec for spec in specs if quick and spec.is_file()]
    known = unchanged_specs(ask, out, options.targets, options.generator, seen, options.places)
    stale = [spec for spec in specs if known.get(spec) is None]
    lenient = frozenset(stale).difference(given)
    rendered = _rendered(stale, lenient, options, jobs)
    plans: list[_Plan] = []
    findings: list[Diagnostic] = []
    owners: dict[str, Path] = {}
    for spec in specs:
        made = rendered.get(spec)
        if isinstance(made, tuple):
            findings += made
            continue
        plan = _plan(spec, made, known.get(spec), out, options.generator)
        first = owners.setdefault(plan.name, spec)
        if first is not spec:
            message = f"operator `{plan.name}` is defined by `{first}` and by `{spec}`"
            findings.append(Diagnostic("PTG208", message, None))
            continue
        plans.append(plan)
    if findings:
        raise DiagnosticError(*findings)
    return plans


def _again(
    plans: Sequence[_Plan], given: Sequence[Path], out: Path, options: _Options, seen: Seen | None
) -> list[_Plan]:
    """The plans, now that no other build can write: where one wrote what this one found unchanged (then another
    folder stands there), it is looked at once more, and rendered if need be."""
    moved = [plan.spec for plan in plans if plan.known is not None and identity(plan.folder) != plan.known.folder]
    known = unchanged_specs(moved, out, options.targets, options.generator, seen, options.places)
    lost = [spec for spec, one in known.items() if one is None]
    made = {plan.spec: plan for plan in _plans(lost, given, out, options, seen, False, 1)} if lost else {}
    return [made.get(plan.spec, plan) for plan in plans]


def _rendered(
    specs: Sequence[Path], lenient: Collection[Path], options: _Options, jobs: int
) -> dict[Path, Rendered | tuple[Diagnostic, ...]]:
    """The folder of each spec, or what is wrong with that. ``lenient``: specs that a folder led to."""
    kept = options.kept()
    found = {} if kept is None else {spec: one for spec in specs if (one := kept.find(spec, spec in lenient))}
    rest = [spec for spec in specs if spec not in found]
    with options.progress(rest) as done:
        made = each(partial(_render, options, kept, lenient), rest, jobs, done)
    if kept is not None and rest:
        kept.tidy(len(rest))
    return {**found, **dict(zip(rest, made, strict=True))}


def _render(
    options: _Options, kept: Kept | None, lenient: Collection[Path], spec: Path
) -> Rendered | tuple[Diagnostic, ...]:
    from pyptogen.builder.render import render_operator

    try:
        made, sources = rendered_steadily(
            spec,
            lambda: render_operator(spec, options.targets, options.dump_ir, options.verify_each, spec in lenient),
        )
    except DiagnosticError as error:
        return error.diagnostics
    made = replace(made, sources={path: sha256(data) for path, data in sources.items()}).packed()
    if kept is not None:
        kept.keep(spec, spec in lenient, made, sources)
    return made


def _plan(spec: Path, made: Rendered | None, known: Unchanged | None, out: Path, generator: str) -> _Plan:
    if made is None:
        assert known is not None
        folder = out / known.name
        return _Plan(spec, known.name, folder, OperatorBuild(known.name, folder, quick=True, spec=spec), known)
    folder = out / made.name
    if not made.files:
        return _Plan(spec, made.name, folder, OperatorBuild(made.name, folder, left_out=True, spec=spec))
    now = entry(spec, made.sources, out, generator, made.hashes()[MANIFEST])
    return _Plan(spec, made.name, folder, rendered=made, entry=now)
