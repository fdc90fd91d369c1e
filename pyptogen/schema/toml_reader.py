"""TOML text to the same tree as YAML.

``tomllib`` gives values without places, so a light locator finds each key in the text: first the line of its
table or assignment, then inside the text of that value.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from pyptogen.diagnostics import fault
from pyptogen.schema.scalars import MOST_DIGITS
from pyptogen.schema.source import Source
from pyptogen.schema.tree import Mapping, Node, Scalar, Sequence

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]

_KEY = r"""(?:"[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)"""
_TABLE = re.compile(rf"^[ \t]*\[{{1,2}}[ \t]*({_KEY}(?:[ \t]*\.[ \t]*{_KEY})*)[ \t]*\]{{1,2}}", re.MULTILINE)
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


def read_toml(source: Source) -> Node:
    """The tree of a TOML file. Raises PTG101 or PTG102."""
    try:
        data = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(source, str(error)) from None
    except ValueError:  # Python refuses to read numbers of some thousands of digits
        raise _too_long(source) from None
    except RecursionError:
        raise fault("PTG111", "nested too deeply", source.span(0, 0)) from None
    return _mapping(source, data, 0, len(source.text), top=True)


def _syntax_error(source: Source, message: str) -> Exception:
    place = _PLACE.search(message)
    at = source.offset(int(place[1]), int(place[2])) if place else len(source.text)
    problem = _PLACE.sub("", message).replace("(at end of document)", "").strip()
    duplicate = "overwrite" in problem or "twice" in problem
    code = "PTG102" if duplicate else "PTG101"
    return fault(code, f"not well-formed TOML: {problem}", source.span(at, at))


def _too_long(source: Source) -> Exception:
    number = re.search(rf"[0-9_]{{{MOST_DIGITS},}}", source.text)
    first, last = number.span() if number else (0, 0)
    return fault("PTG101", f"a number of more than {MOST_DIGITS} digits is not read", source.span(first, last))


def _mapping(source: Source, data: dict[str, Any], start: int, stop: int, *, top: bool = False) -> Mapping:
    """``data`` found in the characters from ``start`` to ``stop``. Sub-tables of the file stand under
    headers."""
    entries = []
    for key, value in data.items():
        name, first, last = _locate(source, key, start, stop, top=top)
        entries.append((name, _node(source, value, first, last)))
    return Mapping(source, tuple(entries), start, stop, False)


def _locate(source: Source, key: str, start: int, stop: int, *, top: bool) -> tuple[Scalar, int, int]:
    """The key's node and the range in which its value stands."""
    quoted = re.escape(key)
    pattern = re.compile(rf"""(?<![\w.-])(?:"{quoted}"|'{quoted}'|{quoted})(?=[ \t]*=)""")
    header = re.compile(
        rf"""^[ \t]*\[{{1,2}}[^\]\n=]*?(?<![\w-])(?:"{quoted}"|'{quoted}'|{quoted})[ \t]*(?=[.\]])""",
        re.MULTILINE,
    )
    table = header.search(source.text, start, stop)
    limit = _first_header(source, start, stop) if top else stop
    match = pattern.search(source.text, start, limit)
    if match is None and table is not None:
        last = _last_of_table(source, key, table.start(), stop)
        at = source.text.rindex(key, table.start(), table.end())
        return Scalar(source, key, key, at, at + len(key), "plain"), table.end(), last
    if match is None:
        return Scalar(source, key, key, start, start, "plain"), start, stop
    first = source.text.index("=", match.end()) + 1
    while first < stop and source.text[first] in " \t":
        first += 1
    return Scalar(source, key, key, match.start(), match.end(), "plain"), first, stop


def _first_header(source: Source, start: int, stop: int) -> int:
    match = _TABLE.search(source.text, start, stop)
    return match.start() if match else stop


def _last_of_table(source: Source, key: str, start: int, stop: int) -> int:
    """Where the next table begins that is not a part of this one."""
    for match in _TABLE.finditer(source.text, start + 1, stop):
        parts = re.findall(_KEY, match[1])
        if key not in [part.strip("\"'") for part in parts]:
            return match.start()
    return stop


def _node(source: Source, value: Any, start: int, stop: int) -> Node:
    if isinstance(value, dict):
        return _mapping(source, value, start, stop)
    if isinstance(value, list):
        items, at = [], start
        for item in value:
            node = _node(source, item, at, stop)
            at = node.stop if isinstance(node, Scalar) else at
            items.append(node)
        return Sequence(source, tuple(items), start, _line_end(source, start), False)
    return _leaf(source, value, start, stop)


def _leaf(source: Source, value: Any, start: int, stop: int) -> Scalar:
    if isinstance(value, str):
        found = source.text.find(value, start, stop)
        if found > 0 and source.text[found - 1] in "\"'":
            return Scalar(source, value, value, found - 1, found + len(value) + 1, "toml")
        return Scalar(source, value, value, start, _line_end(source, start), "toml")
    match = re.compile(r"[-+\w.]+").search(source.text, start, stop)
    first, last = match.span() if match else (start, start)
    text = source.text[first:last] if match else str(value)
    return Scalar(source, text, value, first, last, "plain")


def _line_end(source: Source, start: int) -> int:
    end = source.text.find("\n", start)
    return len(source.text) if end < 0 else end
