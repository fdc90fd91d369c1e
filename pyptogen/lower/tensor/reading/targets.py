"""The platforms that an operator is generated for, and the check that tables name only known ones."""

from __future__ import annotations

from collections.abc import Collection

from pyptogen.diagnostics import Span, did_you_mean, fault, keep
from pyptogen.lower.platforms import DEFAULT_TARGETS, PLATFORMS
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import Spec


def read_targets(spec: Spec) -> tuple[str, ...]:
    """The targets of a spec, `DEFAULT_TARGETS` where it names none. Raises PTG218, and PTG208 for one
    that is named twice."""
    seen = set[str]()
    for name, span in spec.targets:
        _check(name, span)
        if name in seen:
            keep(fault("PTG208", f"the target `{name}` is named twice", span, fix="name it once"))
        seen.add(name)
    for row in spec.tiling:
        for subject, _, value in row.when:
            if subject == "target":
                for name in value if isinstance(value, list) else [value]:
                    _check(str(name), row.span)
    return tuple(name for name, _ in spec.targets) or DEFAULT_TARGETS


def require_target(program: Program, target: str) -> None:
    """Raises PTG218 where an operator is not made for a target: it is none, or the spec names others."""
    possible = program.targets if program.restricted else tuple(PLATFORMS)
    if target not in possible:
        raise fault(
            "PTG218",
            f"operator `{program.name}` is not made for target `{target}`",
            program.span,
            expected=f"one of {', '.join(possible)}",
            fix=did_you_mean(target, possible),
        )


def chosen_targets(program: Program, asked: Collection[str] | None, lenient: bool = False) -> tuple[str, ...]:
    """Those that are asked for, in the order of the spec; with None all that it declares. ``lenient``: targets that the
    spec does not have are left out, though they must be platforms. Raises PTG218."""
    if asked is None:
        return program.targets
    known = tuple(PLATFORMS)
    possible = program.targets if program.restricted else known
    for target in asked:
        if not lenient or target not in known:
            require_target(program, target)
    return tuple(
        dict.fromkeys(target for target in (*program.targets, *asked) if target in asked and target in possible)
    )


def _check(name: str, span: Span) -> None:
    if name not in PLATFORMS:
        unknown = fault(
            "PTG218",
            f"there is no target `{name}`",
            span,
            expected="one of " + ", ".join(PLATFORMS),
            fix=did_you_mean(name, tuple(PLATFORMS)),
        )
        keep(unknown)
