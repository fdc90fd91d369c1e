"""Figures of time of a device, each with where it is from: what a model of the device is made of."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and its source: a public page, ``fitted: ROWS`` where it was fitted to measured times, or ``guess: WHY``
    where nobody measured it."""

    value: float
    source: str

    @property
    def guessed(self) -> bool:
        return self.source.startswith("guess")


@dataclass(frozen=True, slots=True)
class VectorFigures:
    """Of one vector instruction: cycles for each 256 bytes of its widest operand, and cycles from the last of them to
    its end, which only what waits for it sees.

    Where rows are worked on one by one, ``row`` are cycles for the first 256 bytes of each, ``repeat`` for each further
    256, and ``step`` what the latter add to ``fixed``, as the instruction waits for its own results between them.
    ``strided``: for each 256 bytes where rows lie further apart than the instruction can step; ``whole``: where the
    shape is one that it works on as a whole.
    """

    repeat: Figure
    fixed: Figure
    row: Figure | None = None
    step: Figure = Figure(0.0, "no waiting")
    strided: Figure | None = None
    whole: Figure | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """Of a chip. Cycles are those of its cores; rates are bytes a cycle.

    Attributes:
        issue: cycles of the scalar unit for each instruction that it hands to a pipe.
        flag: from the end of the work before ``set_flag`` to the start of what waits for it.
        cross_core: the same between the cores of a block, through a fifo or a bare flag.
        barrier: from the end of a pipe's work to its next instruction behind ``pipe_barrier``.
        load: rate of GM → the memory of a location of tiles (``Vec``, ``Mat``), what is read lying in L2.
        store: rate from the memory of a location (``Vec``, ``Acc``) to GM.
        load_latency, store_latency: from the last byte's turn to the end; back to back, transfers hide it.
        settle: from the end of a store of an accumulator to when the next product may overwrite it.
        cold_latency: more for what is not in L2.
        burst: the least cycles of a burst of a transfer.
        hbm, l2: rate of the whole chip; ``l2_bytes``: what L2 holds.
        operand: rate of L1 → ``Left`` and ``Right``; ``operand_issue``: cycles for each instruction that does so.
        products: multiply-adds a cycle by the dtype of the operands; ``matmul_issue``: cycles before the first.
        vector: by name; ``default`` for those not named.
        sort, merge: cycles of TSORT32 for 32 elements, and of TMRGSORT for each pair of value and index.
        scalar_load: cycles of a number that the scalar unit reads from GM; ``scalar_hit``: of one whose line lies in
            its data cache; ``scalar_line``: bytes of such a line.
        launch: cycles of a launch; ``block``: more for each of its blocks; ``task``: of a task that a runtime on the
            chip hands out.
        borrowed: whether the figures are another chip's: good enough to compare tilings, not to tell times.
    """

    issue: Figure
    flag: Figure
    cross_core: Figure
    barrier: Figure
    load: Mapping[str, Figure]
    store: Mapping[str, Figure]
    load_latency: Figure
    store_latency: Mapping[str, Figure]
    settle: Figure
    cold_latency: Figure
    burst: Figure
    hbm: Figure
    l2: Figure
    l2_bytes: Figure
    operand: Mapping[str, Figure]
    operand_issue: Figure
    products: Mapping[str, Figure]
    matmul_issue: Figure
    vector: Mapping[str, VectorFigures]
    sort: Figure
    merge: Figure
    scalar_load: Figure
    scalar_hit: Figure
    scalar_line: Figure
    launch: Figure
    block: Figure
    task: Figure
    borrowed: bool = False
