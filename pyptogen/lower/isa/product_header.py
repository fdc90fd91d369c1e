"""The element types of products, and of what becomes of them, as the bundled headers check them:
`pto/cpu/isa/products.hpp`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyptogen.lower.isa.element_types import constant, spelled
from pyptogen.lower.isa.instruction import DTYPES, Types
from pyptogen.lower.isa.table import CAST_FROM_ACC, MX_PRODUCTS, PRODUCTS, REQUANTISED

_HEADER = """\
// Which element types the matrix unit multiplies, what it adds the products up in, and what becomes of the sums.
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
/// Whether TSTORE and TMOV cast sums of C to T, and whether they make T of C under a quantisation word.
template <typename C, typename T>
inline constexpr bool casts_sum = (casts_of<type_bit<C>> & type_bit<T>) != 0;
template <typename C, typename T>
inline constexpr bool requantises = (quantised_of<type_bit<C>> & type_bit<T>) != 0;

}}  // namespace pto::cpu::isa

// The pairs of casts_sum and of requantises in messages.
#define PTO_CASTS_OF_SUMS \\
    {casts}
#define PTO_REQUANTISED \\
    {requantised}
"""


def render(written: str) -> str:
    """The header; ``written`` says where it is from."""
    plain = PRODUCTS["cpu"]
    tables = [
        *_table("rights_of", "Right operands of a left one", {(a, b) for a, b, _ in plain}),
        *_table("sums_of", "Accumulators of a left operand", {(a, c) for a, _, c in plain}),
        *_table("casts_of", "Element types that an accumulator is cast to", _pairs(CAST_FROM_ACC)),
        *_table("quantised_of", "What an accumulator becomes under quantisation words", _pairs(REQUANTISED)),
        *_table("mx_rights_of", "Right operands of a left one with scales", {(a, b) for a, b, _ in MX_PRODUCTS}),
    ]
    return _HEADER.format(
        written=written, tables="\n".join(tables), casts=_words(CAST_FROM_ACC), requantised=_words(REQUANTISED)
    )


def _pairs(targets: Mapping[str, Types]) -> set[tuple[str, str]]:
    return {(source, target) for source, types in targets.items() for target in types}


def _words(targets: Mapping[str, Types]) -> str:
    """For people: ``int32 to int8 or half, and fp32 to fp32``; a literal for each source."""
    texts = [f"{source} to {spelled(types)}" for source, types in targets.items()]
    return " \\\n    ".join(f'"{text}"' for text in (*(f"{text}, and " for text in texts[:-1]), texts[-1]))


def _table(name: str, doc: str, pairs: set[tuple[str, str]]) -> Iterator[str]:
    """A set for each left operand."""
    yield f"/// {doc}."
    yield f"template <Types Left> inline constexpr Types {name} = kNowhere;"
    for left in (d for d in DTYPES if any(a == d for a, _ in pairs)):
        types = " | ".join(constant(d) for d in DTYPES if (left, d) in pairs)
        yield f"template <> inline constexpr Types {name}<{constant(left)}> = {types};"
