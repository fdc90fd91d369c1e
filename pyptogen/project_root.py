"""The folder of the project in which a command works, from the standard library alone."""

from __future__ import annotations

from pathlib import Path

PROJECT_FILE = "pyptogen.toml"


def project_root(folder: Path | None = None) -> Path:
    """The nearest folder, from ``folder`` (None: the working directory) upwards, that has a `pyptogen.toml` or is a git
    repository; without one ``folder`` itself."""
    start = (folder or Path.cwd()).resolve()
    marked = (at for at in (start, *start.parents) if (at / PROJECT_FILE).is_file() or (at / ".git").exists())
    return next(marked, start)
