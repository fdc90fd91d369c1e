"""Specs made from good ones: bytes, trees and expressions that are changed at random.

Each mutator takes a text and a ``random.Random`` and gives another text (bytes, for `change_bytes`). They know nothing
of the spec language but its words, so that they also say what nobody thought of.
"""

from __future__ import annotations

import ast
import io
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hostile.drafts import DTYPES, KEYS, NUMBERS, OPERATORS, PIECES, SCALARS

LIBRARY = Path(__file__).parents[2] / "specs"
_LONGEST = 2500
"""Characters of a spec that is changed."""
_SLOW = frozenset({"flash_attention_grouped", "gated_delta_rule", "sparse_attention"})
"""Specs that take seconds as they are: a limit on the time of what is made of them says nothing."""


@cache
def library() -> tuple[str, ...]:
    """The shorter specs of the library, which name no other files."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(LIBRARY.glob("*.yaml")) if path.stem not in _SLOW]
    return tuple(text for text in texts if len(text) < _LONGEST and "file:" not in text and "include" not in text)


@cache
def _expressions() -> tuple[str, ...]:
    """Expressions that stand in the library: what others are made of."""
    return tuple(sorted({text for spec in library() for _, _, text in _places(_tree(spec)) if _parsed(text)}))


def _tree(text: str) -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=False).load(text)


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _places(node: Any) -> Iterator[tuple[Any, Any, str]]:
    """Container, key and text of every leaf that is text."""
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in list(entries):
        if isinstance(value, str):
            yield node, key, value
        else:
            yield from _places(value)


def _containers(node: Any) -> Iterator[Any]:
    if isinstance(node, dict | list):
        yield node
        for value in node.values() if isinstance(node, dict) else node:
            yield from _containers(value)


def _written(tree: Any) -> str:
    from ruamel.yaml import YAML

    out = io.StringIO()
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.dump(tree, out)
    return out.getvalue()


def change_bytes(text: str, draw: random.Random) -> bytes:
    """Some bytes gone, doubled, turned, or pieces of YAML in their place."""
    data = bytearray(text.encode())
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(data) + 1)
        end = min(len(data), at + draw.choice((0, 1, 2, 8, 40)))
        kind = draw.randrange(6)
        if kind == 0:
            del data[at:end]
        elif kind == 1:
            data[at:at] = draw.choice((*PIECES, *SCALARS, *KEYS)).encode(errors="replace")
        elif kind == 2:
            data[at:at] = bytes(data[at:end]) * draw.choice((1, 2, 50))
        elif kind == 3 and data:
            data[min(at, len(data) - 1)] ^= 1 << draw.randrange(8)
        elif kind == 4:
            data[at:end] = draw.randbytes(draw.randint(0, 4))
        else:
            lines = bytes(data).split(b"\n")
            other = draw.choice(library()).encode().split(b"\n")
            lines[draw.randrange(len(lines))] = draw.choice(other)
            data = bytearray(b"\n".join(lines))
    return bytes(data)


def change_tree(text: str, draw: random.Random) -> str:
    """Entries of the tree gone, renamed, exchanged, or taken from another spec."""
    tree = _tree(text)
    for _ in range(draw.randint(1, 4)):
        places = [node for node in _containers(tree) if node]
        if not places:
            break
        node = draw.choice(places)
        key = draw.choice(list(node) if isinstance(node, dict) else range(len(node)))
        kind = draw.randrange(5)
        if kind == 0:
            del node[key]
        elif kind == 1 and isinstance(node, dict):
            node[draw.choice(KEYS)] = node.pop(key)
        elif kind == 2:
            node[key] = draw.choice(
                (draw.choice(SCALARS), draw.randint(-2, 70), 2**31, -1, 0, None, [], {}, True, 0.5, float("inf"))
            )
        elif kind == 3:
            other = _tree(draw.choice(library()))
            found = draw.choice(list(_containers(other)))
            node[key] = draw.choice(list(found.values() if isinstance(found, dict) else found) or [None])
        else:
            source = draw.choice(places)
            node[key] = _tree(_written(draw.choice(list(source.values() if isinstance(source, dict) else source))))
    return _written(tree)


def change_expression(text: str, draw: random.Random) -> str:
    """Parts of expressions in the place of other parts."""
    tree = _tree(text)
    places = [place for place in _places(tree) if _parsed(place[2]) is not None]
    for _ in range(min(len(places), draw.randint(1, 3))):
        node, key, old = draw.choice(places)
        changed = _changed(_parsed(old), draw)
        node[key] = changed
    return _written(tree)


def _changed(node: ast.expr | None, draw: random.Random) -> str:
    assert node is not None
    parts = [part for part in ast.walk(node) if isinstance(part, ast.expr) and not isinstance(part, ast.Slice)]
    chosen = draw.choice(parts)
    text = ast.unparse(chosen)
    kind = draw.randrange(6)
    if kind == 0:
        new = draw.choice((*NUMBERS, *DTYPES))
    elif kind == 1:
        new = f"({text} {draw.choice(OPERATORS)} {draw.choice(_expressions())})"
    elif kind == 2:
        other = _parsed(draw.choice(_expressions()))
        assert other is not None
        new = ast.unparse(draw.choice([part for part in ast.walk(other) if isinstance(part, ast.expr)]))
    elif kind == 3:
        new = f"{text}[{draw.choice(('::2', ':1', '-1', '0', 'None', '...', '1:0', '::-1', '99', 'rows'))}]"
    elif kind == 4:
        names = sorted({part.id for part in ast.walk(node) if isinstance(part, ast.Name)} or {"x"})
        new = draw.choice(names)
    else:
        called = draw.choice(("sum", "exp", "transpose", "cast", "softmax", "topk", "matmul", "concat", "-", "~"))
        new = f"{called}({text})"
    whole = ast.unparse(node)
    return whole.replace(text, new, 1)


MUTATORS: Sequence[Callable[[str, random.Random], str | bytes]] = (change_bytes, change_tree, change_expression)


def mutant(pool: Sequence[bytes], draw: random.Random) -> bytes:
    """A text of the pool, changed by one of the mutators; where it is no tree, by its bytes."""
    text = draw.choice(pool).decode(errors="replace") if pool and draw.random() < 0.4 else draw.choice(library())
    mutate = draw.choice(MUTATORS)
    try:
        made = mutate(text, draw)
    except Exception:  # a mutant that the YAML library or ast cannot write: another of its bytes
        made = change_bytes(text, draw)
    return made if isinstance(made, bytes) else made.encode(errors="surrogatepass")
