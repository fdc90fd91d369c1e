"""Merges of sorted lists, which say more than their result."""

from __future__ import annotations

from pyptogen.lower.instruction.ir import Instr, Node


def is_merge_of_lists(node: Node) -> bool:
    """Whether an instruction merges lists that are tiles of their own; it also says how much it took of each."""
    return isinstance(node, Instr) and node.name == "TMRGSORT" and all(isinstance(o, str) for o in node.operands)
