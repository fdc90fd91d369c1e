"""Specs with other names for their dims, and kernels as text that names and places do not change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.ir import Imm, InstrKernel
from pyptogen.schema import Spec
from pyptogen.templates.spelling import renamed, variables


def other_names(spec: Spec) -> dict[str, str]:
    """A new name for each dim. The order of the alphabet is turned round, and none is part of another or of a word."""
    return {dim.name: f"zq{chr(ord('z') - at // 26)}{chr(ord('z') - at % 26)}q" for at, dim in enumerate(spec.dims)}


def with_names(text: str, names: Mapping[str, str]) -> str:
    """The text of a spec with other names for dims; keywords of calls (``k=2``) and functions keep theirs."""
    words = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.sub(rf"(?<![\w.$])({words})(?!\w)(?!\s*=(?!=))(?!\()", lambda found: names[found[1]], text)


def with_old_names(text: str, names: Mapping[str, str]) -> str:
    """A text of what was made of such a spec, with the names as they were, also inside of others (``zqzzq0_valid``)."""
    for name, other in names.items():
        text = text.replace(other, name)
    return text


def shown(kernel: InstrKernel, names: Mapping[str, str]) -> str:
    """A kernel with the old names: all of its fields but places and comments. Sums and products come in the order of
    the names."""
    return _shown(renamed(kernel, {name: with_old_names(name, names) for name in variables(kernel)}))


def _shown(node: Any) -> str:
    if isinstance(node, Span):
        return ""
    if isinstance(node, Imm):
        return " ".join(sorted(re.findall(r"[\w.]+|[-+*/]", node.text)))
    if is_dataclass(node) and not hasattr(node, "terms"):
        parts = (f"{f.name}: {_shown(getattr(node, f.name))}" for f in fields(node) if f.name not in ("span", "note"))
        return f"{type(node).__name__}({', '.join(parts)})\n"
    if isinstance(node, tuple):
        return f"({', '.join(map(_shown, node))})"
    return str(node)
