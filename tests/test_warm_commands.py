"""Commands that are forks behave as new interpreters do: the same words, folder, environment, files and ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from warm_commands import commands

SEEN = (
    "import os, sys; "
    "print(sys.argv, __name__, os.getcwd(), os.environ['WHERE'], os.environ.get('PYTHONHASHSEED'), sys.path[0] == '', "
    "sys.stdin.read(), sys.stdout.encoding, sys.stderr.errors); "
    "print('told', file=sys.stderr); sys.exit(7)"
)


def both(folder: Path, line: str, **more: str) -> list[tuple[int, str, str]]:
    """A line of bash with `python` and `pyptogen` as forks, and as new interpreters: exit code and what is printed."""
    ends = []
    for path in (commands().path(), os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])):
        given = {**os.environ, **more, "PATH": path}
        done = subprocess.run(
            ["bash", "-c", line], cwd=folder, env=given, input="said", capture_output=True, text=True, check=False
        )
        ends.append((done.returncode, done.stdout, done.stderr))
    return ends


def test_what_a_program_sees(tmp_path: Path) -> None:
    fork, new = both(tmp_path, f'python -c "{SEEN}" one "two words"', WHERE="here")
    assert fork == new
    assert fork[0] == 7
    assert "['-c', 'one', 'two words'] __main__" in fork[1]


@pytest.mark.parametrize(
    "line",
    [
        "python -c 'import os; os.kill(os.getpid(), 9)'",
        "python -c 'import atexit; atexit.register(print, 1); raise SystemExit(\"words\")'",
        "printf 'import sys\\nprint(sys.argv, __file__, sys.path[0])' > x.py; python x.py a | cat; python ./x.py",
        "printf '{\"a\": 1}' | python -m json.tool",
        "timeout -s TERM 0.5 python -c 'import time; time.sleep(60)'; echo $?",
        "pyptogen --version | cat; pyptogen explain PTG202; pyptogen no-such-command",
        "pyptogen check no-such-file.yaml",
    ],
)
def test_how_it_ends(tmp_path: Path, line: str) -> None:
    fork, new = both(tmp_path, line)
    assert fork == new


def test_seconds_are_noted() -> None:
    """`durations` sees what forks take."""
    before = commands().seconds
    command = [str(commands().folder / "python"), "-c", "sum(range(3_000_000))"]
    subprocess.run(command, check=True)
    commands().note_seconds()
    assert commands().seconds - before > 0.02
