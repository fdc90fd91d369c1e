"""What `pyptogen build --check` finds, as diagnostics: one for each operator and reason, with the command that mends
it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from pyptogen.builder.report import OperatorBuild, State
from pyptogen.diagnostics import Diagnostic

CODES = {
    State.CHANGED: "PTG511",
    State.MISSING: "PTG512",
    State.ORPHAN: "PTG513",
    State.EDITED: "PTG514",
    State.OTHER_GENERATOR: "PTG515",
}
"""The code of each state of `State`."""
_SHOWN = 8
"""Files named of a finding; the rest is counted."""


def findings(operators: Iterable[OperatorBuild]) -> tuple[Diagnostic, ...]:
    """A finding for each operator and state of its files, in the order of the operators and of `State`."""
    return tuple(_finding(one, state) for one in operators for state in State if one.in_state(state))


def edits(operators: Iterable[OperatorBuild]) -> tuple[Diagnostic, ...]:
    """Those findings that keep a build from writing: files with bytes that no build wrote. The manifest is not among
    them, for nobody loses anything with it."""
    kept = (one for one in operators if any(path != "manifest.json" for path in one.in_state(State.EDITED)))
    return tuple(_finding(one, State.EDITED) for one in kept)


def _finding(operator: OperatorBuild, state: State) -> Diagnostic:
    paths = operator.in_state(state)
    files = f"{len(paths)} file" if len(paths) == 1 else f"{len(paths)} files"
    notes = [(f"would {_action(operator, path)} {operator.folder / path}", None) for path in paths[:_SHOWN]]
    if len(paths) > _SHOWN:
        notes.append((f"and {len(paths) - _SHOWN} more", None))
    what = f"orphan of {files}" if state is State.ORPHAN else f"{files} {state.value}"
    message = f"{operator.folder}: {what}"
    file = str(operator.folder / _first(paths))
    return Diagnostic(CODES[state], message, None, _EXPECTED[state], _fix(operator, state), tuple(notes), file=file)


def _first(paths: Sequence[str]) -> str:
    """The file that stands for all of a finding where it has room for one: a kernel, if there is one among them."""
    return next((path for path in paths if "/kernels/" in path), paths[0])


_EXPECTED = {
    State.CHANGED: "what the spec makes now",
    State.MISSING: "every file that the spec makes",
    State.ORPHAN: "no folder of an operator whose spec is gone, or describes another operator",
    State.EDITED: "the bytes that the last build wrote: generated files are changed by their spec",
    State.OTHER_GENERATOR: "what this version of pyptogen makes of the same spec",
}


def _action(operator: OperatorBuild, path: str) -> str:
    if path in operator.removed:
        return "delete"
    return "write" if operator.states[path] is State.MISSING else "overwrite"


def _fix(operator: OperatorBuild, state: State) -> str:
    out = shlex.quote(str(operator.folder.parent))
    command = f"pyptogen build {shlex.quote(str(operator.spec or operator.given))} -o {out}"
    if state is State.EDITED:
        return f"keep the change elsewhere, then `{command} --force` writes the file anew"
    return f"`{command}`, and review the difference"
