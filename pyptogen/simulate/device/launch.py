"""A launch on a chip: its blocks on cores, and what they share.

Blocks of a launch do the same work, so one of them is walked, and the others take as long. What they share are rates:
of L2 and of HBM. A transfer of data that nobody has read before takes its part of HBM among all cores that load; and
where all blocks together would move more than a rate allows in the time they take, transfers become slower until they
do not. So a launch is never faster than its bytes, and transfers that are hidden behind other work stay hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from pyptogen.lower.isa.cost import Price
from pyptogen.lower.platforms.timing import Timing
from pyptogen.records import dataclass
from pyptogen.simulate.device.core import Core, run_block
from pyptogen.simulate.device.program import PIPES, InstrStream

ROUNDS = 8
"""Walks in which the slowdown of transfers is found."""
CLOSE = 0.002


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch.

    Attributes:
        streams: the programs of a block.
        blocks: how many there are; they run on ``cores`` cores at a time, as many of each kind as the streams take.
        unique: bytes of each tensor that the launch accesses, however often; of those not named all that is moved.
        reuse: bytes that all blocks access between two reads of the same byte of a tensor; of those not named all that
            the launch reads more than once.
        resident: tensors that lie in L2 before, or never leave it.
        results: tensors that the call returns.
        even: what blocks do on average, of what the streams say: some have less to do than the one that is walked.
    """

    streams: tuple[InstrStream, ...]
    blocks: int
    cores: int
    unique: Mapping[str, float] = field(default_factory=dict)
    reuse: Mapping[str, float] = field(default_factory=dict)
    resident: frozenset[str] = frozenset()
    results: frozenset[str] = frozenset()
    even: float = 1.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What a launch takes.

    Attributes:
        cycles: from the start of its first block to the end of its last.
        busy: by pipe (``cube.M``), part of the time in which it has work, on a core that runs a block.
        bound: what holds it up.
        moved, cold: bytes between GM and cores, and of these with HBM.
        tensors: bytes moved by tensor.
        products: multiply-adds.
        waves: how often each core takes a block.
        walked: steps of the programs that were walked to find out.
    """

    cycles: float
    busy: Mapping[str, float]
    bound: str
    moved: float
    cold: float
    products: int
    waves: int
    walked: int = 0
    tensors: Mapping[str, float] = field(default_factory=dict)


def cost(launch: Launch, timing: Timing) -> Cost:
    """What a launch takes.

    Raises:
        ValueError: its streams wait for each other.
    """
    active = min(launch.blocks, launch.cores) * launch.even
    waves = -(-launch.blocks // max(1, launch.cores))
    moved = _moved(launch)
    cold = _cold(launch, moved, timing)
    share = {name: min(1.0, cold.get(name, 0.0) / total) for name, total in moved.items() if total}
    total, misses = sum(moved.values()), sum(cold.values())
    floor = max(total / timing.l2.value, misses / timing.hbm.value) / waves
    slow, cores, low = 1.0, list[Core](), 1.0
    high = 0.0
    for _ in range(ROUNDS):
        cycles = [_cycles(stream, share, active, slow, timing) for stream in launch.streams]
        cores = run_block(launch.streams, cycles, timing)
        length = float(max(core.end for core in cores))
        if length >= floor * (1 - CLOSE) and (slow == 1.0 or length <= floor * (1 + CLOSE)):
            break
        if length < floor:
            low = slow
            slow = slow * max(1.01, floor / max(1, length)) if not high else (slow + high) / 2
        else:
            high = slow
            slow = (low + slow) / 2
    length = max(floor, *(float(core.end) for core in cores))
    cycles_all = waves * length + timing.block.value * launch.blocks
    busy = _busy(launch.streams, cores, waves, cycles_all)
    products = sum(
        stream.copies * n * work.price.products
        for stream in launch.streams
        for work, n in zip(stream.work, stream.counts, strict=True)
    )
    products = round(launch.blocks * products * launch.even)
    bound = _bound(busy, floor * waves / cycles_all, misses / timing.hbm.value >= total / timing.l2.value)
    return Cost(cycles_all, busy, bound, total, misses, products, waves, sum(core.walked for core in cores), moved)


def _moved(launch: Launch) -> dict[str, float]:
    """Bytes of each tensor that all blocks move."""
    found: dict[str, float] = {}
    for stream in launch.streams:
        for work, n in zip(stream.work, stream.counts, strict=True):
            if work.price.moved:
                more = work.price.moved * n * stream.copies * launch.blocks * launch.even
                found[work.tensor] = found.get(work.tensor, 0.0) + more
    return found


def _cold(launch: Launch, moved: Mapping[str, float], timing: Timing) -> dict[str, float]:
    """Bytes of each tensor that are not in L2 when they are asked for: those that are read, once; of what is read again
    the part that has been driven out. What is written stays there for who reads it next, but for results of the call:
    those have to leave."""
    unique = {name: min(total, launch.unique.get(name, total)) for name, total in moved.items()}
    read = {w.tensor for stream in launch.streams for w in stream.work if w.price.moved and not w.price.writes}
    again = sum(once for name, once in unique.items() if name in read and moved[name] > once)
    found = {}
    for name in read:
        distance = launch.reuse.get(name, again)
        lost = max(0.0, 1.0 - timing.l2_bytes.value / distance) if distance else 0.0
        first = 0.0 if name in launch.resident else unique[name]
        found[name] = first + (moved[name] - unique[name]) * lost
    return found | {name: unique[name] for name in unique if name in launch.results and name not in found}


def _cycles(
    stream: InstrStream, share: Mapping[str, float], active: float, slow: float, timing: Timing
) -> list[tuple[int, int, int]]:
    """Hold, latency and settling of each line of work, as the launch has it."""
    return [_shared(w.price, share.get(w.tensor, 0.0), active * stream.copies, slow, timing) for w in stream.work]


def _shared(price: Price, share: float, cores: float, slow: float, timing: Timing) -> tuple[int, int, int]:
    if not price.moved or price.writes:
        return round(price.hold * (slow if price.moved else 1.0)), round(price.latency), round(price.settle)
    cold = share * max(0.0, price.moved * cores / timing.hbm.value - price.hold)
    return round((price.hold + cold) * slow), round(price.latency + share * timing.cold_latency.value), 0


def _busy(streams: Sequence[InstrStream], cores: Sequence[Core], waves: int, cycles: float) -> dict[str, float]:
    return {
        f"{stream.kind}.{pipe}": waves * core.busy[n] / cycles
        for stream, core in zip(streams, cores, strict=True)
        for n, pipe in enumerate(PIPES)
        if core.busy[n]
    }


def _bound(busy: Mapping[str, float], shared: float, hbm: bool) -> str:
    """The rate that all share, or the busiest pipe; where neither has work most of the time, waiting."""
    if shared > 0.9:
        return "HBM" if hbm else "L2"
    if not busy:
        return "launch"
    pipe, most = max(busy.items(), key=lambda item: item[1])
    return pipe if most >= 0.7 else "waiting"
