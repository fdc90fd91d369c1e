"""Which results of a kernel may go around the cache, and the line that decides it at run time."""

from __future__ import annotations

import re

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import GmWindow, InstrKernel, Pass, walk
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.records import dataclass

LEAST_BYTES = 8 << 20
"""`FarStores::kLeastBytes` of include/pto/cpu/vector/far_stores.hpp: smaller results stay in the cache."""


@dataclass(frozen=True, slots=True)
class Far:
    """The tensors, and the declaration of `far`; no line where everything stays in the cache."""

    tensors: frozenset[str]
    line: str


def far_stores(kernel: InstrKernel) -> Far:
    """Results that passes store: all or none of them go around the cache, by their bytes in this launch. A workspace
    stays, because the next kernel reads it, and so does what this kernel itself loads again."""
    stored, loaded = _windows(kernel, "TSTORE"), _windows(kernel, "TLOAD")
    known = {*kernel.dims, *([kernel.launch_dim] if kernel.launch_dim else [])}
    results = [t for t in kernel.writes if t.name in stored - loaded and not t.workspace]
    sizes = [_bytes(t.shape, DTYPES[t.dtype]) for t in results]
    total = sum(sizes, Poly())
    if not results or not total.names() <= known or (total.constant or LEAST_BYTES) < LEAST_BYTES:
        return Far(frozenset(), "")
    text = total.c(wide=True)
    if kernel.launch_dim in total.names():
        part = f"{kernel.launch_dim}_end - {kernel.launch_dim}_begin"
        text = text.replace(f"int64_t({kernel.launch_dim})", f"int64_t({part})")
        text = re.sub(rf"\b{kernel.launch_dim}\b(?!\()", f"({part})", text)  # but where it is the type of that name
    names = ", ".join(t.name for t in results)
    # In parentheses, a cast by itself would make `far` a function.
    given = f"{{{text}}}" if re.fullmatch(r"int64_t\(\w+\)", text) else f"({text})"
    line = f"const FarStores far{given};  // {names}: around the cache if large"
    return Far(frozenset(t.name for t in results), line)


def _windows(kernel: InstrKernel, name: str) -> set[str]:
    """The tensors that instructions of this name in passes access."""
    return {
        operand.tensor
        for node in walk(kernel.body)
        if isinstance(node, Pass)
        for member in node.members
        if member.name == name
        for operand in member.operands
        if isinstance(operand, GmWindow)
    }


def _bytes(shape: tuple[Poly, ...], size: int) -> Poly:
    total = Poly.of(size)
    for extent in shape:
        total = total * extent
    return total
