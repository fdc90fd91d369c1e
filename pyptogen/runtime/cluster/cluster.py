"""Level cluster: the programs of level host on a Ray cluster (extra ``pyptogen[ray]``).

A chip is an actor, and a tensor is an object of Ray's store. Ray moves tensors between nodes when a task needs
them elsewhere, shares them without a copy inside a node, and starts an actor anew when it dies. Everybody who
can reach a Ray cluster can run code on it: Ray itself trusts all its processes. Start it on addresses that
only such people reach; without ``address`` this runtime starts one on the loopback address.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import did_you_mean, fault
from pyptogen.layout.arrays import as_array
from pyptogen.layout.packing import PackedWeight
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.runtime.cluster.chip import ClusterChip, Watch, to_wire
from pyptogen.runtime.cluster.handles import ClusterTask, ClusterTensor, Content, RemoteTask, Waiter
from pyptogen.runtime.faults import RuntimeClosed
from pyptogen.runtime.host.kernels import Call, NativeKernel, PythonKernel, by_name
from pyptogen.runtime.host.orchestration import Program, RunHandle
from pyptogen.runtime.host.python_kernels import wire_name
from pyptogen.runtime.host.wire import NATIVE, PYTHON
from pyptogen.runtime.operator.package import CompiledPackage

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

_START_SECONDS = 60.0


class ClusterRuntime:
    """Chips on the nodes of a Ray cluster.

    ``devices`` are the chips' numbers, spread over the nodes in turn; ``threads`` the cores of each (and the
    CPUs that Ray sets aside for it); ``address`` the cluster (None: the one that this process is connected to,
    else a new one on this machine). Raises ``ModuleNotFoundError`` without Ray, and ``TimeoutError`` when the
    cluster has no room for the chips.
    """

    def __init__(
        self,
        *,
        platform: str = "cpu",
        devices: Sequence[int] = (0,),
        address: str | None = None,
        threads: int = 1,
        start_seconds: float = _START_SECONDS,
    ) -> None:
        if find_spec("ray") is None:
            raise ModuleNotFoundError("level cluster needs Ray: pip install 'pyptogen[ray]'")
        import ray

        self.platform = platform
        self.chips = tuple(devices)
        self.dispatcher: Any = Waiter()
        self._ours = not ray.is_initialized()
        self._programs: dict[str, Program] = {}
        self._functions: dict[Any, PythonKernel] = {}
        self._definitions: dict[Any, tuple[str, Any]] = {}
        self._runs: list[RunHandle] = []
        self._open: list[RemoteTask] = []
        self._turn = 0
        self._numbers = itertools.count(1)
        if self._ours:
            _connect(ray, address, len(self.chips) * threads)
        self._group = ray.util.placement_group([{"CPU": threads}] * len(self.chips), strategy="SPREAD")
        if not self._group.wait(start_seconds):
            ray.util.remove_placement_group(self._group)
            raise TimeoutError(f"the cluster has no room for {len(self.chips)} chips with {threads} CPUs each")
        self._watch: Any = ray.remote(Watch).options(num_cpus=0, max_restarts=-1, max_task_retries=-1).remote()
        actor = ray.remote(ClusterChip)
        self._actors: dict[int, Any] = {}
        for place, chip in enumerate(self.chips):
            strategy = ray.util.scheduling_strategies.PlacementGroupSchedulingStrategy(self._group, place)
            options = actor.options(num_cpus=threads, max_restarts=-1, scheduling_strategy=strategy)
            self._actors[chip] = options.remote(chip, threads, self._watch)

    def register(
        self,
        name: str,
        package: Any = None,
        *,
        orch: Callable[..., Any] | None = None,
        kernels: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a program known, as at level host. Modules of Python kernels must be importable on all nodes."""
        if (package is None) == (orch is None):
            raise TypeError("register(name, operator) or register(name, orch=…, kernels={…})")
        given = dict(kernels or {}) if package is None else {name: package}
        self._programs[name] = Program(
            name, orch, {kernel: self.kernel(kernel, what) for kernel, what in given.items()}
        )

    def kernel(self, name: str, what: Any) -> NativeKernel | PythonKernel:
        """The kernel for an operator, a package or a Python function."""
        if callable(what) and hasattr(what, "__qualname__"):
            return self._functions.setdefault(what, PythonKernel(0, name, what))
        return NativeKernel(0, name, CompiledPackage.of(what))

    def program(self, name: str) -> Program:
        """A registered program. Raises PTG404."""
        if name not in self._programs:
            known = sorted(self._programs)
            raise fault("PTG404", f"no program `{name}` is registered", None, fix=did_you_mean(name, known))
        return self._programs[name]

    def submit(
        self, name: str, args: Any = None, *, chip: int | None = None, retries: int = 0, timeout: float | None = None
    ) -> ClusterTask | RunHandle:
        """Start a program, as at level host."""
        self._check()
        program = self.program(name)
        if program.orch is None:
            (kernel,) = program.kernels.values()
            return self.start(kernel, by_name(kernel.names(), name, args), chip=chip, retries=retries, timeout=timeout)
        run = RunHandle(self, program, args)  # type: ignore[arg-type]
        self._runs = [other for other in self._runs if not other.done()]
        self._runs.append(run)
        run.start()
        return run

    def run(self, name: str, args: Any = None, **options: Any) -> Any:
        """Run a program and wait: its result."""
        return self.submit(name, args, **options).result()

    def start(
        self,
        kernel: NativeKernel | PythonKernel,
        args: Mapping[str, Any],
        *,
        chip: int | None = None,
        retries: int = 0,
        timeout: float | None = None,
        after: Sequence[Any] = (),
    ) -> ClusterTask:
        """Submit one task. ``timeout`` counts from when it begins, as at level host. ``retries``: how often it is begun
        again when its worker ends while it runs; waiting for a worker that is started anew does not count."""
        self._check()
        if chip is None:
            chip = self.chips[self._turn % len(self.chips)]
            self._turn += 1
        if chip not in self._actors:
            raise fault("PTG404", f"there is no chip {chip}", None, expected=f"one of {list(self.chips)}")
        if isinstance(kernel, NativeKernel):
            call = Call(NATIVE, b"", [], {}, tuple)
            uses, scalars = _native_uses(self, kernel, args, chip, call)
        else:
            call = Call(PYTHON, b"", [], {}, tuple)
            uses, scalars = _python_uses(self, kernel, args, chip, call)
        number = next(self._numbers)
        sent = {
            "named": [use.described() for use in uses], "scalars": scalars, "number": number, "timeout": timeout,
            "attempts": retries + 1 if retries else None,
        }  # fmt: skip
        contents = [use.tensor.content() for use in uses if use.given]
        written = [use.tensor.cell for use in uses if use.writes]
        if len(set(map(id, written))) < len(written):
            raise TypeError(f"`{kernel.name}` writes two parts of one tensor; at level cluster that takes two tasks")
        # Ray counts every time that a task does not reach its actor, also while the actor is started anew; the actor
        # counts the times that the task begins.
        method = self._actors[chip].run.options(num_returns=len(written) + 1, max_task_retries=-1 if retries else 0)
        references = method.remote(self._definition(kernel), sent, *contents, *(task.status for task in after))
        *made, status = references if written else [references]
        task = RemoteTask(number, kernel.name, chip, status, timeout, self._watch)
        handle = ClusterTask(task, call.outputs, call.given, call.copies, call.make)  # type: ignore[arg-type]
        for cell, reference in zip(written, made, strict=True):
            cell.reference, cell.maker = reference, task
        self._open = [other for other in self._open if len(self._open) < 256 or not other.finished]
        self._open.append(task)
        return handle

    def empty(self, shape: Sequence[int], dtype: Any, *, chip: int | None = None) -> ClusterTensor:
        """A tensor that a task will write."""
        kind = NUMPY_DTYPES.get(dtype) if isinstance(dtype, str) else None
        extent = tuple(int(n) for n in shape)
        return ClusterTensor(extent, kind or np.dtype(dtype), chip, Content(math.prod(extent)))

    def tensor(self, value: Any, *, chip: int | None = None) -> ClusterTensor:
        """An array or a packed weight in the object store of this node."""
        import ray

        self._check()
        array = self.array("value", value)
        if isinstance(array, PackedWeight):
            layout, data = f"{array.layout}:{array.target}", array.data
            content = Content(data.size, ray.put(to_wire(data)))
            return ClusterTensor(array.shape, array.dtype, chip, content, layout=layout, nbytes=data.nbytes)
        return ClusterTensor(array.shape, array.dtype, chip, Content(array.size, ray.put(to_wire(array))))

    def array(self, name: str, value: Any) -> npt.NDArray[Any] | PackedWeight:
        """An array as numpy sees it, without a copy. Raises PTG403."""
        return value if isinstance(value, PackedWeight) else as_array(name, value)

    def adopt(self, array: npt.NDArray[Any]) -> None:
        """No array lies in the object store for writing."""
        return

    def nodes(self) -> dict[int, tuple[str, int]]:
        """The Ray node and the process of each chip."""
        import ray

        found: list[tuple[str, int]] = ray.get([actor.where.remote() for actor in self._actors.values()])
        return dict(zip(self._actors, found, strict=True))

    def close(self) -> None:
        """Wait for what was submitted, then end the actors, and Ray if this runtime has started it."""
        try:
            if not self.dispatcher.closed:
                for run in self._runs:
                    run.wait()
                for task in self._open:
                    task.wait(None)
        finally:
            self.abort()

    def abort(self) -> None:
        """End the actors at once."""
        import ray

        if self.dispatcher.closed:
            return
        self.dispatcher.closed = True
        for actor in self._actors.values():
            ray.kill(actor)
        ray.kill(self._watch)
        ray.util.remove_placement_group(self._group)
        if self._ours:
            ray.shutdown()

    def _definition(self, kernel: NativeKernel | PythonKernel) -> tuple[str, Any]:
        """The key under which actors remember a kernel, and its definition in the object store."""
        import ray

        found = self._definitions.get(kernel)
        if found is None:
            definition = dict(kernel.definition)
            if isinstance(kernel, NativeKernel):
                definition["library"] = kernel.package.library.read_bytes()
                definition["key"] = key = hashlib.sha256(definition["library"]).hexdigest()
                key += kernel.package.symbol
            elif definition["file"] is not None:
                raise TypeError(f"`{kernel.name}` is in the main script; nodes import kernels from modules")
            else:
                key = f"{definition['module']}:{definition['function']}"
            found = self._definitions[kernel] = (key, ray.put(definition))
        return found

    def _check(self) -> None:
        if self.dispatcher.closed:
            raise RuntimeClosed("the runtime is closed")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()


def _connect(ray: Any, address: str | None, processors: int) -> None:
    """Join a cluster, or start one that listens on the loopback address only."""
    if address is not None:
        ray.init(address=address, log_to_driver=False)
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(
        address="local", num_cpus=processors, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1"
    )


@dataclass(frozen=True, slots=True)
class _Use:
    """A tensor of a task, under the name by which a Python kernel gets it."""

    name: str
    tensor: ClusterTensor
    reads: bool
    writes: bool

    @property
    def given(self) -> bool:
        """Whether the actor needs the content: to read it, or to write a part and keep the rest."""
        return self.reads or (self.tensor.span is not None and self.tensor.cell.reference is not None)

    def described(self) -> tuple[str, dict[str, Any]]:
        """What the actor is told."""
        tensor = self.tensor
        return self.name, {
            "dtype": wire_name(tensor.dtype),
            "shape": tensor.shape if tensor.layout == "nd" else None,
            "span": tensor.span,
            "size": tensor.cell.size,
            "given": self.given,
            "writes": self.writes,
        }


_Uses = tuple[list[_Use], Any]


def _native_uses(memory: Any, kernel: NativeKernel, args: Mapping[str, Any], chip: int, call: Call) -> _Uses:
    """The tensors of an operator's call in the order of its slots, and the packed rest of them."""
    bound = kernel.bind(memory, args, chip, call)
    contract = kernel.contract
    call.make = kernel.make
    inputs: Any = zip(contract.inputs, bound.inputs, strict=True)
    fresh: Any = zip(kernel.fresh, bound.fresh, strict=True)
    uses = [_Use(tensor.name, handle, True, tensor.name in kernel.updated) for tensor, handle in inputs]
    uses += [_Use(tensor.name, handle, False, True) for (_, tensor), handle in fresh]
    letters = "q" * len(contract.dims) + "".join("d" if attr.is_float else "q" for attr in contract.attrs)
    return uses, struct.pack(f"={letters}", *bound.scalars)


def _python_uses(memory: Any, kernel: PythonKernel, args: Mapping[str, Any], chip: int, call: Call) -> _Uses:
    """The tensors of a function's call, and its scalars by name."""
    uses: list[_Use] = []
    scalars: dict[str, Any] = {}
    for name, value in kernel.bind(memory, args, chip, call).items():
        if isinstance(value, tuple):
            arg, tensor = value
            uses.append(_Use(name, tensor, arg.reads, arg.writes))
        else:
            scalars[name] = value
    return uses, scalars
