"""What shared objects of operators are compiled from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pyptogen.runtime.toolchain.build import make_toolchain


@dataclass(frozen=True, slots=True)
class SourceOf:
    """What a shared object was compiled from: texts by relative path, and how. ``spec`` is the file of the spec."""

    spec: str
    texts: Mapping[str, str]
    isa: Path | None
    portable: bool
    checked: bool

    def compiled(self, name: str, target: str) -> Path:
        """The shared object. Raises PTG501 to PTG503."""
        toolchain = make_toolchain(
            isa=self.isa,
            portable=self.portable,
            checked=target if self.checked else None,
            target=target,
            mixed=_is_mixed(target, self.texts),
        )
        return toolchain.shared_object(name, self.texts, [entry_name(name, target)])


def entry_name(operator: str, target: str) -> str:
    """The symbol of an operator's entry function."""
    return f"{operator}_{target}"


def _is_mixed(target: str, sources: Mapping[str, str]) -> bool:
    """Whether cube and vector cores run side by side."""
    return "pto/side_by_side.hpp" in sources[f"{target}/orchestration.cpp"]
