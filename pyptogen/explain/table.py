"""docs/operations.md: every operation with its result, and the dtypes that each platform takes."""

from __future__ import annotations

from collections.abc import Callable

from pyptogen.explain.platforms import Support, support
from pyptogen.lower.platforms import DEFAULT_TARGETS
from pyptogen.lower.tensor.building.registry import ALIASES, GROUPS, Operation, operations
from pyptogen.lower.tensor.reading.examples import EXAMPLE_DTYPES, example_dtypes
from pyptogen.lower.tensor.reading.other_names import ARGUMENTS, WRITTEN

_HEAD = """\
# Operations

All operations of the language. `pyptogen explain op NAME` says more of each: the primitives that it expands into, and
why a platform refuses a dtype. *language* lists the dtypes for which the operation has a meaning, of
{tried}; each platform those for which its example can be lowered to
kernels. `bf16→fp32` is computed in fp32, because no instruction of the platform takes bf16: fp32 holds all its
numbers, and each primitive's result is rounded once. `int64→2×int32` is computed in two halves of 32 bits, with all 64
bits of the result. What a platform refuses is listed below its table, with the
reason.

Arguments are tensors where nothing is said; an *operand* is a tensor or a number. `dim` may be written for `axis` and
the other way round.

Written by `docs/write_operations.py` from the registry in `pyptogen/lower/tensor/operations/`; change it there.
"""


_OTHER = """\
## Words of other libraries

What NumPy, PyTorch and PyPTO call otherwise, or have and the language writes in other words. Diagnostics and
`pyptogen explain op NAME` say the same. A name with `_` at its end, which updates its argument, is the operation
without it, and an output with `{{inplace: true}}`. Arguments may also be called {same}.
"""


Lines = tuple[str, list[str]]
"""What the page says of an operation: its row of the table, and below that why platforms refuse dtypes."""


def table_lines(operation: Operation) -> Lines:
    """Lowers the operation's example for every platform."""
    entries = support(operation)
    cells = [
        f"`{operation.signature}`",
        operation.doc,
        operation.rule,
        " ".join(example_dtypes(operation)),
        *(" ".join(_shown(entry)) or "–" for entry in entries),
    ]
    reasons = [f"- `{operation.name}`: {refusal.message}." for entry in entries for _, refusal in entry.refused]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |", reasons


def operations_page(lines: Callable[[Operation], Lines] = table_lines) -> str:
    """The whole page. Every example is lowered for every platform, which takes some seconds."""
    parts = [_HEAD.format(tried=", ".join(f"`{dtype}`" for dtype in EXAMPLE_DTYPES))]
    heads = ["operation", "meaning", "result", "language", *DEFAULT_TARGETS]
    for group, title in GROUPS.items():
        found = [lines(operation) for operation in operations().values() if operation.group == group]
        rows = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *(row for row, _ in found)]
        reasons = [reason for _, refused in found for reason in refused]
        text = "\n".join([*rows, *(["", *reasons] if reasons else [])])
        parts.append(f"## {title}\n\n{text}\n")
    return "\n".join([*parts, _other_names()])


def _other_names() -> str:
    """What operations and arguments are called elsewhere."""
    words = [f"| `{name}` | {instead} |" for name, instead in sorted(WRITTEN.items())]
    arguments = [f"| `{name}=` | {instead} |" for name, instead in sorted(ARGUMENTS.items())]
    same = ", ".join(f"`{alias}` for {' or '.join(f'`{name}`' for name in own)}" for alias, own in ALIASES.items())
    rows = ["| elsewhere | here |", "|---|---|", *words, *arguments]
    return f"{_OTHER.format(same=same)}\n" + "\n".join(rows) + "\n"


def _shown(entry: Support) -> list[str]:
    """The dtypes, with the one in which each is computed where that is another."""
    through = dict(entry.through)
    return [f"{dtype}→{through[dtype]}" if dtype in through else dtype for dtype in entry.dtypes]
