"""An imported program as the text of a spec, in its one form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pyptogen.editor.format_spec import formatted
from pyptogen.schema.source import Source

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ,.;()'/+*=<>@_-]*\Z")


@dataclass(frozen=True, slots=True)
class Dim:
    """A static dim, or a dynamic one with its range."""

    name: str
    value: int | None = None
    least: int = 1
    most: int = 1 << 20


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output. ``updates`` names the input whose memory an output takes."""

    name: str
    dtype: str
    shape: tuple[str, ...]
    updates: str = ""


@dataclass(slots=True)
class ImportedSpec:
    """What a spec says. ``lines`` are the graph, names and expression of each; ``generators`` are for inputs whose
    numbers matter; ``cases`` are sizes of the dynamic dims."""

    operator: str
    doc: str
    dims: list[Dim] = field(default_factory=list)
    inputs: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)
    lines: list[tuple[str, str]] = field(default_factory=list)
    generators: Mapping[str, str] = field(default_factory=dict)
    cases: list[Mapping[str, int]] = field(default_factory=list)


def spec_text(spec: ImportedSpec, file: str) -> str:
    """The text; ``file`` is what it will be called."""
    text = "\n".join(_lines(spec)) + "\n"
    return formatted(Source(file, text))


def _lines(spec: ImportedSpec) -> Iterator[str]:
    yield from ("pyptogen: 1", f"operator: {spec.operator}", f"doc: {_plain(spec.doc)}", "")
    if spec.dims:
        yield "dims:"
        for dim in spec.dims:
            size = dim.value if dim.value is not None else f"{{min: {dim.least}, max: {dim.most}}}"
            yield f"  {dim.name}: {size}"
        yield ""
    yield "inputs:"
    yield from _tensors(spec.inputs)
    yield "outputs:"
    yield from _tensors(spec.outputs)
    yield from ("", "graph:")
    width = max(len(names) for names, _ in spec.lines) + 1
    for names, expression in spec.lines:
        yield f"  {names + ':':<{width}} {_value(expression)}"
    yield from ("", "tiling:", "  - {}", "", "verify:")
    if spec.generators:
        yield "  generate:"
        for name, generator in spec.generators.items():
            yield f"    {name}: {generator}"
    cases = ", ".join("{" + ", ".join(f"{name}: {size}" for name, size in case.items()) + "}" for case in spec.cases)
    yield f"  cases: [{cases or '{}'}]"


def _tensors(tensors: list[Tensor]) -> Iterator[str]:
    width = max(len(tensor.name) for tensor in tensors) + 1
    for tensor in tensors:
        type_ = f"{tensor.dtype}[{', '.join(tensor.shape)}]"
        text = f"{{inplace: {tensor.updates}}}" if tensor.updates else type_
        yield f"  {tensor.name + ':':<{width}} {text}"


def _plain(text: str) -> str:
    """A text as YAML has it, quoted where it must be."""
    line = " ".join(text.split())
    return (
        line if _PLAIN.match(line) and ": " not in line and " #" not in line else json.dumps(line, ensure_ascii=False)
    )


def _value(expression: str) -> str:
    """An expression as a plain value, quoted where YAML would read something else in it."""
    special = expression[:1] in "[{-&*!|>%@`\"'#?~" and not re.match(r"-[\w(.]", expression)
    if special or ": " in expression or " #" in expression or expression.endswith(":"):
        return json.dumps(expression)
    return expression
