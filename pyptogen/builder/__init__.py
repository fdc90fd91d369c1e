"""Building: specs in, ``generated/<operator>/`` out. See :func:`pyptogen.builder.run.build`."""

from __future__ import annotations

from pyptogen.builder.report import BuildReport, OperatorBuild
from pyptogen.builder.run import build

__all__ = ["BuildReport", "OperatorBuild", "build"]
