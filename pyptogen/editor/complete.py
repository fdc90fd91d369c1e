"""What may be written at the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from pyptogen.editor.document import Document
from pyptogen.editor.facts import Types
from pyptogen.editor.names import Names
from pyptogen.editor.places import Place, key_docs, place
from pyptogen.schema.contract import DTYPES, LAYOUTS

Kind = Literal["operation", "function", "value", "dim", "dtype", "key", "word", "argument"]
_MODES = ("rint", "round", "floor", "ceil", "trunc", "odd", "none")
_EXPRESSIONS = frozenset({"graph", "functions", "requires"})


@dataclass(frozen=True, slots=True)
class Completion:
    """A word that may stand there; ``insert`` is what is written for it."""

    label: str
    kind: Kind
    detail: str = ""
    doc: str = ""
    insert: str = ""


def completions(document: Document, offset: int, names: Names, types: Types) -> list[Completion]:
    """The words that begin with what stands before the cursor. ``names`` are those of the last text that was
    well-formed, which this one may not be."""
    where = place(document.text, offset)
    offered = _keys(where, names) if where.kind == "key" else _values(where, names, document, types)
    found = [one for one in offered if one.label.startswith(where.word)]
    return list({one.label: one for one in found}.values())


def _keys(where: Place, names: Names) -> Iterator[Completion]:
    dims = names.defined("dim")
    for key, doc in key_docs(where.path, frozenset(dims)).items():
        yield Completion(key, "key", doc=doc, insert=f"{key}: ")
    section, depth = where.path[:1], len(where.path)
    if section == ("tiling",) and depth == 2:
        yield from (Completion(name, "word", "stage", insert=f"{name}: ") for name, _ in names.stages)
    in_row = section == ("tiling",) and depth >= 2 and where.path[-1] not in dims
    if in_row or (section == ("verify",) and where.path[1:2] == ("cases",)):
        yield from (Completion(name, "dim", "dim", insert=f"{name}: ") for name in dims)
    listed: dict[tuple[str, ...], tuple[str, ...]] = {
        ("verify", "generate"): ("input",),
        ("verify", "tolerance"): ("output", "input"),
    }
    for kind in listed.get(where.path, ()):
        yield from (Completion(name, "value", kind, insert=f"{name}: ") for name in _defined(names, kind))
    if section == ("schedule",) and depth == 2:
        yield from (Completion(name, "word", "stage", insert=f"{name}: ") for name, _ in names.stages)


def _defined(names: Names, kind: str) -> list[str]:
    return [one.symbol.name for one in names.occurrences if one.defines and one.symbol.kind == kind]


def _values(where: Place, names: Names, document: Document, types: Types) -> Iterator[Completion]:
    path = where.path
    if not path:
        return
    words = _words(path, names)
    if words:
        yield from (Completion(word, "word") for word in words)
    elif path[0] in ("inputs", "outputs") and len(path) >= 2:
        yield from _type(where, names)
    elif path[0] == "verify" and path[1:2] == ("generate",):
        from pyptogen.schema.verify_section import GENERATORS

        for name, ways in GENERATORS.items():
            yield Completion(name, "operation", f"{name}({' or '.join(ways)})", insert=f"{name}(")
        yield from _dims(names)
    elif path[0] == "dims":
        yield from _dims(names)
    elif path[0] in _EXPRESSIONS:
        yield from _expression(where, names, document, types)


def _words(path: tuple[str, ...], names: Names) -> tuple[str, ...]:
    """Where one of a few words stands."""
    from pyptogen.lower.platforms import PLATFORMS

    if path[0] == "targets" or path[-1] == "target" or path[-2:] == ("target", "-"):
        return tuple(PLATFORMS)
    if path[0] == "attrs" and path[-1] == "type":
        return ("fp32", "int32", "int64")
    if path[0] == "tiling" and "fuse" in path:
        return tuple(name for name, _ in names.stages)
    known = {
        "dtype": DTYPES,
        "layout": LAYOUTS,
        "tail": ("mask",),
        "policy": ("critical_path", "breadth", "depth"),
        "level": ("tile", "block", "instruction", "source"),
        "over": tuple(names.defined("dim")),
        "inplace": ("true",),
    }
    return tuple(known.get(path[-1], ())) if len(path) > 1 else ()


def _type(where: Place, names: Names) -> Iterator[Completion]:
    """`dtype[axis, …] @ layout`."""
    before = where.before
    if "@" in before:
        yield from (Completion(layout, "word", "layout") for layout in LAYOUTS)
    elif "[" in before or where.path[-1] == "shape":
        yield from _dims(names)
    else:
        yield from (Completion(dtype, "dtype", "dtype", insert=f"{dtype}[") for dtype in DTYPES)


def _dims(names: Names) -> Iterable[Completion]:
    return (Completion(name, "dim", "dim") for name in names.defined("dim"))


def _expression(where: Place, names: Names, document: Document, types: Types) -> Iterator[Completion]:
    from pyptogen.lower.tensor.building.registry import operations

    argument = re.search(r"(\w+)\s*=\s*\w*\Z", where.before)
    if argument and argument[1] in ("dtype", "mode"):
        offered = DTYPES if argument[1] == "dtype" else _MODES
        yield from (Completion(word, "dtype" if argument[1] == "dtype" else "word") for word in offered)
        return
    called = operations().get(_called(where.before))
    if called is not None:
        if called.name == "cast":
            yield from (Completion(dtype, "dtype") for dtype in DTYPES)
        for one in called.parameters:
            yield Completion(one.name, "argument", f"of {called.name}", insert=f"{one.name}=")
    scope = _scope(where.path)
    for name in names.defined("input", "output", "attr", "value", "parameter", scope=scope):
        yield Completion(name, "value", types.type_of(name, scope))
    yield from _dims(names)
    functions = names.defined("function")
    for part in document.includes:
        functions += part.names.defined("function")
        yield from _dims(part.names)
    yield from (Completion(name, "function", "function", insert=f"{name}(") for name in functions)
    for operation in operations().values():
        yield Completion(operation.name, "operation", operation.signature, operation.doc, f"{operation.name}(")


def _scope(path: tuple[str, ...]) -> str:
    """The scope, as `names_of` calls it, that names at a path are looked up in."""
    if path[0] == "functions" and len(path) > 1:
        return f"{path[1].partition('(')[0].strip()}()"
    return path[1] if path[0] == "graph" and len(path) > 1 else ""


def _called(before: str) -> str:
    """The name of the innermost call whose brackets are open at the end of a text."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        if before[at] in ")]":
            depth += 1
        elif before[at] in "([":
            depth -= 1
            if depth < 0:
                found = re.search(r"(\w+)\s*\Z", before[:at]) if before[at] == "(" else None
                return found[1] if found else ""
    return ""
