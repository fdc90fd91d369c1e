"""Platforms of other packages: entry points of the group `pyptogen.platforms`, each named as its platform.

A package gives memories, cores and figures of its own. Instructions, their dtypes and the rules of their operands are
those of a platform that is known, for the bundled headers know no others.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any, cast

from pyptogen import plugins
from pyptogen.lower.platforms.model import Platform
from pyptogen.records import dataclass

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class AddedPlatform:
    """What an entry point names.

    Attributes:
        platform: the platform; its name is that of the entry point.
        like: the platform of pyptogen whose instructions it has.
    """

    platform: Platform
    like: str


def add(platforms: MutableMapping[str, Platform]) -> None:
    """Adds the platforms of all packages that are installed. Raises ``DiagnosticError``: PTG518 for a name that is
    taken, PTG519 for what cannot be loaded, or is no platform."""
    own = tuple(platforms)
    for name, found in plugins.load("platforms", own).items():
        if (
            not isinstance(found, AddedPlatform)
            or found.platform.name != name
            or found.like not in own
            or _NAME.fullmatch(name) is None
        ):
            raise _no_platform(name, own)
        platforms[name] = found.platform
        for rows in _tables():
            if found.like in rows:
                rows[name] = rows[found.like]


def _tables() -> list[dict[str, Any]]:
    """Everything that says something about instructions by platform."""
    from pyptogen.lower.isa.device_rules import RULES
    from pyptogen.lower.isa.fractals import STRIDE_AXIS
    from pyptogen.lower.isa.table import CASTS, INSTRUCTIONS, PRODUCTS

    tables = (CASTS, PRODUCTS, RULES, STRIDE_AXIS, *(row.dtypes for row in INSTRUCTIONS.values()))
    return [cast("dict[str, Any]", table) for table in tables]


def _no_platform(name: str, own: tuple[str, ...]) -> Exception:
    from pyptogen.diagnostics import fault

    return fault(
        "PTG519",
        f"the plug-in `{name}` names no platform",
        None,
        expected=f"an `AddedPlatform` called `{name}`, a name of small letters, that is like one of {', '.join(own)}",
        fix="install another version of its package, or remove it",
    )
