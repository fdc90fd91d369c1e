"""The files of a recording at level host: a Chrome/Perfetto trace, and ``deps.json``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyptogen.runtime.recording import Recording
from pyptogen.runtime.task_graph import Task

_Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Files:
    """Where a recording goes; None: not asked for."""

    trace: str | os.PathLike[str] | None = None
    deps: str | os.PathLike[str] | None = None

    def recording(self) -> Recording | None:
        """A new recording, when one is needed."""
        return None if self.trace is None and self.deps is None else Recording()

    def write(self, recording: Recording) -> None:
        """Write what is asked for. Raises ``OSError``."""
        if self.trace is not None:
            write_trace(self.trace, recording)
        if self.deps is not None:
            write_graph(self.deps, recording)


def write_trace(path: str | os.PathLike[str], recording: Recording) -> None:
    """Write the trace: a track per chip with its tasks, the submissions on a track of the host, an arrow per
    dependency, counters of what is queued. Times are those of the system's monotonic clock, in microseconds.
    """
    host = max((task.chip for task in recording.tasks), default=0) + 1
    events = [
        *_tracks(recording, host),
        *(_submission(task, at, host) for task, at in zip(recording.tasks, recording.submitted, strict=True)),
        *(_span(task) for task in recording.tasks if task.span[1]),
        *_arrows(recording),
        *_counters(recording),
    ]
    _write(path, {"displayTimeUnit": "ns", "traceEvents": events})


def write_graph(path: str | os.PathLike[str], recording: Recording) -> None:
    """Write tasks, tensors (blocks of shared memory), uses in bytes of them, and edges with their reasons."""
    modes = {(True, False): "input", (False, True): "output", (True, True): "inout", (False, False): "unused"}
    _write(
        path,
        {
            "tasks": [{"id": task.number, "name": task.name, "chip": task.chip} for task in recording.tasks],
            "tensors": [{"id": number, "bytes": size} for number, size in enumerate(recording.tensors)],
            "uses": [
                {
                    "task": use.task,
                    "tensor": use.tensor,
                    "mode": modes[use.reads, use.writes],
                    "offset": use.start,
                    "extent": use.end - use.start,
                }
                for use in recording.uses
            ],
            "edges": [{"from": edge.before, "to": edge.to, "reason": edge.reason} for edge in recording.edges],
        },
    )


def _tracks(recording: Recording, host: int) -> Iterator[_Event]:
    names = {chip: f"chip {chip}" for chip in sorted({task.chip for task in recording.tasks})} | {host: "host"}
    yield _event("M", "process_name", args={"name": "pyptogen host"})
    for number, name in names.items():
        yield _event("M", "thread_name", tid=number, args={"name": name})


def _submission(task: Task, at: int, host: int) -> _Event:
    return _event("i", task.name, tid=host, s="t", cat="submit", ts=at / 1000, args={"task": task.number})


def _span(task: Task) -> _Event:
    begin, end = task.span
    return _event(
        "X",
        task.name,
        tid=task.chip,
        cat=str(task.kernel.definition["form"]),
        ts=begin / 1000,
        dur=(end - begin) / 1000,
        args={"task": task.number, "attempts": task.attempts + 1, "failed": task.error is not None},
    )


def _arrows(recording: Recording) -> Iterator[_Event]:
    ran = {task.number: task for task in recording.tasks if task.span[1]}
    for number, edge in enumerate(recording.edges):
        before, to = ran.get(edge.before), ran.get(edge.to)
        if before is None or to is None:
            continue
        yield _event("s", edge.reason, tid=before.chip, cat="dependency", id=number, ts=before.span[1] / 1000)
        yield _event("f", edge.reason, tid=to.chip, cat="dependency", id=number, ts=to.span[0] / 1000, bp="e")


def _counters(recording: Recording) -> Iterator[_Event]:
    shown: dict[str, int] = {}
    for sample in recording.samples:
        for name, value in ((f"queued, chip {sample.chip}", sample.queued), ("tasks in flight", sample.open)):
            if shown.get(name) != value:
                shown[name] = value
                yield _event("C", name, ts=sample.at / 1000, args={"tasks": value})


def _event(phase: str, name: str, **more: Any) -> _Event:
    return {"ph": phase, "name": name, "pid": os.getpid(), **more}


def _write(path: str | os.PathLike[str], content: Any) -> None:
    Path(path).write_text(json.dumps(content), encoding="utf-8")
