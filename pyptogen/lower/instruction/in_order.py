"""Whether a kernel is in order: the replay's answer as yes or no, many times as fast.

`replay` says what is wrong and with whom; placing flags mostly asks whether anything is, for every order that may be
left out and every trip count. Then it is enough to know when each access happened last: `KernelEffects.met` lists the
accesses that one conflicts with, and a walk compares their times with what the pipe knows. Nothing is kept of
iterations and places. `is_in_order` and a `Replay` that finds nothing are the same (tested).

Times are only compared, so what an iteration does hangs on their order alone. Iterations are long where loops stand in
them: of such it is remembered what state (`_Walk.state`) follows which, and one that begins as another one did, in this
walk or an earlier one, is not walked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from pyptogen.lower.instruction.effects import KernelEffects
from pyptogen.lower.instruction.handover import Handover, UnitFlags, at_end
from pyptogen.lower.instruction.ir import Barrier, Choose, For, Instr, InstrKernel, Node, SetFlag, WaitFlag
from pyptogen.lower.instruction.trips import Counted, Trips

_FIXED, _ROTATING, _LOOP, _SET, _WAIT, _BARRIER = range(6)
_ALL = -1
_FLAGS = (SetFlag, WaitFlag)
_Step = tuple[Any, ...]
"""What to do, and what with: of a loop its `_Body`, of an instruction the number of its access, or itself and the
counters that its access depends on, of a flag its pair of pipes, event and counter."""
_LONG = 100
"""Steps of an iteration from which on it pays to look whether it is known, which takes as long as twenty or so."""
_State = tuple[Any, ...]


class _Body:
    """A loop with the steps of its body. ``inner``: the loops among them; ``known``: by what an iteration hangs on, the
    state in which it ends, of those that found nothing; ``ends``: of how many loops, this one and those around, it
    matters to an iteration whether they are in their last one."""

    def __init__(self, loop: For, steps: list[_Step]) -> None:
        self.counted, self.steps = Counted.of(loop), steps
        self.inner: list[_Body] = [step[1] for step in steps if step[0] == _LOOP]
        self.once = [body.counted.loop for body in self.inner if body.counted.loop.once]
        self.known: dict[_State, _State] = {}
        self.ends = _ends(loop)

    def is_long(self, trips: Trips, depth: int) -> bool:
        """Whether an iteration with ``depth`` loops around has `_LONG` steps."""
        return self._length(trips, depth) >= _LONG

    def _length(self, trips: Trips, depth: int) -> int:
        return len(self.steps) + sum(
            body._length(trips, depth) if body.counted.loop.once else
            (body.counted.work(trips, depth) + body.counted.distance) * body._length(trips, depth + 1)
            for body in self.inner
        )  # fmt: skip


def is_in_order(kernel: InstrKernel, trips: Trips, effects: KernelEffects) -> bool:
    """Whether a walk with so many iterations finds nothing; it ends at the first finding. ``effects``: of the kernel,
    or of one with the same instructions and other flags."""
    return all_in_order(kernel, (trips,), effects)


def all_in_order(kernel: InstrKernel, walks: Iterable[Trips], effects: KernelEffects) -> bool:
    """`is_in_order` of many walks, up to the first that finds something."""
    return first_finding(kernel, walks, effects) is None


def first_finding(kernel: InstrKernel, walks: Iterable[Trips], effects: KernelEffects) -> Trips | None:
    """The first of many walks that finds something."""
    pipes = dict(effects.pipes)
    slots = effects.slots
    steps = _steps(kernel.body, effects, pipes, slots)
    return next((trips for trips in walks if not _Walk(effects, trips, len(pipes), dict(slots)).run(steps)), None)


def _steps(
    nodes: Sequence[Node], effects: KernelEffects, pipes: dict[str, int], slots: Mapping[str, int]
) -> list[_Step]:
    steps: list[_Step] = []
    for node in nodes:
        if isinstance(node, Instr):
            steps.append(effects.steps.get(id(node)) or _access(node, effects, slots))
        elif isinstance(node, _FLAGS):
            src, dst = pipes.setdefault(node.src, len(pipes)), pipes.setdefault(node.dst, len(pipes))
            steps.append((_SET if isinstance(node, SetFlag) else _WAIT, src, dst, node.event, node.slot))
        elif isinstance(node, For):
            steps.append((_LOOP, _Body(node, _steps(node.body, effects, pipes, slots))))
        elif isinstance(node, Choose):
            steps.append(_access(node.other, effects, slots))
        elif isinstance(node, Barrier) and (node.pipe == "ALL" or node.pipe in effects.pipes):
            steps.append((_BARRIER, _ALL if node.pipe == "ALL" else pipes[node.pipe]))
    return steps


def _access(instr: Instr, effects: KernelEffects, slots: Mapping[str, int]) -> _Step:
    """The step of an instruction: the same for all flags that are tried around it."""
    step = effects.steps.get(id(instr))
    if step is None:
        names = effects.counters(instr, slots)
        if names:
            step = (_ROTATING, instr, names, {})
        else:
            number = effects.of(instr, slots).number
            step = (_FIXED, number, effects.met[number])
        effects.steps[id(instr)] = step
    return step


class _Walk:
    """One walk: as `Replay`, but for what it keeps."""

    def __init__(self, effects: KernelEffects, trips: Trips, pipes: int, slots: dict[str, int]) -> None:
        self.effects, self.trips, self.slots = effects, trips, slots
        self.clock = 0
        self.known = [[0] * pipes for _ in range(pipes)]
        """By pipe the latest time of every pipe that it is known to come after."""
        self.progress, self.barriers = [0] * pipes, [0] * pipes
        self.latest = [0] * pipes
        """By pipe the time of its latest access."""
        self.last = [0] * len(effects.met)
        """By access its latest time."""
        self.recent: list[set[int]] = [set() for _ in range(pipes)]
        """By pipe the accesses behind its last barrier, of those that may not run beside another one of it."""
        self.tokens: dict[tuple[int, int, int], list[int]] = {}
        self.last_wait: dict[tuple[int, int, int], int] = {}
        self.lying: dict[Any, Any] = {}
        self.handed = UnitFlags()
        self.ends: list[bool] = []
        """Of the loops around, whether they are in their last iterations."""
        self.long: dict[_Body, bool] = {}
        """Whether the iterations of a loop are long in this walk."""

    def run(self, steps: Sequence[_Step]) -> bool:
        """Whether nothing is found, and no flag is left over."""
        return self._body(steps, ("", 0, 1), 0) and not self.tokens and not self.handed.set

    def _loop(self, body: _Body, around: tuple[str, int, int], depth: int) -> bool:
        """The iterations of a loop in iteration ``around`` of the one around it; False ends the walk."""
        loop, trips = body.counted.loop, body.counted.iterations(self.trips, depth, around)
        if not trips:
            return True
        inside = depth + (not loop.once)
        long = self.long.get(body)
        if long is None:
            long = self.long[body] = body.is_long(self.trips, inside)
        if long:
            return self._known_loop(body, trips, inside)
        for n in range(trips):
            self.ends.append(n == trips - 1)
            if not self._body(body.steps, body.counted.turn(n, trips), inside):
                return False
            self.ends.pop()
            if loop.slot is not None:
                self.slots[loop.slot] = (self.slots[loop.slot] + 1) % loop.slots
        return True

    def _known_loop(self, body: _Body, trips: int, depth: int) -> bool:
        """The same of a loop with long iterations: those that are known are not walked."""
        loop, known, counts = body.counted.loop, body.known, self.trips.counts
        rest = counts[min(depth, len(counts) - 1) :], self.trips.early, self.trips.single
        state, walked = self.state(), True
        for n in range(trips):
            turn = body.counted.turn(n, trips)
            self.ends.append(n == trips - 1)
            ends = self.ends[-body.ends :] if body.ends else ()
            hangs_on = (*rest, *[once.runs(*turn) for once in body.once], *ends, *state)
            after = known.get(hangs_on)
            if after is None:
                if not walked:
                    self._go_on(state)
                if not self._body(body.steps, turn, depth):
                    return False
                if loop.slot is not None:
                    self.slots[loop.slot] = (self.slots[loop.slot] + 1) % loop.slots
                after = known[hangs_on] = self.state()
                walked = True
            else:
                walked = False
            self.ends.pop()
            state = after
        if not walked:
            self._go_on(state)
        return True

    def _body(self, steps: Sequence[_Step], turn: tuple[str, int, int], depth: int) -> bool:
        """One iteration of a body; False ends the walk. One method for all steps: calls are what it would spend its
        time on."""
        known, latest, last, slots, met = self.known, self.latest, self.last, self.slots, self.effects.met
        clock, recent = self.clock, self.recent
        for step in steps:
            what = step[0]
            if what == _LOOP:
                self.clock = clock
                if not self._loop(step[1], turn, depth):
                    return False
                clock = self.clock
                continue
            clock += 1
            if what < _LOOP:
                if what == _FIXED:
                    _, number, (me, others, own, cube) = step
                else:
                    _, instr, names, numbers = step
                    key = slots[names[0]] if len(names) == 1 else tuple([slots[name] for name in names])
                    number = numbers.get(key, -1)
                    if number < 0:
                        number = numbers[key] = self.effects.of(instr, slots).number
                        last += [0] * (len(met) - len(last))
                    me, others, own, cube = met[number]
                knows = known[me]
                for at, numbers in others.items():
                    behind = knows[at]
                    if latest[at] > behind:
                        for other in numbers:
                            if last[other] > behind:
                                return False
                if own:
                    behind, since = max(knows[me], self.barriers[me]), recent[me]
                    if latest[me] > behind:
                        for other in since:
                            if last[other] > behind and other in own:
                                return False
                    since.add(number)
                if cube is not None and not self._cube(*cube):
                    return False
                self.progress[me] = latest[me] = last[number] = clock
            elif what == _SET:
                _, src, dst, event, slot = step
                key = (src, dst, event if slot is None else event + slots[slot])
                knows = known[src]
                if key in self.tokens or self.last_wait.get(key, 0) > knows[dst]:
                    return False
                token = self.tokens[key] = knows.copy()
                token[src] = self.progress[src]
            elif what == _WAIT:
                _, src, dst, event, slot = step
                key = (src, dst, event if slot is None else event + slots[slot])
                if key not in self.tokens:
                    return False
                knows = known[dst]
                for at, time in enumerate(self.tokens.pop(key)):
                    if time > knows[at]:
                        knows[at] = time
                self.last_wait[key] = self.progress[dst] = clock
            elif step[1] == _ALL:
                known[:] = [list(map(max, knows, self.progress)) for knows in known]
                self.barriers[:] = [clock] * len(known)
                for since in recent:
                    since.clear()
            else:
                self.barriers[step[1]] = clock
                recent[step[1]].clear()
        self.clock = clock
        return True

    # -- what an iteration hangs on -----------------------------------------------------------------------------------

    def state(self) -> _State:
        """All on which the rest of a walk hangs: of times their order. Two walks in the same state go on alike."""
        tokens, waits = sorted(self.tokens), sorted(self.last_wait)
        times = [0, *self.progress, *self.barriers, *self.latest]
        for knows in self.known:
            times += knows
        times += self.last
        times += [self.last_wait[key] for key in waits]
        for key in tokens:
            times += self.tokens[key]
        order = {time: place for place, time in enumerate(sorted(set(times)))}
        return (
            tuple([order[time] for time in times]),
            tuple(self.slots.values()),
            tuple(tokens),
            tuple(waits),
            tuple([frozenset(since) for since in self.recent]),
            frozenset(self.lying.items()),
            frozenset(self.handed.set),
        )

    def _go_on(self, state: _State) -> None:
        """Be in a state, with other times in the same order."""
        times, slots, tokens, waits, recent, lying, handed = state
        pipes, left = len(self.known), iter(times[1:])

        def some(number: int) -> list[int]:
            return list(islice(left, number))

        self.clock = max(times)
        self.progress[:], self.barriers[:], self.latest[:] = some(pipes), some(pipes), some(pipes)
        self.known[:] = [some(pipes) for _ in range(pipes)]
        self.last[:] = some(len(times) - 1 - (3 + pipes + len(tokens)) * pipes - len(waits))
        self.last_wait = dict(zip(waits, some(len(waits)), strict=True))
        self.tokens = {key: some(pipes) for key in tokens}
        self.slots.update(zip(self.slots, slots, strict=True))
        self.recent[:] = map(set, recent)
        self.lying = dict(lying)
        self.handed.set = set(handed)

    def _cube(self, takes: Sequence[Any], leaves: Sequence[Any], handover: Handover | None) -> bool:
        """Whether fractals of L0 lie where an instruction takes them to be, and unit flags are as it waits for them."""
        lying = self.lying
        for place, apart in takes:
            if place in lying and not lying[place].agrees(apart):
                return False
        lying.update(leaves)
        return handover is None or self.handed.wrong(handover, at_end(handover.loops, self.ends)) is None


def _ends(loop: For) -> int:
    """`_Body.ends` of a loop."""
    found = 0
    for node in loop.body:
        if isinstance(node, For):
            found = max(found, _ends(node) - 1)
        elif isinstance(node, Instr | Choose):
            instr = node if isinstance(node, Instr) else node.other
            found = max(found, instr.phase.loops if instr.phase is not None else 0)
    return found
