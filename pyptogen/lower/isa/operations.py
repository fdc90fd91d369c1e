"""The operations of the public Event class: `pto/common/operation.hpp`, an enumeration and the pipe of each of them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from pyptogen.lower.isa.table import pipe_of

# fmt: off
OPERATIONS: tuple[str, ...] = (
    "TLOAD", "TSTORE_VEC", "SCALAR", "TRESHAPE", "VECTOR",
    "TADD", "TADDS", "TAXPY", "TSUB", "TMUL", "TMULS", "TDIV", "TDIVS", "TMIN", "TMINS", "TMAX", "TAND", "TOR", "TSEL",
    "TSHL", "TSHR", "TEXP", "TSELS", "TSQRT", "TRSQRT", "TEXPANDS", "TEXPANDS_MAT", "TPARTADD", "TPARTMUL", "TPARTMAX",
    "TPARTMIN", "TPOW", "TPOWS", "TCMPS", "TMRGSORT", "TSORT32", "TCI", "TGATHER", "TGATHERB", "TCVT", "TROWSUM",
    "TROWPROD", "TROWMAX", "TROWMIN", "TROWEXPAND", "TRANDOM", "TCOLSUM", "TCOLPROD", "TCOLMAX", "TCOLMIN", "TTRANS",
    "TTRI", "TREM", "TFMOD", "TREMS", "TFMODS", "TSUBS", "TMAXS", "TLRELU", "TPRELU", "TMOV_V2V", "TMOV_V2M",
    "TEXTRACT_V2M", "TMOV_M2B", "TMOV_M2L", "TMOV_M2R", "TMOV_M2S", "TMOV_A2V", "TMOV_A2M", "TSTORE_ACC", "TSTORE_MAT",
    "TMATMUL", "TGEMV", "TEXTRACT_M2LR", "TANDS", "TORS", "TSHLS", "TSHRS", "TXOR", "TXORS", "TEXTRACT_A2M",
    "TINSERT_A2M", "TIMG2COL", "SETFMATRIX", "SET_IMG2COL_RPT", "SET_IMG2COL_PADDING", "TCONCAT", "TDEQUANT",
    "TADDDEQRELU", "TABS", "TNEG", "TRELU", "TNOT", "TLOG", "TRECIP", "TCMP", "TSCATTER", "TCOLEXPAND",
    "TCOLEXPANDDIV", "TCOLEXPANDMUL", "TCOLEXPANDADD", "TCOLEXPANDMAX", "TCOLEXPANDMIN", "TCOLEXPANDSUB",
    "TCOLEXPANDEXPDIF", "TROWEXPANDDIV", "TROWEXPANDMUL", "TROWEXPANDSUB", "TROWEXPANDADD", "TROWEXPANDMAX",
    "TROWEXPANDMIN", "TROWEXPANDEXPDIF", "TPAIRREDUCESUM", "TSUBRELUCONV", "TADDRELUCONV", "TFUSEDMULADD",
    "TMULADDDST", "TSUBRELU", "TFUSEDMULADDRELU", "TPARTARGMAX", "TPARTARGMIN", "TCOLARGMAX", "TCOLARGMIN",
    "TROWARGMAX", "TROWARGMIN", "TPREFETCH", "TFILLPAD_VEC", "TFILLPAD_MAT", "MGATHER_VEC", "MGATHER_MAT", "MSCATTER",
    "TQUANT", "THISTOGRAM", "TINTERLEAVE", "TDEINTERLEAVE",
)
# fmt: on
"""Instructions, with where their operands lie where the pipe depends on it, in the order of the public headers."""

_LOCATIONS: Mapping[str, str] = {
    "V": "Vec", "M": "Mat", "A": "Acc", "B": "Bias", "L": "Left", "R": "Right", "S": "Scaling",
    "VEC": "Vec", "MAT": "Mat", "ACC": "Acc",
}  # fmt: skip
_OTHER_PIPES: Mapping[str, str] = {"SCALAR": "S", "VECTOR": "V", "TMOV_V2M": "FIX", "TEXTRACT_V2M": "FIX"}
"""Operations that are no instruction, and those from UB to L1: the public Event waits for FIX, though MTE3 moves
them."""

_HEADER = """\
// Op: what an Event stands between, and the pipe that runs it.
//
// {written}
#pragma once

#include <pto/common/cpu_stub.hpp>

namespace pto {{

// clang-format off: one line each would be two pages
// A suffix tells locations of source and destination apart: V Vec, M Mat, A Acc, B Bias, L Left, R Right, S Scaling.
enum class Op : uint16_t {{
{names}
    OP_COUNT,
}};
// clang-format on

namespace cpu {{

constexpr pipe_t pipe_of(Op op)
{{
    switch (op) {{
{cases}
        case Op::OP_COUNT: return PIPE_ALL;
        default: return PIPE_V;
    }}
}}

}}  // namespace cpu

template <Op op>
struct OpPipeEntry {{
    static constexpr pipe_t pipe = cpu::pipe_of(op);
}};

}}  // namespace pto
"""


def pipe_of_operation(name: str) -> str:
    """The pipe that an Event of an operation sets its flag on, or waits on."""
    if name in _OTHER_PIPES:
        return _OTHER_PIPES[name]
    stem, _, suffix = name.rpartition("_")
    source, _, target = suffix.rpartition("2")
    if source in _LOCATIONS:
        return pipe_of(stem, _LOCATIONS[source], _LOCATIONS[target[0]])
    if suffix not in _LOCATIONS:
        return pipe_of(name, "Vec", "Vec")
    location = _LOCATIONS[suffix]
    return pipe_of(stem, location, "" if stem == "TSTORE" else location)


def render(written: str) -> str:
    """The header; ``written`` says where it is from."""
    pipes: dict[str, list[str]] = {}
    for name in OPERATIONS:
        pipes.setdefault(pipe_of_operation(name), []).append(name)
    cases = [
        "\n".join(f"        case Op::{name}:" for name in names) + f" return PIPE_{pipe};"
        for pipe, names in pipes.items()
        if pipe != "V"
    ]
    names = textwrap.fill(
        ", ".join(OPERATIONS) + ",", 120, initial_indent="    ", subsequent_indent="    ", break_long_words=False
    )
    return _HEADER.format(written=written, names=names, cases="\n".join(cases))
