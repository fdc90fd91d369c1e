"""Open specs of an editor: their text, the last names and types that were in order, and what lowering found. Without a
word of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.editor.document import Document, findings_of_a_part
from pyptogen.editor.facts import LoweredFacts, Types, types
from pyptogen.editor.names import Names


@dataclass(slots=True)
class OpenSpec:
    """One open file. `types` and `names` are those of the last text that had any; ``lowered`` is of an earlier text
    while the author types."""

    document: Document
    version: int = 0
    names: Names = field(default_factory=Names)
    types: Types = field(default_factory=Types)
    found: tuple[Diagnostic, ...] = ()
    lowered: LoweredFacts = field(default_factory=LoweredFacts)

    def change(self, document: Document, version: int) -> None:
        """Take a new text, and look at it as far as shapes and dtypes go."""
        from pyptogen.lower.tensor import from_spec
        from pyptogen.schema import load_source

        self.document, self.version = document, version
        if document.tree is not None:
            self.names = document.names
        if document.tree is not None and not document.whole:
            self.found = findings_of_a_part(document)
            return
        try:
            self.types, self.found = types(from_spec(load_source(document.source))), ()
        except DiagnosticError as error:
            self.found = error.diagnostics

    @property
    def shown(self) -> Sequence[Diagnostic]:
        """What is wrong: with the text as it is now, or, if nothing is, what lowering said last."""
        return self.found or self.lowered.found
