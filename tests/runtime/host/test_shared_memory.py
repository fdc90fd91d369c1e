"""The arena: allocation, reuse, views."""

from __future__ import annotations

import os

import numpy as np
import pytest

from pyptogen.runtime.host.shared_memory import Arena


def test_blocks_are_aligned_and_do_not_overlap() -> None:
    arena = Arena(1 << 24)
    blocks = [arena.allocate(size) for size in (0, 1, 63, 64, 65, 1000, 4097, 100_000)]
    ends = 0
    for block in blocks:
        assert block.offset % 64 == 0
        assert block.offset >= ends
        ends = block.offset + block.nbytes
    assert (arena.address + blocks[1].offset) % 64 == 0


def test_freed_range_is_used_again() -> None:
    arena = Arena(1 << 24)
    block = arena.allocate(1000)
    offset = block.offset
    del block
    assert arena.allocate(1010).offset == offset


def test_view_keeps_the_block_and_is_found() -> None:
    arena = Arena(1 << 24)
    block = arena.allocate(400)
    view = arena.view(block, 0, (10, 10), np.dtype(np.float32), writable=True)
    assert arena.find(view[2:4, 1:]) is block
    assert arena.find(np.zeros(4)) is None
    assert Arena(1 << 20).find(view) is None
    offset = block.offset
    del block
    assert arena.allocate(400).offset != offset


def test_read_only_view() -> None:
    arena = Arena(1 << 24)
    view = arena.view(arena.allocate(16), 0, (4,), np.dtype(np.float32), writable=False)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1


def test_large_freed_ranges_give_their_pages_back() -> None:
    arena = Arena(1 << 30)
    for _ in range(8):
        block = arena.allocate(96 << 20)
        other = arena.allocate(97 << 20)
        arena.view(block, 0, (96 << 20,), np.dtype(np.uint8), writable=True)[:: 1 << 12] = 1
        del block, other
    arena.allocate(1)
    assert os.fstat(arena.file).st_blocks * 512 <= 400 << 20


def test_limit() -> None:
    arena = Arena(1 << 20)
    kept = arena.allocate(1 << 19)
    with pytest.raises(MemoryError, match="does not fit"):
        arena.allocate(1 << 20)
    del kept
    arena.allocate(1 << 20)


def test_file_has_no_name() -> None:
    arena = Arena(1 << 20)
    assert os.readlink(f"/proc/self/fd/{arena.file}").endswith("(deleted)")
    assert not os.get_inheritable(arena.file)


def test_only_the_user_may_open_the_file() -> None:
    arena = Arena(1 << 20)
    assert os.fstat(arena.file).st_mode & 0o777 == 0o600
    arena.close()
