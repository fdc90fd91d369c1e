"""The element types of products as the bundled headers check them: `pto/cpu/isa/products.hpp`."""

from __future__ import annotations

from collections.abc import Iterator

from pyptogen.lower.isa.element_types import constant
from pyptogen.lower.isa.instruction import DTYPES
from pyptogen.lower.isa.table import MX_PRODUCTS, PRODUCTS

_HEADER = """\
// Which element types the matrix unit multiplies, and what it adds the products up in.
//
// {written}
#pragma once

#include <pto/cpu/isa/element_types.hpp>

namespace pto::cpu::isa {{

// clang-format off
{tables}
// clang-format on

/// Whether TMATMUL and TGEMV multiply A by B, and whether they add products of A up in C.
template <typename A, typename B>
inline constexpr bool multiplies = (rights_of<type_bit<A>> & type_bit<B>) != 0;
template <typename A, typename C>
inline constexpr bool sums_in = (sums_of<type_bit<A>> & type_bit<C>) != 0;
/// Whether TMATMUL_MX and TGEMV_MX multiply A by B.
template <typename A, typename B>
inline constexpr bool multiplies_scaled = (mx_rights_of<type_bit<A>> & type_bit<B>) != 0;

}}  // namespace pto::cpu::isa
"""


def render(written: str) -> str:
    """The header; ``written`` says where it is from."""
    plain = PRODUCTS["cpu"]
    tables = [
        *_table("rights_of", "Right operands of a left one", {(a, b) for a, b, _ in plain}),
        *_table("sums_of", "Accumulators of a left operand", {(a, c) for a, _, c in plain}),
        *_table("mx_rights_of", "Right operands of a left one with scales", {(a, b) for a, b, _ in MX_PRODUCTS}),
    ]
    return _HEADER.format(written=written, tables="\n".join(tables))


def _table(name: str, doc: str, pairs: set[tuple[str, str]]) -> Iterator[str]:
    """A set for each left operand."""
    yield f"/// {doc}."
    yield f"template <Types Left> inline constexpr Types {name} = kNowhere;"
    for left in (d for d in DTYPES if any(a == d for a, _ in pairs)):
        types = " | ".join(constant(d) for d in DTYPES if (left, d) in pairs)
        yield f"template <> inline constexpr Types {name}<{constant(left)}> = {types};"
