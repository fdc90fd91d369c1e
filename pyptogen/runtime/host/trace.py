"""The files of a recording at level host: a Chrome/Perfetto trace, and ``deps.json``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyptogen.runtime.host.recording import Recording


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
    events = ",\n".join(_events(recording))
    Path(path).write_text(f'{{"displayTimeUnit": "ns", "traceEvents": [\n{events}\n]}}\n', encoding="utf-8")


def write_graph(path: str | os.PathLike[str], recording: Recording) -> None:
    """Write tasks, tensors (blocks of shared memory), uses in bytes of them, and edges with their reasons."""
    modes = {(True, False): "input", (False, True): "output", (True, True): "inout", (False, False): "unused"}
    graph = {
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
    }
    Path(path).write_text(json.dumps(graph), encoding="utf-8")


def _events(recording: Recording) -> Iterator[str]:
    """The events as JSON: text by hand, because that takes a third of the time, which is part of the run's."""
    pid, names = os.getpid(), {task.name: json.dumps(task.name) for task in recording.tasks}
    host = max((task.chip for task in recording.tasks), default=0) + 1
    yield f'{{"ph":"M","name":"process_name","pid":{pid},"args":{{"name":"pyptogen host"}}}}'
    tracks = {chip: f"chip {chip}" for chip in sorted({task.chip for task in recording.tasks})} | {host: "host"}
    for track, name in tracks.items():
        yield f'{{"ph":"M","name":"thread_name","pid":{pid},"tid":{track},"args":{{"name":"{name}"}}}}'
    for task, at in zip(recording.tasks, recording.submitted, strict=True):
        yield (
            f'{{"ph":"i","s":"t","name":{names[task.name]},"cat":"submit","pid":{pid},"tid":{host},"ts":{at / 1000},'
            f'"args":{{"task":{task.number}}}}}'
        )
        begin, end = task.span
        if end:
            failed = "false" if task.error is None else "true"
            yield (
                f'{{"ph":"X","name":{names[task.name]},"cat":"{task.kernel.definition["form"]}","pid":{pid},'
                f'"tid":{task.chip},"ts":{begin / 1000},"dur":{(end - begin) / 1000},'
                f'"args":{{"task":{task.number},"attempts":{task.attempts + 1},"failed":{failed}}}}}'
            )
    yield from _arrows(recording, pid)
    yield from _counters(recording, pid)


def _arrows(recording: Recording, pid: int) -> Iterator[str]:
    ran = {task.number: task for task in recording.tasks if task.span[1]}
    for number, edge in enumerate(recording.edges):
        before, to = ran.get(edge.before), ran.get(edge.to)
        if before is None or to is None:
            continue
        same = f'"name":"{edge.reason}","cat":"dependency","id":{number},"pid":{pid}'
        yield f'{{"ph":"s",{same},"tid":{before.chip},"ts":{before.span[1] / 1000}}}'
        yield f'{{"ph":"f","bp":"e",{same},"tid":{to.chip},"ts":{to.span[0] / 1000}}}'


def _counters(recording: Recording, pid: int) -> Iterator[str]:
    shown: dict[str, int] = {}
    for sample in recording.samples:
        for name, value in ((f"queued, chip {sample.chip}", sample.queued), ("tasks in flight", sample.open)):
            if shown.get(name) != value:
                shown[name] = value
                yield (f'{{"ph":"C","name":"{name}","pid":{pid},"ts":{sample.at / 1000},"args":{{"tasks":{value}}}}}')
