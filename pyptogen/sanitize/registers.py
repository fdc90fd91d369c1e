"""Registers of a core of A2/A3 that outlive a kernel: one that counts on them sets them first.

The vector mask says which elements a vector instruction works on; the base says where the flags between cores lie.
Runtimes that set the base themselves do so before `kernel_entry`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyptogen.lower.instruction.replay import Finding
from pyptogen.sanitize.lexer import Token

if TYPE_CHECKING:
    from pyptogen.sanitize.machine import Machine

SETTERS = {"set_vector_mask": "mask", "set_ffts_base_addr": "base"}
_SAID = {
    "mask": "{name} works under the vector mask that the kernel before has left",
    "base": "{name} uses the flags between cores before the kernel knows where they are",
}


def set_by(machine: Machine, name: str) -> None:
    """A call of ``name``, which may set one."""
    if name in SETTERS:
        machine.trace.registers.add(SETTERS[name])


def needed(machine: Machine, register: str, name: str, token: Token) -> None:
    """The instruction ``name`` counts on a register; told once in a walk."""
    if machine.target == "a2a3" and register not in machine.trace.registers:
        machine.trace.registers.add(register)
        machine.trace.faults.append(Finding(register, None, None, _SAID[register].format(name=name), token.span))
