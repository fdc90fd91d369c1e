"""What a call checks before anything runs, and what it says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sympy

from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.lower.tensor.ir import Requirement
from pyptogen.runtime.operator.contract import Contract
from pyptogen.runtime.operator.size_functions import expand, size_text, sizes_function, solve_linear
from runtime import toy


@pytest.fixture(scope="module")
def contract() -> Contract:
    return Contract.from_program(toy.program())


def arrays(n: int = 5, blocks: int = 2, **changed: Any) -> dict[str, Any]:
    good = {
        "x": np.zeros((n, 8), np.float32),
        "bias": np.zeros(8, ml_dtypes.bfloat16),
        "w": np.zeros((16, 8), np.int8),
        "state": np.zeros(n, np.int32),
        "cache": np.zeros((blocks * 4, 8), np.float16),
    }
    return good | changed


def fault_of(contract: Contract, given: dict[str, Any]) -> Diagnostic:
    with pytest.raises(DiagnosticError) as error:
        contract.bind(given)
    return error.value.diagnostics[0]


def test_dims_are_solved(contract: Contract) -> None:
    assert contract.bind(arrays(n=5, blocks=6)) == {"n": 5, "blocks": 6}
    assert contract.output_extents(5, 6) == ((5, 8), (5,), (16, 8))


def test_types_read_like_the_spec(contract: Contract) -> None:
    assert [tensor.type for tensor in contract.inputs] == [
        "fp32[n, d]", "bf16[d]", "int8[k, d] @ nz", "int32[n]", "fp16[4 * blocks, d]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "code", "line", "says"),
    [
        (arrays(x=np.zeros((5, 8), np.float64)), "PTG403", 10, "argument `x` has dtype float64"),
        (arrays(bias=np.zeros(8, np.float16)), "PTG403", 11, "argument `bias` has dtype fp16"),
        (arrays(x=np.zeros(40, np.float32)), "PTG402", 10, "argument `x` has shape [40]"),
        (arrays(x=np.zeros((5, 9), np.float32)), "PTG402", 10, "argument `x` has shape [5, 9]: axis 1 is 9"),
        (arrays(w=np.zeros((8, 16), np.int8)), "PTG402", 12, "axis 0 is 8"),
        (arrays(cache=np.zeros((9, 8), np.float16)), "PTG402", 14, "argument `cache` has shape [9, 8]"),
        (arrays(state=np.zeros(6, np.int32)), "PTG405", 13, "argument `state`: axis 0 is 6"),
        (arrays(n=65), "PTG401", 3, "dim `n` is 65"),
        (arrays(n=0), "PTG401", 3, "dim `n` is 0"),
        (arrays(blocks=3), "PTG401", 4, "dim `blocks` is 3"),
        (arrays(ws=np.zeros(1)), "PTG404", 2, "has no argument `ws`"),
    ],
)
def test_wrong_argument(contract: Contract, given: dict[str, Any], code: str, line: int, says: str) -> None:
    diagnostic = fault_of(contract, given)
    assert diagnostic.code == code
    assert diagnostic.span is not None
    assert diagnostic.span.line == line
    assert says in diagnostic.message


def test_expectations_name_expression_and_value(contract: Contract) -> None:
    wrong = fault_of(contract, arrays(x=np.zeros((5, 9), np.float32)))
    assert wrong.expected == "fp32[n, d]; axis 1 is `d` = 8"
    uneven = fault_of(contract, arrays(state=np.zeros(6, np.int32)))
    assert uneven.expected == "`n` = 5; shape [5], got [6]"
    assert uneven.notes == (("`n` is 5 by axis 0 of `x`", toy.at(3)),)
    outside = fault_of(contract, arrays(blocks=3))
    assert outside.expected == "blocks from 1 to 8, a multiple of 2"


def test_missing_arguments_are_all_named(contract: Contract) -> None:
    given = arrays()
    del given["x"], given["w"]
    with pytest.raises(DiagnosticError) as error:
        contract.bind(given)
    assert [d.message for d in error.value.diagnostics] == [
        "argument `x` is missing",
        "argument `w` is missing",
    ]


def test_unknown_argument_gets_a_suggestion(contract: Contract) -> None:
    assert "`cache`" in fault_of(contract, arrays(cach=np.zeros(1))).fix


def test_attrs(contract: Contract) -> None:
    assert contract.bind_attrs({"step": 3}) == [2.0, 3]
    assert contract.bind_attrs({"step": np.int32(3), "scale": 1}) == [1.0, 3]
    assert contract.bind_attrs({"step": -(2**31), "scale": -math.inf}) == [-math.inf, -(2**31)]
    assert math.isnan(contract.bind_attrs({"step": np.uint64(2**31 - 1), "scale": np.float64("nan")})[0])


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "PTG404"),
        ({"step": 1.5}, "PTG403"),
        ({"step": 1, "scale": "x"}, "PTG403"),
        ({"step": True}, "PTG403"),
        ({"step": np.bool_(True)}, "PTG403"),
        ({"step": 2**31}, "PTG403"),
        ({"step": -(2**31) - 1}, "PTG403"),
        ({"step": np.int64(2**40)}, "PTG403"),
        ({"step": 1, "scale": 1e39}, "PTG403"),
        ({"step": 1, "scale": -3.5e38}, "PTG403"),
        ({"step": 1, "scale": 10**400}, "PTG403"),
        ({"step": 1, "scale": 2**128}, "PTG403"),
        ({"step": 1, "scale": 1j}, "PTG403"),
    ],
)
def test_wrong_attrs(contract: Contract, given: dict[str, Any], code: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        contract.bind_attrs(given)
    assert error.value.diagnostics[0].code == code


def test_derived_dims_are_expanded() -> None:
    definitions = {"heads": "4", "wide": "heads * d", "d": "2 * n"}
    shape = sizes_function([[expand("wide + 1", definitions)]], ["n"])
    assert shape(3) == ((25,),)


@pytest.mark.parametrize("value", range(1, 9))
def test_sympy_functions_are_understood(value: int) -> None:
    n = sympy.Symbol("n", integer=True, positive=True)
    sizes = [
        sympy.ceiling(n / 2),
        sympy.floor(n / 3),
        sympy.Max(n, 4),
        sympy.Min(n, 4),
        sympy.Mod(n, 3),
        n**2 - 1,
    ]
    computed = sizes_function([[size_text(size) for size in sizes]], ["n"])(value)
    assert computed == (tuple(int(size.subs(n, value)) for size in sizes),)


@pytest.mark.parametrize(
    ("text", "size", "dim"),
    [
        ("n", 7, 7),
        ("4 * n", 28, 7),
        ("4 * n", 29, None),
        ("2 * n + 3", 17, 7),
        ("n + m", 12, 7),
        ("n * m - 1", 34, 7),
    ],
)
def test_linear_sizes_are_solved(text: str, size: int, dim: int | None) -> None:
    solution = solve_linear(text, "n")
    assert solution is not None
    assert solution.solve(size, {"m": 5}) == dim


@pytest.mark.parametrize("text", ["n * n", "7", "-n", "m", "n % 2"])
def test_other_sizes_have_no_solution(text: str) -> None:
    assert solve_linear(text, "n") is None


def test_dims_may_follow_from_each_other() -> None:
    program = toy.program()
    x, bias = program.inputs[:2]
    shown = replace(bias, shape=(toy.N * 2 + toy.BLOCKS,))
    contract = Contract.from_program(replace(program, inputs=(shown, x), outputs=(), inplace={}))
    arrays = {"bias": np.zeros(14, ml_dtypes.bfloat16), "x": np.zeros((5, 8), np.float32)}
    assert contract.bind(arrays) == {"n": 5, "blocks": 4}


@pytest.mark.parametrize(("n", "blocks", "holds"), [(8, 2, True), (9, 2, False), (16, 2, False)])
def test_preconditions(n: int, blocks: int, holds: bool) -> None:
    slots = sympy.Symbol("slots", integer=True, positive=True)
    condition = sympy.And(sympy.Eq(sympy.Mod(toy.N, 4), 0), slots >= toy.N)
    requirement = Requirement("n % 4 == 0 and n <= slots", condition, toy.at(18))
    contract = Contract.from_program(replace(toy.program(), requires=(requirement,)))
    sizes = {"n": n, "blocks": blocks}
    if holds:
        contract.check_requires(sizes, [2.0, 1])
        return
    with pytest.raises(DiagnosticError) as error:
        contract.check_requires(sizes, [2.0, 1])
    assert error.value.diagnostics[0].code == "PTG406"
    assert str(error.value.diagnostics[0].span) == "toy.yaml:18:3"
    assert f"n = {n}" in error.value.diagnostics[0].message
    assert "`n % 4 == 0 and n <= slots`" in error.value.diagnostics[0].message


@pytest.mark.parametrize("text", ["__import__('os')", "n.real", "[n]", "n if n else 1", "1.5", "f(n)"])
def test_a_size_is_only_arithmetic(text: str) -> None:
    with pytest.raises(ValueError, match="not a size"):
        size_text(text)
