"""What the operators of expressions mean for tensors."""

from __future__ import annotations

import ast
from collections.abc import Mapping

COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
PRIMITIVES: Mapping[type[ast.operator], str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
EXPANDED: Mapping[type[ast.operator], str] = {
    ast.Mod: "remainder", ast.FloorDiv: "floor_div", ast.Pow: "pow", ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor", ast.LShift: "bitwise_left_shift", ast.RShift: "bitwise_right_shift",
}  # fmt: skip
"""Operators that are operations of the registry."""
