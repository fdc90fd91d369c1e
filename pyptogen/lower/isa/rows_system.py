"""Synchronisation, queues between cube and vector cores, communication between chips, printing.

Instructions without element types (barriers, signals, frees) have the type of what they count or move. `a2a3` is what
the public A2/A3 headers take; `cpu` is what the bundled headers take.
"""

from __future__ import annotations

from pyptogen.lower.isa.table import ANY, FLOATS, Instruction

_SIGNAL = frozenset({"int32"})
_PRINTED = FLOATS | {"int8", "uint8", "int16", "uint16", "int32", "uint32"}
_SUMMED = FLOATS | {"int16", "int32"}
_SUMMED_CPU = _SUMMED | {"bf16", "int8", "uint8", "uint16", "uint32", "int64"}


def _row(name: str, form: str, a2a3: frozenset[str], cpu: frozenset[str], doc: str) -> Instruction:
    return Instruction(name, form, {"a2a3": a2a3, "cpu": cpu}, doc)


_SYNCHRONISATION = (
    _row("TSYNC", "events... | <Op>", ANY, ANY, "waits for events, or until the pipe of Op has done everything"),
    _row("SYNCALL", " | workspace, cores", _SIGNAL, _SIGNAL, "waits until every core of the launch is here"),
)
_QUEUES = (
    _row("TPUSH", "pipe, tile[, sub] | pipe, gm", ANY, ANY, "puts a tile into a pipe, or signals a filled slot"),
    _row("TPOP", "pipe, tile[, sub] | pipe, gm", ANY, ANY, "takes the next tile, or a view of its slot, out of a pipe"),
    _row("TFREE", "pipe[, gm]", ANY, ANY, "gives the oldest popped slot back"),
    _row("TALLOC", "pipe, gm", ANY, ANY, "a view of the next free slot"),
)
_COMMUNICATION = (
    _row("comm::TPUT", "gm, gm, tile[, tile][, atomic]", ANY, ANY, "writes, or adds, to another chip's memory"),
    _row("comm::TGET", "gm, gm, tile[, tile]", ANY, ANY, "reads another chip's memory"),
    _row("comm::TPUT_ASYNC", "gm, gm, session[, peer]", ANY, ANY, "TPUT through a session, without waiting"),
    _row("comm::TGET_ASYNC", "gm, gm, session[, peer]", ANY, ANY, "TGET through a session, without waiting"),
    _row("comm::TNOTIFY", "signal, value, op", _SIGNAL, _SIGNAL, "sets a signal or adds to it"),
    _row("comm::TWAIT", "signals, value, cmp", _SIGNAL, _SIGNAL, "waits until a comparison holds for all signals"),
    _row("comm::TTEST", "signals, value, cmp", _SIGNAL, _SIGNAL, "whether a comparison holds for all signals"),
    _row("comm::TBROADCAST", "group, gm, tile[, tile]", ANY, ANY, "the root's tensor to every rank"),
    _row("comm::TGATHER", "group, gm, tile[, tile]", ANY, ANY, "the ranks' tensors, one below the other"),
    _row("comm::TSCATTER", "group, gm, tile[, tile]", ANY, ANY, "equal parts of the root's tensor to the ranks"),
    _row(
        "comm::TREDUCE",
        "group, gm, acc, tile[, tile], op",
        _SUMMED,
        _SUMMED_CPU,
        "sum, maximum or minimum over the ranks",
    ),
)
_DEBUGGING = (_row("TPRINT", "object[, scratch]", _PRINTED, ANY, "a tile or a GlobalTensor as text"),)

ROWS: tuple[Instruction, ...] = (*_SYNCHRONISATION, *_QUEUES, *_COMMUNICATION, *_DEBUGGING)
"""The instructions of this family."""
