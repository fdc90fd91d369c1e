"""Kernels of the host tests. They are at the top of a module: workers import them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np


def nothing() -> None:
    """Take no time."""


def add(x: Any, y: Any, z: Any) -> None:
    z[...] = x + y


def scale(x: Any, y: Any, by: float = 2.0) -> None:
    y[...] = x * by


def increase(x: Any, by: float = 1.0) -> None:
    x += by


def slow_increase(x: Any, seconds: float) -> None:
    value = x.copy()
    time.sleep(seconds)
    x[...] = value + 1


def slow_copy(x: Any, y: Any, seconds: float) -> None:
    time.sleep(seconds)
    y[...] = x


def matmul(x: Any, w: Any, y: Any) -> None:
    np.matmul(x, w, out=y)


def relu_matmul(x: Any, w: Any, y: Any) -> None:
    np.matmul(np.maximum(x, 0), w, out=y)


def write_input(x: Any) -> None:
    x[...] = 0


def fail(text: str) -> None:
    raise ValueError(text, 7)


class OddError(Exception):
    """An exception that the host does not know."""


def fail_oddly() -> None:
    raise OddError("odd")


def die(y: Any) -> None:
    """Half-write the output, then end as if the machine had killed this process."""
    y[: y.shape[0] // 2] = 9
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(x: Any, y: Any, mark: str) -> None:
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    y[...] = x


def die_once_in_place(x: Any, mark: str) -> None:
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    x += 1


def die_always(folder: str) -> None:
    (Path(folder) / f"{os.getpid()} {time.monotonic_ns()}").touch()
    os.kill(os.getpid(), signal.SIGKILL)


def hang_up_and_end(code: int) -> None:
    """End as a process does that takes its time: first without its socket, then for good."""
    limit = os.sysconf("SC_OPEN_MAX")
    os.closerange(3, min(limit, 4096))
    time.sleep(0.1)
    os._exit(code)


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def note_time(t: Any, seconds: float) -> None:
    t[0] = time.monotonic()
    time.sleep(seconds)
    t[1] = time.monotonic()


def fail_into(y: Any) -> None:
    raise ValueError("into")
