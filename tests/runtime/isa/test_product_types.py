"""The headers multiply what the table of products names, and refuse every other pair of element types in one line."""

from __future__ import annotations

import re
from itertools import product

import pytest

from pyptogen.lower.isa.table import MX_PRODUCTS, PRODUCTS

from .agreement.casts import CPP_TYPES
from .test_forms import errors, said

LEGAL = {"TMATMUL": PRODUCTS["cpu"], "TGEMV": PRODUCTS["cpu"], "TMATMUL_MX": MX_PRODUCTS}
CALLS = {
    "TMATMUL": "TMATMUL(sums, left, right)",
    "TGEMV": "TGEMV(sums, left, right)",
    "TMATMUL_MX": "TMATMUL_MX(sums, left, left_scales, right, right_scales)",
}
BODY = """\
namespace case_{number} {{
void call()
{{
    TileLeft<{left}, 32, {depth}, 32, {depth}> left;
    TileRight<{right}, {depth}, 32, {depth}, 32> right;
    TileAcc<{sums}, 32, 32, 32, 32> sums;
    TileLeftScale<float8_e8m0_t, 32, {depth} / 32, 32, {depth} / 32> left_scales;
    TileRightScale<float8_e8m0_t, {depth} / 32, 32, {depth} / 32, 32> right_scales;
    {call};
}}
}}  // namespace
"""


@pytest.mark.parametrize("name", CALLS)
def test_pairs_of_the_table_and_no_others(name: str) -> None:
    known = [dtype for dtype in CPP_TYPES if dtype not in ("bool", "uint64")]
    lines_of: dict[int, tuple[str, str, str]] = {}
    text = "#include <pto/pto-inst.hpp>\nusing namespace pto;\n"
    pairs = ((a, b, sums) for a, b in product(known, known) for sums in ("fp32", "int32"))
    for number, (a, b, sums) in enumerate(pairs):
        first = text.count("\n") + 1
        types = {"left": CPP_TYPES[a], "right": CPP_TYPES[b], "sums": CPP_TYPES[sums]}
        # A depth of its own: a refusal of two types of tiles is said once.
        text += BODY.format(number=number, depth=64 * (number + 1), call=CALLS[name], **types)
        lines_of |= dict.fromkeys(range(first, text.count("\n") + 1), (a, b, sums))
    lines = said(text)
    places = (re.match(r"<stdin>:(\d+):", line) for line in lines)
    refused = {lines_of[int(place[1])] for place in places if place and int(place[1]) in lines_of}
    assert set(lines_of.values()) - refused == set(LEGAL[name])
    assert [error for error in errors(lines) if not error.startswith("static assertion failed")] == []
