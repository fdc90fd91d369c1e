"""docs/operations.md: every operation with its result, and the dtypes that each platform takes."""

from __future__ import annotations

from pyptogen.explain.platforms import support
from pyptogen.lower.platforms import DEFAULT_TARGETS
from pyptogen.lower.tensor.examples import EXAMPLE_DTYPES, example_dtypes
from pyptogen.lower.tensor.registry import GROUPS, Operation, operations

_HEAD = """\
# Operations

All operations of the language. `pyptogen explain op NAME` says more of each: the primitives that it expands into, and
why a platform refuses a dtype. *language* lists the dtypes for which the operation has a meaning, of
{tried}; each platform those for which its example can be lowered to
kernels. What no platform lowers yet still runs in the interpreter, which is the golden reference.

Arguments are tensors where nothing is said; an *operand* is a tensor or a number. `dim` may be written for `axis` and
the other way round.

Written by `docs/write_operations.py` from the registry in `pyptogen/lower/tensor/operations/`; change it there.
"""


def operations_page() -> str:
    """The whole page. Every example is lowered for every platform, which takes some seconds."""
    parts = [_HEAD.format(tried=", ".join(f"`{dtype}`" for dtype in EXAMPLE_DTYPES))]
    for group, title in GROUPS.items():
        found = [operation for operation in operations().values() if operation.group == group]
        parts.append(f"## {title}\n\n{_rows(found)}\n")
    return "\n".join(parts)


def _rows(found: list[Operation]) -> str:
    heads = ["operation", "meaning", "result", "language", *DEFAULT_TARGETS]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for operation in found:
        cells = [
            f"`{operation.signature}`",
            operation.doc,
            operation.rule,
            " ".join(example_dtypes(operation)),
            *(" ".join(entry.dtypes) or "–" for entry in support(operation)),
        ]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines)
