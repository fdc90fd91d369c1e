"""Reads the sections about placement: tiling rows and schedule hints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping as Map
from typing import Any

from pyptogen.diagnostics import DiagnosticError, Span, did_you_mean, fault, is_sound, keep, kept
from pyptogen.records import dataclass
from pyptogen.schema.below import read_below
from pyptogen.schema.include import read_tree, section
from pyptogen.schema.models import ScheduleModel, SizeModel, TableFileModel, TilingFileModel
from pyptogen.schema.source import Source
from pyptogen.schema.spec import TilingRowSpec
from pyptogen.schema.tree import Mapping, Node, Scalar, Sequence, describe, plain
from pyptogen.schema.validate import need_list, need_mapping, validate

OPTION_LIMITS = {"l1_reuse": 64, "split_k": 64, "buffers": 8, "fifo": 8, "vector_cores": 2}
STAGE_OPTIONS = tuple(OPTION_LIMITS)
"""Keys of a stage in a row that are no dims: times an L1 block is used, ways to cut the reduction, buffers
per tile, tiles in each fifo between the cube and the vector core of a mixed kernel, vector cores beside its cube core.
The largest of each is what a kernel can use: a pair of pipes has 8 events (A2/A3), and every buffer or slot of a fifo
takes one; a cube core has two vector cores."""

UNPROTECTED = {"fifo": (5, 7)}
"""Fifos that a device would fill again before they are freed: it frees slots in batches of half a fifo."""

ROW_OPTIONS = ("fifo", "vector_cores")
"""Those that a row may also have for all of its stages."""

_COMPARISON = re.compile(r"(<=|>=|==|!=|<|>)\s*(-?[0-9]{1,18})\Z")


@dataclass(frozen=True, slots=True)
class TableNames:
    """The names that tables may use."""

    stages: tuple[str, ...]
    dims: tuple[str, ...]


def read_tiling(nodes: Iterable[Node], names: TableNames, root: str) -> tuple[tuple[TilingRowSpec, ...], list[str]]:
    """The rows of ``tiling`` sections in order, and the files that they stand in where these are files of their own.

    ``root`` is the spec's folder. Raises PTG104, PTG110, PTG113, PTG217.
    """
    rows: list[TilingRowSpec] = []
    files: list[str] = []
    for node in nodes:
        if isinstance(node, Mapping):
            _check_not_row(node, names)
            validate(TilingFileModel, node, "`tiling`")
            file = node.get("file")
            assert file is not None
            source = read_below(file, root)
            files.append(source.file)
            node = _table_of(source)
        for row in need_list(node, "`tiling`").items:
            with kept():
                rows.append(_row(need_mapping(row, "a tiling row"), names))
    return tuple(rows), files


def _check_not_row(node: Mapping, names: TableNames) -> None:
    """PTG104 for a row that does not stand in a list."""
    key = next((key for key, _ in node if key.text in (*names.dims, *names.stages, "when", "fuse")), None)
    if key is not None and node.get("file") is None:
        fix = f"`- {{{key.text}: …}}`, with a dash for each row"
        raise fault("PTG104", "`tiling` must be a list of rows", key.span, expected="`- …` entries or `[…]`", fix=fix)


def _table_of(source: Source) -> Node:
    """The list of rows in a file: the whole file, or its key ``tiling``."""
    tree = read_tree(source)
    if isinstance(tree, Mapping):
        validate(TableFileModel, tree, "a tiling file")
        return section(tree, "tiling")
    return tree


def _row(node: Mapping, names: TableNames) -> TilingRowSpec:
    when: tuple[tuple[str, str, Any], ...] = ()
    fuse: tuple[tuple[str, ...], ...] | None = None
    sizes: dict[str, dict[str, Any]] = {}
    spans: dict[tuple[str, str], Span] = {}

    def entry(key: Scalar, value: Node) -> None:
        nonlocal when, fuse
        if key.text == "when":
            when = _conditions(need_mapping(value, "`when`"), names)
        elif key.text == "fuse":
            fuse = tuple(_fused(group, names) for group in need_list(value, "`fuse`").items)
        elif key.text in names.stages:
            for inner, size in need_mapping(value, f"the sizes of stage `{key.text}`"):
                with kept():
                    if inner.text not in (*names.dims, *STAGE_OPTIONS):
                        raise _unknown(inner, "dim or option", (*names.dims, *STAGE_OPTIONS))
                    sizes.setdefault(key.text, {})[inner.text] = _size_or_option(inner, size, names)
                    spans[(key.text, inner.text)] = size.span
        elif key.text in (*names.dims, *ROW_OPTIONS):
            sizes.setdefault("", {})[key.text] = _size_or_option(key, value, names)
            spans[("", key.text)] = value.span
        else:
            said = f"it is said of a stage: `{names.stages[0]}: {{{key.text}: …}}`" if names.stages else ""
            of_stage = said if key.text in STAGE_OPTIONS else ""
            raise _unknown(key, "stage or dim", (*names.stages, *names.dims, *ROW_OPTIONS, "when", "fuse"), of_stage)

    for key, value in node:
        with kept():
            entry(key, value)
    return TilingRowSpec(when, sizes, fuse, spans, node.span)


def _unknown(key: Scalar, what: str, known: tuple[str, ...], fix: str = "") -> DiagnosticError:
    """PTG217; an error that says nothing for a name that hangs on one that is told."""
    if not is_sound(key.text):
        return DiagnosticError()
    return fault(
        "PTG217",
        f"`{key.text}` is no {what} of this operator",
        key.span,
        expected="one of " + ", ".join(known),
        fix=fix or did_you_mean(key.text, known),
    )


def _size_or_option(key: Scalar, node: Node, names: TableNames) -> Any:
    if key.text in names.dims:
        return _size(key, node)
    limit = OPTION_LIMITS[key.text]
    value = node.value if isinstance(node, Scalar) else None
    refused = UNPROTECTED.get(key.text, ())
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= limit and value not in refused:
        return value
    raise fault(
        "PTG104",
        f"`{key.text}` cannot be {describe(node)}",
        node.span,
        expected=f"a whole number from 1 to {limit}" + (f", not {' or '.join(map(str, refused))}" if refused else ""),
    )


def _size(key: Scalar, node: Node) -> Any:
    if isinstance(node, Mapping):
        model = validate(SizeModel, node, f"the size of `{key.text}`")
        _check_one_size(key, node)
        if model.unroll is not None:
            _check_unroll(model.unroll, node)
        return {name: value for name, value in model.model_dump().items() if value is not None}
    if isinstance(node, Scalar) and isinstance(node.value, int) and not isinstance(node.value, bool) and node.value > 0:
        return node.value
    raise fault(
        "PTG104",
        f"the size of `{key.text}` cannot be {describe(node)}",
        node.span,
        expected="a positive integer, or {tile, tail}, {unroll: […]}, {l1, l0}",
    )


def _check_one_size(key: Scalar, node: Mapping) -> None:
    """Of the keys that say how large a tile is there is one: another would count for nothing."""
    given = [name for name in ("unroll", "tile", "l1") if node.get(name) is not None]
    if given[:1] == ["unroll"] and node.get("tail") is not None:
        given.append("tail")
    if len(given) > 1:
        raise fault(
            "PTG104",
            f"the size of `{key.text}` has both `{given[0]}` and `{given[1]}`",
            node.span,
            expected="one of {tile, tail}, {unroll: […]}, {l1, l0}",
            fix=f"leave `{given[1]}` out",
        )


def _check_unroll(sizes: list[int], node: Mapping) -> None:
    if sizes != sorted(set(sizes), reverse=True) or sizes[-1] < 1:
        at = node.get("unroll")
        raise fault(
            "PTG104",
            "an unroll list is not in falling order",
            at.span if at else node.span,
            expected="different positive sizes, the largest first, such as [32, 16, 8, 4, 2, 1]",
        )


def _conditions(node: Mapping, names: TableNames) -> tuple[tuple[str, str, Any], ...]:
    conditions: list[tuple[str, str, Any]] = []
    for key, value in node:
        if key.text == "target":
            content = plain(value)
            conditions.append(("target", "in" if isinstance(content, list) else "==", content))
            continue
        with kept():
            if key.text not in names.dims:
                raise _unknown(key, "dim to test", ("target", *names.dims))
            conditions.append(_comparison(key, value))
    return tuple(conditions)


def _comparison(key: Scalar, node: Node) -> tuple[str, str, Any]:
    if isinstance(node, Scalar):
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            return key.text, "==", node.value
        match = _COMPARISON.match(node.text)
        if match:
            return key.text, match[1], int(match[2])
    raise fault(
        "PTG104",
        f"the test of `{key.text}` cannot be {describe(node)}",
        node.span,
        expected='a number, or such as "<= 32"',
    )


def _fused(node: Node, names: TableNames) -> tuple[str, ...]:
    if not isinstance(node, Sequence):
        raise fault(
            "PTG104",
            "`fuse` is a list of lists of stages",
            node.span,
            expected="such as [[query_linear, query_rope]]",
        )
    if not node.items:
        raise fault("PTG104", "a group of `fuse` is empty", node.span, expected="the stages that become one kernel")
    for item in node.items:
        if isinstance(item, Scalar) and not is_sound(item.text):
            continue
        if not isinstance(item, Scalar) or item.text not in names.stages:
            known = ", ".join(names.stages)
            text = item.text if isinstance(item, Scalar) else describe(item)
            keep(
                fault(
                    "PTG217",
                    f"`{text}` is no stage of this operator",
                    item.span,
                    expected=f"one of {known}",
                    fix=did_you_mean(text, names.stages),
                )
            )
    return tuple(item.text for item in node.items if isinstance(item, Scalar))


def read_schedule(node: Node, names: TableNames) -> Map[str, Any]:
    """The ``schedule`` section, only what is given."""
    mapping = need_mapping(node, "`schedule`")
    model = validate(ScheduleModel, mapping, "`schedule`")
    for _, value in mapping:
        for stage, _ in value if isinstance(value, Mapping) else ():
            if stage.text not in names.stages:
                keep(_unknown(stage, "stage", names.stages))
    return {key.text: getattr(model, key.text) for key, _ in mapping}
