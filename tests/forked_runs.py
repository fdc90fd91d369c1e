"""Runs that may end their process, each in a fork of a process that has imported what they need.

A new interpreter takes a second and more to import the compiler, ten times as long as most of these runs. So a process
of its own per worker (`Server`) imports it once and forks for each run. It never starts a thread, which a fork would
not have; the workers themselves do, so they are not forked.

    python -m forked_runs MODULE        with tests/ on PYTHONPATH: the server for MODULE, see `serve`
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TextIO

from pyptogen.garbage import collect_seldom

TESTS = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: its exit code (negative: the signal), and what it wrote to standard error."""

    returncode: int
    stderr: str


class Server:
    """Forks for each call of a module's `main(arguments)`, after its `warm_up()`."""

    seconds = 0.0
    """Of processors, taken by all runs so far: `durations` adds them to those of the processes it sees."""

    def __init__(self, module: str) -> None:
        places = [str(TESTS), os.environ.get("PYTHONPATH", "")]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "forked_runs", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))},
        )

    def run(self, arguments: Sequence[str]) -> Ended:
        """One run, in the environment and the folder that this process has now."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = {"arguments": list(arguments), "environment": dict(os.environ), "folder": str(Path.cwd())}
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the server of forked runs ended with {self.process.wait()}"
        said = json.loads(line)
        Server.seconds += said["seconds"]
        return Ended(said["returncode"], said["stderr"])


@cache
def server(module: str) -> Server:
    """The one of this process for a module. It ends with this process, which closes its standard input."""
    return Server(module)


def serve(module: str) -> None:
    """Answer requests, a line of JSON each, until there are none. What runs print does not reach the answers."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    loaded = importlib.import_module(module)
    loaded.warm_up()
    collect_seldom()
    for line in sys.stdin:
        asked = json.loads(line)
        with tempfile.TemporaryFile("w+", errors="replace") as stderr:
            child = os.fork()
            if child == 0:
                _run(loaded.main, asked, stderr)
            _, status, used = os.wait4(child, 0)
            stderr.seek(0)
            said = {
                "returncode": os.waitstatus_to_exitcode(status),
                "stderr": stderr.read(),
                "seconds": used.ru_utime + used.ru_stime,
            }
        print(json.dumps(said), file=answers, flush=True)


def _run(main: Callable[[Sequence[str]], None], asked: dict[str, Any], stderr: TextIO) -> NoReturn:
    """The forked process. It leaves without the cleaning up of an interpreter, which belongs to the server."""
    code = 1
    try:
        os.dup2(stderr.fileno(), 1)
        os.dup2(stderr.fileno(), 2)
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["folder"])
        main(asked["arguments"])
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
