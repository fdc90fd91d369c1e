"""The command line. One command per file, each a thin skin over the library; heavy modules are imported by
the command that needs them, when it runs."""

from __future__ import annotations

from pyptogen.cli.app import main

__all__ = ["main"]
