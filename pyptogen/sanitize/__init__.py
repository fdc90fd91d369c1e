"""Checks the flags and memories of PTO-ISA kernels in C++, also of ones that were not made by this tool.

`lexer` and `parser` read a file of straightforward form, `machine` walks a kernel with the numbers that are known and
writes down what it does (`trace`), `check` replays that with the checker of the compiler's own kernels.
"""

from pyptogen.sanitize.check import KernelReport, sanitize, sanitize_files

__all__ = ["KernelReport", "sanitize", "sanitize_files"]
