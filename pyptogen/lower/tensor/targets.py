"""The platforms that an operator is generated for, and the check that tables name only known ones."""

from __future__ import annotations

from pyptogen.diagnostics import Span, did_you_mean, fault
from pyptogen.lower.platforms import KNOWN_TARGETS
from pyptogen.schema import Spec


def read_targets(spec: Spec) -> tuple[str, ...]:
    """The targets of a spec, all known ones where it names none. Raises PTG218."""
    for name, span in spec.targets:
        _check(name, span)
    for row in spec.tiling:
        for subject, _, value in row.when:
            if subject == "target":
                for name in value if isinstance(value, list) else [value]:
                    _check(str(name), row.span)
    return tuple(name for name, _ in spec.targets) or KNOWN_TARGETS


def _check(name: str, span: Span) -> None:
    if name not in KNOWN_TARGETS:
        raise fault(
            "PTG218",
            f"there is no target `{name}`",
            span,
            expected="one of " + ", ".join(KNOWN_TARGETS),
            fix=did_you_mean(name, KNOWN_TARGETS),
        )
