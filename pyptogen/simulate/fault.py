"""What the Instruction interpreter finds wrong with a program."""

from __future__ import annotations

from typing import Literal

from pyptogen.diagnostics import Span

FaultKind = Literal["unwritten", "overlap", "capacity", "bounds", "extent", "dtype", "order"]


class MachineFault(Exception):
    """A kernel did what no machine may do: a fault of the compiler, not of the spec.

    Attributes:
        kind: ``unwritten`` bytes read that nobody wrote; ``overlap`` bytes read that another buffer has overwritten;
            ``capacity`` a tile leaves its memory, its buffer or its type; ``bounds`` a window leaves its tensor;
            ``extent`` operands whose valid regions do not fit; ``dtype`` operands whose dtypes do not fit; ``order`` a
            race between pipes, or a kernel that runs before what it needs.
        instr: the instruction as the printer writes it, or what else was about to happen.
        memory: ``Vec``, ``Mat``, ``Left``, ``Right``, ``Acc``, or ``GM`` and a tensor's name.
        begin, end: the bytes in question.
        span: the place in the spec that the instruction serves.
    """

    def __init__(
        self, kind: FaultKind, what: str, span: Span, *, instr: str = "", memory: str = "", begin: int = 0, end: int = 0
    ) -> None:
        self.kind = kind
        self.what = what
        self.span = span
        self.instr = instr
        self.memory = memory
        self.begin = begin
        self.end = end
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"; {self.memory} 0x{self.begin:05x}..0x{self.end:05x}" if self.memory else ""
        instr = f" in `{self.instr}`" if self.instr else ""
        return f"{self.kind}: {self.what}{instr}{place} (from {self.span.file}:{self.span.line}:{self.span.col})"
