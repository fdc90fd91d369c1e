"""Every leaf of a TOML text stands where the text, read alone, means the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from pyptogen.schema import Source
from pyptogen.schema.toml_reader import read_toml
from pyptogen.schema.tree import Mapping, Node, Scalar

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEXT = """\
a = 1  # a = 2
b.a = "x = ], } # \\" a"
"c d" = [1, [ ], [2, 'a = 3'], {a = 4}, # a = 5 ]
  {b = {a = 6}, a = -7.5e-1}, ]
e = {f.g = true, a = [8]}
h = '''
a = [9'''

[[w]]
b = {a = 10}
a = 11
[w.z]
a = 12
[[w]]
a = [13,
     14]
[y.'v w']
a = 15
"""


def leaves(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
        return
    for part in (value for _, value in node) if isinstance(node, Mapping) else node.items:
        yield from leaves(part)


def test_leaves_stand_where_they_are_written() -> None:
    found = list(leaves(read_toml(Source("a.toml", TEXT))))
    assert len(found) == 17
    assert len({leaf.start for leaf in found}) == len(found)
    for leaf in found:
        assert tomllib.loads(f"x = {TEXT[leaf.start : leaf.stop]}") == {"x": leaf.value}


def test_keys_stand_before_their_values() -> None:
    root = read_toml(Source("a.toml", TEXT))
    assert isinstance(root, Mapping)
    for key, value in root:
        assert TEXT[key.start : key.stop].strip("\"'") == key.text
        assert key.stop <= value.start


@pytest.mark.parametrize("text", ['"a\\u0062" = 1\n', "a = {}\n[b]\n", "[a]\n[a.b]\nc = 1\n[d]\n"])
def test_what_is_rare_is_read(text: str) -> None:
    assert read_toml(Source("a.toml", text))
