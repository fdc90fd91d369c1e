"""Commands that tests start, `pyptogen …` and `python …`, each in a fork of a process that has imported the compiler.

A new interpreter takes most of a second to import numpy, sympy and the compiler, more than most commands take for what
they do. So a process per worker (`serve`) imports them once and forks for each command. The commands stay what they
are for whoever calls them, a shell for one: small programs in a folder for PATH, which hand over their arguments, their
folder, their environment and their standard files, and end as the fork ends, by the same code or signal.

Kernels that the commands compile are compiled as those of the tests (`compiling.compile_quickly`).

What a fork cannot see is a module that nobody imports where it is needed; imports that go one way (`test_imports`) and
mypy see to that. Tests of how the tool itself starts and ends (`tests/cli/test_output.py`, `tests/snapshots`,
`tests/editor`) call a new interpreter.

    python -m warm_commands SOCKET      with tests/ on PYTHONPATH: the server, until its standard input ends
"""

from __future__ import annotations

import array
import gc
import importlib
import io
import marshal
import os
import pkgutil
import runpy
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from compiling import compile_quickly
from forked_runs import Server

TESTS = Path(__file__).parent
_NAMES = ("pyptogen", "python")
_LENGTH = 8
"""Bytes of the numbers that stand before what is sent."""
_CLIENT = """\
# What a command of this folder does: it asks the server at ADDRESS for a fork, and ends as that one ends.
# Modules in C only: it starts in some hundredths of a second.
import _socket, marshal, posix, _signal, sys

server = _socket.socket(_socket.AF_UNIX)
server.connect(ADDRESS)
asked = marshal.dumps((sys.argv[1:], posix.getcwd(), posix.environ))
files = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
server.sendmsg([len(asked).to_bytes(8, "little")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
while asked:
    asked = asked[server.send(asked):]
child = int.from_bytes(server.recv(8), "little")
for one in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
    _signal.signal(one, lambda number, frame: posix.kill(child, number))
code = int.from_bytes(server.recv(8), "little", signed=True)
if code < 0:
    if -code not in (_signal.SIGKILL, _signal.SIGSTOP):
        _signal.signal(-code, _signal.SIG_DFL)
    posix.kill(posix.getpid(), -code)
posix._exit(code)
"""


class Commands:
    """The commands of this process: ``folder`` is for the front of PATH."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="commands-"))
        address = self.folder / ".socket"
        client = self.folder / ".client.py"
        client.write_text(_CLIENT.replace("ADDRESS", repr(str(address))))
        for name in _NAMES:
            command = self.folder / name
            command.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {client} "$0" "$@"\n')
            command.chmod(0o755)
        places = [str(TESTS), os.environ.get("PYTHONPATH", "")]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "warm_commands", str(address)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))},
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n"
        self.address = address
        self.seconds = 0.0

    def path(self) -> str:
        """PATH with these commands."""
        return os.pathsep.join([str(self.folder), str(Path(sys.executable).parent), os.environ.get("PATH", "")])

    def note_seconds(self) -> None:
        """Adds what the forks have taken to what `durations` sees."""
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(str(self.address))
            server.sendall((0).to_bytes(_LENGTH, "little"))
            now = int.from_bytes(server.recv(_LENGTH), "little") / 1e6
        Server.seconds += now - self.seconds
        self.seconds = now

    def close(self) -> None:
        """The server ends, and the folder goes."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def commands() -> Commands:
    """Those of this process; `tests/conftest.py` closes them."""
    return Commands()


def close_commands() -> None:
    """Where there are any."""
    if commands.cache_info().currsize:
        commands().close()
        commands.cache_clear()


def serve(address: str) -> Callable[[], None] | None:
    """Answer requests until the standard input ends. Returns twice and more: in each fork with what it is to run, and
    in the server with None."""
    _warm_up()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    print("ready", flush=True)
    waits = selectors.DefaultSelector()
    waits.register(0, selectors.EVENT_READ)
    waits.register(listener, selectors.EVENT_READ)
    seconds = 0.0
    while True:
        for key, _ in waits.select():
            if key.fileobj == 0:
                return None
            if key.fileobj is not listener:  # a fork has ended
                child, client = key.data
                _, status, used = os.wait4(child, 0)
                seconds += used.ru_utime + used.ru_stime
                waits.unregister(key.fd)
                os.close(key.fd)
                with client:
                    _send(client, os.waitstatus_to_exitcode(status))
                continue
            client, _ = listener.accept()
            said, files = _receive(client)
            if not said:
                with client:
                    _send(client, int(seconds * 1e6))
                continue
            child = os.fork()
            if child == 0:
                waits.close()
                listener.close()
                client.close()
                return _prepared(*marshal.loads(said), files)
            for file in files:
                os.close(file)
            _send(client, child)
            waits.register(os.pidfd_open(child), selectors.EVENT_READ, (child, client))


def _warm_up() -> None:
    """Imports, and nothing else: what the compiler finds out about a machine it finds out in each fork."""
    for package in ("pyptogen.cli", "pyptogen.lower", "pyptogen.codegen", "pyptogen.runtime", "pyptogen.verify"):
        found = importlib.import_module(package)
        for module in pkgutil.walk_packages(found.__path__, f"{package}."):
            if module.name.rpartition(".")[2] != "__main__":
                importlib.import_module(module.name)
    compile_quickly()
    gc.collect()
    gc.freeze()


def _send(client: socket.socket, number: int) -> None:
    try:
        client.sendall(number.to_bytes(_LENGTH, "little", signed=True))
    except OSError:  # it was killed
        return


def _receive(client: socket.socket) -> tuple[bytes, list[int]]:
    """What a client asks for, and its files."""
    said, others, _, _ = client.recvmsg(_LENGTH, socket.CMSG_SPACE(3 * 4))
    files = array.array("i")
    for _, _, data in others:
        files.frombytes(data)
    left, parts = int.from_bytes(said, "little"), []
    while left:
        part = client.recv(left)
        if not part:
            return b"", []
        parts.append(part)
        left -= len(part)
    return b"".join(parts), files.tolist()


def _prepared(
    words: Sequence[str], folder: bytes | str, environment: dict[bytes, bytes], files: Sequence[int]
) -> Callable[[], None]:
    """This fork as a new interpreter would find itself, and what it is to do."""
    for wanted, file in enumerate(files):
        os.dup2(file, wanted)
    for file in files:
        os.close(file)
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115 - the process's own
    sys.stdout = sys.__stdout__ = _text(1, sys.stdout.errors or "strict")
    sys.stderr = sys.__stderr__ = _text(2, "backslashreplace")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environb.update(environment)
    os.chdir(folder)
    sys.path[:] = [place for place in sys.path if place not in (str(TESTS), os.getcwd())]
    os.environ.pop("PYTHONHASHSEED", None)
    sys.modules["__main__"] = ModuleType("__main__")
    name, arguments = os.path.basename(words[0]), list(words[1:])
    if name == "pyptogen":
        sys.argv[:] = words
        return _pyptogen
    if arguments[:1] == ["-c"]:
        sys.argv[:] = ["-c", *arguments[2:]]
        sys.path.insert(0, "")
        return lambda: exec(compile(arguments[1], "<string>", "exec"), sys.modules["__main__"].__dict__)
    if arguments[:1] == ["-m"]:
        sys.argv[:] = arguments[1:]
        sys.path.insert(0, os.getcwd())
        return lambda: runpy.run_module(arguments[1], run_name="__main__", alter_sys=True) and None
    if arguments and not arguments[0].startswith("-"):
        sys.argv[:] = arguments
        sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
        script = os.path.join(os.getcwd(), arguments[0])
        sys.modules["__main__"].__file__ = script
        return lambda: exec(compile(Path(script).read_bytes(), script, "exec"), sys.modules["__main__"].__dict__)
    return lambda: os.execv(sys.executable, [sys.executable, *arguments])


def _text(file: int, errors: str) -> io.TextIOWrapper:
    """A standard file as an interpreter opens it."""
    by_line = os.isatty(file) or errors == "backslashreplace"
    return open(file, "w", 1 if by_line else -1, sys.getfilesystemencoding(), errors, closefd=False)


def _pyptogen() -> NoReturn:
    from pyptogen.cli import main

    main()
    raise AssertionError("it never returns")


if __name__ == "__main__":
    todo = serve(sys.argv[1])
    if todo is not None:
        todo()
