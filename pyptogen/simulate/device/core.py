"""The pipes of one core: in program order the scalar unit issues, pipes take what is theirs in order, and wait for
flags. Times are whole cycles, so that a loop whose iterations repeat each other is known to do so, and is not walked
to its end.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
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
    InstrStream,
    Step,
)

MOST_PERIODS = 4
"""Iterations after which a loop may repeat itself: the copies of its buffers."""


@dataclass(slots=True)
class FifoState:
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

    stream: InstrStream
    cycles: Sequence[tuple[int, int, int]]
    """(hold, latency, settle) of each line of the stream's work."""
    timing: Timing
    fifos: dict[str, FifoState]
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
        yield from self._steps(self.stream.steps)

    def _steps(self, steps: Sequence[Step]) -> Generator[None, None, None]:
        issue, flag = int(self.timing.issue.value), int(self.timing.flag.value)
        barrier = int(self.timing.barrier.value)
        free, done, last = self.free, self.done, self.last
        busy, tokens, cycles, now = self.busy, self.tokens, self.cycles, self.now
        self.walked += len(steps)
        for step in steps:
            what, pipe, at, _ = step
            if what == RUN:
                hold, latency, settle = cycles[at]
                now += issue
                start = now if now > free[pipe] else free[pipe]
                free[pipe] = start + hold
                end, before = start + hold + latency, last[pipe]
                if end > before:
                    busy[pipe] += end - (start if start > before else before)
                    last[pipe] = end
                if end + settle > done[pipe]:
                    done[pipe] = end + settle
                if not pipe:
                    now = end
            elif what == SET:
                token = done[pipe] if pipe else now
                tokens[at] = (token if token > now else now) + flag
            elif what == WAIT:
                now += 1
                token = tokens.get(at, 0)
                if not pipe:
                    now = max(now, token)
                elif token > free[pipe]:
                    free[pipe] = token
            elif what == BARRIER:
                if done[pipe] + barrier > free[pipe]:
                    free[pipe] = done[pipe] + barrier
            elif what == BARRIER_ALL:
                now = max(now, *done)
            elif what == RELEASE:
                tokens[at] = max(free[pipe], now) + flag
            else:
                self.now = now
                yield from self._loop(step) if what == LOOP else self._fifo(step)
                now = self.now
        self.now = now

    def _fifo(self, step: Step) -> Generator[None, None, None]:
        name = self.stream.fifos[step.at][0]
        fifo, over = self.fifos[name], int(self.timing.cross_core.value)
        if step.what == CLAIM:
            if fifo.claimed >= fifo.slots and fifo.claimed % period(fifo.slots) == 0:
                word = fifo.claimed // period(fifo.slots) - fifo.slots // period(fifo.slots)
                while len(fifo.words) <= word:
                    yield
                self.now = max(self.now, fifo.words[word])
            fifo.claimed += 1
        elif step.what == FILL:
            fifo.filled.append(max(self.done[step.pipe], self.now) + over)
        elif step.what == POP:
            while len(fifo.filled) <= fifo.popped:
                yield
            self.now = max(self.now, fifo.filled[fifo.popped])
            fifo.popped += 1
        elif step.what == FREE:
            fifo.freed += 1
            if fifo.freed % period(fifo.slots) == 0:
                fifo.words.append(max(self.done[step.pipe], self.now) + over)

    def _loop(self, loop: Step) -> Generator[None, None, None]:
        """All iterations; once the last few did what those before did, the rest at once."""
        left = loop.at
        states = [self._state()]
        inputs: list[int] | None = None if _has_fifo(loop.body) else []
        while left:
            yield from self._steps(loop.body)
            left -= 1
            if inputs is None or not left:
                continue
            states.append(self._state())
            for back in range(1, min(MOST_PERIODS, (len(states) - 1) // 2) + 1):
                if left < back or not _same_step(states, back):
                    continue
                inputs = inputs or inputs_of(loop.body, sorted(self.tokens))
                if not _settled(states[-1 - back], states[-1], inputs):
                    continue
                times = left // back
                self._jump(states[-1 - back], states[-1], times)
                left -= times * back
                states = [self._state()]
                break
            del states[: -2 * MOST_PERIODS - 1]

    def _state(self) -> tuple[int, ...]:
        """Busy cycles, and all times on which the rest depends."""
        times = (self.now, *self.free, *self.done, *self.last)
        return (*self.busy, *times, *(self.tokens[name] for name in sorted(self.tokens)))

    def _jump(self, earlier: tuple[int, ...], later: tuple[int, ...], times: int) -> None:
        ahead = [b + (b - a) * times for a, b in zip(earlier, later, strict=True)]
        n = len(PIPES)
        self.busy[:] = ahead[:n]
        self.now = ahead[n]
        self.free[:] = ahead[n + 1 : 2 * n + 1]
        self.done[:] = ahead[2 * n + 1 : 3 * n + 1]
        self.last[:] = ahead[3 * n + 1 : 4 * n + 1]
        self.tokens.update(zip(sorted(self.tokens), ahead[4 * n + 1 :], strict=True))


def _same_step(states: Sequence[tuple[int, ...]], back: int) -> bool:
    """Whether the last ``back`` iterations moved everything on as far as those before them."""
    first, second, third = states[-1 - 2 * back], states[-1 - back], states[-1]
    return len(first) == len(third) and all(b - a == c - b for a, b, c in zip(first, second, third, strict=True))


def _settled(earlier: tuple[int, ...], later: tuple[int, ...], inputs: Sequence[int]) -> bool:
    """Whether iterations that have moved everything on alike twice will do so for ever. A time is the latest of sums of
    times before. One that moves on less each time cannot have been the latest of those of one that moves on more, and
    falls further behind; one that moves on more may become it: so no time may hang on such a one."""
    n = len(PIPES)
    moved = [b - a for a, b in zip(earlier[n:], later[n:], strict=True)]
    more = {own: sum(1 << at for at, other in enumerate(moved) if other > own) for own in set(moved)}
    return not any(mask & more[own] for own, mask in zip(moved, inputs, strict=True))


def inputs_of(body: Sequence[Step], tokens: Sequence[int]) -> list[int]:
    """For each time of a core behind an iteration, in the order of its state, the times before on which it hangs, as
    bits."""
    n = len(PIPES)
    place = {token: 1 + 3 * n + at for at, token in enumerate(tokens)}
    masks = [1 << at for at in range(1 + 3 * n + len(tokens))]
    _spread(body, masks, place)
    return masks


def _spread(steps: Sequence[Step], masks: list[int], place: Mapping[int, int]) -> None:
    n = len(PIPES)
    for step in steps:
        free, done, last = 1 + step.pipe, 1 + n + step.pipe, 1 + 2 * n + step.pipe
        if step.what == RUN:
            masks[free] |= masks[0]
            masks[last] |= masks[free]
            masks[done] |= masks[last]
            masks[0] |= 0 if step.pipe else masks[last]
        elif step.what in (SET, RELEASE):
            masks[place[step.at]] = masks[0] | masks[done if step.what == SET else free]
        elif step.what == WAIT:
            masks[free if step.pipe else 0] |= masks[place[step.at]] if step.at in place else 0
        elif step.what == BARRIER:
            masks[free] |= masks[done]
        elif step.what == BARRIER_ALL:
            for at in range(1 + n, 1 + 2 * n):
                masks[0] |= masks[at]
        elif step.what == LOOP:
            before: list[int] = []
            while before != masks:
                before = list(masks)
                _spread(step.body, masks, place)


def _has_fifo(steps: Sequence[Step]) -> bool:
    return any(s.what in (CLAIM, FILL, POP, FREE) or (s.what == LOOP and _has_fifo(s.body)) for s in steps)


def run_block(
    streams: Sequence[InstrStream], cycles: Sequence[Sequence[tuple[int, int, int]]], timing: Timing
) -> list[Core]:
    """The cores of one block beside each other, to their ends.

    Raises:
        ValueError: each waits for another (fifos that do not go together).
    """
    fifos = {name: FifoState(slots) for stream in streams for name, slots in stream.fifos}
    cores = [Core(stream, c, timing, fifos) for stream, c in zip(streams, cycles, strict=True)]
    running = {n: core.run() for n, core in enumerate(cores)}
    while running:
        before = _progress(fifos)
        ended = [n for n, walk in running.items() if next(walk, "end") == "end"]
        for n in ended:
            del running[n]
        if not ended and _progress(fifos) == before:
            raise ValueError("the programs of a block wait for each other")
    return cores


def _progress(fifos: dict[str, FifoState]) -> list[tuple[int, ...]]:
    return [(r.claimed, len(r.filled), r.popped, r.freed, len(r.words)) for r in fifos.values()]
