"""The messages between a host and its workers: one datagram of a Unix socket pair each.

=========  ========================================================================================
define     ``D``, kernel number, JSON: what the kernel is (from the host)
native     ``N``, kernel number, task number, then the argument struct with offsets for pointers
traced     ``T``, like native, for a task whose cores are recorded
python     ``P``, kernel number, task number, then its arguments by ``marshal``, which is quick and which
           the worker may trust, because the host started it and can do with it what it likes
ready      ``R`` (from the worker, once)
done       ``+``, task number, when it began and ended
failed     ``-``, the same, then the exception as JSON
=========  ========================================================================================

Numbers are little-endian. What comes from a worker is numbers and JSON: nothing in it is executed.
"""

from __future__ import annotations

import struct

HEAD = struct.Struct("<cxxxIQ")
"""Kind, kernel number, task number: starts every message from the host."""

REPLY = struct.Struct("<cxxxIQqq")
"""Kind, unused, task number, begin and end in nanoseconds of the monotonic clock: every message of a worker."""

NOTE = struct.Struct("<Q")
"""The number of the task that a worker has begun last, in shared memory."""

LONGEST = 32_000
"""Bytes of a message: what a worker has been sent ahead fits its socket."""

DEFINE, NATIVE, TRACED, PYTHON = b"D", b"N", b"T", b"P"
READY, DONE, FAILED = b"R", b"+", b"-"
