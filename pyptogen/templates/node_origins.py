"""What the lines of one instruction, loop or declaration come from: for source maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.ir import (
    Barrier,
    Choose,
    Declare,
    FifoRef,
    For,
    GmWindow,
    Instr,
    InstrKernel,
    Node,
    Pass,
    ReadIndex,
    SetFlag,
    SkipIfNegative,
    WaitFlag,
    walk,
)
from pyptogen.lower.origins import Origin
from pyptogen.records import dataclass

if TYPE_CHECKING:
    from pyptogen.schema.hand import HandKernel

MADE_BY: Mapping[type[Node], str] = {
    For: "tile-cut", Declare: "block-memory", Instr: "instruction-select", Choose: "instruction-select",
    ReadIndex: "instruction-select", SkipIfNegative: "instruction-select", SetFlag: "instruction-synchronise",
    WaitFlag: "instruction-synchronise", Barrier: "instruction-synchronise", Pass: "instruction-passes",
}  # fmt: skip
"""The pass that decides each kind of node, by its name in ``--dump-ir``."""
_FLAGS = (SetFlag, WaitFlag, Barrier)
_BY_HAND: Mapping[str, tuple[type[Node], ...]] = {
    "tile": (For,),
    "block": (For, Declare, Instr, Choose, ReadIndex, SkipIfNegative),
    "instruction": (For, Declare, Instr, Choose, ReadIndex, SkipIfNegative),
}
"""What the author of a kernel by hand gives at each level."""


@dataclass(frozen=True, slots=True)
class NodeOrigins:
    """Of the nodes of one kernel; ``by_hand`` where an author gave it. ``stages`` are those of its instructions;
    ``part`` is that of the text, where no template says it."""

    kernel: InstrKernel
    by_hand: HandKernel | None = None
    stages: Mapping[Span, str] = field(default_factory=dict)
    part: str = ""

    @staticmethod
    def of(kernel: InstrKernel, by_hand: HandKernel | None = None, part: str = "") -> NodeOrigins:
        found: dict[Span, str] = {}
        for node in walk(kernel.body):
            members = node.members if isinstance(node, Pass) else (node,) if isinstance(node, Instr) else ()
            for member in members:
                found.setdefault(member.span, member.stage)
        return NodeOrigins(kernel, by_hand, found, part)

    def whole(self) -> Origin:
        """What is there for the kernel as a whole."""
        return Origin(self.part, self.kernel.span, self.kernel.stages[0] if self.kernel.stages else "")

    def comment(self, span: Span) -> Origin:
        """The comment above what serves a statement."""
        return Origin(self.part, span, self._stage(span))

    def node(self, node: Node) -> Origin:
        """The lines of a node; those of a loop's body have their own."""
        stage = node.stage if isinstance(node, Instr) else self._stage(node.span)
        return Origin(self.part, node.span, stage, _value(node), self._made_by(node))

    def _stage(self, span: Span) -> str:
        return self.stages.get(span, self.kernel.stages[0] if self.kernel.stages else "")

    def _made_by(self, node: Node) -> str:
        hand = self.by_hand
        if hand is not None:
            theirs = isinstance(node, _BY_HAND.get(hand.level, ()))
            if theirs or (isinstance(node, _FLAGS) and hand.sync == "hand"):
                return f"by hand, {hand.level} level"
        return MADE_BY[type(node)]


def _value(node: Node) -> str:
    """The tile, tensor or loop that a node is about; none of a flag."""
    if isinstance(node, Declare | ReadIndex | SkipIfNegative):
        return node.name
    if isinstance(node, For):
        return node.var
    if isinstance(node, Pass):
        return _value(node.members[-1])
    if isinstance(node, Choose):
        return _value(node.then)
    if isinstance(node, Instr):
        first = node.operands[0]
        if isinstance(first, GmWindow):
            return first.tensor
        return first.name if isinstance(first, FifoRef) else first if isinstance(first, str) else ""
    return ""
