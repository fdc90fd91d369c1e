"""One operation in words: signature, meaning, result, expansion, platforms."""

from __future__ import annotations

import textwrap

from pyptogen.explain.platforms import Support, support
from pyptogen.lower.tensor.building.registry import GROUPS, PLUG_INS, Operation, operations
from pyptogen.lower.tensor.printer import print_op
from pyptogen.lower.tensor.reading.examples import example_call, example_dtypes, example_inputs, example_program

_WIDTH = 100


def list_operations() -> str:
    """All operations by group, one line a group; ends with a newline."""
    lines = []
    others = {PLUG_INS: "Of plug-ins"} if any(one.group == PLUG_INS for one in operations().values()) else {}
    for group, title in {**GROUPS, **others}.items():
        names = ", ".join(operation.name for operation in operations().values() if operation.group == group)
        lines += [title, textwrap.fill(names, _WIDTH, initial_indent="  ", subsequent_indent="  ")]
    return "\n".join(lines) + "\n"


def explain_operation(name: str) -> str:
    """The text of ``pyptogen explain op NAME``; ends with a newline. Raises ``KeyError`` for an unknown name."""
    operation = operations()[name]
    dtype = _telling(operation)
    tensors = ", ".join(f"{tensor}: {type_}" for tensor, type_ in example_inputs(operation, dtype).items())
    lines = [
        operation.signature,
        "",
        textwrap.fill(operation.doc, _WIDTH),
        "",
        f"result: {operation.rule}",
        f"dtypes: {' '.join(example_dtypes(operation))}",
        "",
        f"{example_call(operation, dtype)}    with {tensors}",
        *_expansion(operation, dtype),
        "",
        "platforms",
        *(line for entry in support(operation) for line in _platform(entry)),
    ]
    return "\n".join(lines) + "\n"


def _telling(operation: Operation) -> str:
    """The dtype whose expansion shows most: bf16 where casts to fp32 and back are part of it."""
    dtypes = example_dtypes(operation)
    return max(dtypes, key=lambda dtype: (len(example_program(operation, dtype).ops), -dtypes.index(dtype)))


def _expansion(operation: Operation, dtype: str) -> list[str]:
    """The primitives of the example, each on a line."""
    return [f"  {print_op(op)}" for op in example_program(operation, dtype).ops]


def _platform(entry: Support) -> list[str]:
    lines = [f"  {entry.platform:<6}{' '.join(entry.dtypes) or 'none'}"]
    reasons: dict[str, list[str]] = {}
    for dtype, refusal in entry.refused:
        reasons.setdefault(refusal.message, []).append(dtype)
    return lines + [f"        not {' '.join(dtypes)}: {reason}" for reason, dtypes in reasons.items()]
