"""``pyptogen doctor``: what this installation finds on the machine, and what it lacks."""

from __future__ import annotations

from pyptogen.cli.told import OutputFormat, findings, said


def command(form: OutputFormat = "full") -> None:
    """Say what is here: Python, compilers, the processor, caches, extras, PTO-ISA, PyTorch.

    Exits with 1 where something that every run needs is missing or broken.
    """
    from pyptogen.runtime.doctor import examine

    with findings(form) as found:
        for one in examine():
            said(f"{one.name:<12}{one.text}", form)
            found += one.faults
