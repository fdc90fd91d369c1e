"""Templates of a project's own: `pyptogen template eject NAME` copies one into the project, where it is changed and
committed; builds take it from there. `ejected.json` beside them keeps the hash of the original of each, so that
`template status` can tell whether that has changed since.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from pathlib import Path
from typing import Any, Literal

from pyptogen.diagnostics import did_you_mean, fault
from pyptogen.plugins import package
from pyptogen.project_root import project_root
from pyptogen.records import dataclass
from pyptogen.templates.given import given, original, originals

FOLDER = "pyptogen-templates"
_RECORD = "ejected.json"

State = Literal["built in", "of a plug-in", "as the original", "changed", "original changed"]


@dataclass(frozen=True, slots=True)
class Template:
    """A template by its name; ``own`` is the project's copy, where there is one, and ``package`` gives the original,
    where a plug-in does."""

    name: str
    state: State
    own: Path | None
    package: str = ""


def own_folder() -> Path:
    """Where the project that a command works in keeps its templates; it may not exist."""
    return project_root() / FOLDER


def eject(name: str, force: bool = False) -> Path:
    """Copies a template into the project, and gives the path of the copy. Raises PTG520 for a name that no template
    has, and where a copy is there already (unless ``force``); ``OSError`` where it cannot be written."""
    if name not in originals():
        known = originals()
        raise fault(
            "PTG520",
            f"there is no template `{name}`",
            None,
            expected="one of " + ", ".join(known),
            fix=did_you_mean(name, known),
        )
    folder = own_folder()
    copy = folder / name
    if copy.exists() and not force:
        raise fault(
            "PTG520", f"`{copy}` is there already", None, fix="`--force` writes the original over it, with all changes"
        )
    folder.mkdir(exist_ok=True)
    data = original(name)
    record = {**_record(folder), name: hashlib.sha256(data).hexdigest()}
    _put(copy, data)
    _put(folder / _RECORD, (json.dumps(dict(sorted(record.items())), indent=2) + "\n").encode())
    return copy


def status() -> tuple[Template, ...]:
    """Every template, by name."""
    folder = own_folder()
    record = _record(folder)
    return tuple(_template(name, folder / name, record.get(name)) for name in originals())


def _template(name: str, copy: Path, ejected_from: Any) -> Template:
    owner = package(given()[name][1]) if name in given() else ""
    if not copy.is_file():
        return Template(name, "of a plug-in" if owner else "built in", None, owner)
    there = original(name)
    if ejected_from != hashlib.sha256(there).hexdigest():
        return Template(name, "original changed", copy, owner)
    return Template(name, "as the original" if copy.read_bytes() == there else "changed", copy, owner)


def fingerprint() -> bytes:
    """Of the project's templates and those of plug-ins; empty without any. Raises as `given`."""
    digest = hashlib.sha256()
    found = [path for name in originals() if (path := own_folder() / name).is_file()]
    found += [path for path, _ in given().values()]
    for path in found:
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return digest.digest() if found else b""


def _record(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _put(path: Path, data: bytes) -> None:
    stage = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        stage.write_bytes(data)
        os.replace(stage, path)
    finally:
        stage.unlink(missing_ok=True)
