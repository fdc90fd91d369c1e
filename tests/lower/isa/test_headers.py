"""What the bundled headers have of the instruction table is what stands in it."""

from __future__ import annotations

import re

import pytest

from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.isa.checked_header import checked_rows
from pyptogen.lower.isa.operand_rules import row_of, ruled_names, rules_of
from pyptogen.lower.isa.operations import OPERATIONS, pipe_of_operation
from pyptogen.lower.isa.write_headers import FOLDER, render

FILES = (
    "common/operation.hpp", "cpu/core/platforms.hpp",
    "cpu/isa/element_types.hpp", "cpu/isa/operands.hpp", "cpu/isa/products.hpp",
    "cpu/checked/names.hpp", "cpu/checked/begin.hpp", "cpu/checked/end.hpp", "cpu/checked/sites.hpp",
)  # fmt: skip


@pytest.mark.parametrize("file", FILES)
def test_it_is_up_to_date(file: str) -> None:
    """Written anew by ``python -m pyptogen.lower.isa.write_headers``."""
    assert (FOLDER / file).read_text() == render()[file]


def test_those_are_all_files() -> None:
    assert set(render()) == set(FILES)


def test_every_file_has_every_instruction_on_tiles() -> None:
    """The committed files themselves: an instruction that is not renamed or not wrapped is not checked."""
    on_tiles = {
        name for name, row in INSTRUCTIONS.items() if set(row.effects) & set("wru") and not name.startswith("comm::")
    } - {"TPRINT", "SET_QUANT_VECTOR"}

    def listed(file: str, pattern: str) -> set[str]:
        return set(re.findall(pattern, (FOLDER / "cpu" / "checked" / file).read_text(), re.MULTILINE))

    assert listed("names.hpp", r"^    X\((\w+),") == on_tiles
    assert listed("begin.hpp", r"^#define (\w+) \1_unchecked$") == on_tiles | {"TASSIGN"}
    assert listed("end.hpp", r"^#undef (\w+)$") == on_tiles | {"TASSIGN"}
    lines = listed("sites.hpp", r"^#define (\w+)\(\.\.\.\) pto_site\(__FILE__, __LINE__\)->\*\1\(__VA_ARGS__\)$")
    assert lines == on_tiles - {"TGATHER", "TSCATTER"} | {"TASSIGN"}


def test_it_has_what_touches_tiles() -> None:
    names = {row.name for row in checked_rows()}
    assert {"TLOAD", "TADD", "TMATMUL", "TMRGSORT", "TPUSH", "TPREFETCH"} <= names
    assert not {"TASSIGN", "TRESHAPE", "TSYNC", "comm::TPUT", "TPRINT"} & names


def test_sets_are_written_with_their_types() -> None:
    types, names = render()["cpu/isa/element_types.hpp"], render()["cpu/checked/names.hpp"]
    assert "constexpr Types kFloats = kFp32 | kFp16;" in types
    assert "type_bit<hifloat8_t> = kHif8;" in types
    assert 'type_name<float8_e4m3_t> = "e4m3";' in types
    assert 'X(TADD, "wr", PIPE_V, kFirst, kArithmetic, kPlain, kSame)' in names
    assert 'X(TCMP, "wr", PIPE_V, kRead, kFp32Fp16Int32, kPlain, kSameRows)' in names
    assert 'X(TINTERLEAVE, "wwrr", PIPE_V, kFirst, kNowhere, kUpTo4Bytes, kAny)' in names


def test_memories_are_those_of_the_public_headers() -> None:
    """Copied from their `buffer_limits.hpp` (2026-08-21), in KiB."""
    text = (FOLDER / "cpu" / "core" / "platforms.hpp").read_text()
    public = {
        "A2a3": {"vec": 192, "mat": 512, "left": 64, "right": 64, "acc": 128, "bias": 1, "scaling": 2,
                 "scale_left": 0, "scale_right": 0},
        "A5": {"vec": 256, "mat": 512, "left": 64, "right": 64, "acc": 256, "bias": 4, "scaling": 4,
               "scale_left": 4, "scale_right": 4},
    }  # fmt: skip
    for name, sizes in public.items():
        found = re.search(rf"Platform k{name}{{(.*?)}};", text, re.DOTALL)
        assert found is not None
        assert {field: int(size) for field, size in re.findall(r"\.(\w+) = (\d+) \* 1024", found[1])} == sizes


def macro(name: str) -> list[str]:
    """The operands of a macro of the committed header and its rules, those of one kind together."""
    text = (FOLDER / "cpu" / "isa" / "operands.hpp").read_text().replace("\\\n", "")
    found = re.search(rf"^#define PTO_OPERANDS_{name}\((.*?)\)(.*)$", text, re.MULTILINE)
    assert found is not None
    rules: dict[str, list[str]] = {}
    for kind, words in re.findall(r'PTO_EXPECT_(\w+)\("\w+", (.*?)\)(?= |$)', found[2]):
        rest, _, operand = words.rpartition(", ")
        rules.setdefault(f"{kind} {rest}".strip(), []).append(operand)
    return [found[1], *(f"{kind}: {' '.join(operands)}" for kind, operands in rules.items())]


def test_rules_of_operands() -> None:
    """Worked out by hand from the pages of the instructions."""
    plain = 'ELEMENTS kPlain, "fp32, half, bfloat16_t or integer"'
    assert macro("TADD_3") == [
        "DST, A, B", "VEC: DST A B", "ELEMENT_TYPE DST: A B", "LAYOUT DST: A B", f"{plain}: DST",
    ]  # fmt: skip
    assert macro("TCMP_3") == [
        "BITS, A, B", "VEC: BITS A B", "ELEMENT_TYPE A: B", "ROW_MAJOR: BITS A B",
        'ELEMENTS kIntegers, "integer": BITS', f"{plain}: A",
    ]  # fmt: skip
    assert macro("TROWARGMAX_3") == [
        "DST, IDX, A", "VEC: DST IDX A", "ELEMENT_TYPE DST: A", "ROW_MAJOR: A", f"{plain}: DST",
        'ELEMENTS kIntegers, "integer": IDX',
    ]  # fmt: skip
    assert macro("TSORT32_3")[4:] == [
        'ELEMENTS kFp32Fp16Bf16Int16Int32, "fp32, half, bfloat16_t, int16 or int32": PAIRS',
        'ELEMENTS kUint32, "uint32": IDX',
    ]
    assert macro("TROWSUM_2")[3] == "ROW_MAJOR: A"
    assert macro("TDEQUANT_4")[3:] == [
        'ELEMENTS kFp32, "fp32": DST SCALE OFFSET', 'ELEMENTS kInt8Int16, "int8 or int16": A',
    ]  # fmt: skip


def test_rules_of_moves() -> None:
    """Worked out by hand from the pages of the instructions and the static assertions of the devices' headers."""
    small = 'ELEMENTS kEveryButE2m1E1m2Int4, "no float4_e2m1x2_t, float4_e1m2x2_t or int4b_t"'
    assert macro("TLOAD_2") == [
        "DST, GM", 'PLACE kInData, "a tile or a ConvTile": DST', "GLOBAL: GM", "ELEMENT_SIZE DST: GM",
    ]  # fmt: skip
    assert macro("TGATHER_4") == [
        "DST, A, KEY, COUNTS", "VEC: DST A KEY COUNTS", "ROW_MAJOR: DST A",
        'ELEMENTS kInt32Uint32, "int32 or uint32": DST', f"{small}: A", 'ELEMENTS kIntegers, "integer": COUNTS',
    ]  # fmt: skip
    assert macro("TMRGSORT_4")[1:5] == [
        "VEC: PAIRS TMP A B", "ELEMENT_TYPE PAIRS: A B", "ROW_MAJOR: PAIRS TMP A B", "ONE_ROW: PAIRS TMP A B",
    ]  # fmt: skip
    assert macro("TMOV_2")[3:] == ['ELEMENTS kEveryButInt4, "no int4b_t": DST SRC']
    assert macro("TSTORE_ADD_2")[3] == "ELEMENT_TYPE GM: SRC"
    assert macro("TMOV_CONVERTED_2")[1:3] == [
        'PLACE kInNear, "a Vec or Mat tile": DST', 'PLACE kInFifo, "a Vec, Mat or Acc tile": SRC',
    ]  # fmt: skip
    assert macro("TSTORE_FP_3")[:4] == [
        "GM, ACC, WORDS", 'PLACE kInFifo, "a Vec, Mat or Acc tile": ACC', 'PLACE kInTile, "a tile": WORDS',
        "GLOBAL: GM",
    ]  # fmt: skip
    assert macro("TRESHAPE_2") == ["DST, A", 'PLACE kInTile, "a tile": DST A', "MEMORY DST: A", "FRACTALS DST: A"]
    assert macro("TSUBVIEW_2")[2:] == [
        'PLACE kInTile, "a tile": A', "ELEMENT_SIZE DST: A", "MEMORY DST: A", "ORDER DST: A",
    ]  # fmt: skip
    assert macro("TIMG2COL_2")[:4] == [
        "DST, MAP", 'PLACE kInLeft, "a Left tile": DST', 'PLACE kInConv, "a ConvTile": MAP', "ELEMENT_TYPE DST: MAP",
    ]  # fmt: skip
    assert macro("TPOP_1")[:2] == ["TILE", 'PLACE kInNear, "a Vec or Mat tile": TILE']


def test_every_row_of_vector_tiles_has_rules() -> None:
    """And loads, stores, moves, views, convolutions and fifos; products state their own."""
    others = {
        *("TCI", "TTOPK", "TBOTTOMK", "TLOAD", "TSTORE", "TMOV", "TEXTRACT", "TINSERT", "TPUSH", "TPOP"),
        *("TSTORE_FP", "TMOV_FP", "TEXTRACT_FP", "TINSERT_FP", "TRESHAPE", "TSUBVIEW", "TPREFETCH_ASYNC"),
        *("TIMG2COL", "SETFMATRIX", "SET_IMG2COL_RPT", "SET_IMG2COL_PADDING", "SET_QUANT_VECTOR", "TGET_SCALE_ADDR"),
    }
    on_vectors = {
        name
        for name, row in INSTRUCTIONS.items()
        if row.pipe == "V" and set(row.effects) & set("wu") and not name.startswith("comm::")
    }
    assert {row_of(name).name for name in ruled_names()} == on_vectors | others


def test_forms_with_as_many_operands_ask_for_the_same() -> None:
    """`rules_of` raises where they do not."""
    counts = {name: [len(operands) for operands in rules_of(name)] for name in ruled_names()}
    assert counts["TDIVS"] == [2]
    assert counts["TROWARGMAX"] == [2, 3]
    assert counts["TCONCAT"] == [3, 5, 6]
    assert counts["TGATHER"] == [2, 3, 4]
    assert counts["TPUSH"] == [1]


def test_what_a_device_takes_the_headers_take() -> None:
    """A kernel for a device runs here: the bitwise instructions on floats are the exception."""
    lacking = {name: (row.dtypes["a2a3"] | row.dtypes["a5"]) - row.dtypes["cpu"] for name, row in INSTRUCTIONS.items()}
    assert {name for name, types in lacking.items() if types} == {"TANDS", "TOR", "TORS", "TXORS"}


def test_pipes_of_events_are_those_of_the_public_headers() -> None:
    """Copied from their list of operations (`pto/common/event.hpp`, 2026-08-21); all others run on V."""
    public = {
        "MTE2": {"TLOAD", "TEXPANDS_MAT", "TPREFETCH", "TFILLPAD_MAT", "MGATHER_MAT"},
        "MTE3": {"TSTORE_VEC", "TSTORE_MAT"},
        "MTE1": {"TMOV_M2B", "TMOV_M2L", "TMOV_M2R", "TEXTRACT_M2LR", "TIMG2COL"},
        "M": {"TMATMUL", "TGEMV"},
        "FIX": {
            "TMOV_V2M", "TEXTRACT_V2M", "TMOV_M2S", "TMOV_A2V", "TMOV_A2M", "TSTORE_ACC", "TEXTRACT_A2M", "TINSERT_A2M",
        },
        "S": {"SCALAR", "TRESHAPE", "TCI", "SETFMATRIX", "SET_IMG2COL_RPT", "SET_IMG2COL_PADDING"},
    }  # fmt: skip
    of = {name: pipe for pipe, names in public.items() for name in names}
    assert {name: pipe_of_operation(name) for name in OPERATIONS} == {name: of.get(name, "V") for name in OPERATIONS}
    assert len(OPERATIONS) == 135
