"""Reads the ``kernels`` section: stages given at tile, block, instruction or source level."""

from __future__ import annotations

import re
from typing import Any, Literal

from pyptogen.diagnostics import Span, fault, kept
from pyptogen.schema.below import SOURCE_SUFFIXES, read_below
from pyptogen.schema.c_names import is_c_function, is_identifier
from pyptogen.schema.contract import DTYPES, TensorSpec
from pyptogen.schema.contract_sections import read_tensor
from pyptogen.schema.expression import Expr, parse_expression, parse_expression_list
from pyptogen.schema.hand import (
    LOADS,
    STORES,
    GridAxis,
    HandBuffer,
    HandKernel,
    HandLine,
    HandLoop,
    HandNode,
    SourceFile,
    moved,
)
from pyptogen.schema.models import BufferModel, KernelModel
from pyptogen.schema.naming import check_distinct, check_key, check_name
from pyptogen.schema.tree import Mapping, Node, Scalar, Sequence, describe
from pyptogen.schema.validate import need_list, need_mapping, validate

_CORES: dict[str, Literal["cube", "vector", "mixed"]] = {
    "aiv": "vector", "aic": "cube", "mix": "mixed", "vector": "vector", "cube": "cube", "mixed": "mixed",
}  # fmt: skip
KEYS = {
    "tile": {"grid", "before", "body", "after"},
    "block": {"grid", "before", "body", "after", "buffers", "sync"},
    "instruction": {"grid", "before", "body", "after", "buffers", "sync"},
    "source": {"file", "entry", "core", "reads", "arguments", "blocks", "range"},
}
NEEDED = {
    "tile": ("body",),
    "block": ("buffers", "body"),
    "instruction": ("buffers", "body"),
    "source": ("file", "entry", "core", "writes"),
}
COMMON = {"level", "doc", "targets", "writes"}


def read_kernels(node: Node, root: str) -> tuple[HandKernel, ...]:
    """The section; ``root`` is the spec's folder, in which sources lie.

    Raises PTG103 to PTG107, PTG110, PTG113, PTG208, PTG212, PTG213.
    """
    kernels = []
    for key, value in need_mapping(node, "`kernels`"):
        with kept(key.text, *_written_by(value)):
            kernels.append(_kernel(key, value, root))
    with kept():
        check_distinct((k.name, k.span, "a kernel") for k in kernels)
    return tuple(kernels)


def _written_by(node: Node) -> list[str]:
    """What a kernel may define, whatever is wrong with it: every word in it that could be a name."""
    if isinstance(node, Scalar):
        return re.findall(r"[A-Za-z]\w*", node.text)
    inner = node.items if isinstance(node, Sequence) else [part for entry in node.entries for part in entry]
    return [name for part in inner for name in _written_by(part)]


def _kernel(key: Scalar, node: Node, root: str) -> HandKernel:
    name = check_name(key.text, key.span, "a stage", snake=True)
    what = f"kernel `{name}`"
    mapping = need_mapping(node, what)
    model = validate(KernelModel, mapping, what)
    _check_keys(mapping, model.level, what)
    grid = _grid(mapping)
    before, body, after = (
        _body(part, what) if (part := mapping.get(key)) is not None else () for key in ("before", "body", "after")
    )
    declared, writes = _writes(mapping.get("writes"))
    if model.level == "source":
        reads = tuple((item.text, item.span) for item in _names(mapping.get("reads")))
    else:
        reads = moved((*before, *body, *after), LOADS)
        writes = moved((*before, *body, *after), STORES)
        if not writes:
            raise fault("PTG105", f"{what} stores nothing", key.span, expected="`store(tile, tensor[…])` in its body")
    buffers = tuple(_buffer(k, v) for k, v in need_mapping(mapping.get("buffers") or _nothing(mapping), "`buffers`"))
    axes = [(axis.var, axis.span, "a loop") for axis in grid]
    check_distinct([*axes, *((b.name, b.span, "a buffer") for b in buffers)])
    return HandKernel(
        name,
        model.level,
        None if model.core is None else _CORES[model.core],
        grid,
        buffers,
        model.sync or "auto",
        body,
        before,
        after,
        reads,
        writes,
        declared,
        tuple((item.text, item.span) for item in _names(mapping.get("targets"))),
        _source(mapping, model, root) if model.level == "source" else None,
        key.span,
    )


def _check_keys(mapping: Mapping, level: str, what: str) -> None:
    """Each level has its own keys. Raises PTG103 or PTG105."""
    for key, _ in mapping:
        if key.text not in KEYS[level] | COMMON:
            raise fault(
                "PTG103",
                f"`{key.text}` means nothing in {what}, which is given at {level} level",
                key.span,
                expected="one of " + ", ".join(sorted(KEYS[level] | COMMON)),
            )
    for needed in NEEDED[level]:
        if mapping.get(needed) is None:
            first = mapping.entries[0][0].span
            raise fault("PTG105", f"{what} lacks the key `{needed}`", first, fix=f"add `{needed}: …`")


def _nothing(mapping: Mapping) -> Mapping:
    return Mapping(mapping.source, (), mapping.stop, mapping.stop, False)


def _grid(mapping: Mapping) -> tuple[GridAxis, ...]:
    node = mapping.get("grid")
    if node is None:
        return ()
    return tuple(
        GridAxis(check_key(key, "a loop"), parse_expression(value), key.span)
        for key, value in need_mapping(node, "`grid`")
    )


def _body(node: Node, what: str) -> tuple[HandNode, ...]:
    """Lines as a mapping ``name: value``, or as a list of such and of plain calls; loops in both."""
    if isinstance(node, Sequence):
        return tuple(_item(item, what) for item in node.items)
    if not isinstance(node, Mapping):
        raise fault(
            "PTG104",
            f"the body of {what} cannot be {describe(node)}",
            node.span,
            expected="`name: expression` entries, or a list of lines",
        )
    return tuple(_line(key, value, what) for key, value in node)


def _item(item: Node, what: str) -> HandNode:
    if isinstance(item, Mapping) and item.get("for") is not None:
        return _loop(item, what)
    if isinstance(item, Mapping) and len(item.entries) == 1:
        return _line(*item.entries[0], what)
    if isinstance(item, Scalar):
        return HandLine(None, parse_expression(item), item.span)
    raise fault(
        "PTG104",
        f"a line of {what} cannot be {describe(item)}",
        item.span,
        expected="a call, `name: expression`, or `for: {i: trips}` with a `body`",
    )


def _line(key: Scalar, value: Node, what: str) -> HandNode:
    if isinstance(value, Mapping):
        return _loop(value, what)
    expression = parse_expression(value)
    if key.text.startswith("_"):
        return HandLine(None, expression, key.span.to(expression.span))
    return HandLine(check_key(key, "a tile"), expression, key.span.to(expression.span))


def _loop(node: Mapping, what: str) -> HandLoop:
    head, body = node.get("for"), node.get("body")
    extra = next((key for key, _ in node if key.text not in {"for", "body"}), None)
    if extra is not None:
        raise fault("PTG103", f"a loop of {what} has no key `{extra.text}`", extra.span, expected="for, body")
    if head is None or body is None:
        missing = "for" if head is None else "body"
        raise fault("PTG105", f"a loop of {what} lacks the key `{missing}`", node.span, fix=f"add `{missing}: …`")
    entries = need_mapping(head, "`for`").entries
    if len(entries) != 1:
        raise fault("PTG104", "`for` names one loop", head.span, expected="such as {k: ceil(d / 64)}")
    key, trips = entries[0]
    return HandLoop(check_key(key, "a loop"), parse_expression(trips), _body(body, what), key.span)


def _buffer(key: Scalar, node: Node) -> HandBuffer:
    name = check_key(key, "a buffer")
    mapping = need_mapping(node, f"buffer `{name}`")
    model = validate(BufferModel, mapping, f"buffer `{name}`")
    dtype, shape, valid = mapping.get("dtype"), mapping.get("shape"), mapping.get("valid")
    assert dtype is not None and shape is not None
    if model.dtype not in DTYPES:
        raise fault("PTG212", f"`{model.dtype}` is no dtype", dtype.span, expected="one of " + " ".join(DTYPES))
    return HandBuffer(
        name,
        model.memory,
        model.address,
        model.dtype,
        _pair(shape, "the shape", name),
        None if valid is None else _pair(valid, "`valid`", name),
        key.span,
    )


def _pair(node: Node, what: str, name: str) -> tuple[Expr, Expr]:
    found = parse_expression_list(node)
    if len(found) != 2:
        raise fault("PTG104", f"{what} of `{name}` has {len(found)} entries", node.span, expected="[rows, columns]")
    return found[0], found[1]


def _names(node: Node | None) -> tuple[Scalar, ...]:
    if node is None:
        return ()
    return tuple(item for item in need_list(node, "a list of names").items if isinstance(item, Scalar))


def _writes(node: Node | None) -> tuple[tuple[TensorSpec, ...], tuple[tuple[str, Span], ...]]:
    """Types of values that only this kernel makes (a mapping), and the names that it writes."""
    if isinstance(node, Mapping):
        return tuple(read_tensor(key, value) for key, value in node), tuple((k.text, k.span) for k, _ in node)
    return (), tuple((item.text, item.span) for item in _names(node))


def _source(mapping: Mapping, model: Any, root: str) -> SourceFile:
    file = mapping.get("file")
    assert file is not None
    found = read_below(file, root, SOURCE_SUFFIXES)
    blocks, entry = mapping.get("blocks"), mapping.get("entry")
    if entry is not None and not is_identifier(str(model.entry)):
        raise fault(
            "PTG213",
            f"`{model.entry}` cannot name the entry of a kernel",
            entry.span,
            expected="an identifier of C, as in the file",
        )
    if entry is not None and is_c_function(str(model.entry)):
        raise fault(
            "PTG213",
            f"`{model.entry}` cannot name the entry of a kernel: C++ has another meaning for it",
            entry.span,
            fix=f"call it `{model.entry}_kernel`, here and in the file",
        )
    return SourceFile(
        found.file,
        found.text,
        str(model.entry),
        None if model.arguments is None else tuple(model.arguments),
        None if blocks is None else parse_expression(blocks),
        model.range,
    )
