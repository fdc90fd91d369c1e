"""A command of the tool is not held up by looks for cycles, while it works and when it ends."""

from __future__ import annotations

import gc
import subprocess
import sys

from pyptogen.garbage import NEW_OBJECTS, seldom_collected

_COMMAND = """
import atexit, gc, sys
from pyptogen.cli import main
# What is registered first runs last: when the interpreter's shutdown begins.
atexit.register(lambda: print("at the end", gc.get_threshold()[0], gc.get_freeze_count() > 10_000))
sys.argv[1:] = ["explain", "PTG202"]
main()
"""


def test_a_command_collects_seldom_and_leaves_what_it_has_to_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", _COMMAND], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == f"at the end {NEW_OBJECTS} True"


def test_the_threshold_of_a_caller_comes_back() -> None:
    own = gc.get_threshold()
    gc.set_threshold(701, *own[1:])
    try:
        with seldom_collected():
            assert gc.get_threshold()[0] == NEW_OBJECTS
        assert gc.get_threshold()[0] == 701
    finally:
        gc.set_threshold(*own)
