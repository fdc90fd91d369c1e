"""`include`: dims, functions and tiling tables of other spec files.

A file is read once, however many name it. Of its dims and functions only those that the spec reaches become part of
the operator, so that one file may serve many.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyptogen.diagnostics import DiagnosticError, Span, fault, keep, kept, lose
from pyptogen.schema.below import read_below
from pyptogen.schema.budget import check_count
from pyptogen.schema.contract import DimSpec
from pyptogen.schema.contract_sections import read_dims
from pyptogen.schema.expression import Expr
from pyptogen.schema.graph_sections import read_functions
from pyptogen.schema.models import IncludedModel
from pyptogen.schema.naming import defined_twice
from pyptogen.schema.source import Source
from pyptogen.schema.spec import FunctionSpec
from pyptogen.schema.toml_reader import read_toml
from pyptogen.schema.tree import Mapping, Node, Scalar, Sequence
from pyptogen.schema.validate import need_mapping, validate
from pyptogen.schema.yaml_reader import read_yaml


@dataclass(slots=True)
class Included:
    """What the included files hold, in the order in which they are named."""

    dims: list[DimSpec] = field(default_factory=list)
    functions: list[FunctionSpec] = field(default_factory=list)
    tiling: list[Node] = field(default_factory=list)
    """The ``tiling`` section of each file that has one."""
    files: list[str] = field(default_factory=list)


def read_tree(source: Source) -> Node:
    """The file as a tree; its name decides between TOML and YAML."""
    return read_toml(source) if source.file.endswith(".toml") else read_yaml(source)


def read_includes(node: Node, spec: Source, root: str) -> Included:
    """All files that the section ``node`` of ``spec`` names, and those that they name.

    Raises PTG104, PTG110, PTG113, PTG209 (a file includes itself), and what their sections raise.
    """
    reader = _Reader(root)
    reader.section(node, ((os.path.normpath(spec.file), node.span),))
    return reader.found


class _Reader:
    def __init__(self, root: str) -> None:
        self._root = root
        self._seen: set[Path] = set()
        self.found = Included()

    def section(self, node: Node, chain: tuple[tuple[str, Span], ...]) -> None:
        """Reads the files of an ``include`` section; ``chain`` holds the files that led here."""
        for name in _names(node):
            try:
                source = read_below(name, self._root)
            except DiagnosticError as error:
                lose()
                keep(error)
                continue
            identity = Path(source.file).resolve()
            if any(Path(file).resolve() == identity for file, _ in chain):
                shown = " → ".join([*(os.path.basename(file) for file, _ in chain), os.path.basename(source.file)])
                raise fault("PTG209", f"files include themselves: {shown}", name.span, expected="no cycle")
            if identity in self._seen:
                continue
            self._seen.add(identity)
            check_count(self._seen, "files", name.span)
            self._file(source, (*chain, (source.file, name.span)))

    def _file(self, source: Source, chain: tuple[tuple[str, Span], ...]) -> None:
        root = need_mapping(read_tree(source), "an included file")
        model = validate(IncludedModel, root, "an included file")
        version = root.get("pyptogen")
        if version is not None and model.pyptogen != 1:
            raise fault("PTG112", f"format version {model.pyptogen} is unknown", version.span, expected="`pyptogen: 1`")
        inner = root.get("include")
        if inner is not None:
            self.section(inner, chain)
        self.found.files.append(source.file)
        for dim in read_dims(section(root, "dims")):
            self.found.dims.append(dim)
        for function in read_functions(section(root, "functions")):
            self.found.functions.append(function)
        tiling = root.get("tiling")
        if tiling is not None:
            self.found.tiling.append(tiling)


def section(root: Mapping, key: str) -> Node:
    """The section, or nothing at the end of the file."""
    node = root.get(key)
    return node if node is not None else Scalar(root.source, "", None, root.stop, root.stop, "plain")


def _names(node: Node) -> Iterator[Node]:
    """One path, or a list of paths."""
    if isinstance(node, Sequence):
        yield from node.items
    elif not isinstance(node, Scalar) or node.value is not None:
        yield node


def reached(
    included: Included, dims: tuple[DimSpec, ...], functions: tuple[FunctionSpec, ...], used: Iterable[Expr]
) -> tuple[tuple[DimSpec, ...], tuple[FunctionSpec, ...]]:
    """The included dims and functions that the spec's own ``dims``, ``functions`` and expressions lead to.

    Raises PTG208 where two files, or a file and the spec, give one name different meanings.
    """
    own_dims = {dim.name: dim for dim in dims}
    all_dims: dict[str, DimSpec] = {}
    all_functions = {function.name: function for function in functions}
    for dim in included.dims:
        with kept(dim.name):
            _same_dim(all_dims.setdefault(dim.name, dim), dim)
    for function in included.functions:
        first = all_functions.setdefault(function.name, function)
        if first is not function:
            again = defined_twice(function.name, first.span, "a function", function.span, "a function")
            keep(again, function.name)
    own = {function.name for function in functions}
    names = set().union(*(_names_in(expr) for expr in (*used, *_of_dims(dims), *_of_functions(functions))))
    kept_dims: dict[str, DimSpec] = {}
    used_functions: dict[str, FunctionSpec] = {}
    while True:
        new_dims = [d for n, d in all_dims.items() if n in names and n not in kept_dims and n not in own_dims]
        new = [f for n, f in all_functions.items() if n in names and n not in used_functions and n not in own]
        if not new_dims and not new:
            break
        kept_dims |= {dim.name: dim for dim in new_dims}
        used_functions |= {function.name: function for function in new}
        inner = set().union(*(_names_in(expr) for expr in (*_of_dims(new_dims), *_of_functions(new))))
        for name in inner & own_dims.keys() & all_dims.keys():
            with kept(name):
                _same_dim(own_dims[name], all_dims[name])
        names |= inner
    return (
        tuple(dim for name, dim in all_dims.items() if name in kept_dims),
        tuple(function for name, function in all_functions.items() if name in used_functions),
    )


def _same_dim(first: DimSpec, again: DimSpec) -> None:
    if _meaning(first) != _meaning(again):
        raise defined_twice(again.name, again.span, "a dim", first.span, "a dim of another meaning")


def _meaning(dim: DimSpec) -> Any:
    value = None if dim.value is None else ast.dump(dim.value.node)
    return value, dim.min, dim.max, dim.multiple_of


def _of_dims(dims: Iterable[DimSpec]) -> Iterator[Expr]:
    return (dim.value for dim in dims if dim.value is not None)


def _of_functions(functions: Iterable[FunctionSpec]) -> Iterator[Expr]:
    for function in functions:
        yield from (assign.value for assign in function.body)
        yield from function.returns


def _names_in(expr: Expr) -> set[str]:
    return {node.id for node in ast.walk(expr.node) if isinstance(node, ast.Name)}
