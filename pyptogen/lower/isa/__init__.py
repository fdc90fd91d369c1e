"""The PTO instruction table as data."""

from pyptogen.lower.isa.instruction import Instruction
from pyptogen.lower.isa.table import INSTRUCTIONS, pipe_of

__all__ = ["INSTRUCTIONS", "Instruction", "pipe_of"]
