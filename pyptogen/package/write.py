"""The files of a device package."""

from __future__ import annotations

import textwrap
from pathlib import Path

from pyptogen.package.arguments import own_names
from pyptogen.package.launches import DeviceOperator
from pyptogen.package.stamp import STAMP
from pyptogen.templates.environment import render

_TEMPLATES = Path(__file__).parents[1] / "templates" / "package"


def shared_header() -> str:
    """What the launches of all operators share."""
    return (_TEMPLATES / "pyptogen_launch.hpp").read_text(encoding="utf-8")


def operator_header(operator: DeviceOperator, spec_file: str) -> str:
    """The C header of an operator."""
    doc = " ".join(operator.lowered.program.doc.split()).replace("*/", "* /")
    sizes = [one for one in operator.arguments if one.kind == "size"]
    return render(
        "package/operator.h.j2",
        name=operator.name,
        target=operator.lowered.target,
        stamp=STAMP,
        spec_file=spec_file,
        doc=textwrap.wrap(doc, 110),
        sizes_declared=", ".join(one.declared for one in sizes),
        own=own_names(operator.arguments),
        arguments=operator.arguments,
    )
