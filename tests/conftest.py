"""What all tests share: the references are importable, and slow tests have a mark, and their files come first."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook

TESTS = Path(__file__).parent
sys.path.insert(0, str(TESTS))
# The project has a plug-in of pytest, so pytest would rewrite the assertions of all its modules as it does those of
# tests: seconds in each worker, and users have them as they are.
for hook in sys.meta_path:
    if isinstance(hook, AssertionRewritingHook):
        getattr(hook, "_must_rewrite", set()).discard("pyptogen")
# Before anybody imports numpy, here and in all processes that tests start. Workers keep all processors busy: further
# threads of OpenBLAS only wait, and spin while they do, for many times what a product of the goldens takes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from compiling import compile_quickly  # noqa: E402 - found by the path above
from durations import Durations  # noqa: E402 - found by the path above
from lowering import begin_run, end_run, lower_once_a_run  # noqa: E402 - found by the path above
from warm_commands import close_commands  # noqa: E402 - found by the path above

from pyptogen.garbage import collect_seldom  # noqa: E402 - beside the others


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks of this test suite (`--strict-markers` is on), and what is shared by a run."""
    compile_quickly()
    collect_seldom()  # as the tool itself does: a twentieth of what tests take in their own process
    controls = not hasattr(config, "workerinput")
    if controls:
        begin_run()
        config.add_cleanup(end_run)
    if not controls or not getattr(config.option, "numprocesses", None):
        lower_once_a_run()
    config.add_cleanup(close_commands)
    config.addinivalue_line("markers", "slow: takes seconds, not milliseconds; left out by -m 'not slow'")
    if table := os.environ.get("PYPTOGEN_TEST_TIMES"):
        config.pluginmanager.register(Durations(Path(table)), "durations")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first, so that no processor is left alone with one at the end. Each file stays whole: what
    its tests share would be made once for its slow ones, and again for the others."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """The tests themselves are tens of thousands of objects that stay: nothing looks through them for cycles."""
    gc.freeze()
