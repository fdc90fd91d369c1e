"""The two functions of a kernel's file: what one block does, and the entry that a launch runs.

On a device the number of the block and of the vector core come from the entry, because not every runtime answers
`get_block_idx()` there: one with launches of its own gives them to what it calls. The entry of a mixed kernel's program
also takes the place where the flags between cores are, which A2/A3 has to be told; A5 knows it.
"""

from __future__ import annotations

import textwrap

from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.platforms import Platform
from pyptogen.records import dataclass
from pyptogen.templates.cpp_names import C_TYPES, count_type

BLOCK_FUNCTION = "run_block"
"""The name of what one block does, in every file."""
FLAGS = "ffts"
"""The name of the place of the flags between cores, in the entries of mixed kernels and in the orchestration."""
_FLAGS_PARAMETER = f"__gm__ uint64_t *{FLAGS}"
_WIDTH = 116


@dataclass(frozen=True, slots=True)
class Entry:
    """``parameters`` of what one block does; ``lines`` of the entry behind it, which are empty where the entry is that
    function itself."""

    parameters: tuple[str, ...]
    lines: tuple[str, ...]


def parameters_of(kernel: InstrKernel) -> list[str]:
    """The arguments of a kernel as parameters of C++."""
    tensors = {t.name: t.dtype for t in kernel.tensors} | {fifo.name: fifo.dtype for fifo in kernel.fifos}
    scalars = dict(kernel.scalars)
    result = []
    for name in kernel.arguments:
        if name in tensors:
            result.append(f"__gm__ {C_TYPES[tensors[name]]} *{name}")
        elif name in scalars:
            result.append(f"{C_TYPES[scalars[name]]} {name}")
        else:
            result.append(f"{'int32_t' if name == 'nblk' else count_type(kernel.wide)} {name}")
    return result


def takes_flags(kernel: InstrKernel, platform: Platform) -> bool:
    """Whether the entry takes the place of the flags between cores."""
    return bool(kernel.fifos) and not platform.unified


def entry_parameters(kernel: InstrKernel, platform: Platform) -> list[str]:
    """The parameters of the function that a launch runs."""
    return [*([_FLAGS_PARAMETER] if takes_flags(kernel, platform) else []), *parameters_of(kernel)]


def entry_of(kernel: InstrKernel, function: str, platform: Platform) -> Entry:
    """Both functions of a kernel, the entry called ``function``."""
    mine = parameters_of(kernel)
    if platform.unified:
        return Entry(tuple(mine), ())
    numbers = {"block": "get_block_idx()"} | (
        {kernel.subblock: "get_subblockid()"} if kernel.subblock is not None else {}
    )
    given = [*kernel.arguments, *(f"static_cast<int32_t>({call})" for call in numbers.values())]
    lines = [
        *_wrapped(f'extern "C" __global__ AICORE void {function}(', entry_parameters(kernel, platform), ")", 0),
        "{",
        *([f"    set_ffts_base_addr(reinterpret_cast<uint64_t>({FLAGS}));"] if takes_flags(kernel, platform) else []),
        *_wrapped(f"    {BLOCK_FUNCTION}(", given, ");", 4),
        "}",
    ]
    return Entry((*mine, *(f"int32_t {name}" for name in numbers)), tuple(lines))


def _wrapped(start: str, items: list[str], end: str, indent: int) -> list[str]:
    """A list in brackets on one line, or on as few as it takes behind its opening bracket."""
    text = f"{start}{', '.join(items)}{end}"
    if len(text) <= _WIDTH:
        return [text]
    inner = " " * (indent + 4)
    # A parameter stays whole: its words are joined by something that is no space until the lines are broken.
    joined = f"{', '.join(item.replace(' ', chr(0)) for item in items)}{end}"
    filled = textwrap.fill(joined, _WIDTH, initial_indent=inner, subsequent_indent=inner, break_long_words=False)
    return [start, *filled.replace(chr(0), " ").split("\n")]
