"""Handles of level cluster: tensors in Ray's object store, and tasks on its actors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyptogen.runtime.cluster.chip import AttemptsSpent, EncodedFault, from_wire
from pyptogen.runtime.faults import TaskError, TaskTimeout, WorkerLost, WorkerTraceback, decode_fault
from pyptogen.runtime.host.handles import TaskHandle, TensorHandle

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Content:
    """What a tensor and its parts have in common: an object of the store, and the task that makes it."""

    __slots__ = ("maker", "reference", "size")

    def __init__(self, size: int, reference: Any = None) -> None:
        self.size = size
        """Elements, of all parts together."""
        self.reference = reference
        """None: nothing has been written yet."""
        self.maker: RemoteTask | None = None


class ClusterTensor(TensorHandle):
    """A tensor in the object store, or a part of one. A task that writes it gives it a new content, whole also when
    it writes a part; the old one stays for the tasks that were given it before.
    """

    __slots__ = ("_cell", "span")

    divisible = False

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        owner: int | None,
        content: Content,
        span: tuple[int, int] | None = None,
        layout: str = "nd",
        nbytes: int | None = None,
    ) -> None:
        super().__init__(None, None, 0, shape, dtype, owner, layout, nbytes)  # type: ignore[arg-type]
        self._cell: Content | None = content
        self.span = span
        """Which elements of the content it is, first and behind the last; None for all."""

    @property
    def cell(self) -> Content:
        """The content, which its parts share. Raises ``ValueError`` after ``free``."""
        if self._cell is None:
            raise ValueError(f"{self!r} has been freed")
        return self._cell

    def content(self) -> Any:
        """The reference. Raises ``ValueError`` for a tensor that nothing has written, or that was freed."""
        if self.cell.reference is None:
            raise ValueError(f"nothing has written {self!r}")
        return self.cell.reference

    def numpy(self, *, writable: bool = False) -> npt.NDArray[Any]:
        """The content: read-only and not copied, when it is on this node; a copy if ``writable``."""
        import ray

        try:
            raw = ray.get(self.content())
        except ray.exceptions.RayError as error:
            maker = self.cell.maker
            raise explain(error, maker.where if maker else "the task that made the tensor") from None
        array: npt.NDArray[Any] = from_wire(raw, self.dtype)
        if self.layout == "nd":
            flat = array.reshape(-1)
            array = (flat if self.span is None else flat[slice(*self.span)]).reshape(self.shape)
        return array.copy() if writable else array

    def peek(self) -> npt.NDArray[Any]:
        """The same as ``numpy``."""
        return self.numpy()

    def free(self) -> None:
        """Let the object store forget it, when no part and no task needs it any more."""
        self._cell = None

    def part(self, start: int, stop: int) -> TensorHandle:
        """Elements ``[start, stop)`` of the tensor read row by row, as a one-dimensional handle."""
        if not 0 <= start <= stop <= self.size or self.layout != "nd":
            raise IndexError(f"no elements {start} to {stop} in {self!r}")
        return self._part(start, (stop - start,))

    def __getitem__(self, rows: slice) -> TensorHandle:
        if not isinstance(rows, slice) or rows.step not in (None, 1) or not self.shape or self.layout != "nd":
            raise IndexError("a tensor handle takes one slice of its first axis, without a step")
        start, stop, _ = rows.indices(self.shape[0])
        stop = max(start, stop)
        return self._part(start * math.prod(self.shape[1:]), (stop - start, *self.shape[1:]))

    def reshape(self, *shape: int) -> TensorHandle:
        """A handle of the same elements with another shape."""
        if math.prod(shape) != self.size or self.layout != "nd":
            raise ValueError(f"{self!r} cannot have shape {list(shape)}")
        return self._part(0, shape)

    def _part(self, start: int, shape: tuple[int, ...]) -> ClusterTensor:
        first = start + (self.span[0] if self.span else 0)
        span: tuple[int, int] | None = (first, first + math.prod(shape))
        if span == (0, self.cell.size):
            span = None
        return ClusterTensor(shape, self.dtype, self.owner, self.cell, span)


class RemoteTask:
    """The record of a task: finished or not, and its error."""

    def __init__(self, number: int, name: str, chip: int, status: Any, timeout: float | None, watch: Any) -> None:
        self.number = number
        self.name = name
        self.chip = chip
        self.status = status
        self._timeout = timeout
        self._watch = watch
        self._error: BaseException | None = None
        self._known = False

    @property
    def where(self) -> str:
        """For messages."""
        return f"task `{self.name}` on chip {self.chip}"

    @property
    def finished(self) -> bool:
        """Whether it has finished or failed."""
        return self.wait(0)

    @property
    def error(self) -> BaseException | None:
        """Why it failed; None while it runs, and when it has succeeded."""
        return self._error if self.finished else None

    def wait(self, timeout: float | None) -> bool:
        """Wait until it has finished or failed, at most ``timeout`` seconds; whether it has."""
        if self._known:
            return True
        import ray

        if not ray.wait([self.status], timeout=timeout)[0]:
            return False
        try:
            ray.get(self.status)
        except ray.exceptions.RayError as error:
            found = explain(error, self.where)
            if self._timeout is not None and ray.get(self._watch.was_late.remote(self.number)):
                found = TaskTimeout(f"{self.where} was stopped after {self._timeout} s")
            self._error = found
        self._known = True
        return True


class ClusterTask(TaskHandle):
    """A submitted task of level cluster."""

    __slots__ = ("_copies",)

    def __init__(
        self,
        task: RemoteTask,
        outputs: Mapping[str, ClusterTensor],
        given: Mapping[str, npt.NDArray[Any]],
        copies: Sequence[tuple[Any, ClusterTensor]],
        make: Callable[..., Any],
    ) -> None:
        super().__init__(None, task, outputs, given, make)  # type: ignore[arg-type]
        self._copies = list(copies)

    def done(self) -> bool:
        """Whether it has finished or failed."""
        return self.task.finished

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has finished or failed, at most ``timeout`` seconds; whether it has."""
        return self.task.wait(timeout)  # type: ignore[attr-defined, no-any-return]

    def result(self, timeout: float | None = None) -> Any:
        """The outputs, as at level host; read-only, and arrays that the caller gave are filled now."""
        if not self.wait(timeout):
            raise TimeoutError(f"{self.task.name} is not finished after {timeout} s")
        if self.task.error is not None:
            raise self.task.error
        for array, tensor in self._copies:
            array[...] = tensor.numpy()
        self._copies.clear()
        given = self._given
        return self._make(*(given[n] if n in given else tensor.numpy() for n, tensor in self.outputs.items()))


class Waiter:
    """Waits for tasks where level host has its dispatcher."""

    closed = False

    def wait(self, task: RemoteTask, timeout: float | None) -> bool:
        """Wait for one task."""
        return task.wait(timeout)

    def look(self, task: RemoteTask) -> bool:
        """Whether it is finished."""
        return task.finished


def explain(error: Any, where: str) -> Exception:
    """What a task raised, from what Ray raised."""
    import ray

    cause = getattr(error, "cause", None)
    if isinstance(cause, EncodedFault):
        return decode_fault(cause.args[0], where)
    found: Exception
    if isinstance(cause, AttemptsSpent):
        found = WorkerLost(f"{where}: its worker ended each of the {cause.args[0]} times that it ran")
    elif isinstance(error, ray.exceptions.RayActorError):
        found = WorkerLost(f"{where}: its worker ended while it ran, or is being started anew")
    elif isinstance(error, ray.exceptions.RayTaskError) and isinstance(cause, Exception):
        found = TaskError(f"{where} was not run: what it needs has failed: {cause}")
    else:
        found = TaskError(f"{where} failed: {type(error).__name__}")
    found.__cause__ = WorkerTraceback(f"{error}")
    return found
