"""Reads a spec file: text → tree → checked sections → ``Spec``."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyptogen.diagnostics import Span, fault
from pyptogen.schema.budget import check_count
from pyptogen.schema.contract import AttrSpec, DimSpec, TensorSpec
from pyptogen.schema.contract_sections import read_attrs, read_dims, read_inputs, read_outputs
from pyptogen.schema.expression import Expr
from pyptogen.schema.graph_sections import read_functions, read_graph, read_requires
from pyptogen.schema.hand import kernel_expressions
from pyptogen.schema.hand_stages import with_kernels
from pyptogen.schema.include import reached, read_includes, read_tree, section
from pyptogen.schema.kernels_section import read_kernels
from pyptogen.schema.models import SpecModel
from pyptogen.schema.naming import check_distinct, check_name, check_ranges
from pyptogen.schema.source import Source, read
from pyptogen.schema.spec import Assign, FunctionSpec, Spec, StageSpec
from pyptogen.schema.tiling_section import TableNames, read_schedule, read_tiling
from pyptogen.schema.tree import Mapping, Scalar
from pyptogen.schema.validate import need_list, need_mapping, validate
from pyptogen.schema.verify_section import generator_expressions, read_verify


def load_spec(path: str | os.PathLike[str]) -> Spec:
    """The spec in the YAML or TOML file at ``path``. Raises ``DiagnosticError``."""
    return load_source(read(os.fspath(path)))


def load_source(source: Source) -> Spec:
    """The spec in a text that is already read; the file's name decides between TOML and YAML. Files that it names
    are read from disk."""
    root = need_mapping(read_tree(source), "a spec")
    if not root.entries:
        raise fault(
            "PTG105",
            "the file is empty, or has nothing but comments",
            root.span,
            expected="at least `pyptogen: 1`, `operator`, `inputs`, `outputs` and `graph`",
            fix="README.md shows a whole spec",
        )
    model = validate(SpecModel, root, "a spec")
    _check_head(root, model)
    folder = os.path.dirname(source.file) or "."
    included = read_includes(section(root, "include"), source, folder)
    attrs = read_attrs(section(root, "attrs"))
    inputs = read_inputs(section(root, "inputs"))
    outputs = read_outputs(section(root, "outputs"), inputs)
    kernels = read_kernels(section(root, "kernels"), folder)
    stages = with_kernels(read_graph(section(root, "graph"), model.operator, bool(kernels)), kernels)
    requires = read_requires(section(root, "requires"))
    verify = section(root, "verify")
    dims = read_dims(section(root, "dims"))
    functions = read_functions(section(root, "functions"))
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
    tiling, tables = read_tiling(included.tiling if own_table is None else [own_table], names, folder)
    for things, what in ((tiling, "tiling rows"), (tables, "files")):
        check_count(things, what, root.span)
    operator = root.get("operator")
    assert operator is not None
    checked = read_verify(verify, dims, inputs, outputs, model.operator, folder)
    check_count(checked.cases, "cases", root.span)
    beside = [k.source.path for k in kernels if k.source] + ([checked.golden.file] if checked.golden else [])
    return Spec(
        path=source.file,
        source=source.text,
        name=model.operator,
        doc=" ".join(model.doc.split()),
        dims=dims,
        attrs=attrs,
        inputs=inputs,
        outputs=outputs,
        requires=requires,
        functions=functions,
        stages=stages,
        tiling=tiling,
        schedule=read_schedule(section(root, "schedule"), names),
        verify=checked,
        targets=_targets(root),
        span=operator.span,
        kernels=kernels,
        includes=tuple(dict.fromkeys([*included.files, *tables, *beside])),
    )


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


def _targets(root: Mapping) -> tuple[tuple[str, Span], ...]:
    given = root.get("targets")
    names = need_list(section(root, "targets"), "`targets`").items
    if given is not None and not names:
        raise fault("PTG104", "`targets` names no target", given.span, fix="leave it out for all, or name one: `[cpu]`")
    return tuple((item.text, item.span) for item in names if isinstance(item, Scalar))


def _check_head(root: Mapping, model: SpecModel) -> None:
    version = root.get("pyptogen")
    if model.pyptogen != 1 and version is not None:
        raise fault("PTG112", f"format version {model.pyptogen} is unknown", version.span, expected="`pyptogen: 1`")
    if root.get("graph") is None and root.get("kernels") is None:
        raise fault("PTG105", "a spec lacks the key `graph`", root.entries[0][0].span, fix="add `graph: …`")
    operator = root.get("operator")
    if operator is not None:
        check_name(model.operator, operator.span, "an operator", snake=True)


def _check_stage_names(stages: tuple[StageSpec, ...], dims: set[str]) -> None:
    for stage in stages:
        if stage.name in dims and not stage.implicit:
            raise fault(
                "PTG208",
                f"the stage `{stage.name}` has the name of a dim",
                stage.span,
                expected="different names, because tiling rows use both",
                fix="rename the stage",
            )
