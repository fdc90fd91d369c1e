"""One thing for each spec of a package, with the faults of all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.schema.spec import Spec

T = TypeVar("T")


def of_all(specs: Sequence[Spec], make: Callable[[Spec], T]) -> list[T]:
    """What ``make`` gives for each spec, in order. Raises ``DiagnosticError`` with what it raised for any of them."""
    found, faults = [], list[Diagnostic]()
    for spec in specs:
        try:
            found.append(make(spec))
        except DiagnosticError as error:
            faults += error.diagnostics
    if faults:
        raise DiagnosticError(*faults)
    return found
