"""A diagnostic code in words, with an example."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from pyptogen.diagnostics import CODES
from pyptogen.diagnostics.examples import Example, example_of

_WIDTH = 100
_MENDS = "mends it"
_HEADS = {"before": "before", "spec": "the spec", "wrong": "leads to it", "right": "is right"}


def explain_code(code: str) -> str:
    """Title, explanation and example of a code such as ``PTG301``; ends with a newline. Raises ``KeyError`` for an
    unknown one."""
    found = CODES[code]
    head = f"{found.code}: {found.title}\n\n{textwrap.fill(found.explanation, _WIDTH)}\n"
    return head + "".join(f"\n{part}" for part in _shown(example_of(code)))


def _shown(example: Example) -> Iterator[str]:
    if example.kind == "way":
        yield f"What leads to it: {textwrap.fill(example.parts['text'], _WIDTH, initial_indent=' ' * 18).lstrip()}\n"
        return
    for name, text in example.parts.items():
        if text.strip():
            head = _MENDS if example.kind == "commands" and name == "right" else _HEADS[name]
            yield f"{head}:\n\n{textwrap.indent(text, '    ')}"
