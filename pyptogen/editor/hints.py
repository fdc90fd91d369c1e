"""What stands beside the text without being part of it: inlay hints with types, and lenses."""

from __future__ import annotations

from dataclasses import dataclass

from pyptogen.editor.document import Document
from pyptogen.editor.facts import LoweredFacts, Types
from pyptogen.schema.tree import Mapping


@dataclass(frozen=True, slots=True)
class Inlay:
    """A text behind a character of the document."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class Lens:
    """A command above the line of a character: ``report`` of the operator, ``kernel`` with target and name."""

    offset: int
    title: str
    command: str
    arguments: tuple[str, ...] = ()


def inlays(document: Document, types: Types) -> list[Inlay]:
    """The type of each value, behind its name where it is defined."""
    found: dict[int, Inlay] = {}
    for one in document.names.occurrences:
        if not one.defines or one.symbol.kind != "value" or one.symbol.scope.endswith((":", "()")):
            continue
        type_ = types.type_of(one.symbol.name, one.symbol.scope)
        if type_:
            found.setdefault(one.stop, Inlay(one.stop, f" {type_}"))
    return sorted(found.values(), key=lambda inlay: inlay.offset)


def lenses(document: Document, lowered: LoweredFacts) -> list[Lens]:
    """``report`` above the operator, and above each stage its kernels."""
    operator = document.tree.get("operator") if isinstance(document.tree, Mapping) else None
    found = [Lens(operator.start, "report", "pyptogen.report")] if operator is not None else []
    for name, offset in document.names.stages:
        for kernel in lowered.kernels:
            if name in kernel.stages:
                title = f"kernel {kernel.name} ({kernel.target})"
                found.append(Lens(offset, title, "pyptogen.kernel", (kernel.target, kernel.name)))
    return found
