"""Templates of plug-ins: an entry point in the group `pyptogen.templates` names a package, and the `*.j2` files in its
folder take the place of the generator's templates of the same names. Those of a project's own go first."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

from pyptogen import plugins
from pyptogen.diagnostics import fault

ORIGINALS = Path(__file__).parent


def originals() -> tuple[str, ...]:
    """The names of all templates of the generator."""
    return tuple(sorted(path.name for path in ORIGINALS.glob("*.j2")))


@cache
def given() -> dict[str, tuple[Path, EntryPoint]]:
    """By name the templates that plug-ins give, and who gives them. Raises ``DiagnosticError``: PTG518 for one that two
    give, PTG519 for a package that is not there, and for a template that takes no other's place."""
    found: dict[str, tuple[Path, EntryPoint]] = {}
    known = originals()
    for point in plugins.installed("templates"):
        for path in sorted(_folder(point).glob("*.j2")):
            if path.name not in known:
                raise fault(
                    "PTG519",
                    f"the plug-in `{point.name}` of {plugins.package(point)} gives the template `{path.name}`,"
                    " which nothing is made from",
                    None,
                    expected="one of " + ", ".join(known),
                    fix=f"install another version of {plugins.package(point)}, or remove it",
                )
            if path.name in found:
                raise plugins.clash("templates", path.name, [found[path.name][1], point])
            found[path.name] = path, point
    return found


def original(name: str) -> bytes:
    """The template that a project's own takes the place of: a plug-in's, or the generator's."""
    there = given().get(name)
    return (there[0] if there is not None else ORIGINALS / name).read_bytes()


def _folder(point: EntryPoint) -> Path:
    try:
        spec = find_spec(point.value)
    except (ImportError, ValueError):
        spec = None
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        return Path(place)
    raise fault(
        "PTG519",
        f"the plug-in `{point.name}` of {plugins.package(point)} cannot be loaded: there is no package `{point.value}`",
        None,
        expected="a package with templates, as its entry point in the group `pyptogen.templates` says",
        fix=f"install another version of {plugins.package(point)}, or remove it",
    )
