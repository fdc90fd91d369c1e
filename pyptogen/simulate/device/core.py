"""The pipes of one core: in program order the scalar unit issues, pipes take what is theirs in order, and wait for
flags. Times are whole cycles, so that a loop whose iterations repeat each other is known to do so, and is not walked
to its end.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from pyptogen.lower.instruction.fifos import period
from pyptogen.lower.platforms.timing import Timing
from pyptogen.simulate.device.program import (
    BARRIER,
    BARRIER_ALL,
    CLAIM,
    FILL,
    FREE,
    LOOP,
    PIPES,
    POP,
    RELEASE,
    RUN,
    SET,
    WAIT,
    Lane,
    Step,
)

MOST_PERIODS = 4
"""Iterations after which a loop may repeat itself: the copies of its buffers."""


@dataclass(slots=True)
class Ring:
    """A fifo between the cores of a block: when each slot was filled, and when words about freed ones came."""

    slots: int
    claimed: int = 0
    filled: list[int] = field(default_factory=list)
    popped: int = 0
    freed: int = 0
    words: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Core:
    """One core. ``free``: when each pipe can take its next instruction; ``done``: when others may rely on what
    it took; ``last``: when that has ended; ``busy``: cycles in which it had something in work."""

    lane: Lane
    cycles: Sequence[tuple[int, int, int]]
    """(hold, latency, settle) of each line of the lane's work."""
    timing: Timing
    rings: dict[str, Ring]
    now: int = 0
    free: list[int] = field(default_factory=lambda: [0] * len(PIPES))
    done: list[int] = field(default_factory=lambda: [0] * len(PIPES))
    last: list[int] = field(default_factory=lambda: [0] * len(PIPES))
    busy: list[int] = field(default_factory=lambda: [0] * len(PIPES))
    tokens: dict[int, int] = field(default_factory=dict)
    walked: int = 0
    """Steps that were walked, not extrapolated."""

    @property
    def end(self) -> int:
        """When all that was issued has ended."""
        return max(self.now, *self.done)

    def run(self) -> Generator[None, None, None]:
        """Goes on until another core has to do something first (a stop of the generator), or to the end."""
        yield from self._steps(self.lane.steps)

    def _steps(self, steps: Sequence[Step]) -> Generator[None, None, None]:
        issue, flag = int(self.timing.issue.value), int(self.timing.flag.value)
        barrier = int(self.timing.barrier.value)
        free, done, last = self.free, self.done, self.last
        busy, tokens, cycles = self.busy, self.tokens, self.cycles
        self.walked += len(steps)
        for step in steps:
            what, pipe = step.what, step.pipe
            if what == RUN:
                hold, latency, settle = cycles[step.at]
                self.now += issue
                start = self.now if self.now > free[pipe] else free[pipe]
                free[pipe] = start + hold
                end, before = start + hold + latency, last[pipe]
                if end > before:
                    busy[pipe] += end - (start if start > before else before)
                    last[pipe] = end
                if end + settle > done[pipe]:
                    done[pipe] = end + settle
                if not pipe:
                    self.now = end
            elif what == SET:
                token = done[pipe] if pipe else self.now
                tokens[step.at] = (token if token > self.now else self.now) + flag
            elif what == WAIT:
                self.now += 1
                token = tokens.get(step.at, 0)
                if not pipe:
                    self.now = max(self.now, token)
                elif token > free[pipe]:
                    free[pipe] = token
            elif what == BARRIER:
                if done[pipe] + barrier > free[pipe]:
                    free[pipe] = done[pipe] + barrier
            elif what == BARRIER_ALL:
                self.now = self.end
            elif what == RELEASE:
                tokens[step.at] = max(free[pipe], self.now) + flag
            elif what == LOOP:
                yield from self._loop(step)
            else:
                yield from self._fifo(step)

    def _fifo(self, step: Step) -> Generator[None, None, None]:
        name = self.lane.fifos[step.at][0]
        ring, over = self.rings[name], int(self.timing.cross_core.value)
        if step.what == CLAIM:
            if ring.claimed >= ring.slots and ring.claimed % period(ring.slots) == 0:
                word = ring.claimed // period(ring.slots) - ring.slots // period(ring.slots)
                while len(ring.words) <= word:
                    yield
                self.now = max(self.now, ring.words[word])
            ring.claimed += 1
        elif step.what == FILL:
            ring.filled.append(max(self.done[step.pipe], self.now) + over)
        elif step.what == POP:
            while len(ring.filled) <= ring.popped:
                yield
            self.now = max(self.now, ring.filled[ring.popped])
            ring.popped += 1
        elif step.what == FREE:
            ring.freed += 1
            if ring.freed % period(ring.slots) == 0:
                ring.words.append(max(self.done[step.pipe], self.now) + over)

    def _loop(self, loop: Step) -> Generator[None, None, None]:
        """All iterations; once the last few repeat those before, the rest at once."""
        left = loop.at
        states = [self._state()]
        repeats = not _has_fifo(loop.body)
        while left:
            yield from self._steps(loop.body)
            left -= 1
            if not repeats or not left:
                continue
            states.append(self._state())
            for back in range(1, min(MOST_PERIODS, len(states) - 1) + 1):
                shift = _shift(states[-1 - back], states[-1], len(PIPES))
                if shift is not None and left >= back:
                    rounds = left // back
                    self._jump(states[-1 - back], states[-1], rounds)
                    left -= rounds * back
                    states = [self._state()]
                    break
            del states[: -MOST_PERIODS - 1]

    def _state(self) -> tuple[int, ...]:
        """Busy cycles, and all times on which the rest depends."""
        times = (self.now, *self.free, *self.done, *self.last)
        return (*self.busy, *times, *(self.tokens[name] for name in sorted(self.tokens)))

    def _jump(self, earlier: tuple[int, ...], later: tuple[int, ...], rounds: int) -> None:
        ahead = [b + (b - a) * rounds for a, b in zip(earlier, later, strict=True)]
        n = len(PIPES)
        self.busy[:] = ahead[:n]
        self.now = ahead[n]
        self.free[:] = ahead[n + 1 : 2 * n + 1]
        self.done[:] = ahead[2 * n + 1 : 3 * n + 1]
        self.last[:] = ahead[3 * n + 1 : 4 * n + 1]
        self.tokens = dict(zip(sorted(self.tokens), ahead[4 * n + 1 :], strict=True))


def _shift(earlier: tuple[int, ...], later: tuple[int, ...], busy: int) -> int | None:
    """By how much all times moved on that moved at all, if that is one number: then they do so again. What did not
    move had no part in it, and has less the later it is."""
    if len(earlier) != len(later):
        return None
    moved = {b - a for a, b in zip(earlier[busy:], later[busy:], strict=True) if a != b}
    return moved.pop() if len(moved) == 1 else None


def _has_fifo(steps: Sequence[Step]) -> bool:
    return any(s.what in (CLAIM, FILL, POP, FREE) or (s.what == LOOP and _has_fifo(s.body)) for s in steps)


def run_block(lanes: Sequence[Lane], cycles: Sequence[Sequence[tuple[int, int, int]]], timing: Timing) -> list[Core]:
    """The cores of one block beside each other, to their ends.

    Raises:
        ValueError: each waits for another (fifos that do not go together).
    """
    rings = {name: Ring(slots) for lane in lanes for name, slots in lane.fifos}
    cores = [Core(lane, c, timing, rings) for lane, c in zip(lanes, cycles, strict=True)]
    running = {n: core.run() for n, core in enumerate(cores)}
    while running:
        before = _progress(rings)
        ended = [n for n, walk in running.items() if next(walk, "end") == "end"]
        for n in ended:
            del running[n]
        if not ended and _progress(rings) == before:
            raise ValueError("the programs of a block wait for each other")
    return cores


def _progress(rings: dict[str, Ring]) -> list[tuple[int, ...]]:
    return [(r.claimed, len(r.filled), r.popped, r.freed, len(r.words)) for r in rings.values()]
