"""The same work on several specs, in as many processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

MOST_JOBS = 8
"""Specs in work at a time unless said otherwise: goldens of model sizes take a gigabyte each."""
Item = TypeVar("Item")
Result = TypeVar("Result")


def each(work: Callable[[Item], Result], items: Sequence[Item], jobs: int) -> list[Result]:
    """``work`` of every item, in order. An exception is that of the first item that has one.

    Args:
        work: a function of a module, or a `partial` of one: it goes to the processes by name, and results come back
            pickled.
        items: what to work on.
        jobs: processes; with 1 everything happens in this one. They are forked, so only callers without threads of
            their own may ask for more.
    """
    jobs = min(jobs, len(items))
    if jobs <= 1:
        return [work(item) for item in items]
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        return list(pool.map(work, items))


def usual_jobs() -> int:
    """One a processor, but not more than `MOST_JOBS`."""
    from pyptogen.runtime.toolchain.build import available_processors

    return min(available_processors(), MOST_JOBS)
