"""The same work on several specs, in as many processes."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from pyptogen.garbage import seldom_collected
from pyptogen.processors import available_processors

if TYPE_CHECKING:
    from concurrent.futures import Future

MOST_JOBS = 8
"""Specs in work at a time unless said otherwise: goldens of model sizes take a gigabyte each."""
Item = TypeVar("Item")
Result = TypeVar("Result")


def each(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int,
    done: Callable[[Item, float], None] = lambda item, seconds: None,
) -> list[Result]:
    """``work`` of every item, in order. An exception is that of the first item that has one.

    Args:
        work: a function of a module, or a `partial` of one: it goes to the processes by name, and results come back
            pickled.
        items: what to work on.
        jobs: processes; with 1 everything happens in this one. They are forked, so only callers without threads of
            their own may ask for more.
        done: called in this process for each item that is finished, in whatever order they are, with the seconds that
            it took.

    An interrupt (Ctrl-C) ends all processes at once and is raised here.
    """
    jobs = min(jobs, len(items))
    with seldom_collected():
        if jobs <= 1:
            return [_told(_timed(work, item), item, done) for item in items]
        return _forked(work, items, jobs, done)


def _forked(
    work: Callable[[Item], Result], items: Sequence[Item], jobs: int, done: Callable[[Item, float], None]
) -> list[Result]:
    # Loading these takes longer than a build that changes nothing.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), initializer=_leave_interrupts_to_the_parent)
    try:
        futures = [pool.submit(_timed, work, item) for item in items]
        _watch(dict(zip(futures, items, strict=True)), done)
        return [future.result()[0] for future in futures]
    except KeyboardInterrupt:
        for process in set(multiprocessing.active_children()) - others:
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _timed(work: Callable[[Item], Result], item: Item) -> tuple[Result, float]:
    start = time.perf_counter()
    return work(item), time.perf_counter() - start


def _told(timed: tuple[Result, float], item: Item, done: Callable[[Item, float], None]) -> Result:
    done(item, timed[1])
    return timed[0]


def _watch(items: dict[Future[tuple[Result, float]], Item], done: Callable[[Item, float], None]) -> None:
    """Until all are finished, or one of them has raised."""
    from concurrent.futures import FIRST_COMPLETED, wait

    waiting = set(items)
    while waiting:
        finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in finished:
            if future.exception() is not None:
                return
            _told(future.result(), items[future], done)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def usual_jobs() -> int:
    """One a processor, but not more than `MOST_JOBS`."""
    return min(available_processors(), MOST_JOBS)
