"""A diagnostic code in words, with an example."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from pyptogen.diagnostics import CODES
from pyptogen.diagnostics.examples import Example, example_of

_WIDTH = 100
_HEADS = {"before": "before", "spec": "the spec", "wrong": "leads to it", "right": "is right"}
_OF_KIND = {
    "commands": {"right": "mends it"},
    "rename": {"wrong": "a rename of the name behind the bar leads to it", "right": "a rename here is right"},
}


def explain_code(code: str) -> str:
    """Title, explanation and example of a code such as ``PTG301``; ends with a newline. Raises ``KeyError`` for an
    unknown one."""
    found = CODES[code]
    head = f"{found.code}: {found.title}\n\n{textwrap.fill(found.explanation, _WIDTH)}\n"
    return head + "".join(f"\n{part}" for part in _shown(example_of(code)))


def _shown(example: Example) -> Iterator[str]:
    heads = {**_HEADS, **_OF_KIND.get(example.kind, {})}
    for name, text in example.parts.items():
        if name == "given":
            yield f"where {text}"
        elif text.strip():
            head = heads[name]
            yield f"{head}:\n\n{textwrap.indent(text, '    ')}"
