"""Sizes of tensors, which are arithmetic on dims, as C++ and as Python of a package."""

from __future__ import annotations

import ast

from pyptogen.runtime.operator.size_functions import fraction

_INFIX = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_CALLED = {ast.FloorDiv: "floor_div", ast.Mod: "floor_mod", ast.Pow: "power"}


def python_size(text: str) -> str:
    """A size text (`size_functions.size_text`) as whole numbers of Python: a quotient is exact."""
    above, below = fraction(ast.parse(text, mode="eval").body)
    return f"{above} // {below}" if below else above


def cpp_size(text: str) -> str:
    """The same as C++ over int64_t, with the functions of `pyptogen_sizes.hpp`."""
    return _cpp(ast.parse(python_size(text), mode="eval").body)


def _cpp(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=int(value)):
            return f"INT64_C({value})" if abs(value) > 2**31 - 1 else str(value)
        case ast.Name(id=name):
            return name
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"-{_cpp(operand)}"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _INFIX:
            return f"({_cpp(left)} {_INFIX[type(op)]} {_cpp(right)})"
        case ast.BinOp(left=left, op=op, right=right):
            return f"pyptogen::{_CALLED[type(op)]}({_cpp(left)}, {_cpp(right)})"
        case ast.Call(func=ast.Name(id=("Max" | "Min") as name), args=args):
            return f"std::{name.lower()}<int64_t>({{{', '.join(map(_cpp, args))}}})"
    raise ValueError(f"not a size: {ast.unparse(node)}")
