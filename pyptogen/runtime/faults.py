"""Faults of tasks: the exceptions, and how one travels from a worker as JSON (never as a pickle).

An exception whose class is a builtin one arrives as that class with the same arguments; any other class
arrives as :class:`TaskError` that names it. Both carry the worker's traceback as their cause.
"""

from __future__ import annotations

import builtins
import json
import traceback
from collections.abc import Mapping
from typing import Any

from pyptogen.runtime.host.wire import LONGEST, REPLY
from pyptogen.runtime.native.binding import RunError

_LIMITS = (8_000, 2_000, 500)
"""Characters of a traceback (its end) and of a message (its start) that travel: the first that fits."""


class TaskError(RunError):
    """A task failed. ``kind`` is the qualified name of the exception's class in the worker, ``trace`` its
    traceback.
    """

    def __init__(self, message: str, kind: str = "", trace: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.trace = trace


class WorkerLost(TaskError):
    """The worker process died while it ran the task."""


class TaskTimeout(TaskError, TimeoutError):
    """The task, or the run of a chip, took longer than its ``timeout=`` and was stopped."""


class RuntimeClosed(TaskError):
    """The runtime was closed before the task had finished, or it belongs to another process."""


class WorkerTraceback(Exception):
    """The cause of an exception that comes from a worker: the traceback there."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


def encode_fault(error: BaseException) -> bytes:
    """An exception as JSON, short enough for one message."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    kind = type(error)
    plain = all(isinstance(value, (str, int, float, type(None))) for value in error.args)
    said: dict[str, Any] = {
        "kind": kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    }
    data = b""
    for limit in _LIMITS:
        short = plain and sum(len(str(value)) for value in error.args) <= limit
        said |= {
            "message": str(error)[:limit],
            "args": list(error.args) if short else [str(error)[:limit]],
            "trace": text[-limit:],
        }
        data = json.dumps(said).encode()
        if len(data) < LONGEST - REPLY.size:
            break
    return data


def decode_fault(data: bytes, where: str) -> Exception:
    """The exception that ``encode_fault`` saw; ``where`` names the task and the chip."""
    said: Mapping[str, Any] = json.loads(data)
    kind, args = str(said["kind"]), said["args"]
    found = getattr(builtins, kind, None)
    known = isinstance(found, type) and issubclass(found, Exception)
    error: Exception | None = None
    if known:
        try:
            error = found(*args)  # type: ignore[misc]
        except TypeError:
            # Some classes, such as UnicodeDecodeError, want arguments of kinds that JSON does not have.
            error = None
    if error is None:
        error = TaskError(f"{where} failed: {kind}: {said['message']}", kind, str(said["trace"]))
    error.__cause__ = WorkerTraceback(f"{where} failed:\n{said['trace']}")
    return error
