"""Errors that are told together: what reads a spec goes on behind an error, and does not judge what hangs on it.

`gathering` opens a collection, `kept` puts the error of its block there and goes on behind the block. The names that a
faulty block would have defined are *poisoned*: whoever uses one checks with `is_sound` first, and stays silent. Without
a collection `kept` lets errors pass, so that a part of a spec that is read alone raises its first error.

What asks "is this legal?" and goes on either way uses `attempted`: its errors are told to nobody. These two are where
`DiagnosticError` is caught, so that what lowers a spec raises one for a person and never to steer itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from pyptogen.diagnostics.diagnostic import Diagnostic, DiagnosticError

MOST_ERRORS = 50
"""Errors after which reading ends: nobody reads more before repairing these."""
_ABOUT_NAMES = frozenset({"PTG201", "PTG202", "PTG207", "PTG210", "PTG211", "PTG217"})
"""Codes that may be consequences where a whole section is lost: any name may have stood there."""
_ENDING = "PTG114"
"""What is too large is not read to its end."""


class Gathered:
    """The errors so far and the names that hang on them."""

    def __init__(self) -> None:
        self.errors: list[Diagnostic] = []
        self.poisoned: set[str] = set()
        self.lost = False
        """A whole section could not be read, so that nothing is known of names that are not there."""

    def add(self, error: DiagnosticError, gives: Iterable[str]) -> None:
        """Takes an error. Raises it where reading must end."""
        self.poisoned.update(gives)
        places = {(one.code, one.span) for one in self.errors}
        for one in error.diagnostics:
            if (one.code, one.span) not in places and not (self.lost and one.code in _ABOUT_NAMES):
                self.errors.append(one)
        if len(self.errors) >= MOST_ERRORS or any(one.code == _ENDING for one in error.diagnostics):
            raise Ended(*self.errors)

    def in_order(self) -> list[Diagnostic]:
        """The errors as they stand in the source, file by file."""
        files = list(dict.fromkeys(one.span.file if one.span else "" for one in self.errors))
        return sorted(
            self.errors,
            key=lambda one: (files.index(one.span.file), one.span.line, one.span.col) if one.span else (-1, 0, 0),
        )


@dataclass(slots=True)
class Outcome:
    """How the block of a `kept` ended."""

    failed: bool = False


@dataclass(slots=True)
class Faults:
    """The errors that ended the block of an `attempted`; true where there was one, even one that says nothing."""

    found: DiagnosticError | None = None

    def __bool__(self) -> bool:
        return self.found is not None

    @property
    def first(self) -> Diagnostic | None:
        """The first error, in the order of the source."""
        return self.found.diagnostics[0] if self.found is not None and self.found.diagnostics else None


class Ended(DiagnosticError):
    """Enough is known: no `kept` takes it."""


_GATHERED: ContextVar[Gathered | None] = ContextVar("gathered", default=None)


@contextmanager
def gathering() -> Iterator[Gathered]:
    """Errors of all `kept` blocks inside, raised as one ``DiagnosticError`` at the end. Inside of another `gathering`
    they go to that one, which raises them at its end."""
    outer = _GATHERED.get()
    if outer is not None:
        yield outer
        return
    gathered = Gathered()
    token = _GATHERED.set(gathered)
    try:
        with kept():
            yield gathered
    except Ended:
        pass
    finally:
        _GATHERED.reset(token)
    if gathered.errors:
        raise DiagnosticError(*gathered.in_order())


@contextmanager
def kept(*gives: str) -> Iterator[Outcome]:
    """An error inside is kept, and ``gives``, the names that the block defines, are poisoned. What must be put right
    behind a block that failed asks its `Outcome`."""
    outcome = Outcome()
    try:
        yield outcome
    except DiagnosticError as error:
        outcome.failed = True
        gathered = _GATHERED.get()
        if gathered is None or isinstance(error, Ended):
            raise
        gathered.add(error, gives)


@contextmanager
def attempted() -> Iterator[Faults]:
    """A block that may be illegal, which is an answer and no error: what it raises is in the `Faults`, and goes no
    further. It knows nothing of the collection around it: no name is poisoned in it, and it poisons none."""
    faults = Faults()
    token = _GATHERED.set(None)
    try:
        yield faults
    except DiagnosticError as error:
        faults.found = error
    finally:
        _GATHERED.reset(token)


def keep(error: Exception, *gives: str) -> None:
    """The same for an error that is at hand: raised where nobody gathers."""
    with kept(*gives):
        raise error


def poison(names: Iterable[str]) -> None:
    """These names hang on an error that is told already."""
    gathered = _GATHERED.get()
    if gathered is not None:
        gathered.poisoned.update(names)


def lose() -> None:
    """A section is lost: names that are not known are no errors."""
    gathered = _GATHERED.get()
    if gathered is not None:
        gathered.lost = True


def is_sound(*names: str) -> bool:
    """Whether none of the names hangs on an error."""
    gathered = _GATHERED.get()
    return gathered is None or gathered.poisoned.isdisjoint(names)


def require_sound(*names: str) -> None:
    """Raises an error that says nothing where one of the names hangs on an error that is told."""
    if not is_sound(*names):
        raise DiagnosticError


def stop_if_faulty() -> None:
    """Ends the `gathering` here if an error was kept: what follows needs a whole program."""
    gathered = _GATHERED.get()
    if gathered is not None and gathered.errors:
        raise Ended(*gathered.in_order())
