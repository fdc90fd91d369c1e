"""Where in a spec a cursor is, told from the text alone: while somebody types, a file is seldom well-formed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pyptogen.editor.key_docs import KEY_DOCS, ROW_DOCS, STAGE_DOCS
from pyptogen.schema import models

_ENTRY = re.compile(
    r"(?P<indent> *)(?P<dash>(?:- +)*)(?:(?P<key>[^\s#{}\[\]][^:#{}\[\]]*?|[\w ]+\([^)]*\)) *:(?: +|$))?"
)


@dataclass(frozen=True, slots=True)
class Place:
    """The keys that lead to a cursor, list entries as ``-``; whether a key or a value is written there, and what of the
    value stands before the cursor, the ``word`` that is begun included."""

    path: tuple[str, ...]
    kind: Literal["key", "value"]
    before: str
    word: str


def place(text: str, offset: int) -> Place:
    """Where the cursor before character ``offset`` is."""
    begin = text.rfind("\n", 0, offset) + 1
    line = text[begin:offset]
    match = _ENTRY.match(line)
    assert match is not None  # all of it is optional
    column = len(match["indent"]) + len(match["dash"])
    path = _above(text[:begin], column, bool(match["dash"]))
    rest = line[match.end() :]
    if match["dash"]:
        path = (*path, "-")
    if match["key"] is None:
        rest = line[column:]
        if not rest.lstrip().startswith(("{", "[")):
            if match["dash"] and "(" in rest:
                return Place(path, "value", rest, _word(rest))
            return Place(path, "key", rest, _word(rest))
    else:
        path = (*path, match["key"].strip())
    if rest.lstrip().startswith(("{", "[")):
        return _in_flow(path, rest)
    return Place(path, "value", rest, _word(rest))


def _word(text: str) -> str:
    found = re.search(r"\w*\Z", text)
    return found[0] if found else ""


def _above(text: str, column: int, item: bool) -> tuple[str, ...]:
    """The keys of the lines above that a line in this column belongs to."""
    path: list[str] = []
    for line in reversed(text.split("\n")):
        match = _ENTRY.match(line)
        if match is None or not line.strip() or line.lstrip().startswith("#"):
            continue
        indent, inner = len(match["indent"]), len(match["indent"]) + len(match["dash"])
        if match["dash"] and column == inner and not item:
            path.append("-")
            column, item = indent, True
            continue
        if match["key"] is not None and (inner < column or (item and inner == column and not match["dash"])):
            path.append(match["key"].strip())
            if match["dash"]:
                path.append("-")
            column, item = indent, bool(match["dash"])
        if column == 0 and not item:
            break
    return tuple(reversed(path))


def _in_flow(path: tuple[str, ...], text: str) -> Place:
    """Inside of `{…}` and `[…]`, where keys may stand in one line."""
    stack: list[list[str]] = []
    at = 0
    for match in re.finditer(r"[{}\[\],]|:(?= |$)|\"[^\"]*\"?|'[^']*'?", text):
        sign = match[0]
        if sign in "{[":
            if stack and stack[-1][0] == "{" and text[at : match.start()].strip():
                break  # an expression with brackets, no collection
            stack.append([sign, ""])
        elif sign in "}]" and stack:
            stack.pop()
        elif sign == "," and stack:
            stack[-1][1] = ""
        elif sign == ":" and stack and stack[-1][0] == "{":
            stack[-1][1] = text[at : match.start()].strip()
        at = match.end()
    keys = [part for sign, key in stack for part in (["-"] if sign == "[" else [key] if key else [])]
    rest = text[at:].lstrip()
    kind: Literal["key", "value"] = "key" if stack and stack[-1][0] == "{" and not stack[-1][1] else "value"
    return Place((*path, *keys), kind, rest, _word(rest))


def key_docs(path: tuple[str, ...], dims: frozenset[str] = frozenset()) -> dict[str, str]:
    """The words of the language that are keys of the mapping at a path, with what they mean; ``dims`` tells sizes of
    dims from those of stages."""
    told = KEY_DOCS
    if not path:
        return dict(told[models.SpecModel])
    section, depth = path[0], len(path)
    one: dict[str, type[models.Section]] = {
        "dims": models.DynamicDimModel,
        "attrs": models.AttrModel,
        "inputs": models.TensorModel,
        "kernels": models.KernelModel,
    }
    if section in one and depth == 2:
        return dict(told[one[section]])
    if section == "outputs" and depth == 2:
        return {**told[models.InPlaceModel], **told[models.TensorModel]}
    if section == "kernels" and depth == 4 and path[2] == "buffers":
        return dict(told[models.BufferModel])
    if section == "graph" and depth == 2:
        return dict(STAGE_DOCS)
    if section == "graph" and depth == 3 and path[2] == "loop":
        return dict(told[models.LoopModel])
    if section == "functions" and depth == 2:
        return {"return": "What a call of the function gives: an expression, or a list of them."}
    if section == "schedule" and depth == 1:
        return dict(told[models.ScheduleModel])
    if section == "verify":
        return _of_verify(path)
    if section == "tiling":
        return _of_row(path, dims)
    return {}


def _of_verify(path: tuple[str, ...]) -> dict[str, str]:
    if len(path) == 1:
        return dict(KEY_DOCS[models.VerifyModel])
    if path[1] == "tolerance" and len(path) == 3:
        return dict(KEY_DOCS[models.ToleranceModel])
    return dict(KEY_DOCS[models.GoldenModel]) if path[1:] == ("golden",) else {}


def _of_row(path: tuple[str, ...], dims: frozenset[str]) -> dict[str, str]:
    inside = path[2:]
    if not inside:
        return {key: doc for key, doc in ROW_DOCS.items() if key in ("when", "fuse", "fifo", "vector_cores")}
    if inside[-1] in dims:
        return dict(KEY_DOCS[models.SizeModel])
    if inside == ("when",):
        return {"target": "The platform, or a list of them."}
    return {key: doc for key, doc in ROW_DOCS.items() if key not in ("when", "fuse")} if len(inside) == 1 else {}
