"""Reading files that somebody else wrote: regular ones, of bounded size."""

from __future__ import annotations

import errno
import os
import stat

MOST_BYTES = 4 << 20
"""Of a spec, or of a file that it names. The longest of the library has some thousands."""


def read_regular(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file of at most ``most`` bytes.

    A FIFO, a device or a socket is not even opened: opening one may wait for ever, and has effects. Raises ``OSError``
    whose ``strerror`` says why the file cannot be read.
    """
    name = os.fspath(path)
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):
            raise _refused(errno.EINVAL, "not a regular file", name)
        # Should it have become something else since, the call still does not wait.
        file = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except ValueError:  # a NUL, or text that no file system can take
        raise _refused(errno.EINVAL, "no name of a file", name) from None
    with open(file, "rb") as stream:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise _refused(errno.EINVAL, "not a regular file", name)
        # A file may grow, and some of /proc say that they are empty: what is read counts.
        data = stream.read(most + 1) if status.st_size <= most else b""
    if status.st_size > most or len(data) > most:
        raise _refused(errno.EFBIG, f"larger than {most >> 10} KiB", name)
    return data


def _refused(number: int, reason: str, name: str) -> OSError:
    error = OSError(number, reason)
    error.filename = name
    return error
