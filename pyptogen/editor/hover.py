"""What is shown of the thing under the cursor, as Markdown."""

from __future__ import annotations

from pyptogen.editor.document import Document
from pyptogen.editor.facts import KernelFact, LoweredFacts, Types
from pyptogen.editor.names import Occurrence
from pyptogen.editor.places import key_docs, place

_KIND_WORDS = {"parameter": "parameter of", "value": "value of"}
_MOST_KERNELS = 6


def hover(document: Document, offset: int, types: Types, lowered: LoweredFacts) -> str:
    """Empty where there is nothing to say: a name with its shape and dtype, and what became of it in kernels; an
    operation; a key of the language."""
    here = document.names.at(offset)
    if here is not None:
        return _of_name(document, here, types, lowered)
    word, start, stop = document.word(offset)
    told = _of_operation(document, word, stop)
    if told:
        return told
    where = place(document.text, start)
    docs = key_docs(where.path, frozenset(document.names.defined("dim"))) if where.kind == "key" else {}
    if word in docs:
        return f"`{word}`: {docs[word]}"
    if word in types.sizes:
        return f"dim `{word}`: {types.sizes[word]}"
    return ""


def _of_name(document: Document, here: Occurrence, types: Types, lowered: LoweredFacts) -> str:
    symbol = here.symbol
    if symbol.kind == "dim":
        size = types.sizes.get(symbol.name, "")
        return f"dim `{symbol.name}`" + (f": {size}" if size else "")
    if symbol.kind in ("stage", "operator"):
        kernels = [one for one in lowered.kernels if symbol.name in one.stages]
        return "\n\n".join([f"{symbol.kind} `{symbol.name}`", *_kernels(kernels, "")])
    scope = symbol.scope.rstrip(":")
    type_ = types.type_of(symbol.name, scope)
    title = f"{symbol.kind} `{symbol.name}`" + (f" of `{symbol.scope.rstrip(':')}`" if symbol.scope else "")
    line = _comment(document, here)
    parts = [title + (f": `{type_}`" if type_ else ""), *([line] if line else [])]
    stages = {one.stage for one in document.names.of(symbol) if one.stage}
    kernels = [one for one in lowered.kernels if stages & {*one.stages}]
    return "\n\n".join([*parts, *_kernels(kernels, symbol.name)])


def _comment(document: Document, here: Occurrence) -> str:
    """What the author says of a name, in the comment behind its definition."""
    defined = next((one for one in document.names.of(here.symbol) if one.defines), None)
    if defined is None:
        return ""
    end = document.text.find("\n", defined.stop)
    line = document.text[defined.stop : end if end >= 0 else len(document.text)]
    _, mark, said = line.partition(" # ")
    return said.strip() if mark else ""


def _kernels(kernels: list[KernelFact], value: str) -> list[str]:
    """A paragraph for each kernel: tile sizes, memory, cost, and the tiles of the value."""
    shown = []
    for kernel in kernels[:_MOST_KERNELS]:
        memory = ", ".join(f"{name.upper()} {used} of {room} bytes" for name, (used, room) in kernel.memory.items())
        lines = [f"kernel `{kernel.name}` ({kernel.target}, {kernel.core})"]
        lines += [f"- tiles: {kernel.tiling}"] if kernel.tiling else []
        lines += [f"- `{value}`: {tile.text}" for tile in kernel.tiles if tile.value == value]
        lines += [f"- memory: {memory}"] if memory else []
        lines += [f"- cost: {kernel.cost}"] if kernel.cost else []
        shown.append("\n".join(lines))
    return shown + ([f"and {len(kernels) - _MOST_KERNELS} more kernels"] if len(kernels) > _MOST_KERNELS else [])


def _of_operation(document: Document, word: str, stop: int) -> str:
    from pyptogen.lower.tensor.building.registry import operations
    from pyptogen.schema.verify_section import GENERATORS

    if not document.text[stop:].lstrip(" ").startswith("("):
        return ""
    if place(document.text, stop).path[:2] == ("verify", "generate") and word in GENERATORS:
        return "generator " + " or ".join(f"`{word}({ways})`" for ways in GENERATORS[word])
    operation = operations().get(word)
    if operation is None:
        return ""
    return f"```python\n{operation.signature}\n```\n\n{operation.doc}\n\nresult: {operation.rule}"
