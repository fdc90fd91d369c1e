"""Reads the text of the Tile level that `printer` writes, for trying one pass alone.

Positions are those of the text: a diagnostic of a pass points into it. Comments begin with `//`.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any, NoReturn, cast

from pyptogen.diagnostics import Span, fault
from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.tensor.program_names import dim_symbol, scalar_symbol
from pyptogen.lower.tile.ir import (
    Comparison,
    Condition,
    Element,
    Extent,
    Fifo,
    GmRef,
    GmTensor,
    Loop,
    Node,
    Owner,
    ScalarArg,
    Source,
    TileKernel,
    TileOp,
    TileVal,
)
from pyptogen.lower.tile.ops import MNEMONICS
from pyptogen.lower.tile.printer import OF_EVERY_OPERATION

EXTENT = r"\d+(?:\([^)]*\))?"
_LOOP = re.compile(
    r"for (?P<var>\w+) in (?P<start>.+?)\.\.(?P<stop>.+?) step (?P<tile>\d+)(?: every (?P<every>\d+))?"
    r"(?: over (?P<dim>[\w.]+))?(?: \((?P<valid>\w+) valid\))?"
    r"(?: after (?P<after>.+?))?(?: before (?P<before>.+?))?(?P<once> once)?"
    r"(?: if \((?P<only>.*)\))?(?: half (?P<first>\w+), (?P<half>\w+))?(?: index_set (?P<index_set>\w+))?"
    r"(?: buffer (?P<slot>\w+) of (?P<slots>\d+))?: (?P<role>\w+)(?P<parallel> parallel)?"
)
_OP = re.compile(
    r"(?:(?P<dst>\w+) = )?(?P<mnemonic>\w+)"
    rf"(?: (?P<tensor>\w+)\[(?P<place>[^;\]]*); (?P<rows>{EXTENT}) x (?P<cols>{EXTENT}),"
    r" strides (?P<row_stride>[^,\]]*), (?P<col_stride>[^\]]*)\])?"
    r"(?: (?P<srcs>[^{@]+?))?(?: \{(?P<fields>.*)\})?(?: @ (?P<stage>\w+))?"
)
_TILE = re.compile(
    rf"tile (?P<name>\w+): (?P<dtype>\w+)\[(?P<rows>{EXTENT}), (?P<cols>{EXTENT})\] (?P<form>full|col|row)"
    r"(?: = (?P<how>scales of|part of) (?P<parent>\w+)(?: columns (?P<columns>\d+))?(?: rows (?P<first>.+?))?)?"
    r"(?: in (?P<memory>\w+))?"
)
_TENSOR = re.compile(r"tensor (?P<name>\w+): (?P<dtype>\w+)\[(?P<shape>.*)\] (?P<layout>\w+)(?P<workspace> workspace)?")
_FIFO = re.compile(
    r"fifo (?P<number>\d+) (?P<name>\w+): (?P<dtype>\w+)\[(?P<rows>\d+), (?P<cols>\d+)\] x (?P<slots>\d+)"
    r" to (?P<to>cube|vector), popped as (?P<slot>\w+)(?P<both> from both vector cores)?"
    r"(?P<unit_flags> with unit flags)?"
)
_KERNEL = re.compile(r"kernel (?P<name>\w+) \((?P<core>cube|vector|mixed)\) stages (?P<stages>.*)")
_LAUNCH_DIM = re.compile(r"launch_dim (?P<launch_dim>\w+)(?:, at most (?P<longest>\d+) at a time)?")


def parse_kernels(text: str, file: str = "<text>") -> list[TileKernel]:
    """All kernels of a text.

    Raises:
        DiagnosticError: PTG1xx, a line is none of the Tile level.
    """
    return list(Parser(text, file).kernels())


_FACTOR = r"[\w.]+"
_TERM = rf"{_FACTOR}(?: [*/] {_FACTOR})*"
_SUM = re.compile(rf"-?{_TERM}(?: [+-] {_TERM})*")


def poly(text: str) -> Poly:
    """A polynomial: `128 * t0 - t1 * cols + 3`, the factors of a term in any order.

    Raises:
        ValueError: it is none.
    """
    if not _SUM.fullmatch(text):
        raise ValueError(f"`{text}` is no polynomial")
    total = ZERO
    for sign, term in re.findall(rf"(^-|(?<= )[+-] |)({_TERM})", text):
        found, divisor = Poly.of(-1 if sign.startswith("-") else 1), 1
        for by, factor in re.findall(rf"([*/]?) ?({_FACTOR})", term):
            if by == "/":
                divisor *= int(factor)
            else:
                found = found * (int(factor) if factor.isdigit() else factor)
        total = total + (found if divisor == 1 else found.over(divisor))
    return total


def _extent(text: str) -> Extent:
    size, _, valid = text.partition("(")
    return Extent(int(size), poly(valid[:-1]) if valid else None)


class Parser:
    """Lines of a text, and what kernels of all levels have in common: tensors, fifos, polynomials, conditions.

    ``level`` is named in refusals. ``memory`` are the memories that tiles name.
    """

    def __init__(self, text: str, file: str, level: str = "Tile") -> None:
        self.file, self.level = file, level
        self.memory: dict[str, str] = {}
        self.lines: list[tuple[int, int, str]] = []
        """Number, indentation and text of each line that says something."""
        for number, line in enumerate(text.splitlines(), 1):
            said = line.partition("//")[0].rstrip()
            if said.strip():
                self.lines.append((number, len(said) - len(said.lstrip()), said.strip()))
        self.at = 0
        self.stage = ""
        self.scalars: tuple[str, ...] = ()

    # -- lines --------------------------------------------------------------------------------------------------------

    def span(self) -> Span:
        """The place of the line at hand."""
        number, indent, text = self.lines[min(self.at, len(self.lines) - 1)]
        return Span(self.file, number, indent + 1, number, indent + 1 + len(text))

    def is_done(self) -> bool:
        """Whether no line is left."""
        return self.at >= len(self.lines)

    def refuse(self, expected: str) -> NoReturn:
        text = self.lines[min(self.at, len(self.lines) - 1)][2]
        raise fault("PTG104", f"`{text}` is no line of the {self.level} level", self.span(), expected=expected)

    def indent(self) -> int:
        """Blanks ahead of the line at hand."""
        return self.lines[self.at][1]

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Whether the line at hand is of a pattern."""
        return pattern.fullmatch(self.lines[self.at][2]) is not None

    def starts(self, word: str) -> bool:
        return self.at < len(self.lines) and self.lines[self.at][2].startswith(word)

    def take(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        """The line at hand as a pattern; the next line is at hand then, unless the caller goes back."""
        found = pattern.fullmatch(self.lines[self.at][2]) if self.at < len(self.lines) else None
        if found is None:
            self.refuse(expected)
        return found

    def names(self, word: str) -> tuple[str, ...]:
        """The names behind a word, or none where the line does not begin with it."""
        if not self.starts(f"{word} "):
            return ()
        text = self.lines[self.at][2].removeprefix(f"{word} ")
        self.at += 1
        return tuple(text.split(", "))

    # -- kernels ------------------------------------------------------------------------------------------------------

    def kernels(self) -> Iterator[TileKernel]:
        while not self.is_done():
            yield self.kernel()

    def kernel(self, between: Callable[[], None] = lambda: None) -> TileKernel:
        """A kernel; ``between`` reads what stands between its tiles and its loops."""
        span, self.memory = self.span(), {}
        head = self.take(_KERNEL, "kernel NAME (cube|vector|mixed) stages NAME, …")
        self.at += 1
        stages = tuple(head["stages"].split(", "))
        self.stage = stages[0]
        tensors = tuple(self.all("tensor ", self.tensor))
        reads, writes = self.access()
        signature = self.names("signature") or None
        self.scalars, dims = self.names("scalars"), self.names("dims")
        launch_dim, longest = None, 0
        if self.starts("launch_dim "):
            found = self.take(_LAUNCH_DIM, "launch_dim NAME, at most N at a time")
            launch_dim, longest = found["launch_dim"], int(found["longest"] or 0)
            self.at += 1
        sizes = [pair.split() for pair in self.names("sizes")]
        copies = [pair.split() for pair in self.names("copies")]
        fifos = tuple(self.all("fifo ", self.fifo))
        slots = self.number(r"fifos of (\d+) buffers", "fifos of ")
        cores = self.number(r"vector cores (\d+)", "vector cores ")
        subblock = self.subblock()
        tiles = tuple(self.all("tile ", self.tile))
        between()
        body = self.body(0)
        return TileKernel(
            head["name"], cast(Any, head["core"]), stages, tensors, reads, writes, self.scalars, launch_dim, dims,
            tiles, body, tuple((dim, int(size), span) for dim, size in sizes), span, longest,
            tuple((stage, int(count)) for stage, count in copies), signature, slots, fifos, cores, subblock,
        )  # fmt: skip

    def access(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tensors that a kernel reads, and those that it writes."""
        access = self.take(re.compile(r"reads ?(.*); writes ?(.*)"), "reads NAME, …; writes NAME, …")
        self.at += 1
        reads, writes = (tuple(filter(None, names.split(", "))) for names in access.groups())
        return reads, writes

    def subblock(self) -> str | None:
        """The number of a vector core, where two run the program."""
        if not self.starts("on two vector cores"):
            return None
        pattern = re.compile(r"on two vector cores, (\w+) is the number of each")
        subblock = self.take(pattern, "on two vector cores, NAME is the number of each")[1]
        self.at += 1
        return subblock

    def all(self, word: str, one: Callable[[], Any]) -> Iterator[Any]:
        while self.starts(word):
            yield one()
            self.at += 1

    def number(self, pattern: str, word: str) -> int:
        if not self.starts(word):
            return 0
        found = int(self.take(re.compile(pattern), pattern)[1])
        self.at += 1
        return found

    def tensor(self) -> GmTensor:
        t = self.take(_TENSOR, "tensor NAME: DTYPE[SIZE, …] LAYOUT")
        shape = tuple(self.poly(size) for size in t["shape"].split(", ")) if t["shape"] else ()
        return GmTensor(t["name"], t["dtype"], shape, t["layout"], bool(t["workspace"]), self.span())

    def fifo(self) -> Fifo:
        f = self.take(_FIFO, "fifo N NAME: DTYPE[ROWS, COLUMNS] x BUFFERS to cube|vector, popped as NAME")
        sizes = int(f["rows"]), int(f["cols"]), int(f["slots"])
        marks = bool(f["both"]), bool(f["unit_flags"])
        return Fifo(f["name"], f["slot"], f["dtype"], *sizes, cast(Any, f["to"]), int(f["number"]), self.span(), *marks)

    def tile(self) -> TileVal:
        t = self.take(_TILE, "tile NAME: DTYPE[ROWS, COLUMNS] full|col|row = part of NAME columns N rows N in MEMORY")
        if t["memory"]:
            self.memory[t["name"]] = t["memory"]
        return TileVal(
            t["name"], t["dtype"], self.extent(t["rows"]), self.extent(t["cols"]), cast(Any, t["form"]), self.span(),
            t["parent"], int(t["columns"] or 0), self.poly(t["first"] or "0"), t["how"] == "scales of",
        )  # fmt: skip

    def poly(self, text: str) -> Poly:
        try:
            return poly(text)
        except ValueError:
            self.refuse(f"a polynomial where `{text}` stands")

    def extent(self, text: str) -> Extent:
        try:
            return _extent(text)
        except ValueError:
            self.refuse(f"an extent where `{text}` stands")

    # -- loop nests ---------------------------------------------------------------------------------------------------

    def body(self, outside: int) -> tuple[Node, ...]:
        """The nodes that are indented by more than ``outside``."""
        nodes: list[Node] = []
        while self.at < len(self.lines) and self.lines[self.at][1] > outside:
            nodes.append(self.loop() if self.starts("for ") else self.op())
        return tuple(nodes)

    def loop(self) -> Loop:
        indent, span = self.lines[self.at][1], self.span()
        loop = self.take(_LOOP, "for VAR in START..STOP step N over DIM (NAME valid): ROLE")
        after, before = (None if loop[name] is None else self.poly(loop[name]) for name in ("after", "before"))
        start, stop = self.poly(loop["start"]), self.poly(loop["stop"])
        only = None if loop["only"] is None else self.condition(loop["only"])
        self.at += 1
        return Loop(
            loop["var"], loop["dim"] or loop["var"], start, stop, int(loop["tile"]), loop["valid"],
            cast(Any, loop["role"]), bool(loop["parallel"]), self.body(indent), span, loop["slot"],
            int(loop["slots"] or 1), after, before, bool(loop["once"]), only,
            (loop["first"], loop["half"]) if loop["first"] else None, cast(Any, loop["index_set"] or ""),
            int(loop["every"] or 1),
        )  # fmt: skip

    def condition(self, text: str) -> Condition:
        *reads, comparisons = text.split("; ")
        elements = []
        for read in reads:
            found = re.fullmatch(r"(\w+) = (\w+)\[(.*)\](?: of (.*))?", read)
            if found is None:
                self.refuse("NAME = TENSOR[OFFSET] of PLACES; LEFT RELATION RIGHT and …")
            places = None if found[4] is None else self.poly(found[4])
            elements.append(Element(found[1], found[2], self.poly(found[3]), self.span(), places))
        sides, owner = [], None
        for comparison in comparisons.split(" and "):
            if owned := re.fullmatch(r"owner of (.*) in tiles of (\d+)", comparison):
                owner = Owner(self.poly(owned[1]), int(owned[2]))
                continue
            left, relation, right = re.split(r" (==|!=|<=|>=|<|>) ", comparison)
            sides.append(Comparison(self.poly(left), relation, self.poly(right)))
        return Condition(tuple(elements), tuple(sides), self.span(), owner)

    def op(self) -> TileOp:
        op = self.take(_OP, "NAME = OPERATION WINDOW OPERAND, … {FIELD = VALUE, …} @ STAGE")
        if op["mnemonic"] not in MNEMONICS:
            self.refuse("an operation: " + ", ".join(sorted(MNEMONICS)))
        operation, told = MNEMONICS[op["mnemonic"]]
        given = dict(pair.split(" = ", 1) for pair in op["fields"].split(", ")) if op["fields"] else {}
        own: dict[str, Any] = dict(told)
        for field in fields(operation):
            if field.name in (*OF_EVERY_OPERATION, *told):
                continue
            if field.name in given:
                own[field.name] = self.value(str(field.type), given.pop(field.name))
            elif field.default is MISSING:
                self.refuse(f"`{{{field.name} = …}}`")
        if given:
            self.refuse(f"no field `{next(iter(given))}`")
        if op["tensor"] is not None:
            own["gm"] = self.window(op)
        if ("gm" in own) != any(field.name == "gm" for field in fields(operation)):
            self.refuse("a window where the operation has one, and nowhere else")
        srcs = tuple(map(self.source, split_operands(op["srcs"] or "")))
        made = operation(op["dst"], srcs, self.span(), op["stage"] or self.stage, **own)
        self.at += 1
        return made

    def window(self, op: re.Match[str]) -> GmRef:
        offset, *matrix = op["place"].split(", ")
        at = {name: self.poly(value) for name, value in (pair.split(" = ") for pair in matrix)}
        strides = self.poly(op["row_stride"]), self.poly(op["col_stride"])
        return GmRef(
            op["tensor"], self.poly(offset), *strides, self.extent(op["rows"]), self.extent(op["cols"]),
            at.get("k", ZERO), at.get("n", ZERO), at.get("matrix", ZERO),
        )  # fmt: skip

    def value(self, kind: str, text: str) -> Any:
        """The value of a field, by its type."""
        if kind.startswith("Poly"):
            return self.poly(text)
        if kind == "tuple[str, ...]":
            return tuple(text.split(" + "))
        if kind == "bool":
            return text == "true"
        return int(text) if kind.startswith("int") else text

    def symbol(self, name: str) -> Any:
        """What stands for an attr, or for a dim."""
        return scalar_symbol(name, "fp32") if name in self.scalars else dim_symbol(name)

    def source(self, text: str) -> Source:
        return text if re.fullmatch(r"[^\W\d]\w*", text) else ScalarArg(self.number_of(text), self.span())

    def number_of(self, text: str) -> Any:
        """A number, or an expression of attrs and dims in parentheses, as sympy has it."""
        try:
            return _number(ast.parse(text, mode="eval").body, self.symbol)
        except (SyntaxError, KeyError, ValueError):
            self.refuse(f"a tile, a number, or an expression in parentheses where `{text}` stands")


def split_operands(text: str) -> Iterator[str]:
    """The operands of an operation: no comma inside of brackets or of a quotation ends one."""
    depth, begin, quoted = 0, 0, False
    for at, char in enumerate(text):
        quoted ^= char == "`"
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0 and not quoted:
            yield text[begin:at].strip()
            begin = at + 1
    if text.strip():
        yield text[begin:].strip()


_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
_FUNCTIONS = ("sqrt", "exp", "log", "Max", "Min", "Abs", "floor", "ceiling")


def _number(node: ast.expr, symbol: Callable[[str], Any]) -> Any:
    """A number, or an expression of names that ``symbol`` knows, by sympy.

    Raises:
        KeyError, ValueError: it is neither.
    """
    import sympy

    match node:
        case ast.Constant(value=int() | float()):
            return sympy.sympify(node.value)
        case ast.Name():
            return sympy.oo if node.id == "oo" else symbol(node.id)
        case ast.UnaryOp(op=ast.USub()):
            return -_number(node.operand, symbol)
        case ast.BinOp():
            return _OPERATORS[type(node.op)](_number(node.left, symbol), _number(node.right, symbol))
        case ast.Call(func=ast.Name(id=name)) if name in _FUNCTIONS:
            return getattr(sympy, name)(*(_number(argument, symbol) for argument in node.args))
    raise ValueError(ast.unparse(node))


__all__ = ["EXTENT", "Parser", "parse_kernels", "poly", "split_operands"]
