"""The files of a recording at level host: a Chrome/Perfetto trace, and ``deps.json``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pyptogen.runtime.host.chip_logs import ChipLogs
from pyptogen.runtime.host.recording import Recording


@dataclass(frozen=True, slots=True)
class Files:
    """Where a recording goes; None: not asked for."""

    trace: str | os.PathLike[str] | None = None
    deps: str | os.PathLike[str] | None = None

    def recording(self) -> Recording | None:
        """A new recording, when one is needed."""
        return None if self.trace is None and self.deps is None else Recording(cores=self.trace is not None)

    def write(self, recording: Recording, logs: ChipLogs, processes: Mapping[int, int]) -> None:
        """Write what is asked for; ``processes`` are those of the chips. Raises ``OSError``."""
        if self.trace is not None:
            write_trace(self.trace, recording, logs, processes)
        if self.deps is not None:
            write_graph(self.deps, recording)


def write_trace(
    path: str | os.PathLike[str], recording: Recording, logs: ChipLogs, processes: Mapping[int, int]
) -> None:
    """Write the trace: a process per chip, with a track of its tasks and one per core, the submissions on a track of
    the host, an arrow per dependency, counters of what is queued. Times are those of the system's monotonic clock, in
    microseconds, in all processes.
    """
    events = ",\n".join(_events(recording, processes))
    Path(path).write_text(f'{{"displayTimeUnit": "ns", "traceEvents": [\n{events}', encoding="utf-8")
    arrow = len(recording.edges)
    for chip in sorted({task.chip for task in recording.tasks}):
        tasks = [task.number for task in recording.tasks if task.chip == chip]
        arrow = logs.write_events(path, chip, tasks, processes[chip], arrow)
    with open(path, "a", encoding="utf-8") as file:
        file.write("\n]}\n")


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


def _events(recording: Recording, processes: Mapping[int, int]) -> Iterator[str]:
    """The events as JSON: text by hand, because that takes a third of the time, which is part of the run's.
    Microseconds are written as nanoseconds with an exponent, for the same reason.
    """
    host, names = os.getpid(), {task.name: json.dumps(task.name) for task in recording.tasks}
    chips = sorted({task.chip for task in recording.tasks})
    yield from _tracks(host, "pyptogen host", "submissions", 0)
    for chip in chips:
        yield from _tracks(processes[chip], f"chip {chip}", "tasks", 1 + chip)
    for task, at in zip(recording.tasks, recording.submitted, strict=True):
        yield (
            f'{{"ph":"i","s":"t","name":{names[task.name]},"cat":"submit","pid":{host},"tid":0,"ts":{at}e-3,'
            f'"args":{{"task":{task.number}}}}}'
        )
        begin, end = task.span
        if end:
            failed = "false" if task.error is None else "true"
            yield (
                f'{{"ph":"X","name":{names[task.name]},"cat":"{task.kernel.definition["form"]}",'
                f'"pid":{processes[task.chip]},"tid":0,"ts":{begin}e-3,"dur":{end - begin}e-3,'
                f'"args":{{"task":{task.number},"attempts":{task.attempts + 1},"failed":{failed}}}}}'
            )
    yield from _arrows(recording, processes)
    yield from _counters(recording, host)


def _tracks(pid: int, process: str, track: str, place: int) -> Iterator[str]:
    yield f'{{"ph":"M","name":"process_name","pid":{pid},"args":{{"name":"{process}"}}}}'
    yield f'{{"ph":"M","name":"process_sort_index","pid":{pid},"args":{{"sort_index":{place}}}}}'
    yield f'{{"ph":"M","name":"thread_name","pid":{pid},"tid":0,"args":{{"name":"{track}"}}}}'


def _arrows(recording: Recording, processes: Mapping[int, int]) -> Iterator[str]:
    ran = {task.number: task for task in recording.tasks if task.span[1]}
    for number, edge in enumerate(recording.edges):
        before, to = ran.get(edge.before), ran.get(edge.to)
        if before is None or to is None:
            continue
        same = f'"name":"{edge.reason}","cat":"dependency","id":{number},"tid":0'
        yield f'{{"ph":"s",{same},"pid":{processes[before.chip]},"ts":{before.span[1]}e-3}}'
        yield f'{{"ph":"f","bp":"e",{same},"pid":{processes[to.chip]},"ts":{to.span[0]}e-3}}'


def _counters(recording: Recording, pid: int) -> Iterator[str]:
    shown: dict[str, int] = {}
    for sample in recording.samples:
        for name, value in ((f"queued, chip {sample.chip}", sample.queued), ("tasks in flight", sample.open)):
            if shown.get(name) != value:
                shown[name] = value
                yield (f'{{"ph":"C","name":"{name}","pid":{pid},"ts":{sample.at}e-3,"args":{{"tasks":{value}}}}}')
