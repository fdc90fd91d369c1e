"""What the JSON documents share: one way of writing them, and paths as they want them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from pyptogen._version import __version__
from pyptogen.diagnostics.plain_text import name_shown

TOOL = "pyptogen"
VERSION = __version__


def document(content: Any) -> str:
    """JSON in UTF-8 with keys in the order of ``content``; halves of characters are spelled as JSON does."""
    return json.dumps(content, indent=2, ensure_ascii=False).encode(errors="backslashreplace").decode()


def relative(file: str) -> str:
    """A path as it is seen from the working directory, with ``/``; one outside of it stays as it is given.
    Characters that cannot be shown are spelled."""
    found = Path(os.path.relpath(file)) if os.path.isabs(file) else Path(os.path.normpath(file))
    return name_shown(file if found.parts[:1] == ("..",) else found.as_posix())
