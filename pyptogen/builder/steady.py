"""Rendering from files that somebody may save meanwhile: what a folder is said to be made from, it was made from.

A spec is read more than once while it is rendered (its values, the lines that kernels quote, the copy that travels with
them). Where one of its files changed in between, all of it is done once more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from pyptogen.builder.rendered import Rendered
from pyptogen.diagnostics import fault
from pyptogen.records import dataclass
from pyptogen.regular_files import read_regular

MOST_TRIES = 5
"""Renderings of a spec that changes during each of them."""


@dataclass(frozen=True, slots=True)
class _State:
    """A file: its bytes, and the time and the place of its last change, which tell of one that was taken back. None
    where it cannot be read."""

    data: bytes | None
    changed: int = 0
    inode: int = 0


def rendered_steadily(spec: Path, render: Callable[[], Rendered]) -> tuple[Rendered, Mapping[Path, bytes]]:
    """What ``render`` makes of ``spec``, and the bytes of the spec and of the files that it includes, none of which
    changed meanwhile.

    Raises ``DiagnosticError``: what ``render`` raises; PTG110 where they change all the time.
    """
    before = _states((spec,))
    for _ in range(MOST_TRIES):
        start = time.time_ns()
        made = render()
        after = _states((spec, *made.includes))
        sources = {path: state.data for path, state in after.items() if state.data is not None}
        # Which files a spec includes is known once it was read: of these the time says whether they are older. It may
        # lag behind the clock by a few milliseconds, before which no included file is read.
        same = (now == before[path] if path in before else now.changed < start for path, now in after.items())
        if len(sources) == len(after) and all(same):
            return made, sources
        before = after
    raise fault("PTG110", f"`{spec}` changes while it is read", None, fix="build when nothing writes it any more")


def _states(paths: Collection[Path]) -> dict[Path, _State]:
    return {path: _state(path) for path in paths}


def _state(path: Path) -> _State:
    try:
        found = path.stat()
        return _State(read_regular(path), found.st_ctime_ns, found.st_ino)
    except OSError:
        return _State(None)
