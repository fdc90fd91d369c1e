"""docs/operations.md: every operation with its result, and the dtypes that each platform takes."""

from __future__ import annotations

from pyptogen.explain.platforms import Support, support
from pyptogen.lower.platforms import DEFAULT_TARGETS
from pyptogen.lower.tensor.building.registry import GROUPS, Operation, operations
from pyptogen.lower.tensor.reading.examples import EXAMPLE_DTYPES, example_dtypes

_HEAD = """\
# Operations

All operations of the language. `pyptogen explain op NAME` says more of each: the primitives that it expands into, and
why a platform refuses a dtype. *language* lists the dtypes for which the operation has a meaning, of
{tried}; each platform those for which its example can be lowered to
kernels. `bf16→fp32` is computed in fp32, because no instruction of the platform takes bf16: fp32 holds all its
numbers, and each primitive's result is rounded once. What a platform refuses is listed below its table, with the
reason.

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
            *(" ".join(_shown(entry)) or "–" for entry in support(operation)),
        ]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    reasons = [
        f"- `{operation.name}`: {reason}."
        for operation in found
        for entry in support(operation)
        for _, reason in entry.refused
    ]
    return "\n".join([*lines, *(["", *reasons] if reasons else [])])


def _shown(entry: Support) -> list[str]:
    """The dtypes, with the one in which each is computed where that is another."""
    through = dict(entry.through)
    return [f"{dtype}→{through[dtype]}" if dtype in through else dtype for dtype in entry.dtypes]
