"""The bundled runtime: compiles generated kernels for this machine and runs them on simulated chips.

``compile`` and ``load_generated`` give a :class:`CompiledOperator`; ``pack`` gives a :class:`PackedWeight`.
Everything is imported at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyptogen.runtime.arrays.packing import PackedWeight as PackedWeight
    from pyptogen.runtime.arrays.packing import pack as pack
    from pyptogen.runtime.faults import RuntimeClosed as RuntimeClosed
    from pyptogen.runtime.faults import TaskError as TaskError
    from pyptogen.runtime.faults import TaskTimeout as TaskTimeout
    from pyptogen.runtime.faults import WorkerLost as WorkerLost
    from pyptogen.runtime.native.binding import RunError as RunError
    from pyptogen.runtime.operator.compiled import CompiledOperator as CompiledOperator
    from pyptogen.runtime.operator.compiled import compile as compile
    from pyptogen.runtime.operator.compiled import load_generated as load_generated
    from pyptogen.runtime.operator.contract import Contract as Contract

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
    "CompiledOperator": "operator.compiled",
    "Contract": "operator.contract",
    "PackedWeight": "arrays.packing",
    "RunError": "native.binding",
    "RuntimeClosed": "faults",
    "TaskError": "faults",
    "TaskTimeout": "faults",
    "WorkerLost": "faults",
    "compile": "operator.compiled",
    "load_generated": "operator.compiled",
    "pack": "arrays.packing",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use (PEP 562)."""
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
