"""Instruction level: structured PTO-ISA programs, one a kernel."""
