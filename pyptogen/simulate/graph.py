"""Runs a lowered operator on numpy arrays: the executable meaning of the Instruction and Execution levels.

Every launch of every range runs in order, each kernel block by block. Besides the results this finds what a machine
would do wrong silently: bytes read before they are written or after another buffer took them, tiles and windows that
leave what they lie in, races between pipes, kernels that do not wait for what they need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from pyptogen.diagnostics import fault
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.execution.ir import Cut, ExecutionGraph, LaunchPlan
from pyptogen.lower.instruction import side_by_side
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.instruction.replay import Finding, prove
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor.building import layouts
from pyptogen.lower.tensor.ir import DTYPES, PACKED, Program, Value
from pyptogen.lower.tensor.legality import dim_table
from pyptogen.lower.tensor.passes import host_scalars
from pyptogen.lower.tensor.reading import conditions
from pyptogen.numerics.operations import Array
from pyptogen.numpy_dtypes import NUMPY_DTYPES, in_bytes, out_of_bytes
from pyptogen.simulate.bind_dims import bind_dims
from pyptogen.simulate.fault import MachineFault
from pyptogen.simulate.fifos import Fifos, Port
from pyptogen.simulate.gm import GlobalMemory, GmArray
from pyptogen.simulate.kernel import BlockRun
from pyptogen.simulate.memory import Core


def interpret(
    lowered: Lowered, arrays: Mapping[str, Array], attrs: Mapping[str, float | int] | None = None, *, blocks: int = 1
) -> dict[str, Array]:
    """Outputs by contract name, in-place ones as new arrays; the inputs are not changed.

    Args:
        lowered: an operator lowered for a target.
        arrays: every input by name, of the contract's shape and dtype; `nz` weights in their logical shape.
        attrs: run-time scalars; one that is not given has its default.
        blocks: most blocks of a launch, as a chip with so many cores would have.

    Raises:
        DiagnosticError: PTG404 an input or attr is missing, PTG402, PTG403 or PTG405 arrays that do not fit.
        MachineFault: the program does what no machine may do.
    """
    check_order(lowered)
    run = GraphRun(lowered, arrays, attrs or {}, blocks)
    with np.errstate(all="ignore"):
        return run.outputs()


def check_readable(lowered: Lowered) -> None:
    """Raises PTG303 for a stage that is given as C++: nobody but a compiler knows what it does."""
    known = {kernel.name for kernel in lowered.instructions}
    for launch in (launch for plan in lowered.execution.plans for launch in plan):
        if not known.issuperset(launch.kernels):
            raise fault(
                "PTG303",
                f"the kernel `{launch.kernel}` is given as C++ source, which no interpreter runs",
                launch.span,
                expected="stages in the language, or kernels at tile, block or instruction level",
                fix="compile and run the operator",
            )


def check_order(lowered: Lowered) -> None:
    """Prove every kernel that carries flags, and that launches wait for the writers of what they read
    and for the readers of what they overwrite.

    Raises:
        MachineFault: of kind ``order``.
    """
    check_readable(lowered)
    kernels = {k.name: k for k in lowered.instructions}
    if PLATFORMS[lowered.target].flags:
        for kernel in lowered.instructions:
            for finding in prove(kernel):
                raise _order_fault(kernel, finding)
    for cube, vector in side_by_side.pairs(lowered.instructions):
        for text in side_by_side.faults(cube, vector):
            raise MachineFault("order", f"kernels `{cube.name}` and `{vector.name}`: {text}", cube.span)
    for plan in lowered.execution.plans:
        _check_plan(plan, kernels)


def _check_plan(plan: tuple[LaunchPlan, ...], kernels: Mapping[str, InstrKernel]) -> None:
    writers: dict[str, set[str]] = {}
    readers: dict[str, set[str]] = {}
    behind: dict[str, set[str]] = {}
    for launch in plan:
        behind[launch.kernel] = {launch.kernel}.union(*({name} | behind[name] for name in launch.after))
        for tensor in (tensor for name in launch.kernels for tensor in kernels[name].reads):
            for writer in sorted(writers.get(tensor.name, set()) - behind[launch.kernel]):
                what = f"kernel `{launch.kernel}` reads `{tensor.name}` and does not wait for `{writer}`"
                raise MachineFault("order", what, launch.span, memory=f"GM {tensor.name}")
        for tensor in (tensor for name in launch.kernels for tensor in kernels[name].writes):
            for reader in sorted(readers.get(tensor.name, set()) - behind[launch.kernel]):
                what = f"kernel `{launch.kernel}` overwrites `{tensor.name}` and does not wait for `{reader}`"
                raise MachineFault("order", what, launch.span, memory=f"GM {tensor.name}")
            before = writers.get(tensor.name, set()) if launch.condition is not None else set()
            writers[tensor.name] = before | {launch.kernel}
        for tensor in (tensor for name in launch.kernels for tensor in kernels[name].reads):
            readers.setdefault(tensor.name, set()).add(launch.kernel)


def _order_fault(kernel: InstrKernel, finding: Finding) -> MachineFault:
    later = finding.later
    what = f"{finding.kind} in kernel `{kernel.name}`: {finding.text}"
    if later is None:
        return MachineFault("order", what, finding.span)
    region = (*later.writes, *later.reads)[0]
    return MachineFault(
        "order",
        what,
        finding.span,
        instr=later.instr.name,
        memory=region.memory,
        begin=region.start,
        end=region.end,
    )


class GraphRun:
    """One call: its tensors, and its launches in order. A level between is a subclass that runs blocks otherwise.

    ``backwards`` takes the other end of what no dependency orders, so that what relies on an order shows: of launches
    the last one that waits for nobody, of ranges and of the blocks of a launch the last one.
    """

    backwards = False

    shares_bytes = True
    """Whether kernels see bytes where two elements share one."""

    def __init__(
        self, lowered: Lowered, arrays: Mapping[str, Array], attrs: Mapping[str, float | int], blocks: int
    ) -> None:
        self._program, self._graph = lowered.program, lowered.execution
        self._kernels = {k.name: k for k in lowered.instructions}
        self._blocks = blocks
        self._target = lowered.target
        self._core = Core(PLATFORMS[lowered.target])
        given = {value.name: _input(value, arrays) for value in self._program.inputs}
        self._dims = dim_table(self._program)
        self._sizes = bind_dims(self._program, self._dims, given)
        self._env = {symbol.name: int(size) for symbol, size in self._sizes.items()}
        self.scalars = _scalars(self._program, attrs, self._env)
        read = {v.name: given[v.name].reshape(-1)[0].item() for v in conditions.inputs_read(self._program)}
        self._known = {**self._env, **self.scalars, **read}
        self.memory = GlobalMemory(self._tensors(given, lowered.target))

    def _tensors(self, given: Mapping[str, Array], target: str) -> dict[str, GmArray]:
        """Every tensor: inputs copied, `nz` ones packed as the platform has them; outputs and workspaces empty."""
        result: dict[str, GmArray] = {}
        for value in self._program.inputs:
            flat = _with_gaps(value, self.physical(value.layout, given[value.name], target))
            result[value.name] = GmArray(self._as_bytes(np.array(flat).reshape(-1), value.dtype))
        for name, value in self._program.outputs:
            if name not in self._program.inplace:
                result[name] = self._empty(value.dtype, self._elements(name, value))
        for name, words in self._program.halves.items():
            result[words] = result[name].in_words()
        for space in self._graph.workspaces:
            result[space.name] = self._empty(space.dtype, space.elements.evaluate(self._env))
        return result

    def _packed(self, dtype: str) -> bool:
        return self.shares_bytes and dtype in PACKED

    def _empty(self, dtype: str, size: int) -> GmArray:
        """Memory for so many elements; a bool is a byte."""
        if self._packed(dtype):
            return GmArray.empty("uint8", size // 2)
        return GmArray.empty("uint8" if dtype == "bool" else dtype, size)

    def _as_bytes(self, array: Array, dtype: str) -> Array:
        if self._packed(dtype):
            return in_bytes(array)
        return array.view(np.uint8) if array.dtype == np.bool_ else array

    def physical(self, layout: str, array: Array, target: str) -> Array:
        """An input as kernels see it."""
        from pyptogen.layout.packing import pack

        if layout == "dn":
            return np.ascontiguousarray(np.swapaxes(array, -1, -2))
        return pack(array, target=target).data if layout == "nz" else array

    def run_block(self, name: str, env: dict[str, int], block: int, blocks: int, fifos: Port | None = None) -> None:
        """One block of one launch of kernel ``name``; of a program of a mixed kernel with the fifos of the block."""
        core = self._core if fifos is None else Core(PLATFORMS[self._target])
        memory = self.memory if fifos is None else self.memory.of_core()
        BlockRun(self._kernels[name], core, memory, env, self.scalars, block, blocks, fifos).run()

    def run_launch(self, launch: LaunchPlan, env: dict[str, int], block: int, blocks: int) -> None:
        """One block of a launch: its kernel, or its two programs side by side, that of the vector cores on each."""
        if not launch.programs:
            self.run_block(launch.kernel, env, block, blocks)
            return
        programs = [self._kernels[name] for name in launch.kernels]
        cores = [(p, n) for p in programs for n in range(2 if p.subblock else 1)]
        fifos = Fifos(programs[0].fifos, len(cores) - 1)
        fifos.run(
            [
                partial(
                    self.run_block, p.name, env | ({p.subblock: n} if p.subblock else {}), block, blocks, Port(fifos, n)
                )
                for p, n in cores
            ]
        )

    def _shape(self, shape: tuple[Any, ...]) -> tuple[int, ...]:
        return tuple(int(self._dims.resolve(size).xreplace(self._sizes)) for size in shape)

    def in_fractals(self, name: str) -> bool:
        """Whether an output lies in fractals, as kernels of this level see it."""
        return name in self._program.laid_out and self._program.laid_out[name].layout == "nz"

    def _places(self, name: str, value: Value) -> Array:
        """Where each element of an output lies in its memory, counted in elements; of the output's shape."""
        from pyptogen.layout.packing import places_of_all

        shape = self._shape(value.shape)
        if self.in_fractals(name):
            return places_of_all(shape, DTYPES[value.dtype], self._target)
        steps = self._shape(layouts.steps(self._program.laid_out[name])) if name in self._program.laid_out else ()
        steps = steps or tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))
        places = np.zeros(shape, np.int64)
        for axis, step in enumerate(steps):
            places += (np.arange(shape[axis]) * step).reshape(-1, *(1,) * (len(shape) - 1 - axis))
        return places

    def _elements(self, name: str, value: Value) -> int:
        """Elements of the memory of an output, with what lies between those that count."""
        from pyptogen.layout.packing import packed_size

        if self.in_fractals(name):
            return int(packed_size(self._shape(value.shape), NUMPY_DTYPES[value.dtype].itemsize, self._target))
        return int(self._places(name, value).max(initial=-1)) + 1

    def outputs(self) -> dict[str, Array]:
        """Run all launch ranges."""
        launches = self._graph.plans[chosen_cut(self._graph, self._env).plan]
        ranges = list(enumerate(launch_ranges(self._graph, self._env), 1))
        for number, (begin, end) in reversed(ranges) if self.backwards else ranges:
            self.memory.launch_range = number
            for launch in _late(launches) if self.backwards else launches:
                self._launch(launch, begin, end)
        result = {}
        for name, value in self._program.outputs:
            array = self.memory.arrays[self._program.inplace.get(name, name)]
            places, dtype = self._places(name, value), NUMPY_DTYPES[value.dtype]
            packed = self._packed(value.dtype)
            if array.written is not None:
                halves = self.memory.arrays[self._program.halves.get(name, name)].written
                written = np.repeat(array.written, 2) if packed else array.written
                if name in self._program.halves and halves is not None:
                    written = halves.reshape(-1, 2).min(axis=1)
                self._check_written(name, value, written, written[places])
            elements = out_of_bytes(array.elements, dtype) if packed else array.elements.view(dtype)
            result[name] = elements[places]
        return result

    @staticmethod
    def _check_written(name: str, value: Value, memory: Array, elements: Array) -> None:
        """All elements of an output, and nothing between its rows."""
        if not elements.all():
            what = f"output `{name}` has elements that no kernel writes, the first is {int(np.argmin(elements))}"
            raise MachineFault("unwritten", what, value.span, memory=f"GM {name}")
        if np.count_nonzero(memory) != elements.size:
            what = f"a kernel writes between the rows of output `{name}`"
            raise MachineFault("bounds", what, value.span, memory=f"GM {name}")

    def _launch(self, launch: LaunchPlan, begin: int, end: int) -> None:
        if not launch.may_run(self._known):
            return
        env = dict(self._env)
        kernel = self._kernels[launch.kernels[0]]
        if kernel.launch_dim is not None:
            env |= {f"{kernel.launch_dim}_begin": begin, f"{kernel.launch_dim}_end": end}
        blocks = 1
        if launch.tiles is not None:
            blocks = min(launch.tiles.blocks(env), self._blocks, self._graph.cores or self._blocks)
        for block in reversed(range(blocks)) if self.backwards else range(blocks):
            self.run_launch(launch, env, block, blocks)


def _late(launches: Sequence[LaunchPlan]) -> list[LaunchPlan]:
    """The launches of a range in the order that takes the last one that waits for none of the others."""
    left, order = list(launches), list[LaunchPlan]()
    while left:
        waiting = {launch.kernel for launch in left}
        order.append(next(launch for launch in reversed(left) if not waiting & set(launch.after)))
        left.remove(order[-1])
    return order


def chosen_cut(graph: ExecutionGraph, dims: Mapping[str, int]) -> Cut:
    """The first cut whose conditions hold for these dims."""
    return next(c for c in graph.cuts if all(_holds(dims[name], op, value) for name, op, value in c.when))


def launch_ranges(graph: ExecutionGraph, dims: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """Ranges of the launch dim of one call, in order; one range that nothing uses where no dim is cut."""
    if graph.launch_dim is None:
        yield 0, 1
        return
    size = dims[graph.launch_dim]
    cut = chosen_cut(graph, dims)
    begin = 0
    for step in cut.sizes or (size,):
        while size - begin >= step:
            yield begin, begin + step
            begin += step


def _seen(memory: Array, shape: tuple[int, ...], steps: tuple[int, ...]) -> Array:
    """The elements of a tensor in its memory, which has no more than from its first to its last."""
    bytes_: Array = memory.view(np.uint8)
    seen: Array = np.ndarray(shape, memory.dtype, bytes_, 0, [step * memory.itemsize for step in steps])
    return seen


def _with_gaps(value: Any, array: Array) -> Array:
    """The memory of an array from its first element to its last."""
    if not value.strides or not array.size:
        return array
    steps = [step // array.itemsize for step in array.strides]
    memory = np.zeros(1 + sum((n - 1) * step for n, step in zip(array.shape, steps, strict=True)), array.dtype)
    _seen(memory, array.shape, tuple(steps))[...] = array
    return memory


def _holds(left: int, op: str, right: int) -> bool:
    return {
        "==": left == right,
        "!=": left != right,
        "<=": left <= right,
        "<": left < right,
        ">=": left >= right,
        ">": left > right,
    }[op]


def _input(value: Any, arrays: Mapping[str, Array]) -> Array:
    if value.name not in arrays:
        raise fault("PTG404", f"the input `{value.name}` is not given", value.span)
    array = np.asarray(arrays[value.name])
    if array.dtype != NUMPY_DTYPES[value.dtype]:
        raise fault("PTG403", f"`{value.name}` is {array.dtype}", value.span, expected=value.dtype)
    return array


def _scalars(program: Program, attrs: Mapping[str, float | int], sizes: Mapping[str, int]) -> dict[str, float | int]:
    """Attrs as kernels get them: rounded to their dtype, those that are computed from others once, at the end."""
    exact: dict[str, float | int] = {}
    result: dict[str, float | int] = {}
    for attr in program.attrs:
        value = attrs.get(attr.name, attr.default)
        if attr.definition is not None:
            value = host_scalars.value_of(attr, {**sizes, **exact})
        if value is None:
            raise fault("PTG404", f"the attr `{attr.name}` is not given and has no default", attr.span)
        exact[attr.name] = value
        number = float if attr.dtype.startswith(("fp", "bf")) else int
        result[attr.name] = number(NUMPY_DTYPES[attr.dtype].type(value))
    return result
