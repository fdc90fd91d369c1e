"""TOML text to the same tree as YAML.

``tomllib`` gives values without places; these come from a reading of their own.
"""

from __future__ import annotations

import re
import sys
from collections import abc
from typing import Any

from pyptogen.diagnostics import fault
from pyptogen.schema.scalars import MOST_DIGITS
from pyptogen.schema.source import Source, check_text
from pyptogen.schema.toml_places import Path, Place, places
from pyptogen.schema.tree import Mapping, Node, Scalar, Sequence, check_nodes, seen

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]

_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


def read_toml(source: Source) -> Node:
    """The tree of a TOML file. Raises PTG101 or PTG102."""
    check_text(source)
    try:
        data = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(source, str(error)) from None
    except ValueError:  # Python refuses to read numbers of some thousands of digits
        raise _too_long(source) from None
    except RecursionError:
        raise fault("PTG111", "nested too deeply", source.span(0, 0)) from None
    check_nodes(_count(data), source.span(0, 0))
    whole = Place(0, 0, 0, len(source.text))
    return _node(source, data, (), {(): whole, **places(source.text)})


def _count(value: Any) -> int:
    """The keys and values in a value."""
    if isinstance(value, dict):
        return len(value) + sum(map(_count, value.values()))
    return 1 + sum(map(_count, value)) if isinstance(value, list) else 1


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


def _node(source: Source, value: Any, path: Path, found: abc.Mapping[Path, Place]) -> Node:
    """The node of a value. What has no place of its own, such as a key with escapes, has that of what it is in."""
    place = _place(path, found)
    if isinstance(value, dict):
        entries = []
        for key, item in value.items():
            inside = _place((*path, key), found)
            name = seen(Scalar(source, key, key, inside.key_start, inside.key_stop, "plain"))
            entries.append((name, _node(source, item, (*path, key), found)))
        return Mapping(source, tuple(entries), place.start, place.stop, False)
    if isinstance(value, list):
        items = tuple(_node(source, item, (*path, index), found) for index, item in enumerate(value))
        return Sequence(source, items, place.start, place.stop, False)
    text = source.text[place.start : place.stop]
    if isinstance(value, str):
        return seen(Scalar(source, value, value, place.start, place.stop, "toml"))
    return Scalar(source, text, value, place.start, place.stop, "plain")


def _place(path: Path, found: abc.Mapping[Path, Place]) -> Place:
    while path not in found:
        path = path[:-1]
    return found[path]
