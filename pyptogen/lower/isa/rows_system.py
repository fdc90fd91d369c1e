"""Addresses, synchronisation, fifos between cube and vector cores, communication between chips, printing.

`EVERY` stands where element types do not matter. `a2a3` and `a5` are what the public headers take; `cpu` is what the
bundled headers take.
"""

from __future__ import annotations

from pyptogen.lower.isa.instruction import ALL, ANY, EVERY, FLOATS, FP8, INT_8_32, Group, Types

_SIGNAL: Types = frozenset({"int32"})
_PRINTED: Types = FLOATS | INT_8_32
_SUMMED: Types = FLOATS | {"int16", "int32"}
_WHOLE_BYTES: Types = ALL | FP8 | {"fp8_e8m0"}
_SUMMED_CPU: Types = ALL - {"uint64"}

_ADDRESSES = Group("tile, address", EVERY, EVERY, EVERY, effects="-", pipe="S", layouts="any")(
    TASSIGN="puts a tile at a byte offset of its memory, or at another tile's data"
)
_SYNCHRONISATION = (
    *Group("events... |", EVERY, EVERY, EVERY, effects="", pipe="place")(
        TSYNC="waits for events, or until the pipe of the instruction in <> has done everything"
    ),
    *Group(" | workspace, cores", EVERY, EVERY, EVERY, effects="", pipe="ALL")(
        SYNCALL="waits until every core of the launch is here"
    ),
)
_FIFOS = (
    *Group(
        "pipe, tile[, sub] | tile, pipe | pipe, gm", ALL, ALL, _WHOLE_BYTES, effects="r", pipe="source", layouts="any"
    )(TPUSH="puts a tile into a pipe, or signals a filled slot"),
    *Group(
        "pipe, tile[, sub] | tile, pipe | pipe, gm", ALL, ALL, _WHOLE_BYTES, effects="w", pipe="MTE2", layouts="any"
    )(TPOP="takes the next tile, or a view of its slot, out of a pipe"),
    *Group("pipe[, gm]", EVERY, EVERY, EVERY, effects="-", pipe="S", layouts="gm")(
        TFREE="gives the oldest popped slot back"
    ),
    *Group("pipe, gm", EVERY, EVERY, EVERY, effects="-", pipe="S", layouts="gm")(TALLOC="a view of the next free slot"),
)
_TRANSFERS = (
    *Group("gm, gm, tile[, tile][, atomic]", ANY, ANY, ANY, effects="wrt", pipe="MTE3", layouts="gm gm any").rows(
        {"comm::TPUT": "writes, or adds, to another chip's memory"}
    ),
    *Group("gm, gm, tile[, tile]", ANY, ANY, ANY, effects="wrt", pipe="MTE2", layouts="gm gm any").rows(
        {"comm::TGET": "reads another chip's memory"}
    ),
    *Group("gm, gm, session[, peer]", ANY, ANY, ANY, pipe="MTE3", layouts="gm").rows(
        {
            "comm::TPUT_ASYNC": "TPUT through a session, without waiting",
            "comm::TGET_ASYNC": "TGET through a session, without waiting",
        }
    ),
)
_SIGNALS = (
    *Group("signal, value, op", _SIGNAL, _SIGNAL, _SIGNAL, effects="u", pipe="S", layouts="gm").rows(
        {"comm::TNOTIFY": "sets a signal or adds to it"}
    ),
    *Group("signals, value, cmp", _SIGNAL, _SIGNAL, _SIGNAL, effects="r", pipe="S", layouts="gm").rows(
        {
            "comm::TWAIT": "waits until a comparison holds for all signals",
            "comm::TTEST": "whether a comparison holds for all signals",
        }
    ),
)
_COLLECTIVES = (
    *Group("group, gm, tile[, tile]", ANY, ANY, ANY, effects="rt", pipe="MTE3", layouts="gm any").rows(
        {
            "comm::TBROADCAST": "the root's tensor to every rank",
            "comm::TSCATTER": "equal parts of the root's tensor to the ranks",
        }
    ),
    *Group("group, gm, tile[, tile]", ANY, ANY, ANY, effects="wt", pipe="MTE2", layouts="gm any").rows(
        {"comm::TGATHER": "the ranks' tensors, one below the other"}
    ),
    *Group(
        "group, gm, acc, tile[, tile], op", _SUMMED, _SUMMED, _SUMMED_CPU, effects="wt", pipe="V", layouts="gm any"
    ).rows({"comm::TREDUCE": "sum, maximum or minimum over the ranks"}),
)
_DEBUGGING = Group("object[, scratch]", _PRINTED, _PRINTED, ANY, effects="rt", pipe="S", layouts="any")(
    TPRINT="a tile or a GlobalTensor as text"
)

ROWS = (
    *_ADDRESSES, *_SYNCHRONISATION, *_FIFOS, *_TRANSFERS, *_SIGNALS, *_COLLECTIVES, *_DEBUGGING,
)  # fmt: skip
