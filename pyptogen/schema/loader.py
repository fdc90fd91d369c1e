"""Reads a spec file: text → tree → checked sections → ``Spec``."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pyptogen.diagnostics import DiagnosticError, Span, fault, gathering, keep, kept, lose, nearest
from pyptogen.schema.budget import check_count
from pyptogen.schema.contract import AttrSpec, DimSpec, TensorSpec
from pyptogen.schema.contract_sections import read_attrs, read_dims, read_inputs, read_outputs
from pyptogen.schema.expression import Expr
from pyptogen.schema.graph_sections import read_functions, read_graph, read_requires
from pyptogen.schema.hand import kernel_expressions
from pyptogen.schema.hand_stages import with_kernels
from pyptogen.schema.include import Included, reached, read_includes, read_tree, section
from pyptogen.schema.kernels_section import read_kernels
from pyptogen.schema.models import SpecModel
from pyptogen.schema.naming import check_distinct, check_name, check_ranges
from pyptogen.schema.source import Source, read
from pyptogen.schema.spec import Assign, FunctionSpec, Spec, StageSpec, TilingRowSpec, VerifySpec
from pyptogen.schema.tiling_section import TableNames, read_schedule, read_tiling
from pyptogen.schema.tree import Mapping, Node, Scalar
from pyptogen.schema.validate import need_list, need_mapping, validate
from pyptogen.schema.verify_section import generator_expressions, read_verify


def load_spec(path: str | os.PathLike[str]) -> Spec:
    """The spec in the YAML or TOML file at ``path``. Raises ``DiagnosticError``."""
    return load_source(read(os.fspath(path)))


def load_source(source: Source) -> Spec:
    """The spec in a text that is already read; the file's name decides between TOML and YAML. Files that it names
    are read from disk."""
    with gathering():
        spec = _read(source)
    return spec


def _read(source: Source) -> Spec:
    """What can be read of a spec, in a `gathering`."""
    root = need_mapping(read_tree(source), "a spec")
    if not root.entries:
        raise fault(
            "PTG105",
            "the file is empty, or has nothing but comments",
            root.span,
            expected="at least `pyptogen: 1`, `operator`, `inputs`, `outputs` and `graph`",
            fix="README.md shows a whole spec",
        )
    written, root = root, _validated(root)
    name = _check_head(root, written)
    folder = os.path.dirname(source.file) or "."
    parts = _Sections(root)
    included = parts.read_as("include", lambda node: read_includes(node, source, folder), Included())
    attrs = parts.read("attrs", read_attrs)
    inputs = parts.read("inputs", read_inputs)
    outputs = parts.read("outputs", lambda node: read_outputs(node, inputs))
    kernels = parts.read("kernels", lambda node: read_kernels(node, folder))
    by_hand = root.get("kernels") is not None
    stages = parts.read("graph", lambda node: read_graph(node, name, by_hand))
    with kept():
        stages = with_kernels(stages, kernels)
    requires = parts.read("requires", read_requires)
    verify = section(root, "verify")
    dims = parts.read("dims", read_dims)
    functions = parts.read("functions", read_functions)
    expressions = [
        *_expressions(inputs, outputs, stages),
        *requires,
        *generator_expressions(verify),
        *kernel_expressions(kernels),
    ]
    more_dims, more_functions = reached(included, dims, functions, expressions)
    dims, functions = (*dims, *more_dims), (*functions, *more_functions)
    _check_counts(dims, attrs, inputs, outputs, stages, functions, requires)
    _check_names(dims, attrs, inputs, outputs, stages)
    names = TableNames(tuple(s.name for s in stages), tuple(d.name for d in dims))
    own_table = root.get("tiling")
    tiling: tuple[TilingRowSpec, ...] = ()
    tables: list[str] = []
    with kept():
        tiling, tables = read_tiling(included.tiling if own_table is None else [own_table], names, folder)
    for things, what in ((tiling, "tiling rows"), (tables, "files")):
        check_count(things, what, root.span)
    checked = parts.read_as(
        "verify", lambda node: read_verify(node, dims, inputs, outputs, name, folder), VerifySpec({}, (), {})
    )
    check_count(checked.cases, "cases", root.span)
    beside = [k.source.path for k in kernels if k.source] + ([checked.golden.file] if checked.golden else [])
    operator, doc = root.get("operator"), root.get("doc")
    return Spec(
        path=source.file,
        source=source.text,
        name=name,
        doc=" ".join(doc.text.split()) if isinstance(doc, Scalar) else "",
        dims=dims,
        attrs=attrs,
        inputs=inputs,
        outputs=outputs,
        requires=requires,
        functions=functions,
        stages=stages,
        tiling=tiling,
        schedule=parts.read_as("schedule", lambda node: read_schedule(node, names), {}),
        verify=checked,
        targets=parts.read("targets", _targets),
        span=root.span if operator is None else operator.span,
        kernels=kernels,
        backward=parts.read_as("backward", _backward, None),
        includes=tuple(dict.fromkeys([*included.files, *tables, *beside])),
    )


class _Sections:
    """The sections of a spec, each read as far as it goes."""

    def __init__(self, root: Mapping) -> None:
        self._root = root

    def read(self, key: str, read: Callable[[Node], tuple[ReadT, ...]]) -> tuple[ReadT, ...]:
        """What ``read`` makes of the section; nothing where it cannot be read at all, and then names that stood in it
        are no errors elsewhere."""
        return self.read_as(key, read, ())

    def read_as(self, key: str, read: Callable[[Node], AnyT], without: AnyT) -> AnyT:
        """The same for a section that is no list of things."""
        try:
            return read(section(self._root, key))
        except DiagnosticError as error:
            keep(error)
            if key in _GIVES_NAMES:
                lose()
            return without


def _validated(root: Mapping) -> Mapping:
    """The top level with known keys alone: a slip of spelling is told, and read as what it is like where that is
    missing; a section of the wrong kind is told, and left out."""
    try:
        validate(SpecModel, root, "a spec")
        return root
    except DiagnosticError as error:
        keep(error)
        wrong = {(one.span.line, one.span.col) for one in error.diagnostics if one.span and one.code == "PTG104"}
    known = list(SpecModel.model_fields)
    entries: dict[str, tuple[Scalar, Node]] = {key.text: (key, node) for key, node in root if key.text in known}
    for key, node in root:
        like = nearest(key.text, known) if key.text not in known else None
        if like is not None and like not in entries:
            entries[like] = (replace(key, text=like), node)
        elif key.text not in known and not isinstance(node, Scalar):
            lose()
    for name, (_, node) in [*entries.items()]:
        begin, end = (node.span.line, node.span.col), (node.span.end_line, node.span.end_col)
        if any(begin <= place <= end for place in wrong):
            del entries[name]
            if name in _GIVES_NAMES:
                lose()
    if not {"inputs", "outputs"} <= entries.keys():
        lose()
    return replace(root, entries=tuple(entries.values()))


_GIVES_NAMES = frozenset({"include", "dims", "attrs", "inputs", "outputs", "functions", "graph", "kernels"})

ReadT = TypeVar("ReadT")
AnyT = TypeVar("AnyT")


def _expressions(
    inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], stages: tuple[StageSpec, ...]
) -> Iterator[Expr]:
    for tensor in (*inputs, *outputs):
        yield from (*tensor.shape, *tensor.strides)
    for stage in stages:
        yield from (*stage.when, *stage.run_if)
        yield from stage.expressions


def _check_counts(
    dims: tuple[DimSpec, ...],
    attrs: tuple[AttrSpec, ...],
    inputs: tuple[TensorSpec, ...],
    outputs: tuple[TensorSpec, ...],
    stages: tuple[StageSpec, ...],
    functions: tuple[FunctionSpec, ...],
    requires: tuple[Expr, ...],
) -> None:
    """No more of each than is worked through in seconds. Raises PTG114."""
    kinds: list[tuple[Sequence[Any], str]] = [
        (dims, "dims"),
        (attrs, "attrs"),
        (inputs, "inputs"),
        (outputs, "outputs"),
        (stages, "stages"),
        (functions, "functions"),
        (requires, "requirements"),
    ]
    for things, what in kinds:
        if things:
            check_count(things, what, things[-1].span)
    for tensor in (*inputs, *outputs):
        check_count(tensor.shape, "axes", tensor.span)
    for condition in (*requires, *(part for stage in stages for part in (*stage.when, *stage.run_if))):
        atoms = [part for part in ast.walk(condition.node) if isinstance(part, ast.Compare)]
        check_count(atoms, "parts of a condition", condition.span)


def _check_names(
    dims: tuple[DimSpec, ...],
    attrs: tuple[AttrSpec, ...],
    inputs: tuple[TensorSpec, ...],
    outputs: tuple[TensorSpec, ...],
    stages: tuple[StageSpec, ...],
) -> None:
    """Each name has one meaning; stages that are there only sometimes may define the same values, those that run only
    sometimes may give values anew, and loops may call what is inside of them alike."""
    contract = [
        *((d.name, d.span, "a dim") for d in dims),
        *((a.name, a.span, "an attr") for a in attrs),
        *((t.name, t.span, "an input") for t in inputs),
    ]
    check_distinct([*contract, *((t.name, t.span, "an output") for t in outputs if t.name != t.inplace)])
    updated = {t.name for t in outputs if t.inplace is not None}
    fixed = [c for c in contract if c[0] not in updated]
    everyday = [stage for stage in stages if not stage.when and not stage.run_if]
    always = [value for stage in everyday for value in _values(stage.body)]
    check_distinct([*fixed, *always])
    for stage in stages:
        if stage.run_if:
            check_distinct([*fixed, *_values(stage.definitions)])
        elif stage.when:
            check_distinct([*fixed, *always, *_values(stage.definitions)])
        elif stage.loop is not None:
            check_distinct([*fixed, *always, *_values(stage.loop.body)])
    inside = [value for stage in everyday if stage.loop is not None for value in _values(stage.loop.body)]
    _check_stage_names(stages, {d.name for d in dims})
    outside = [(t.name, t.span, "an output") for t in outputs]
    check_ranges([d.name for d in dims if d.value is None], [*contract, *outside, *always, *inside])


def _values(definitions: Iterable[Assign]) -> list[tuple[str, Span, str]]:
    return [(name, span, "a value") for assign in definitions for name, span in assign.targets]


def _targets(node: Node) -> tuple[tuple[str, Span], ...]:
    names = need_list(node, "`targets`").items
    if node.start != node.stop and not names:
        raise fault("PTG104", "`targets` names no target", node.span, fix="leave it out for all, or name one: `[cpu]`")
    return tuple((item.text, item.span) for item in names if isinstance(item, Scalar))


def _backward(node: Node) -> tuple[str, Span] | None:
    if not isinstance(node, Scalar) or not node.text:
        return None
    return check_name(node.text, node.span, "an operator", snake=True), node.span


def _check_head(root: Mapping, written: Mapping) -> str:
    """The operator's name; checks the format version and that there is a graph. ``written`` is what the file has."""
    version, operator = root.get("pyptogen"), root.get("operator")
    if isinstance(version, Scalar) and version.value != 1:
        keep(fault("PTG112", f"format version {version.text} is unknown", version.span, expected="`pyptogen: 1`"))
    if all(mapping.get(key) is None for mapping in (root, written) for key in ("graph", "kernels")):
        first = written.entries[0][0].span
        lose()
        keep(fault("PTG105", "a spec lacks the key `graph`", first, fix="add `graph: …`"))
    if not isinstance(operator, Scalar):
        return _NAMELESS
    with kept():
        return check_name(operator.text, operator.span, "an operator", snake=True)
    return _NAMELESS


_NAMELESS = "nameless"
"""For an operator whose name cannot be read."""


def _check_stage_names(stages: tuple[StageSpec, ...], dims: set[str]) -> None:
    for stage in stages:
        if stage.name in dims and not stage.implicit:
            twice = fault(
                "PTG208",
                f"the stage `{stage.name}` has the name of a dim",
                stage.span,
                expected="different names, because tiling rows use both",
                fix="rename the stage",
            )
            keep(twice)
