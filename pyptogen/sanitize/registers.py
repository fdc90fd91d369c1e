"""What a core has left from the kernel before: one that counts on it sets it first.

The vector mask says which elements a vector instruction works on; the base says where the flags between cores lie. The
data cache has numbers that the scalar unit read from GM, which may be others now.
Runtimes that set the base themselves do so before `kernel_entry`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyptogen.lower.instruction.replay import Finding
from pyptogen.sanitize.lexer import Token

if TYPE_CHECKING:
    from pyptogen.sanitize.machine import Machine

SETTERS = {"set_vector_mask": "mask", "set_ffts_base_addr": "base", "dcci": "cache"}
TARGETS = {"mask": ("a2a3",), "base": ("a2a3",), "cache": ("a2a3", "a5")}
_SAID = {
    "mask": "{name} works under the vector mask that the kernel before has left",
    "cache": "{name} is read by the scalar unit, whose data cache may have what lay there before",
    "base": "{name} uses the flags between cores before the kernel knows where they are",
}


def set_by(machine: Machine, name: str) -> None:
    """A call of ``name``, which may set one."""
    if name in SETTERS:
        machine.trace.registers.add(SETTERS[name])


def needed(machine: Machine, register: str, name: str, token: Token) -> None:
    """The instruction or the number ``name`` counts on a register; told once in a walk."""
    if machine.target in TARGETS[register] and register not in machine.trace.registers:
        machine.trace.registers.add(register)
        machine.trace.faults.append(Finding(register, None, None, _SAID[register].format(name=name), token.span))
