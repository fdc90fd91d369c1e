"""The memory that a host's processes share: one anonymous file, mapped once by everybody.

The file has no name (``memfd_create``): nobody else can open it, nothing is left in ``/dev/shm`` however the
processes end, and its pages go with the last process that maps it. It is sparse, so its size is a limit and
costs nothing; tensors are ranges of it.
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
import os
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_ALIGNMENT = 64
NOTE_BYTES = 64
"""Bytes at the start of the arena for what each worker notes."""
_CACHED_BYTES = 256 << 20
"""Freed memory that keeps its pages for the next tensor of that size; more than this goes back to the system."""
_PUNCH_BYTES = 1 << 20
_FALLOC_PUNCH = 0x01 | 0x02  # FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE


_SERIALS = itertools.count()


class Block:
    """A range of the arena. It is free again when the last handle, task or array that uses it is gone.

    ``accesses`` is the task graph's record of who reads and writes which part; ``serial`` no other block ever has.
    """

    __slots__ = ("accesses", "arena", "nbytes", "offset", "serial")

    def __init__(self, arena: Arena, offset: int, nbytes: int) -> None:
        self.arena = arena
        self.serial = next(_SERIALS)
        self.offset = offset
        self.nbytes = nbytes
        self.accesses: list[Any] = []

    def __del__(self) -> None:
        # Only an append: this can run at any moment, also inside `allocate`.
        self.arena.returned.append((self.offset, self.nbytes))


class _View:
    """What a numpy array on a block has as its base: it keeps the block."""

    __slots__ = ("__array_interface__", "block")

    def __init__(self, block: Block, address: int, nbytes: int, writable: bool) -> None:
        self.block = block
        self.__array_interface__ = {
            "version": 3,
            "data": (address, not writable),
            "shape": (nbytes,),
            "typestr": "|u1",
        }


class Arena:
    """The shared file and what is allocated in it. ``limit`` is the most bytes that tensors may have at a
    time. It begins with a cache line for each of ``chips``, where a worker notes which task it has begun.
    """

    def __init__(self, limit: int | None = None, chips: int = 0) -> None:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self.limit = limit or memory
        self.file = os.memfd_create("pyptogen", os.MFD_CLOEXEC)
        os.fchmod(self.file, 0o600)
        # Ranges are never merged, so the file is larger than what may be in use.
        self.size = _round(4 * self.limit, mmap.PAGESIZE)
        os.ftruncate(self.file, self.size)
        self.map = map_file(self.file, self.size)
        self.address = address_of(self.map)
        self.returned: deque[tuple[int, int]] = deque()
        self.used = 0
        self._lock = threading.Lock()
        self._top = NOTE_BYTES * chips
        self._free: dict[int, list[int]] = {}
        self._cached = 0

    def allocate(self, nbytes: int) -> Block:
        """``nbytes`` (or more) of uninitialised shared memory, 64-byte aligned. Raises ``MemoryError``."""
        size = _size_class(nbytes)
        with self._lock:
            self._take_back()
            if self.used + size > self.limit:
                raise MemoryError(f"a tensor of {nbytes} bytes does not fit: {self.used} of {self.limit} are in use")
            offsets = self._free.get(size)
            if offsets:
                offset = offsets.pop()
                self._cached = max(0, self._cached - size)
            elif self._top + size <= self.size:
                offset, self._top = self._top, self._top + size
            else:
                offset, size = self._larger(size, nbytes)
            self.used += size
        return Block(self, offset, size)

    def view(self, block: Block, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any], *, writable: bool) -> Any:
        """A numpy array on part of a block, which keeps the block. ``offset`` counts from the block's start."""
        import numpy as np

        nbytes = dtype.itemsize
        for extent in shape:
            nbytes *= extent
        raw = np.asarray(_View(block, self.address + block.offset + offset, nbytes, writable))
        array: npt.NDArray[Any] = raw.view(dtype).reshape(shape)
        return array

    def find(self, array: npt.NDArray[Any]) -> Block | None:
        """The block that an array lies in, or None for an array in other memory."""
        base: Any = array
        while base is not None:
            if isinstance(base, _View):
                return base.block if base.block.arena is self else None
            base = getattr(base, "base", None)
        return None

    def clear_note(self, place: int) -> None:
        """Forget what the former worker at this place has noted."""
        self.map[place * NOTE_BYTES : place * NOTE_BYTES + 8] = bytes(8)

    def noted(self, place: int) -> int:
        """The number of the task that the worker at this place has begun last."""
        return int.from_bytes(self.map[place * NOTE_BYTES : place * NOTE_BYTES + 8], "little")

    def close(self) -> None:
        """Close the file. The mapping lives on in the arrays that still show it."""
        file, self.file = self.file, -1
        if file >= 0:
            os.close(file)

    def _take_back(self) -> None:
        while self.returned:
            offset, size = self.returned.popleft()
            self.used -= size
            self._free.setdefault(size, []).append(offset)
            if size >= _PUNCH_BYTES and self._cached + size > _CACHED_BYTES:
                _punch(self.file, offset, size)
            else:
                self._cached += size

    def _larger(self, size: int, nbytes: int) -> tuple[int, int]:
        for found in sorted(self._free):
            if found > size and self._free[found]:
                return self._free[found].pop(), found
        raise MemoryError(f"a tensor of {nbytes} bytes does not fit: the free memory is in smaller pieces")


def map_file(file: int, size: int) -> mmap.mmap:
    """The whole shared file in this process's memory."""
    return mmap.mmap(file, size, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)


def address_of(mapped: mmap.mmap) -> int:
    """Where a mapping starts."""
    return ctypes.addressof(ctypes.c_char.from_buffer(mapped))


def _punch(file: int, offset: int, size: int) -> None:
    """Give the pages of a range back. A system that cannot keeps them, which is only a waste."""
    start = _round(offset, mmap.PAGESIZE)
    end = (offset + size) // mmap.PAGESIZE * mmap.PAGESIZE
    if file >= 0 and end > start:
        libc = ctypes.CDLL(None)
        libc.fallocate(file, _FALLOC_PUNCH, ctypes.c_longlong(start), ctypes.c_longlong(end - start))


def _round(value: int, step: int) -> int:
    return -(-value // step) * step


def _size_class(nbytes: int) -> int:
    """Sizes in eight steps an octave, so that a freed range fits the next tensor of about that size."""
    size = max(nbytes, _ALIGNMENT)
    return _round(size, max(_ALIGNMENT, 1 << (size.bit_length() - 4)))
