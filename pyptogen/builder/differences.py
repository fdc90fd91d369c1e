"""What a build would change, as a unified difference: `pyptogen build --diff`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from pyptogen.builder.fingerprint import read_generated
from pyptogen.builder.report import OperatorBuild


def differences(operators: Iterable[OperatorBuild]) -> Iterator[str]:
    """The lines of the difference, without line ends: operator by operator, kernels first, then orchestrations, PTO
    assembly and the rest. Files that are not UTF-8 text are only named. The result is a patch: the folders must still
    be what they were when the build was compared with them."""
    for operator in operators:
        for path in sorted((*operator.written, *operator.removed), key=_rank):
            yield from _file(operator, path)


def summary(operators: Iterable[OperatorBuild]) -> Iterator[str]:
    """A line for each operator that would change: kernels added, removed and changed, lines of all files."""
    for operator in operators:
        if not operator.changed:
            continue
        kernels = {"added": 0, "removed": 0, "changed": 0}
        for path in (*operator.written, *operator.removed):
            if "/kernels/" in path:
                kernels[_kind(operator, path)] += 1
        lines = [line for path in (*operator.written, *operator.removed) for line in _file(operator, path)]
        more = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
        fewer = sum(line.startswith("-") and not line.startswith("---") for line in lines)
        counted = ", ".join(f"{number} {kind}" for kind, number in kernels.items() if number) or "unchanged"
        yield f"{operator.folder}: kernels {counted}; +{more} -{fewer} lines in all files"


def _kind(operator: OperatorBuild, path: str) -> str:
    if path in operator.removed:
        return "removed"
    return "changed" if (operator.folder / path).is_file() else "added"


def _rank(path: str) -> tuple[int, str]:
    if "/kernels/" in path:
        return 0, path
    if path.endswith("/orchestration.cpp"):
        return 1, path
    return (2 if path.startswith("pto/") else 3), path


def _file(operator: OperatorBuild, path: str) -> list[str]:
    place = operator.folder / path
    try:
        old = read_generated(place).decode().splitlines() if place.is_file() else []
        new = operator.new[path].decode().splitlines() if path in operator.new else []
    except UnicodeDecodeError:
        return [f"Binary files a/{place} and b/{place} differ"]
    before = f"a/{place}" if place.is_file() else "/dev/null"
    after = f"b/{place}" if path in operator.new else "/dev/null"
    return list(difflib.unified_diff(old, new, before, after, lineterm=""))
