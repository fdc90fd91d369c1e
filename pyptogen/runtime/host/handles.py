"""Handles of level host: tensors that stay in shared memory, tasks, groups and runs."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.runtime.deadlines import remaining, until
from pyptogen.runtime.host.shared_memory import Block
from pyptogen.runtime.host.task_graph import Task, open_tasks, writer_error

if TYPE_CHECKING:
    import numpy.typing as npt

    from pyptogen.runtime.host.dispatch import Dispatcher


class TensorHandle:
    """A tensor in the memory of a chip (``owner``; None for the host's). It is passed to tasks as it is.

    ``layout`` "nz" is a weight in the packed form of a platform, whose shape is the logical one.
    ``h[2:5]`` is a handle of some of the first axis, on the same memory.
    """

    __slots__ = ("_block", "_dispatcher", "_offset", "dtype", "layout", "nbytes", "owner", "shape")

    divisible = True
    """Whether several tasks can each write a part of it."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        block: Block,
        offset: int,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        owner: int | None,
        layout: str = "nd",
        nbytes: int | None = None,
    ) -> None:
        self._dispatcher = dispatcher
        self._block: Block | None = block
        self._offset = offset
        self.shape = shape
        self.dtype = dtype
        self.owner = owner
        self.layout = layout
        self.nbytes = math.prod(shape) * dtype.itemsize if nbytes is None else nbytes

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def block(self) -> Block:
        """The memory. Raises ``ValueError`` after ``free``."""
        if self._block is None:
            raise ValueError(f"{self!r} has been freed")
        return self._block

    @property
    def offset(self) -> int:
        """Where it starts in its block, in bytes."""
        return self._offset

    def numpy(self, *, writable: bool = False) -> npt.NDArray[Any]:
        """The tensor as an array on the shared memory, without a copy, when the tasks that make it are done.

        Waits for them, and for the readers too when ``writable``; raises what a failed one raised. A task
        that is submitted later does not see that an array is still being written.
        """
        block, start, end = self.block, self._offset, self._offset + self.nbytes
        for task in open_tasks(block, start, end, readers=writable):
            self._dispatcher.wait(task, None)
        error = writer_error(block, start, end)
        if error is not None:
            raise error
        return self._array(writable)

    def _array(self, writable: bool) -> npt.NDArray[Any]:
        shape = self.shape if self.layout == "nd" else (self.nbytes // self.dtype.itemsize,)
        array: npt.NDArray[Any] = self.block.arena.view(self.block, self._offset, shape, self.dtype, writable=writable)
        return array

    def peek(self) -> npt.NDArray[Any]:
        """The tensor as an array on the shared memory, as it is now: waits for nothing."""
        return self._array(True)

    def free(self) -> None:
        """Give the memory back as soon as no task and no array uses it. The handle cannot be used any more."""
        self._block = None

    def part(self, start: int, stop: int) -> TensorHandle:
        """Elements ``[start, stop)`` of the tensor read row by row, as a one-dimensional handle."""
        if not 0 <= start <= stop <= self.size or self.layout != "nd":
            raise IndexError(f"no elements {start} to {stop} in {self!r}")
        offset = self._offset + start * self.dtype.itemsize
        return TensorHandle(self._dispatcher, self.block, offset, (stop - start,), self.dtype, self.owner)

    def __getitem__(self, rows: slice) -> TensorHandle:
        if not isinstance(rows, slice) or rows.step not in (None, 1) or not self.shape or self.layout != "nd":
            raise IndexError("a tensor handle takes one slice of its first axis, without a step")
        start, stop, _ = rows.indices(self.shape[0])
        stop = max(start, stop)
        row = math.prod(self.shape[1:]) * self.dtype.itemsize
        shape = (stop - start, *self.shape[1:])
        return TensorHandle(self._dispatcher, self.block, self._offset + start * row, shape, self.dtype, self.owner)

    def reshape(self, *shape: int) -> TensorHandle:
        """A handle of the same elements with another shape."""
        if math.prod(shape) != self.size or self.layout != "nd":
            raise ValueError(f"{self!r} cannot have shape {list(shape)}")
        return TensorHandle(self._dispatcher, self.block, self._offset, shape, self.dtype, self.owner)

    def __repr__(self) -> str:
        where = "host" if self.owner is None else f"chip {self.owner}"
        return f"TensorHandle(shape={self.shape}, dtype={self.dtype}, {where})"


class TaskHandle:
    """A submitted task. ``task["y"]`` is the handle of its output ``y``, at once; with a single output the task
    itself can be given where that tensor is meant.
    """

    __slots__ = ("_dispatcher", "_given", "_make", "outputs", "task")

    def __init__(
        self,
        dispatcher: Dispatcher,
        task: Task,
        outputs: Mapping[str, TensorHandle],
        given: Mapping[str, npt.NDArray[Any]],
        make: Callable[..., Any],
    ) -> None:
        self._dispatcher = dispatcher
        self._given = given
        self._make = make
        self.task = task
        self.outputs = outputs
        """Handles of the outputs, by name, in the order of the contract."""

    @property
    def chip(self) -> int:
        """The chip that runs it."""
        return self.task.chip

    def __getitem__(self, name: str) -> TensorHandle:
        return self.outputs[name]

    def done(self) -> bool:
        """Whether it has finished or failed."""
        return self.task.finished or self._dispatcher.look(self.task)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has finished or failed, at most ``timeout`` seconds; whether it has."""
        return self._dispatcher.wait(self.task, timeout)

    def result(self, timeout: float | None = None) -> Any:
        """The outputs as a named tuple of arrays on the shared memory (no copy), in contract order.

        An output for which the caller gave an array is that array. Raises what the task raised, and
        ``TimeoutError`` when it is not finished after ``timeout`` seconds (it goes on).
        """
        if not self._dispatcher.wait(self.task, timeout):
            raise TimeoutError(f"{self.task!r} is not finished after {timeout} s")
        if self.task.error is not None:
            raise self.task.error
        return self._make(
            *(self._given[name] if name in self._given else handle.peek() for name, handle in self.outputs.items())
        )

    def __repr__(self) -> str:
        return repr(self.task)


class Group(Sequence[TaskHandle]):
    """Tasks that belong together, one per chip: done when all are, failed with the first that failed."""

    def __init__(self, tasks: Sequence[TaskHandle]) -> None:
        self.tasks = tuple(tasks)

    def __getitem__(self, index: Any) -> Any:
        return self.tasks[index]

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[TaskHandle]:
        return iter(self.tasks)

    def outputs(self, name: str) -> list[TensorHandle]:
        """Output ``name`` of each task, in the order of the chips."""
        return [task[name] for task in self.tasks]

    def done(self) -> bool:
        """Whether all have finished or failed."""
        return all(task.done() for task in self.tasks)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for all, at most ``timeout`` seconds; whether they have finished or failed."""
        end = until(timeout)
        return all(task.wait(remaining(end)) for task in self.tasks)

    def result(self, timeout: float | None = None) -> list[Any]:
        """The results of all, in the order of the chips. Raises like ``TaskHandle.result``."""
        if not self.wait(timeout):
            raise TimeoutError(f"the group is not finished after {timeout} s")
        return [task.result() for task in self.tasks]


def single_output(task: TaskHandle) -> TensorHandle:
    """The only output of a task. Raises ``TypeError`` when it has several or none."""
    if len(task.outputs) != 1:
        names = ", ".join(task.outputs) or "none"
        raise TypeError(f"{task!r} has not one output but: {names}; name it: task[…]")
    return next(iter(task.outputs.values()))


def result_type(name: str, outputs: Sequence[str]) -> Callable[..., Any]:
    """The named tuple of a kernel's results."""
    title = "".join(part.capitalize() for part in name.split("_"))
    return namedtuple(f"{title}Outputs", list(outputs), rename=True)
