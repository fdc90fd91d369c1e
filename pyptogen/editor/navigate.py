"""Definition, references, rename."""

from __future__ import annotations

from dataclasses import dataclass

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.editor.document import Document
from pyptogen.editor.names import Occurrence
from pyptogen.schema.naming import check_name
from pyptogen.schema.source import Source


@dataclass(frozen=True, slots=True)
class Location:
    """The characters ``start <= i < stop`` of a document."""

    document: Document
    start: int
    stop: int


def definitions(document: Document, offset: int) -> list[Location]:
    """Where the name at a character is defined, here or in an included file."""
    here = document.names.at(offset)
    if here is not None:
        found = [one for one in document.names.of(here.symbol) if one.defines]
        return [Location(document, one.start, one.stop) for one in found]
    name, _, _ = document.word(offset)
    return [
        Location(part, one.start, one.stop)
        for part in document.includes
        for one in part.names.occurrences
        if one.defines and one.symbol.name == name and not one.symbol.scope
    ]


def references(document: Document, offset: int, with_definition: bool = True) -> list[Location]:
    """Where the name at a character occurs in its file; of one that an included file defines, all uses here."""
    here = document.names.at(offset)
    if here is not None:
        found = document.names.of(here.symbol)
        places = [(one.start, one.stop) for one in found if with_definition or not one.defines]
        return [Location(document, start, stop) for start, stop in dict.fromkeys(places)]
    name, _, _ = document.word(offset)
    uses = [Location(document, start, stop) for word, start, stop in document.names.unknown if word == name]
    defined = definitions(document, offset)
    return (defined if with_definition else []) + uses if defined else []


def renamable(document: Document, offset: int) -> Occurrence:
    """The name at a character. Raises PTG121 where there is none that a rename in this file alone changes."""
    here = document.names.at(offset)
    if here is None:
        word, _, _ = document.word(offset)
        elsewhere = definitions(document, offset)
        if elsewhere:
            fix = f"change it in `{elsewhere[0].document.file}`, and in all specs that include that file"
            raise fault("PTG121", f"`{word}` is defined in another file", None, fix=fix)
        raise fault("PTG121", f"`{word}` is no name of this spec", None, expected="a name that the spec defines")
    if not document.whole:
        message = f"`{here.symbol.name}` stands in a file that specs include, which use the name too"
        raise fault("PTG121", message, None, expected="a name of a spec", fix="change it in all of them")
    return here


def rename(document: Document, offset: int, new: str) -> list[tuple[int, int, str]]:
    """The changes that give the name at a character another one, as (start, stop, text), last first.

    Raises PTG121 where the name cannot be changed, and what the spec would say of the new name (PTG208, PTG213 …): a
    spec that is in order stays so.
    """
    here = renamable(document, offset)
    operator = here.symbol.kind == "operator"
    span = document.source.span(here.start, here.stop)
    check_name(new, span, "an operator" if operator else "a value", snake=operator)
    places = {(one.start, one.stop) for one in document.names.of(here.symbol)}
    edits = [(start, stop, new) for start, stop in sorted(places, reverse=True)]
    _check(document, edits)
    return edits


def renamed(document: Document, edits: list[tuple[int, int, str]]) -> str:
    """The text with changes made, which are given last first."""
    text = document.text
    for start, stop, new in edits:
        text = text[:start] + new + text[stop:]
    return text


def _check(document: Document, edits: list[tuple[int, int, str]]) -> None:
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_source

    try:
        from_spec(load_source(document.source))
    except DiagnosticError:
        return  # not in order anyway
    from_spec(load_source(Source(document.file, renamed(document, edits))))
