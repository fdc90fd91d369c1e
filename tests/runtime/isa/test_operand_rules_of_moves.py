"""Loads, stores, moves, padding, transposition, gathering, merging and fifos refuse each operand that breaks one of
their rules, and say which."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .test_refusals import first_errors

HEADER = """\
#include <pto/pto-inst.hpp>
using namespace pto;
template <typename T, TileType Loc, int R, int C, BLayout B = BLayout::RowMajor, SLayout S = SLayout::NoneBox>
using Padded = Tile<Loc, T, R, C, B, -1, -1, S, 512, PadValue::Zero>;
"""
TILES = {
    "vec": "Padded<{type}, TileType::Vec, {rows}, {cols}>",
    "columns": "Padded<{type}, TileType::Vec, {rows}, {cols}, BLayout::ColMajor>",
    "boxes": "Padded<{type}, TileType::Vec, {rows}, {cols}, BLayout::ColMajor, SLayout::RowMajor>",
    "mat": "Padded<{type}, TileType::Mat, {rows}, {cols}>",
    "left": "TileLeft<{type}, {rows}, {cols}>",
    "acc": "TileAcc<{type}, {rows}, {cols}>",
    "bias": "Padded<{type}, TileType::Bias, 1, {cols}>",
    "line": "Padded<{type}, TileType::Vec, 1, {cols}>",
    "map": "ConvTile<TileType::Mat, {type}, {rows} * {cols}, Layout::NC1HWC0, ConvTileShape<1, 1, 1, {cols}, {rows}>>",
    "memory": "GlobalTensor<{type}, Shape<1, 1, 1, 64, 64>, pto::Stride<64, 64, 64, 64, 1>>",
}
"""Operands of each kind, of a shape of its own in each call: what failed before is not said again."""
INT4, FP4 = "int4b_t", "float4_e2m1x2_t"

NEVER = ("memory float",)
NO_VEC = (*NEVER, "boxes float", "mat float")
NO_ROWS = (*NO_VEC, "columns float")
NO_VEC_OR_MAT = (*NEVER, "left half", "acc half", f"vec {INT4}")
NO_SUM = (*NEVER, "left float", "bias float", f"vec {INT4}")
CONVERTED = {"dst": ("vec half", NO_VEC_OR_MAT), "src": ("acc float", NO_SUM)}
BY_SCALAR = {"dst": CONVERTED["dst"], "src": ("acc float", NO_SUM[1:])}
"""No form with a number has a source that is no tile."""
BY_WORDS = {
    "dst": ("vec half", (*NO_VEC_OR_MAT, "vec uint32_t")),
    "src": ("acc float", (*NEVER, "left float", "bias float")),
    "words": ("vec uint64_t", ("memory uint64_t",)),
}
MAPS = ("vec half", "memory half", "map int64_t")
Wrongs = Mapping[str, tuple[str, Sequence[str]]]
CALLS: Mapping[str, Wrongs] = {
    "TLOAD(dst, gm)": {
        "dst": ("vec float", (*NEVER, "vec half")),
        "gm": ("memory float", ("vec float", "memory half")),
    },
    "TSTORE(gm, src)": {
        "gm": ("memory float", ("vec float", "memory half")),
        "src": ("vec float", (*NEVER, "vec half")),
    },
    "TSTORE<S, G, AtomicType::AtomicAdd>(gm, src)": {"src": ("vec float", ("vec int32_t",))},
    "TMOV(dst, src)": {
        "dst": ("vec float", (*NEVER, f"vec {INT4}")),
        "src": ("vec float", (*NEVER, "left float", f"vec {INT4}")),
    },
    "TEXTRACT(dst, src, 0, 0)": {
        "dst": ("vec float", (*NEVER, f"vec {INT4}")),
        "src": ("vec float", (*NEVER, "left float", f"vec {INT4}")),
    },
    "TINSERT(dst, src, 0, 0)": {
        "dst": ("vec float", (*NEVER, f"vec {INT4}")),
        "src": ("vec float", (*NEVER, "left float", f"vec {INT4}")),
    },
    "TMOV<D, S, ReluPreMode::NormalRelu>(dst, src)": CONVERTED,
    "TMOV<D, S, AccToVecMode::DualModeSplitM, ReluPreMode::NormalRelu>(dst, src)": CONVERTED,
    "TMOV(dst, src, uint64_t(1))": BY_SCALAR,
    "TMOV<D, S, AccToVecMode::DualModeSplitM>(dst, src, uint64_t(1))": BY_SCALAR,
    "TEXTRACT<D, S, ReluPreMode::NormalRelu>(dst, src, 0, 0)": CONVERTED,
    "TEXTRACT<D, S, AccToVecMode::DualModeSplitM, ReluPreMode::NormalRelu>(dst, src, 0, 0)": CONVERTED,
    "TEXTRACT(dst, src, uint64_t(1), 0, 0)": BY_SCALAR,
    "TEXTRACT<D, S, AccToVecMode::DualModeSplitM>(dst, src, uint64_t(1), 0, 0)": BY_SCALAR,
    "TINSERT<D, S, ReluPreMode::NormalRelu>(dst, src, 0, 0)": CONVERTED,
    "TINSERT(dst, src, uint64_t(1), 0, 0)": BY_SCALAR,
    "TMOV_FP(dst, src, words)": BY_WORDS,
    "TEXTRACT_FP(dst, src, words, 0, 0)": BY_WORDS,
    "TINSERT_FP(dst, src, words, 0, 0)": BY_WORDS,
    "TSTORE<S, G, ReluPreMode::NormalRelu>(gm, src)": {
        "gm": ("memory float", ("vec float",)),
        "src": ("acc float", (*NEVER, "vec float", "mat float", "left float", "map float")),
    },
    "TSTORE(gm, src, uint64_t(1))": {
        "gm": ("memory half", ("vec half",)),
        "src": ("acc float", (*NEVER, "left float", "bias float", "map float")),
    },
    "TSTORE_FP(gm, src, words)": {
        "gm": ("memory half", ("vec half", "memory uint32_t")),
        "src": ("acc float", (*NEVER, "left float", "bias float", "map float")),
        "words": ("vec uint64_t", ("memory uint64_t",)),
    },
    "TRESHAPE(dst, src)": {
        "dst": ("vec float", (*NEVER, "mat float", "boxes float")),
        "src": ("vec float", (*NEVER, "mat float", "boxes float", "map float")),
    },
    "TSUBVIEW(dst, src, 0, 0)": {
        "dst": ("vec float", (*NEVER, "mat float", "acc float", "boxes float", "columns float", "vec half")),
        "src": ("vec float", (*NEVER, "mat float", "acc float", "boxes float", "columns float", "vec half")),
    },
    "TIMG2COL(dst, src, 0, 0)": {
        "dst": ("left half", ("vec half", "memory half", "acc half", "left float", "left int64_t")),
        "src": ("map half", (*MAPS, "map float")),
    },
    "SETFMATRIX(src)": {"src": ("map half", MAPS)},
    "SET_IMG2COL_RPT(src)": {"src": ("map half", MAPS)},
    "SET_IMG2COL_PADDING(src)": {"src": ("map half", MAPS)},
    "TPREFETCH_ASYNC(gm, context)": {"gm": ("memory half", ("vec half", f"memory {INT4}"))},
    "TFILLPAD(dst, src)": {
        "dst": ("vec float", (*NEVER, "bias float", "vec half", f"vec {INT4}")),
        "src": ("vec float", (*NEVER, "left float", "vec half")),
    },
    "TFILLPAD_INPLACE(dst, src)": {
        "dst": ("vec float", (*NEVER, "bias float", "vec half")),
        "src": ("vec float", (*NEVER, "acc float", "vec half")),
    },
    "TFILLPAD_EXPAND(dst, src)": {
        "dst": ("vec float", (*NEVER, "bias float", "vec half")),
        "src": ("vec float", (*NEVER, "acc float", "vec half")),
    },
    "TTRANS(dst, src, dst)": {
        "dst": ("vec float", (*NEVER, "vec int32_t", f"vec {FP4}")),
        "src": ("vec float", (*NEVER, "vec int32_t")),
    },
    "TGATHER(dst, src, idx, idx)": {
        "dst": ("vec float", (*NO_VEC, "vec int32_t", f"vec {INT4}")),
        "src": ("vec float", (*NO_VEC, "vec int32_t")),
        "idx": ("vec int32_t", ("boxes int32_t", "mat int32_t", "acc int32_t", "vec float")),
    },
    "TGATHER<D, S, MaskPattern::P0101>(dst, src)": {
        "dst": ("vec float", (*NO_ROWS, "vec half")),
        "src": ("vec float", (*NO_ROWS, "vec half")),
    },
    "TGATHER<D, S, K, C, S, CmpMode::GT>(dst, src, key, counts, src, 0)": {
        "dst": ("vec int32_t", ("columns int32_t", "mat int32_t", "vec float", "vec int16_t")),
        "src": ("vec float", (*NO_ROWS, f"vec {FP4}")),
        "key": ("vec float", NO_VEC),
        "counts": ("vec int32_t", ("boxes int32_t", "mat int32_t", "vec float")),
    },
    "TSCATTER(dst, src, idx)": {
        "dst": ("vec float", (*NO_VEC, "vec int32_t", f"vec {FP4}")),
        "src": ("vec float", (*NO_VEC, "vec int32_t")),
        "idx": ("vec int32_t", ("boxes int32_t", "mat int32_t", "acc int32_t", "vec float")),
    },
    "TSCATTER<MaskPattern::P0101>(dst, src)": {
        "dst": ("vec float", ("boxes float", "mat float", "columns float", "vec half")),
        "src": ("vec float", (*NO_ROWS, "vec half")),
    },
    "MGATHER(dst, gm, idx)": {
        "dst": ("vec float", (*NEVER, "vec half", f"vec {FP4}")),
        "gm": ("memory float", ("vec float", "memory half")),
        "idx": ("vec int32_t", ("vec float", "memory float")),
    },
    "MSCATTER(gm, src, idx)": {
        "gm": ("memory float", ("vec float", "memory half")),
        "src": ("vec float", (*NEVER, "vec half", f"vec {FP4}")),
        "idx": ("vec int32_t", ("vec float", "memory float")),
    },
    "TMRGSORT(dst, src, 64)": {
        "dst": ("line float", (*NO_VEC, "vec float", "line half", "line int64_t")),
        "src": ("line float", (*NO_VEC, "vec float", "line half")),
    },
    "TMRGSORT<D, T, S, S, false>(dst, taken, tmp, src, src)": {
        "dst": ("line float", (*NO_VEC, "vec float", "line half")),
        "tmp": ("line float", (*NO_VEC, "vec float")),
        "src": ("line float", (*NO_VEC, "vec float", "line half")),
    },
    "SET_QUANT_VECTOR(words)": {"words": ("vec uint64_t", ("memory uint64_t", "vec uint32_t"))},
    "TGET_SCALE_ADDR(dst, src)": {"dst": ("vec float", NEVER), "src": ("vec float", NEVER)},
    "TPUSH<Fifo, S, TILE_NO_SPLIT>(pipe, src)": {"src": ("vec float", ("left float", "bias float", f"vec {FP4}"))},
    "TPOP<Fifo, D, TILE_NO_SPLIT>(pipe, dst)": {"dst": ("vec float", ("left float", "acc float", f"vec {FP4}"))},
}  # fmt: skip
"""What each operand of a call is, and what it may not be."""
LETTERS = {"dst": "D", "src": "S", "gm": "G", "idx": "I", "key": "K", "counts": "C", "tmp": "T", "words": "W"}


def operand(kind: str, number: int) -> str:
    """The type of an operand: its place and its element type in words, in a shape of its own."""
    place, _, element = kind.partition(" ")
    return TILES[place].format(type=element, rows=16, cols=32 * (number + 1))


def function(number: int, call: str, kinds: Mapping[str, str]) -> str:
    """A call in a namespace of its own, on one line."""
    types = {name: operand(kind, number) for name, kind in kinds.items()}
    names = " ".join(f"using {LETTERS[name]} = {kind};" for name, kind in types.items())
    given = ", ".join(f"{kind}& {name}" for name, kind in types.items())
    fifo = f"using Fifo = TPipe<{number % 200}, DIR_C2V, 1024, 2, {number + 2}>;"
    more = "Fifo& pipe, MrgSortExecutedNumList& taken, PrefetchAsyncContext& context"
    body = f"void f({given}, {more}) {{ {call}; (void)pipe; (void)taken; (void)context; }}"
    return f"namespace n{number} {{ {fifo} {names} {body} }}"


def test_a_wrong_operand_is_named_with_its_rule() -> None:
    lines = HEADER.splitlines()
    calls: dict[int, tuple[str, str, str]] = {}
    for call, operands in CALLS.items():
        right = {name: kind for name, (kind, _) in operands.items()}
        if "gm" in call and "gm" not in right:
            right["gm"] = "memory float"
        cases = [("", "", right)]
        cases += [(name, wrong, right | {name: wrong}) for name, (_, wrongs) in operands.items() for wrong in wrongs]
        for name, wrong, kinds in cases:
            lines.append(function(len(calls), call, kinds))
            calls[len(lines)] = (call, name, wrong)
    errors = first_errors("\n".join(lines) + "\n")
    unclear = {
        said: errors.get(line, "accepted")
        for line, said in calls.items()
        if said[1]
        and not re.match(
            rf"static assertion failed: {re.split('[(<]', said[0])[0]}: [a-z]\w* (must|needs)\b",
            errors.get(line, "accepted"),
        )
    }
    assert unclear == {}
    assert {said: errors[line] for line, said in calls.items() if not said[1] and line in errors} == {}
