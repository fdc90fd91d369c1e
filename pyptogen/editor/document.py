"""A spec in an editor: its text, and what is known of it while it is not in order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.editor.names import Names, names_of
from pyptogen.schema.below import read_below
from pyptogen.schema.include import read_tree
from pyptogen.schema.source import Source
from pyptogen.schema.tree import Mapping, Node, Scalar, Sequence


@dataclass(frozen=True)
class Document:
    """The text of the file ``file``, saved or not. Everything else is read from it on demand, once."""

    file: str
    text: str

    @cached_property
    def source(self) -> Source:
        return Source(self.file, self.text)

    @cached_property
    def tree(self) -> Node | None:
        """The file as a tree; None while it is not well-formed."""
        try:
            return read_tree(self.source)
        except DiagnosticError:
            return None

    @cached_property
    def names(self) -> Names:
        """Empty while the file is not well-formed."""
        return Names() if self.tree is None else names_of(self.tree)

    @cached_property
    def includes(self) -> tuple[Document, ...]:
        """The files that this one includes, those that they include too; what cannot be read is left out."""
        found: dict[str, Document] = {}
        root = os.path.dirname(self.file) or "."
        waiting: list[Document] = [self]
        while waiting:
            for name in _included(waiting.pop().tree):
                try:
                    source = read_below(name, root)
                except DiagnosticError:
                    continue
                if source.file not in found:
                    found[source.file] = Document(source.file, source.text)
                    waiting.append(found[source.file])
        return tuple(found.values())

    @property
    def whole(self) -> bool:
        """Whether it is a spec, and no file that specs include."""
        return isinstance(self.tree, Mapping) and self.tree.get("operator") is not None

    def word(self, offset: int) -> tuple[str, int, int]:
        """The identifier around a character, with its place; empty where there is none."""
        start = stop = offset
        while start > 0 and _in_word(self.text[start - 1]):
            start -= 1
        while stop < len(self.text) and _in_word(self.text[stop]):
            stop += 1
        return self.text[start:stop], start, stop


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _included(tree: Node | None) -> Iterator[Node]:
    node = tree.get("include") if isinstance(tree, Mapping) else None
    if isinstance(node, Sequence):
        yield from node.items
    elif isinstance(node, Scalar) and node.value is not None:
        yield node


def findings_of_a_part(document: Document) -> tuple[Diagnostic, ...]:
    """What is wrong with a well-formed file without an operator, read as one that specs include."""
    from pyptogen.schema.contract_sections import read_dims
    from pyptogen.schema.graph_sections import read_functions
    from pyptogen.schema.include import section
    from pyptogen.schema.models import IncludedModel
    from pyptogen.schema.validate import need_mapping, validate

    assert document.tree is not None
    if isinstance(document.tree, Sequence):
        return ()  # a tiling table, of which only a spec knows the names
    try:
        root = need_mapping(document.tree, "an included file")
        validate(IncludedModel, root, "an included file")
        read_dims(section(root, "dims"))
        read_functions(section(root, "functions"))
    except DiagnosticError as error:
        return error.diagnostics
    return ()
