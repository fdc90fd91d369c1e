"""What a command prints reaches its stream, or the command says so: a full disk under standard output is PTG504."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pyptogen.diagnostics import fault

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


@contextmanager
def written_out() -> Iterator[None]:
    """Around a command. Flushes standard output at its end, also where it exits. Raises ``DiagnosticError`` PTG504
    where the output has no room, and ``SystemExit`` 1 where its reader went away, as `head` does."""
    try:
        try:
            yield
        finally:
            # What is left in the buffer would fail in the interpreter's own shutdown, where nobody can tell it.
            # The language server closes it when its editor says so.
            if sys.stdout is not None and not sys.stdout.closed:
                sys.stdout.flush()
    except BrokenPipeError:
        _let_go()
        raise SystemExit(1) from None
    except OSError as error:
        # A file that has a name is somebody else's: whoever opened it says what it is for.
        if error.errno not in _NO_ROOM or error.filename is not None:
            raise
        _let_go()
        raise fault(
            "PTG504",
            f"cannot write all of the output: {error.strerror}",
            None,
            expected="room where standard output goes",
            fix="make room there, or send it elsewhere",
        ) from None


def _let_go() -> None:
    """What is still in the buffer goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
