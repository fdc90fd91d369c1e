"""What generated files depend on, in the form that make and ninja read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pyptogen.builder.fingerprint import MANIFEST
from pyptogen.builder.lock import LockEntry, read_lock
from pyptogen.builder.report import OperatorBuild


def depfile(operators: Iterable[OperatorBuild], out: Path) -> str:
    """A rule for the manifest of each operator, which is written whenever one of its files is: it depends on the spec
    and on what that includes. Each of those has an empty rule too, so that a deleted include is a reason to build and
    no error. Paths are relative to the working directory, or absolute where ``out`` is.

    After a build: what the operators were made from is read in the lock of ``out``.
    """
    lock = read_lock(out)
    rules, leaves = [], []
    for operator in operators:
        entry = lock.operators.get(operator.name)
        if entry is None or operator.left_out or operator.spec is None:
            continue
        needs = _needs(entry, operator.spec, out)
        rules.append(f"{_escape(operator.folder / MANIFEST)}: {' '.join(map(_escape, needs))}")
        leaves += needs
    return "".join(f"{line}\n" for line in (*rules, *(f"{_escape(leaf)}:" for leaf in dict.fromkeys(leaves))))


def _needs(entry: LockEntry, spec: Path, out: Path) -> list[Path]:
    """The spec as it was given, and what it includes seen from there."""
    root = (out / entry.spec).resolve().parent
    return [spec, *(spec.parent / (out / path).resolve().relative_to(root) for path in entry.includes)]


def _escape(path: Path) -> str:
    """As make wants it in a rule; ninja reads the same."""
    text = str(path).replace("$", "$$")
    for special in (" ", "#"):
        text = text.replace(special, f"\\{special}")
    return text
