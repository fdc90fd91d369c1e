"""pyptogen: declarative operator specs to PTO-ISA kernels that a person reviews, and a CPU runtime that runs
them.

The public face. Everything is imported at first use, so that ``import pyptogen`` costs nothing:

- ``load(path)``: read and check a spec, a :class:`pyptogen.schema.Spec`;
- ``build(paths, out="generated", …)``: write kernels, wrappers, harness and manifest, what ``pyptogen build``
  does;
- ``compile(spec, target="cpu", …)``: a callable operator, compiled for this machine;
- ``pack(w, layout="nz", target="cpu")``: a weight in the physical layout of a platform, packed once;
- ``Runtime(level="chip" | "host" | "cluster", …)``: runs compiled operators and task graphs, with ``Arg`` for
  arguments, ``TensorHandle`` for tensors that stay where they are, and ``CompiledPackage`` for what a chip
  loads.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pyptogen._version import __version__

if TYPE_CHECKING:
    from pyptogen.builder import build as build
    from pyptogen.runtime import compile as compile
    from pyptogen.runtime import pack as pack
    from pyptogen.runtime.arg import Arg as Arg
    from pyptogen.runtime.host.handles import TensorHandle as TensorHandle
    from pyptogen.runtime.operator.package import CompiledPackage as CompiledPackage
    from pyptogen.runtime.runtime import Runtime as Runtime
    from pyptogen.schema import load_spec as load

__all__ = ["Arg", "CompiledPackage", "Runtime", "TensorHandle", "__version__", "build", "compile", "load", "pack"]

_LAZY = {
    "Arg": ("pyptogen.runtime.arg", "Arg"),
    "CompiledPackage": ("pyptogen.runtime.operator.package", "CompiledPackage"),
    "Runtime": ("pyptogen.runtime.runtime", "Runtime"),
    "TensorHandle": ("pyptogen.runtime.host.handles", "TensorHandle"),
    "build": ("pyptogen.builder", "build"),
    "compile": ("pyptogen.runtime", "compile"),
    "load": ("pyptogen.schema", "load_spec"),
    "pack": ("pyptogen.runtime", "pack"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use (PEP 562)."""
    try:
        module, attribute = _LAZY[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value: object = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
