"""Opens the files that a spec names: all of them lie in the spec's folder or below it."""

from __future__ import annotations

import os
from pathlib import Path

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.schema.source import Source, read
from pyptogen.schema.tree import Node, Scalar, describe

SUFFIXES = (".yaml", ".yml", ".toml")
SOURCE_SUFFIXES = (".cpp", ".cc", ".cxx")
PYTHON_SUFFIXES = (".py",)
_KINDS = {SUFFIXES: "spec file", SOURCE_SUFFIXES: "C++ file", PYTHON_SUFFIXES: "Python file"}


def read_below(node: Node, root: str, suffixes: tuple[str, ...] = SUFFIXES) -> Source:
    """The file that ``node`` names, relative to the file in which it stands; ``root`` is the spec's folder.

    Raises PTG104 for a node that is no text, PTG113 for a path out of ``root`` or of another kind of file, and PTG110
    for a file that cannot be read.
    """
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.text.strip():
        raise fault("PTG104", f"a path cannot be {describe(node)}", node.span, expected="the name of a file")
    name = node.text.strip()
    path = os.path.normpath(os.path.join(os.path.dirname(node.source.file), name))
    if os.path.isabs(name) or not _is_below(path, root):
        raise fault(
            "PTG113",
            f"`{name}` leads out of the spec's folder",
            node.span,
            expected="a relative path to a file in the spec's folder or below it",
        )
    if not name.endswith(suffixes):
        raise fault("PTG113", f"`{name}` is no {_KINDS[suffixes]}", node.span, expected="one of " + ", ".join(suffixes))
    try:
        return read(path)
    except DiagnosticError as error:
        raise fault(
            "PTG110",
            error.diagnostics[0].message,
            node.span,
            expected="a file that exists, relative to the file in which its name stands",
        ) from None


def _is_below(path: str, root: str) -> bool:
    """Whether a file lies in the folder ``root`` or below it, links followed. One that links to itself does not lie
    anywhere: reading it says so."""
    try:
        return Path(path).resolve().is_relative_to(Path(root).resolve())
    except (RuntimeError, OSError):
        return True
