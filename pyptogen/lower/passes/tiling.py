"""How the kernels of one operator are tiled: what the passes of the Tile level share, for every table that is tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from math import inf

from pyptogen.lower.block import memory, plan
from pyptogen.lower.execution.build import parallel_tiles
from pyptogen.lower.hand.lowering import ByHand
from pyptogen.lower.instruction import select, synchronise, unit_flags
from pyptogen.lower.instruction.duration import duration, gain_of_copies, nominal_length
from pyptogen.lower.instruction.estimate import nominal_dims
from pyptogen.lower.instruction.ir import For, InstrKernel, walk
from pyptogen.lower.instruction.known_flags import KnownFlags
from pyptogen.lower.launch_cost import LaunchCost, blocks_of, compared_sizes, with_bounds
from pyptogen.lower.passes.made import Made
from pyptogen.lower.passes.state import Described, Known, Programs
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refusal, TwoKernels, asked, unsupported
from pyptogen.lower.tensor.ir import PRODUCTS, SCAN, Op, Program, Value
from pyptogen.lower.tile.cutting import cut
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.tensors import gm_tensors
from pyptogen.lower.tile.ir import GmTensor, TileKernel
from pyptogen.lower.tile.kernels import gathers, merged_axes, moves, orders, updates
from pyptogen.lower.tile.kernels.kernel_view import KernelView
from pyptogen.lower.tile.kernels.standalone import longest_rows
from pyptogen.lower.tile.loops.reduction_loops import REDUCTIONS, dividable
from pyptogen.lower.tile.sizes import choose, sizes
from pyptogen.lower.tile.sizes.first_guesses import in_pieces
from pyptogen.lower.tile.sizes.variants import Part, Table
from pyptogen.records import dataclass, replace

VIEW_OF = {
    **dict.fromkeys(REDUCTIONS | SCAN, merged_axes.run),
    **dict.fromkeys(orders.ORDERS, orders.run),
    **dict.fromkeys(moves.MOVES, moves.run),
    **dict.fromkeys(gathers.GATHERS, gathers.run),
    **dict.fromkeys(updates.SCATTERS, updates.run),
}
"""By the standalone operation that a kernel is made around, how it sees its values."""
CLEARLY = 1.3
"""How much slower than the best way is not looked at closely: the quick estimate is no bound."""
CLEARLY_OF_LOOPS = 1.7
"""The same where rows are taken in pieces: it takes loads, work and stores of single buffers one after the other, where
loops in turn leave more room than that (1.45 times as long for whole rows of 8192 that just fit)."""


MORE_COPIES = (4, 3)
"""Copies of rotating buffers where two leave a kernel waiting: as many as fit, but where the next less are clearly
better. So they are where more only fit with results in the place of operands: then loads wait for stores."""
WORTH_COPIES = 0.97
"""What share of a launch's time they have to leave at most: they take memory, flags, and lines of the kernel."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """A table that was tried, the kernel that was cut by it, and what passes made of that."""

    table: Table
    kernel: TileKernel
    made: Made


@dataclass(frozen=True, slots=True)
class Tiling:
    """``parts`` are the kernels that are tiled; ``finish`` is what the passes after that make of one."""

    program: Program
    platform: Platform
    parts: tuple[Part, ...]
    tensors: Mapping[str, GmTensor]
    gm_names: Mapping[str, str]
    axes: Axes
    """One for all tables that are tried: it remembers what sizes come to."""
    own: Mapping[str, KernelView]
    """The kernels around standalone operations, by name: no row is about them, and each sees its values in a way of its
    own."""
    launch_dim: str | None
    """The dim of which launches get ranges."""
    by_hand: ByHand
    finish: Callable[[TileKernel, Made], Programs]
    launch_cost: LaunchCost | None = None
    """What tells how long mixed kernels take; without it they are compared by their slower program."""
    chosen: list[tuple[Described, Table]] | None = None
    """Sizes that were chosen before, with what `_described` says of a kernel: other ways to lower the same operator
    have most of its kernels in common. None where there is one way."""
    flags: KnownFlags = field(default_factory=KnownFlags)
    """Those that were planned for tables that were tried."""
    best: dict[str, _Trial] = field(default_factory=dict)
    """By kernel, the trial that was fastest."""
    compared: dict[str, Mapping[str, int]] = field(default_factory=dict)
    """By kernel, the sizes at which its tables are compared: those that suit the first one."""

    @staticmethod
    def of(
        program: Program,
        platform: Platform,
        parts: Sequence[Part],
        is_standalone: Callable[[Op], bool],
        finish: Callable[[TileKernel, Made], Programs],
        launch_cost: LaunchCost | None = None,
        known: Known | None = None,
    ) -> Tiling:
        """Raises DiagnosticError PTG1xx to PTG3xx for what kernels by hand say."""
        tensors, gm_names = gm_tensors(program, [part.ops for part in parts])
        by_hand = ByHand.read(program, parts, tensors, gm_names, platform)

        tiled = [part for part in parts if part.ops.name not in by_hand.finished]
        around = {part.ops.name: _standalone(part, is_standalone) for part in tiled}
        launch_dim = cut.launch_dim_of(program, [part.ops for part in tiled if around[part.ops.name] is None])
        own: dict[str, KernelView] = {}
        for number, part in enumerate(tiled):
            op = around[part.ops.name]
            if op is None:
                continue
            builder = KernelBuilder(program, part.ops, {}, tensors, gm_names, platform, Axes(program))
            own[part.ops.name] = view = VIEW_OF[op.kind](builder)
            tiled[number] = replace(part, ops=view.ops, sizes={stage: {} for stage in part.sizes})
        common = (tensors, gm_names, Axes(program), own, launch_dim, by_hand, finish)
        if known is None:
            return Tiling(program, platform, tuple(tiled), *common, launch_cost)
        return Tiling(program, platform, tuple(tiled), *common, launch_cost, known.tables, known.flags)

    def kernel(self, part: Part, table: Table) -> TileKernel:
        """A kernel with the tiles of a table. Raises DiagnosticError PTG302, PTG303, PTG304."""
        if part.ops.name in self.by_hand.tiles:
            return replace(self.by_hand.tiles[part.ops.name], depths=part.depths)
        common = (self.tensors, self.gm_names, self.platform)
        view = self._view(part)
        launch_dim = self._launch_dim(part)
        kernel = cut.run(
            view.program, part.ops, table, *common, view.axes, part.longest, launch_dim, view.nests, view.views
        )
        return replace(kernel, depths=part.depths, slots=part.ops.slots, vector_cores=part.ops.vector_cores)

    def taken(self, part: Part, table: Table) -> TileKernel:
        """A kernel with the tiles of the table that is taken: mostly one that was cut when it was tried."""
        best = self.best.get(part.ops.name)
        return best.kernel if best is not None and best.table == table else self.kernel(part, table)

    def made(self, tables: Mapping[str, Table]) -> Made:
        """What passes made of the kernels with these tables, as far as they were tried."""
        found = Made()
        for name, best in self.best.items():
            if best.table == tables.get(name):
                found.add(best.made)
        return found

    def table(self, part: Part) -> Table:
        """The sizes that a row names, and those that the compiler chooses where it names none."""
        if part.ops.by_hand:
            return part.sizes
        if self.chosen is None:
            return self._found(part)
        described = self._described(part)
        table = next((table for other, table in self.chosen if other == described), None)
        if table is None:
            table = self._found(part)
            self.chosen.append((described, table))
        return table

    def _view(self, part: Part) -> KernelView:
        """How a kernel sees its values."""
        return self.own.get(part.ops.name, KernelView(self.program, part.ops, self.axes))

    def _launch_dim(self, part: Part) -> str | None:
        """The dim of which launches of a kernel get ranges: one that moves elements has a part where that dim leads
        its result; a reduction goes over all."""
        if part.ops.name not in self.own:
            return self.launch_dim
        return self.launch_dim if part.longest and self.own[part.ops.name].leading == self.launch_dim else None

    def _found(self, part: Part) -> Table:
        """The sizes of a kernel.

        Raises:
            Refused: there are none. What helps a kernel around a reduction of rows or a scan, if nothing else does, is
                that this is a kernel of its own.
        """
        table = asked(self._choice, part)
        if not isinstance(table, Refusal):
            return table
        if table.remedy is None:
            axes = self._view(part).axes
            of_rows = {one.dim for one in dividable(part.ops.ops, axes) if one.rows and one.reduced}
            around = next((op for op in part.ops.ops if of_rows & _reduced(op, axes)), None)
            around = around or _scan(part)
            if around is not None and len(part.ops.ops) > 1:
                table = table.helped_by(TwoKernels(around.result.name, around.result.name))
        raise table.error()

    def _described(self, part: Part) -> Described:
        """All of a kernel that its tiles hang on. Not as text, nor by a hash: kernels differ in their first operation
        mostly, so that comparing them takes less than going through them."""
        ops = part.ops
        names = {operand.name for op in ops.ops for operand in (*op.operands, op.result) if isinstance(operand, Value)}
        in_gm = [self.tensors[self.gm_names[name]] for name in sorted(names & self.gm_names.keys())]
        loops = [loop for loop in self.program.loops if any(op.loop == loop.name for op in ops.ops)]
        of_kernel = ops.ops, loops, ops.core, ops.writes, ops.slots, ops.vector_cores
        return of_kernel, part.sizes, part.longest, part.depths, self.launch_dim, in_gm

    def _choice(self, part: Part) -> Table:
        best = inf
        view = self._view(part)
        modelled = bool(in_pieces(part.ops.ops, view.axes, self.platform))

        def cost(table: Table) -> float | None:
            nonlocal best
            trial = _Trial(table, self.kernel(part, table), Made())
            programs = self.finish(trial.kernel, trial.made)
            if self.platform.timing is None:
                found = 0.0 if all(plan.fits(one, self.platform) for one in programs) else None
            else:
                rows = part.longest or nominal_length(trial.kernel, self._most(trial.kernel))
                found = self.slowest(programs, rows, best, trial.made, modelled)
            if found is not None and (found < best or self.platform.timing is None):
                best, self.best[part.ops.name] = found, trial
            return found

        table = choose.run(view.program, part.ops, part.sizes, self.platform, part.row, cost, view.first)
        taken = self.best.get(part.ops.name)
        if taken is None or taken.table != table:
            self._require_room(part, table)
        return table

    def _require_room(self, part: Part, table: Table) -> None:
        """Raises Refused, PTG303: the kernel does not fit, and has a reduction whose rows may go in pieces."""
        longest = longest_rows(part.ops.ops, self._view(part).axes)
        if longest is not None and not self.fits(self.kernel(part, table)):
            error = unsupported(longest.span, f"whole rows of `{longest.result.name}`", "take smaller tiles")
            raise error.helped_by(TwoKernels(longest.result.name, longest.result.name))

    def _most(self, kernel: TileKernel) -> int:
        return self.program.dim(kernel.launch_dim).max if kernel.launch_dim else 1

    def fits(self, kernel: TileKernel) -> bool:
        """Whether all programs of a kernel fit the memories."""
        return all(plan.fits(program, self.platform) for program in self.finish(kernel, Made()))

    def slowest(self, programs: Programs, rows: int, best: float, made: Made, modelled: bool = False) -> float | None:
        """Cycles of a kernel, None where a program does not fit its core. Of a kernel with one program that is what its
        pipes take (`duration`). Two programs wait for each other, and where rows are reduced in pieces one loop
        follows another (``modelled``), which only ``launch_cost`` knows of: it is asked where the slower program alone
        is not clearly slower than ``best``."""
        selected = self._selected(programs, made)
        if selected is None:
            return None
        if not (modelled or len(selected) > 1) or self.launch_cost is None:
            return self._slower(selected, rows, nominal_dims(self.program.dims))
        sizes = self._compared(programs, selected, rows)
        least = self._slower(selected, sizes.get(programs[0].launch_dim or "", rows), sizes)
        if least >= (CLEARLY_OF_LOOPS if modelled else CLEARLY) * best:
            return least
        return self._launch(programs, selected, sizes)

    def _selected(self, programs: Programs, made: Made) -> list[InstrKernel] | None:
        """The programs as instructions; None where one does not fit its core."""
        selected: list[InstrKernel] = []
        for program in programs:
            _, found = made.of("memory", (program,), partial(plan.run, program, self.platform))
            if isinstance(found, memory.Overflow):
                return None
            instructions = select.run(found, self.program, self.platform)
            selected.append(unit_flags.run(instructions) if self.platform.unit_flags else instructions)
        return selected

    def _compared(self, programs: Programs, selected: Sequence[InstrKernel], rows: int) -> Mapping[str, int]:
        """The sizes at which ways to lower a kernel are compared."""
        name, launch_dim = programs[0].name, programs[0].launch_dim
        if name not in self.compared:
            lengths = nominal_dims(self.program.dims)
            whole = lengths if launch_dim is None else {**lengths, launch_dim: rows}
            cores = self.platform.cube_cores if selected[0].core == "cube" else self.platform.vector_cores
            self.compared[name] = compared_sizes(selected, cores, whole)
        return self.compared[name]

    def _launch(self, programs: Programs, selected: Sequence[InstrKernel], sizes: Mapping[str, int]) -> float:
        """Cycles of a launch, as the model of the device has them."""
        assert self.launch_cost is not None
        numbers = with_bounds(sizes, programs[0].launch_dim)
        blocks = blocks_of(parallel_tiles(programs[0].body), selected[0].core, self.platform, numbers)
        flagged = [synchronise.planned(one, self.flags) for one in selected]
        return self.launch_cost(flagged, self.platform, blocks, numbers)

    def _slower(self, kernels: Sequence[InstrKernel], rows: int, lengths: Mapping[str, int]) -> float:
        return max(duration(one, self.platform, rows, lengths) or 0.0 for one in kernels)

    def with_copies(self, programs: Programs, made: Made) -> Programs:
        """The programs of a kernel with as many copies of their rotating buffers as make launches clearly faster: two,
        but where transfers take longer to arrive or to settle than iterations take. An author's numbers stay."""
        if self.launch_cost is None or any(program.depths for program in programs):
            return programs
        selected = self._selected(programs, made)
        if selected is None or not any(map(_rotates, selected)):
            return programs
        longest = max(program.longest for program in programs)
        sizes = self._compared(programs, selected, longest or nominal_length(programs[0], self._most(programs[0])))
        rows = sizes.get(programs[0].launch_dim or "", 1)
        gains = (gain_of_copies(one, self.platform, rows, sizes, MORE_COPIES[0]) for one in selected)
        if max(gains) < 1 - WORTH_COPIES:
            return programs
        best, taken = WORTH_COPIES * self._launch(programs, selected, sizes), programs
        for copies in MORE_COPIES:
            deeper = tuple(replace(one, depths=tuple((stage, copies) for stage in one.stages)) for one in programs)
            found = self._selected(deeper, made)
            if found is None:
                continue
            cost = self._launch(deeper, found, sizes)
            if cost < best:
                best, taken = WORTH_COPIES * cost, deeper
        return taken

    def resized(self, tables: Mapping[str, Table]) -> Callable[[str, str, int], TileKernel]:
        """What gives a program by its name, with another tile for one dim."""

        def program(name: str, dim: str, tile: int) -> TileKernel:
            part = next(p for p in self.parts if p.ops.name in (name, name.rpartition("_")[0]))
            table = sizes.resized(tables[part.ops.name], dim, tile, part.row)
            programs = self.finish(self.kernel(part, table), Made())
            return next((p for p in programs if p.name == name), programs[0])

        return program


def _scan(part: Part) -> Op | None:
    """The first scan of a kernel, outside of loops."""
    return next((op for op in part.ops.ops if op.kind in SCAN and not op.loop), None)


def _standalone(part: Part, is_standalone: Callable[[Op], bool]) -> Op | None:
    """The operation that a kernel is made around, if its loops are not those of elementwise work: a scan or an order
    may have such work behind it, all others are last."""
    last = part.ops.ops[-1]
    around = next((op for op in part.ops.ops if op.kind in SCAN | orders.ORDERS and not op.loop), None)
    return around or (last if last.kind not in PRODUCTS and is_standalone(last) else None)


def _reduced(op: Op, axes: Axes) -> set[str | None]:
    """The dims of the axis that an operation reduces."""
    (*_, source) = (value for value in (op.result, *op.operands) if isinstance(value, Value))
    return {f.dim for f in axes.axes(source.shape)[int(op.attrs["axis"])]} if op.kind in REDUCTIONS else set()


def _rotates(kernel: InstrKernel) -> bool:
    """Whether a kernel has buffers with copies."""
    return any(isinstance(node, For) and node.slot is not None for node in walk(kernel.body))
