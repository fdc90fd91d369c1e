"""Products of goldens take no processor from other workers."""

from __future__ import annotations

import subprocess
import sys

ASKED = "import os, numpy; print(len(os.listdir('/proc/self/task')))"
"""Threads of a process that has imported numpy: OpenBLAS starts its own as it is loaded."""


def test_numpy_has_one_thread_where_tests_run() -> None:
    """Workers and processes that tests start inherit what `conftest.py` sets."""
    started = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, check=True)
    assert started.stdout == "1\n"
