"""Level cluster: the programs of level host on a Ray cluster (extra ``pyptogen[ray]``).

A chip is an actor, and a tensor is an object of Ray's store. Ray moves tensors between nodes when a task needs
them elsewhere, shares them without a copy inside a node, and starts an actor anew when it dies. Everybody who
can reach a Ray cluster can run code on it: Ray itself trusts all its processes. Start it on addresses that
only such people reach; without ``address`` this runtime starts one on the loopback address.
"""

from __future__ import annotations

import hashlib
import os
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import did_you_mean, fault
from pyptogen.runtime.arguments import as_array
from pyptogen.runtime.cluster_chip import ClusterChip, to_wire
from pyptogen.runtime.cluster_handles import ClusterTask, ClusterTensor, RemoteTask, Waiter
from pyptogen.runtime.dtypes import NUMPY_DTYPES
from pyptogen.runtime.faults import RuntimeClosed
from pyptogen.runtime.host_kernels import Call, NativeKernel, PythonKernel, by_name
from pyptogen.runtime.orchestration import Program, RunHandle
from pyptogen.runtime.package import CompiledPackage
from pyptogen.runtime.packing import PackedWeight
from pyptogen.runtime.python_kernels import wire_name
from pyptogen.runtime.wire import NATIVE, PYTHON

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
        if self._ours:
            _connect(ray, address, len(self.chips) * threads)
        self._group = ray.util.placement_group([{"CPU": threads}] * len(self.chips), strategy="SPREAD")
        if not self._group.wait(start_seconds):
            ray.util.remove_placement_group(self._group)
            raise TimeoutError(f"the cluster has no room for {len(self.chips)} chips with {threads} CPUs each")
        actor = ray.remote(ClusterChip)
        self._actors: dict[int, Any] = {}
        for place, chip in enumerate(self.chips):
            strategy = ray.util.scheduling_strategies.PlacementGroupSchedulingStrategy(self._group, place)
            options = actor.options(num_cpus=threads, max_restarts=-1, scheduling_strategy=strategy)
            self._actors[chip] = options.remote(chip, threads)

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
        """Submit one task. ``timeout`` counts from now: time in the chip's queue is part of it."""
        self._check()
        if chip is None:
            chip = self.chips[self._turn % len(self.chips)]
            self._turn += 1
        if chip not in self._actors:
            raise fault("PTG404", f"there is no chip {chip}", None, expected=f"one of {list(self.chips)}")
        if isinstance(kernel, NativeKernel):
            call = Call(NATIVE, b"", [], {}, tuple)
            sent, inputs, written = _native_call(self, kernel, args, chip, call)
        else:
            call = Call(PYTHON, b"", [], {}, tuple)
            sent, inputs, written = _python_call(self, kernel, args, chip, call)
        contents = [tensor.content() for tensor in inputs]
        method = self._actors[chip].run.options(num_returns=len(written) + 1, max_task_retries=retries)
        references = method.remote(self._definition(kernel), sent, *contents, *(task.status for task in after))
        *made, status = references if written else [references]
        task = RemoteTask(kernel.name, chip, status)
        handle = ClusterTask(task, call.outputs, call.given, call.copies, call.make)  # type: ignore[arg-type]
        for tensor, reference in zip(written, made, strict=True):
            tensor.reference, tensor.maker = reference, task
        self._open = [other for other in self._open if len(self._open) < 256 or not other.finished]
        self._open.append(task)
        if timeout is not None:
            _stop_after(timeout, task, self._actors[chip])
        return handle

    def empty(self, shape: Sequence[int], dtype: Any, *, chip: int | None = None) -> ClusterTensor:
        """A tensor that a task will write."""
        kind = NUMPY_DTYPES.get(dtype) if isinstance(dtype, str) else None
        return ClusterTensor(tuple(int(n) for n in shape), kind or np.dtype(dtype), chip)

    def tensor(self, value: Any, *, chip: int | None = None) -> ClusterTensor:
        """An array or a packed weight in the object store of this node."""
        import ray

        self._check()
        array = self.array("value", value)
        if isinstance(array, PackedWeight):
            layout, data = f"{array.layout}:{array.target}", array.data
            content = ray.put(to_wire(data))
            return ClusterTensor(array.shape, array.dtype, chip, content, layout=layout, nbytes=data.nbytes)
        return ClusterTensor(array.shape, array.dtype, chip, ray.put(to_wire(array)))

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


_Sent = tuple[dict[str, Any], list[ClusterTensor], list[ClusterTensor]]


def _native_call(memory: Any, kernel: NativeKernel, args: Mapping[str, Any], chip: int, call: Call) -> _Sent:
    """What the actor is sent, the inputs, and the tensors that get a new content, in the actor's order."""
    bound = kernel.bind(memory, args, chip, call)
    contract = kernel.contract
    call.make = kernel.make
    inputs: Any = bound.inputs
    updated = [number for number, tensor in enumerate(contract.inputs) if tensor.name in kernel.updated]
    letters = "q" * len(contract.dims) + "".join("d" if attr.is_float else "q" for attr in contract.attrs)
    sent = {
        "inputs": [_described(tensor) for tensor in inputs],
        "fresh": [_described(tensor) for tensor in bound.fresh],
        "updated": updated,
        "scalars": struct.pack(f"={letters}", *bound.scalars),
    }
    written: Any = [*(inputs[number] for number in updated), *bound.fresh]
    return sent, list(inputs), _whole(written)


def _python_call(memory: Any, kernel: PythonKernel, args: Mapping[str, Any], chip: int, call: Call) -> _Sent:
    scalars: dict[str, Any] = {}
    tensors: dict[str, Any] = {}
    inputs: list[Any] = []
    written: list[Any] = []
    for name, value in kernel.bind(memory, args, chip, call).items():
        if not isinstance(value, tuple):
            scalars[name] = value
            continue
        arg, tensor = value
        tensors[name] = _described(tensor) | {"reads": arg.reads, "writes": arg.writes}
        if arg.reads:
            inputs.append(tensor)
        if arg.writes:
            written.append(tensor)
    return {"scalars": scalars, "tensors": tensors}, inputs, _whole(written)


def _described(tensor: Any) -> dict[str, Any]:
    shape = tensor.shape if tensor.layout == "nd" else None
    return {"dtype": wire_name(tensor.dtype), "shape": shape, "rows": tensor.rows}


def _whole(tensors: list[Any]) -> list[ClusterTensor]:
    for tensor in tensors:
        if tensor.rows is not None:
            raise TypeError(f"{tensor!r} is a part of a tensor: at level cluster only whole ones are written")
    return tensors


def _stop_after(seconds: float, task: RemoteTask, actor: Any) -> None:
    """Start the chip anew when the task has not finished by then."""
    import ray

    def stop() -> None:
        if not task.finished:
            task.stopped = seconds
            ray.kill(actor, no_restart=False)

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
