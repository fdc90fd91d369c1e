"""The specs that paths name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pyptogen.diagnostics import fault

PathLike = str | os.PathLike[str]
SPEC_SUFFIXES = frozenset({".yaml", ".yml", ".toml"})


def find_specs(paths: PathLike | Iterable[PathLike]) -> tuple[Path, ...]:
    """The spec files that paths name: files as they are, folders as the specs in them, sorted by name.

    Raises ``DiagnosticError`` PTG110 for a folder without any spec.
    """
    specs: list[Path] = []
    for path in given_paths(paths):
        if not path.is_dir():
            specs.append(path)
            continue
        found = sorted(entry for entry in path.iterdir() if entry.suffix in SPEC_SUFFIXES and entry.is_file())
        if not found:
            raise fault("PTG110", f"no spec in folder `{path}`", None, expected="files named *.yaml, *.yml or *.toml")
        specs += found
    return tuple(dict.fromkeys(specs))


def given_paths(paths: PathLike | Iterable[PathLike]) -> list[Path]:
    """One path or several, as a list: a spec that is not among them was found in a folder."""
    return [Path(paths)] if isinstance(paths, (str, os.PathLike)) else [Path(path) for path in paths]
