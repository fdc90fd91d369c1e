"""One runtime, three levels: a chip, the chips of a host, or the hosts of a cluster."""

from __future__ import annotations

from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import did_you_mean, fault

if TYPE_CHECKING:
    from typing_extensions import Self

_LEVELS = {
    "chip": ("pyptogen.runtime.chip.chip", "ChipRuntime"),
    "host": ("pyptogen.runtime.host.host", "HostRuntime"),
    "cluster": ("pyptogen.runtime.cluster.cluster", "ClusterRuntime"),
}


class Runtime:
    """Runs registered programs; a context manager.

    ========  =============================================  ==============================================
    level     what it is                                     options
    ========  =============================================  ==============================================
    chip      one simulated chip inside this process         ``device=0``, and those of ``ChipRuntime``
    host      one worker process per chip, shared memory     ``devices=[0, 1]``, and those of ``HostRuntime``
    cluster   chips on the nodes of a Ray cluster            ``devices=``, ``address=``, and those of
                                                             ``ClusterRuntime``
    ========  =============================================  ==============================================

    ``platform`` names what the chips simulate, "cpu", "a2a3" or another one of `pyptogen.lower.platforms`. Raises
    PTG404 for an unknown level or platform. Everything else is passed to the level, and a level is imported when it is
    asked for.
    """

    def __init__(self, level: str = "chip", *, platform: str = "cpu", **options: Any) -> None:
        from pyptogen.lower.platforms import PLATFORMS

        _known("level", level, tuple(_LEVELS))
        _known("platform", platform, tuple(PLATFORMS))
        self.level = level
        self.platform = platform
        module, name = _LEVELS[level]
        self._level: Any = getattr(import_module(module), name)(platform=platform, **options)

    def register(self, name: str, *what: Any, **options: Any) -> None:
        """Make a program known as ``name``: a compiled operator, or ``orch=`` with ``kernels=``."""
        self._level.register(name, *what, **options)

    def run(self, name: str, args: Any = None, **options: Any) -> Any:
        """Run a program and wait for its result."""
        return self._level.run(name, args, **options)

    def submit(self, name: str, args: Any = None, **options: Any) -> Any:
        """Start a program; the handle has ``done()``, ``wait(timeout)`` and ``result(timeout)``."""
        return self._level.submit(name, args, **options)

    def close(self) -> None:
        """Finish what was submitted and give everything back. A second call does nothing."""
        self._level.close()

    def __getattr__(self, name: str) -> Any:
        """What only this level has, such as ``tensor`` and ``empty`` of level host."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._level, name)

    def __enter__(self) -> Self:
        self._level.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._level.__exit__(kind, error, trace)

    def __repr__(self) -> str:
        return f"Runtime(level={self.level!r}, platform={self.platform!r})"


def _known(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise fault(
            "PTG404",
            f"unknown {what} `{value}`",
            None,
            expected=f"one of {', '.join(known)}",
            fix=did_you_mean(value, known),
        )
