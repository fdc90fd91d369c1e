"""By how much the loops step on that hang on each argument of a kernel."""

from __future__ import annotations

import pytest

from pyptogen.sanitize.lexer import scan
from pyptogen.sanitize.parser import parse
from pyptogen.sanitize.steps import steps

FIXED = {"nblk": 4, "get_block_num": 4}


def of(body: str, *names: str) -> dict[str, int]:
    text = f"__global__ AICORE void kernel({', '.join(f'int {n}' for n in names)}) {{ {body} }}"
    (function,) = parse(scan("kernel.cpp", text)).functions
    return steps(function, names, FIXED)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (int i = 0; i < b; ++i) { for (int j = 0; j < s; j += 64) { } }", {"b": 1, "s": 64}),
        ("for (int i = 0; i < b; i += nblk * 8) { while (i < s) { } }", {"b": 32, "s": 1}),
        ("const int left = b * 2; int end = 0; end = left; for (int i = 0; i < end; i += 16) { }", {"b": 16, "s": 16}),
        ("for (int i = 0; i < b; i += 4) { const int r = b - i < 4 ? b - i : s; for (int j = 0; j < r; ++j) { } }",
         {"b": 4, "s": 1}),
        ("for (int i = 0; i < b; i += s) { }", {"b": 1, "s": 1}),
        ("for (int i = 0; i < 64; i += 32) { }", {"b": 32, "s": 32}),
        ("if (b > 2) { for (int i = 0; i < get_block_num() * s; i += get_block_num()) { } }", {"b": 4, "s": 4}),
    ],
)  # fmt: skip
def test_steps(body: str, expected: dict[str, int]) -> None:
    assert of(body, "b", "s") == expected
