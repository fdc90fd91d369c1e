"""The native scheduler on task graphs of known results, with one core, as many as processors, and more than
that.
"""

from __future__ import annotations

import ctypes
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from pyptogen.runtime.native.binding import Chip, RunError, load_entry, shared_chip
from pyptogen.runtime.toolchain.build import Toolchain

GRAPHS = Path(__file__).parents[1] / "cpp" / "graphs.cpp"
ENTRIES = (
    "independent", "blocks", "chain", "fan", "joined", "empty", "scratch", "scoped", "cores",
    "failing", "failing_orchestration",
)  # fmt: skip
RING = 1024
"""Launches that the chip holds at a time."""

Run = Callable[..., "np.ndarray[tuple[int], np.dtype[np.int64]]"]


@pytest.fixture(scope="module")
def library(toolchain: Toolchain) -> Path:
    return toolchain.shared_object("graphs", {"graphs.cpp": GRAPHS.read_text()}, ENTRIES)


@pytest.fixture(scope="module", params=[1, 2, 5])
def chip(request: pytest.FixtureRequest) -> Iterator[Chip]:
    chip = Chip(request.param)
    yield chip
    chip.close()


@pytest.fixture
def run(chip: Chip, library: Path) -> Run:
    def call(entry: str, tasks: int, cells: int = 64) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        out = np.zeros(cells, np.int64)
        call.out = out  # type: ignore[attr-defined]
        chip.run(load_entry(library, entry), struct.pack("=Qq", out.ctypes.data, tasks))
        return out

    return call


@pytest.mark.parametrize("tasks", [1, 2, RING - 1, RING, RING + 1, 100_000])
def test_independent_tasks_run_once_each(run: Run, tasks: int) -> None:
    assert (run("independent", tasks, tasks) == 1).all()


@pytest.mark.parametrize("tasks", [1, 3, 64, 65, 100_000])
def test_blocks_of_one_launch_run_once_each(run: Run, tasks: int) -> None:
    out = run("blocks", tasks, tasks + 8)
    assert (out[:tasks] == 1).all()
    assert (out[tasks:] == 0).all()


@pytest.mark.parametrize("tasks", [1, 7, 20_000])
def test_chain_keeps_its_order(run: Run, tasks: int) -> None:
    expected = 0
    for i in range(tasks):
        expected = (3 * expected + i) % (2**61 - 1)
    assert run("chain", tasks)[0] == expected


def test_fan_out_and_fan_in_see_each_other(run: Run) -> None:
    cells, total = [0] * 7, 0
    for _ in range(3000):
        cells = [cell + total % 1000 + 1 for cell in cells]
        total = sum(cells)
    assert run("fan", 3000)[0] == total


def test_join_of_many_launches(run: Run) -> None:
    assert run("joined", 500)[0] == 500 * 40


def test_nothing_to_do(run: Run) -> None:
    assert run("empty", 0)[0] == 0


def test_launches_without_blocks_pass_on_what_they_wait_for(run: Run) -> None:
    assert run("empty", 3000)[0] == 2


def test_workspace_is_aligned_disjoint_and_reused(run: Run) -> None:
    for _ in range(3):
        assert (run("scratch", 6)[:6] == 1).all()


def test_memory_of_a_scope_is_its_own_until_its_launches_have_finished(run: Run) -> None:
    rounds = 1500
    for _ in range(2):
        out = run("scoped", rounds, rounds)
        expected = np.where(np.arange(rounds) % 3 == 0, 3, 1)
        expected[0] += 100
        np.testing.assert_array_equal(out, expected)


def test_memory_of_scopes_is_bounded(run: Run) -> None:
    run("scoped", 100, 4000)
    before = resident_bytes()
    run("scoped", 4000, 4000)  # 1.7 GB in all
    assert resident_bytes() - before < 160 << 20


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_failing_kernel_is_reported_and_stops_its_successors(run: Run) -> None:
    with pytest.raises(RunError, match="block 1 does not like its input"):
        run("failing", 0)
    assert list(run.out[:2]) == [1, 0]  # type: ignore[attr-defined]
    assert run("chain", 2)[0] == 1  # the chip goes on working


def test_failing_orchestration_is_reported_after_its_tasks(run: Run) -> None:
    with pytest.raises(RunError, match="no plan for these sizes"):
        run("failing_orchestration", 0)
    assert run.out[0] == 1  # type: ignore[attr-defined]


def test_every_block_runs_inside_a_core(run: Run, chip: Chip) -> None:
    for _ in range(3):
        out = run("cores", 0)
        assert list(out[:3]) == [chip.cores] * 3
        assert list(out[3:11]) == [1] * 8


def test_python_threads_share_a_chip(chip: Chip, library: Path) -> None:
    outs = [np.zeros(2000, np.int64) for _ in range(4)]

    def work(out: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
        for _ in range(20):
            chip.run(load_entry(library, "independent"), struct.pack("=Qq", out.ctypes.data, 2000))

    threads = [threading.Thread(target=work, args=(out,)) for out in outs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((out == 20).all() for out in outs)


def core_threads() -> set[str]:
    """Ids of this process's core threads; one may vanish while it is looked at."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            if (task / "comm").read_text().startswith("pto-core-"):
                found.add(task.name)
    return found


def eventually(condition: Callable[[], bool]) -> bool:
    """A thread takes its name after it was made, and the system forgets it after it was joined."""
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.001)
    return condition()


def test_close_stops_the_threads() -> None:
    before = core_threads()
    chip = Chip(4)
    assert eventually(lambda: len(core_threads() - before) == 3)
    chip.close()
    assert eventually(lambda: not core_threads() - before)
    with pytest.raises(RunError, match="closed"):
        chip.run(0, b"")


def test_child_of_a_fork_has_chips_of_its_own(library: Path) -> None:
    out = np.zeros(100, np.int64)
    arguments = struct.pack("=Qq", out.ctypes.data, 100)
    entry = load_entry(library, "independent")
    shared_chip(3).run(entry, arguments)
    child = os.fork()
    if child == 0:
        shared_chip(3).run(entry, arguments)
        os._exit(0 if (out == 2).all() else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (out == 1).all()


def test_only_the_entries_are_visible(library: Path) -> None:
    loaded = ctypes.CDLL(str(library))
    assert all(hasattr(loaded, entry) for entry in ENTRIES)
    assert not hasattr(loaded, "_ZN6pto_rt6detail10enter_coreEv")


def test_a_chip_needs_a_core() -> None:
    with pytest.raises(ValueError, match="at least one core"):
        Chip(0)
