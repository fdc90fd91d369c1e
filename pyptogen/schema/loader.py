"""Reads a spec file: text → tree → checked sections → ``Spec``."""

from __future__ import annotations

import os

from pyptogen.diagnostics import Span, fault
from pyptogen.schema.contract_sections import read_attrs, read_dims, read_inputs, read_outputs
from pyptogen.schema.graph_sections import read_functions, read_graph, read_requires
from pyptogen.schema.models import SpecModel
from pyptogen.schema.naming import check_distinct, check_name
from pyptogen.schema.source import Source, read
from pyptogen.schema.spec import Spec, StageSpec
from pyptogen.schema.tiling_section import TableNames, read_schedule, read_tiling
from pyptogen.schema.toml_reader import read_toml
from pyptogen.schema.tree import Mapping, Node, Scalar
from pyptogen.schema.validate import need_list, need_mapping, validate
from pyptogen.schema.verify_section import read_verify
from pyptogen.schema.yaml_reader import read_yaml

_LATER = {"include": "including other specs", "kernels": "stages written by hand"}


def load_spec(path: str | os.PathLike[str]) -> Spec:
    """The spec in the YAML or TOML file at ``path``. Raises ``DiagnosticError``."""
    return load_source(read(os.fspath(path)))


def load_source(source: Source) -> Spec:
    """The spec in a text that is already read; the file's name decides between TOML and YAML."""
    tree = read_toml(source) if source.file.endswith(".toml") else read_yaml(source)
    root = need_mapping(tree, "a spec")
    model = validate(SpecModel, root, "a spec")
    _check_head(root, model)
    dims = read_dims(_section(root, "dims"))
    attrs = read_attrs(_section(root, "attrs"))
    inputs = read_inputs(_section(root, "inputs"))
    outputs = read_outputs(_section(root, "outputs"), inputs)
    functions = read_functions(_section(root, "functions"))
    stages = read_graph(_section(root, "graph"), model.operator)
    contract = [
        *((d.name, d.span, "a dim") for d in dims),
        *((a.name, a.span, "an attr") for a in attrs),
        *((t.name, t.span, "an input") for t in inputs),
    ]
    check_distinct([*contract, *((t.name, t.span, "an output") for t in outputs if t.name != t.inplace)])
    updated = {t.name for t in outputs if t.inplace is not None}
    values = [target for stage in stages for assign in stage.body for target in assign.targets]
    check_distinct([*(c for c in contract if c[0] not in updated), *((name, span, "a value") for name, span in values)])
    _check_stage_names(stages, {d.name for d in dims})
    names = TableNames(tuple(s.name for s in stages), tuple(d.name for d in dims))
    operator = root.get("operator")
    assert operator is not None
    return Spec(
        path=source.file,
        source=source.text,
        name=model.operator,
        doc=" ".join(model.doc.split()),
        dims=dims,
        attrs=attrs,
        inputs=inputs,
        outputs=outputs,
        requires=read_requires(_section(root, "requires")),
        functions=functions,
        stages=stages,
        tiling=read_tiling(_section(root, "tiling"), names),
        schedule=read_schedule(_section(root, "schedule"), names),
        verify=read_verify(_section(root, "verify"), dims, inputs, outputs),
        targets=_targets(root),
        span=operator.span,
    )


def _section(root: Mapping, key: str) -> Node:
    """The section, or nothing at the end of the file."""
    node = root.get(key)
    return node if node is not None else Scalar(root.source, "", None, root.stop, root.stop, "plain")


def _targets(root: Mapping) -> tuple[tuple[str, Span], ...]:
    return tuple(
        (item.text, item.span)
        for item in need_list(_section(root, "targets"), "`targets`").items
        if isinstance(item, Scalar)
    )


def _check_head(root: Mapping, model: SpecModel) -> None:
    version = root.get("pyptogen")
    if model.pyptogen != 1 and version is not None:
        raise fault("PTG112", f"format version {model.pyptogen} is unknown", version.span, expected="`pyptogen: 1`")
    operator = root.get("operator")
    if operator is not None:
        check_name(model.operator, operator.span, "an operator", snake=True)
    for key, what in _LATER.items():
        later = root.key(key)
        if later is not None:
            raise fault("PTG109", f"`{key}` ({what}) is not supported yet", later.span, fix=f"remove `{key}`")


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
