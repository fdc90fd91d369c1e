"""What a chip loads: an operator's shared object and how to call it, in a form that another process can open."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyptogen.runtime.operator.compiled import CompiledOperator
    from pyptogen.runtime.operator.contract import Contract


@dataclass(frozen=True, slots=True)
class CompiledPackage:
    """An operator for one target: the shared object on this machine, its entry symbol, the contract that a call is
    checked against, and the policy by which a chip orders its ready launches.
    """

    name: str
    target: str
    library: Path
    symbol: str
    contract: Contract
    policy: str = "critical_path"

    @classmethod
    def of(cls, what: Any) -> CompiledPackage:
        """The package of a compiled operator, or ``what`` itself when it is one. Raises ``TypeError``."""
        if isinstance(what, CompiledPackage):
            return what
        from pyptogen.runtime.operator.compiled import CompiledOperator

        if not isinstance(what, CompiledOperator):
            raise TypeError(f"expected a compiled operator, not a {type(what).__name__}")
        what.require_native("a chip of another process")
        return _package(what)


def _package(operator: CompiledOperator) -> CompiledPackage:
    from pyptogen.runtime.operator.sources import entry_name

    return CompiledPackage(
        operator.contract.name,
        operator.target,
        operator.library,
        entry_name(operator.contract.name, operator.target),
        operator.contract,
        operator.policy,
    )
