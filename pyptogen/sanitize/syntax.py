"""What the parser makes of a file: a few kinds of expressions and statements, each with its token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from pyptogen.diagnostics import DiagnosticError
from pyptogen.records import dataclass
from pyptogen.sanitize.lexer import Token


@dataclass(frozen=True, slots=True)
class Name:
    """``a``, ``a::b``, with template arguments or without; ``outer`` are those of a part before the last one. ``plain``
    is the path without the namespaces that all names of PTO-ISA may have before them."""

    path: tuple[str, ...]
    arguments: tuple[Expr, ...] | None
    token: Token
    outer: tuple[Expr, ...] | None = None
    plain: tuple[str, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        plain = tuple(part for part in self.path if part not in ("pto", "std", "AscendC"))
        object.__setattr__(self, "plain", plain or self.path)


@dataclass(frozen=True, slots=True)
class Literal:
    value: int | float | str
    token: Token


@dataclass(frozen=True, slots=True)
class Unary:
    op: str
    operand: Expr
    token: Token
    postfix: bool = False


@dataclass(frozen=True, slots=True)
class Binary:
    op: str
    left: Expr
    right: Expr
    token: Token


@dataclass(frozen=True, slots=True)
class Ternary:
    condition: Expr
    then: Expr
    other: Expr
    token: Token


@dataclass(frozen=True, slots=True)
class Call:
    """``f(…)``, ``f<<<…>>>(…)``, and ``T{…}``."""

    function: Expr
    arguments: tuple[Expr, ...]
    token: Token


@dataclass(frozen=True, slots=True)
class Member:
    """``a.b`` or ``a->b``."""

    object: Expr
    name: str
    token: Token


@dataclass(frozen=True, slots=True)
class Index:
    object: Expr
    index: Expr
    token: Token


@dataclass(frozen=True, slots=True)
class Braces:
    """``{a, b}``."""

    items: tuple[Expr, ...]
    token: Token


@dataclass(frozen=True, slots=True)
class Lambda:
    """``[&](…) { … }``. ``copies``: it sees the variables around it as they are now."""

    function: Function
    copies: bool
    token: Token


Expr = Name | Literal | Unary | Binary | Ternary | Call | Member | Index | Braces | Lambda


@dataclass(frozen=True, slots=True)
class Declaration:
    """``T a(…), b = …;``: ``initial`` is None, an expression, or the constructor's arguments; ``lengths`` those of an
    array, None for one that its values tell; ``static``: it stays from one call to the next."""

    type: Expr
    name: str
    initial: Expr | tuple[Expr, ...] | None
    lengths: tuple[Expr | None, ...]
    reference: bool
    static: bool
    token: Token


@dataclass(frozen=True, slots=True)
class Using:
    name: str
    type: Expr
    token: Token


@dataclass(frozen=True, slots=True)
class Evaluate:
    expr: Expr
    token: Token


@dataclass(frozen=True, slots=True)
class Block:
    body: tuple[Statement, ...]
    token: Token


@dataclass(frozen=True, slots=True)
class If:
    condition: Expr
    then: Statement
    other: Statement | None
    token: Token


@dataclass(frozen=True, slots=True)
class Loop:
    """``for``, ``while`` and ``do``, which has its condition ``behind`` the body."""

    initial: Statement | None
    condition: Expr | None
    steps: tuple[Expr, ...]
    body: Statement
    token: Token
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    """``cases`` hold (label or None for default, place of their first statement)."""

    subject: Expr
    cases: tuple[tuple[Expr | None, int], ...]
    body: tuple[Statement, ...]
    token: Token


@dataclass(frozen=True, slots=True)
class Jump:
    """``return``, ``break`` or ``continue``."""

    kind: str
    value: Expr | None
    token: Token


@dataclass(frozen=True, slots=True)
class Enum:
    """``enum Name { a, b = 4 };``. ``scoped``: its values are known by its name only."""

    name: str
    items: tuple[tuple[str, Expr | None], ...]
    scoped: bool
    token: Token


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct or class. ``pattern`` are the template arguments that a specialisation is for; ``shared`` its types and
    static members, ``members`` those of each object."""

    name: str
    template: tuple[TemplateParameter, ...]
    pattern: tuple[Expr, ...] | None
    shared: tuple[Statement, ...]
    members: tuple[Statement, ...]
    functions: tuple[Function, ...]
    token: Token


Statement = Declaration | Using | Evaluate | Block | If | Loop | Switch | Jump | Enum | Struct


@dataclass(frozen=True, slots=True)
class Parameter:
    """``type`` is None where it was not understood; ``extent`` the length of an array by reference."""

    name: str
    type: Expr | None
    pointer: bool
    reference: bool
    default: Expr | None
    extent: Expr | None


@dataclass(frozen=True, slots=True)
class TemplateParameter:
    name: str
    default: Expr | None


@dataclass(frozen=True, slots=True)
class Function:
    """A function with a body. ``kernel``: it is marked ``__global__``."""

    name: str
    template: tuple[TemplateParameter, ...]
    parameters: tuple[Parameter, ...]
    body: Block
    kernel: bool
    token: Token


@dataclass(frozen=True, slots=True)
class Instantiation:
    """``template void f<…>(…);``"""

    name: Name
    token: Token


@dataclass(frozen=True, slots=True)
class File:
    """What stands at namespace level, in order. ``refused``: why functions and structs by these names were not read."""

    functions: tuple[Function, ...]
    statements: tuple[Statement, ...]
    aliases: tuple[tuple[tuple[TemplateParameter, ...], Using], ...]
    instantiations: tuple[Instantiation, ...]
    refused: Mapping[str, DiagnosticError]
