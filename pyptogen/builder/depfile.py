"""What generated files depend on, in the form that make and ninja read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pyptogen.builder.fingerprint import MANIFEST
from pyptogen.builder.lock import LockEntry, read_lock
from pyptogen.builder.report import OperatorBuild


def depfile(
    operators: Iterable[OperatorBuild], out: Path, target: str | None = None, given: Iterable[Path] = ()
) -> str:
    """What the operators depend on: the spec of each and what that includes.

    With a ``target``, the file that stands for the build in the build system (a stamp that the rule touches): one rule,
    in which that file also depends on the folders of ``given``, for a spec that comes or goes changes the time of its
    folder. Without one: a rule for the manifest of each operator, which is written whenever one of its files is. As
    files that do not change keep their time, a rule for the manifest runs again each time where a spec was touched and
    says the same; a stamp does not.

    Each file that something depends on has an empty rule too, so that a deleted include is a reason to build and no
    error. Paths are relative to the working directory, or absolute where they were given so. After a build: what the
    operators were made from is read in the lock of ``out``.
    """
    lock = read_lock(out)
    needed: dict[Path, list[Path]] = {}
    for operator in operators:
        entry = lock.operators.get(operator.name)
        if entry is not None and not operator.left_out and operator.spec is not None:
            needed[operator.folder / MANIFEST] = _needs(entry, operator.spec, out)
    leaves = list(dict.fromkeys(need for needs in needed.values() for need in needs))
    if target is None:
        rules = [_rule(str(made), needs) for made, needs in needed.items()]
    else:
        leaves = [*(path for path in given if path.is_dir()), *leaves]
        rules = [_rule(target, leaves)]
    return "".join(f"{line}\n" for line in (*rules, *(f"{_escape(str(leaf))}:" for leaf in leaves)))


def _rule(target: str, needs: Iterable[Path]) -> str:
    return f"{_escape(target)}: {' '.join(_escape(str(need)) for need in needs)}"


def _needs(entry: LockEntry, spec: Path, out: Path) -> list[Path]:
    """The spec as it was given, and what it includes seen from there."""
    root = (out / entry.spec).resolve().parent
    return [spec, *(spec.parent / (out / path).resolve().relative_to(root) for path in entry.includes)]


def _escape(path: str) -> str:
    """As make wants it in a rule; ninja reads the same."""
    text = path.replace("$", "$$")
    for special in (" ", "#"):
        text = text.replace(special, f"\\{special}")
    return text
