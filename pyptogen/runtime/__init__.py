"""The bundled runtime: compiles generated kernels for this machine and runs them on simulated chips.

``compile`` and ``load_generated`` give a :class:`CompiledOperator`; ``pack`` gives a :class:`PackedWeight`.
Everything is imported at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyptogen.layout.packing import PackedWeight as PackedWeight
    from pyptogen.layout.packing import pack as pack
    from pyptogen.runtime.faults import RuntimeClosed as RuntimeClosed
    from pyptogen.runtime.faults import TaskError as TaskError
    from pyptogen.runtime.faults import TaskTimeout as TaskTimeout
    from pyptogen.runtime.faults import WorkerLost as WorkerLost
    from pyptogen.runtime.native.binding import RunError as RunError
    from pyptogen.runtime.operator.compiled import CompiledOperator as CompiledOperator
    from pyptogen.runtime.operator.contract import Contract as Contract
    from pyptogen.runtime.operator.loading import compile as compile
    from pyptogen.runtime.operator.loading import load_generated as load_generated

__all__ = [
    "CompiledOperator",
    "Contract",
    "PackedWeight",
    "RunError",
    "RuntimeClosed",
    "TaskError",
    "TaskTimeout",
    "WorkerLost",
    "compile",
    "load_generated",
    "pack",
]

_LAZY = {
    "CompiledOperator": "pyptogen.runtime.operator.compiled",
    "Contract": "pyptogen.runtime.operator.contract",
    "PackedWeight": "pyptogen.layout.packing",
    "RunError": "pyptogen.runtime.native.binding",
    "RuntimeClosed": "pyptogen.runtime.faults",
    "TaskError": "pyptogen.runtime.faults",
    "TaskTimeout": "pyptogen.runtime.faults",
    "WorkerLost": "pyptogen.runtime.faults",
    "compile": "pyptogen.runtime.operator.loading",
    "load_generated": "pyptogen.runtime.operator.loading",
    "pack": "pyptogen.layout.packing",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use (PEP 562)."""
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
