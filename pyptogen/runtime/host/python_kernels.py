"""Kernels written in Python: a function at the top of a module, called in the worker with numpy arrays.

A function travels as the name of its module and its own name, so that nothing is unpickled. One of the main
script is found by the script's path; the worker imports that under the name ``__mp_main__``, as
``multiprocessing`` does, so the script's own work belongs under ``if __name__ == "__main__":``.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

_MAIN = "__mp_main__"


def describe(function: Callable[..., Any]) -> dict[str, Any]:
    """How a worker finds a function. Raises ``TypeError`` for one that it could not find."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if not module or not name.isidentifier() or getattr(sys.modules.get(module), name, None) is not function:
        raise TypeError(
            f"{function!r} cannot be a kernel: a worker imports it, so it must be a function at the top of a module"
        )
    file = None
    if module in ("__main__", _MAIN):
        file = getattr(sys.modules[module], "__file__", None)
        spec = getattr(sys.modules[module], "__spec__", None)
        if spec is not None and module == "__main__":
            module, file = spec.name, None
        elif file is None:
            raise TypeError(f"{function!r} cannot be a kernel: it was defined interactively; put it into a module")
    return {"form": "python", "module": module, "function": name, "file": file}


def find_function(module: str, function: str, file: str | None) -> Callable[..., Any]:
    """The function that ``describe`` described, in the worker."""
    found: Callable[..., Any] = getattr(_main_script(file) if file else importlib.import_module(module), function)
    return found


@functools.cache
def _main_script(file: str) -> Any:
    spec = importlib.util.spec_from_file_location(_MAIN, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import the script {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MAIN] = module
    spec.loader.exec_module(module)
    return module


@functools.cache
def wire_name(dtype: np.dtype[Any]) -> str:
    """The name under which a dtype travels."""
    name: str = dtype.name
    return name


@functools.cache
def wire_dtype(name: str) -> np.dtype[Any]:
    """The dtype of a name that ``dtype.name`` gave, those of ml_dtypes too."""
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return dtype
