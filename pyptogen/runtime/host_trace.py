"""The Chrome/Perfetto trace of level host: a track per chip, one slice per task."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyptogen.runtime.task_graph import Task


def write_trace(path: str | os.PathLike[str], tasks: Sequence[Task]) -> None:
    """Write the tasks that ran; times are microseconds from the first one's begin."""
    ran = [task for task in tasks if task.span[1]]
    origin = min((task.span[0] for task in ran), default=0)
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "thread_name", "pid": 0, "tid": chip, "args": {"name": f"chip {chip}"}}
        for chip in sorted({task.chip for task in ran})
    ]
    for task in ran:
        begin, end = task.span
        events.append(
            {
                "ph": "X",
                "name": task.name,
                "pid": 0,
                "tid": task.chip,
                "ts": (begin - origin) / 1000,
                "dur": (end - begin) / 1000,
                "args": {"task": task.number, "failed": task.error is not None},
            }
        )
    Path(path).write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
