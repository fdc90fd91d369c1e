"""Whether PyTorch is there."""

from __future__ import annotations

from importlib.util import find_spec

from pyptogen.diagnostics import fault


def require_torch() -> None:
    """Raises PTG506 where PyTorch is not installed."""
    if find_spec("torch") is None:
        raise fault("PTG506", "PyTorch is not installed", None, fix="pip install 'pyptogen[torch]'")
