"""Walks a kernel: scalar code with the numbers that are known, PTO instructions and flags into a trace.

What hangs on the call is unknown. A loop whose condition is unknown runs as often as the walk is told; a branch goes
the way the walk is told. Everything else runs as it is written, template arguments and constants included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pyptogen.diagnostics import DiagnosticError, Span
from pyptogen.sanitize import pto
from pyptogen.sanitize.arithmetic import combine, either
from pyptogen.sanitize.lexer import Token, unsupported
from pyptogen.sanitize.syntax import (
    Binary,
    Block,
    Braces,
    Call,
    Declaration,
    Evaluate,
    Expr,
    File,
    Function,
    If,
    Index,
    Loop,
    Member,
    Name,
    Statement,
    Switch,
    Ternary,
    Unary,
    Using,
)
from pyptogen.sanitize.syntax import (
    Literal as Constant,
)
from pyptogen.sanitize.trace import Trace
from pyptogen.sanitize.values import SIZES, UNKNOWN, Cell, OtherType, ScalarType, Tile, TileKind

Decisions = Literal["then", "else", "in turn"]
DEEPEST = 40


class _Jump(Exception):
    def __init__(self, kind: str, value: Any = UNKNOWN) -> None:
        self.kind, self.value = kind, value
        super().__init__(kind)


@dataclass(slots=True)
class Machine:
    """One walk through one kernel. ``trips`` rounds of loops that nobody knows the end of; at most ``longest`` rounds
    of those that are known; ``given`` are run-time arguments that are fixed for the walk."""

    file: str
    program: File
    trips: int
    decisions: Decisions
    longest: int
    given: Mapping[str, int]
    core: str
    trace: Trace = field(default_factory=Trace)
    scopes: list[dict[str, Cell]] = field(default_factory=list)
    spans: dict[Token, Span] = field(default_factory=dict)
    turn: bool = False
    depth: int = 0
    cut: bool = False
    """A known loop was left early."""

    def run(self, function: Function, arguments: Sequence[Any] = ()) -> Trace:
        """Walk a kernel with these template arguments. Raises PTG306 and TooLong."""
        self.scopes = [{}]
        for statement in self.program.statements:
            try:
                self.execute(statement)
            except DiagnosticError:
                continue
        self.trace = Trace(self.trace.most)
        self.call(function, list(arguments), [UNKNOWN] * len(function.parameters), function.token)
        return self.trace

    def span(self, token: Token) -> Span:
        found = self.spans.get(token)
        if found is None:
            found = Span(self.file, token.line, token.col, token.line, token.col + len(token.text))
            self.spans[token] = found
        return found

    def fault(self, token: Token, what: str) -> DiagnosticError:
        return unsupported(self.file, token, what)

    # -- names ----------------------------------------------------------------------------------------------------

    def cell(self, name: str) -> Cell | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def define(self, name: str, value: Any) -> None:
        self.scopes[-1][name] = value if isinstance(value, Cell) else Cell(value)

    def function(self, name: str) -> Function | None:
        return next((f for f in self.program.functions if f.name == name), None)

    # -- functions ------------------------------------------------------------------------------------------------

    def call(self, function: Function, template: list[Any], arguments: list[Any], token: Token) -> Any:
        """Run a function of the file. Arguments may be cells, for parameters by reference."""
        if self.depth > DEEPEST:
            raise self.fault(token, f"`{function.name}` calls itself too often")
        outside, self.scopes = self.scopes, [self.scopes[0], {}]
        for i, parameter in enumerate(function.template):
            value = template[i] if i < len(template) else UNKNOWN
            if value is UNKNOWN and parameter.default is not None:
                value = self.value(parameter.default)
            self.define(parameter.name, value)
        for i, formal in enumerate(function.parameters):
            actual = arguments[i] if i < len(arguments) else UNKNOWN
            if not formal.reference and isinstance(actual, Cell):
                actual = actual.value
            if actual is UNKNOWN and formal.name in self.given:
                actual = self.given[formal.name]
            self.define(formal.name, actual)
        self.depth += 1
        try:
            self.execute(function.body)
        except _Jump as jump:
            return jump.value
        finally:
            self.depth -= 1
            self.scopes = outside
        return UNKNOWN

    # -- statements -----------------------------------------------------------------------------------------------

    def execute(self, node: Statement) -> None:
        """One statement."""
        if isinstance(node, Block):
            self._block(node)
        elif isinstance(node, Declaration):
            self._declare(node)
        elif isinstance(node, Using):
            self.define(node.name, self.value(node.type))
        elif isinstance(node, Evaluate):
            self.value(node.expr)
        elif isinstance(node, If):
            taken = self.decide(self.value(node.condition))
            if taken or node.other is not None:
                self.execute(node.then if taken or node.other is None else node.other)
        elif isinstance(node, Loop):
            self._loop(node)
        elif isinstance(node, Switch):
            self._switch(node)
        else:
            raise _Jump(node.kind, UNKNOWN if node.value is None else self.value(node.value))

    def _block(self, node: Block) -> None:
        several = bool(node.body) and all(isinstance(part, Declaration) for part in node.body)
        if several and node.token.text != "{":
            for part in node.body:
                self.execute(part)
            return
        self.scopes.append({})
        try:
            for part in node.body:
                self.execute(part)
        finally:
            self.scopes.pop()

    def decide(self, condition: Any) -> bool:
        """Which way a branch goes."""
        if condition is not UNKNOWN:
            return bool(condition)
        self.trace.decided = True
        if self.decisions == "in turn":
            self.turn = not self.turn
            return self.turn
        return self.decisions == "then"

    def _declare(self, node: Declaration) -> None:
        kind = self.value(node.type)
        if node.length is not None:
            length = self.value(node.length)
            if not isinstance(length, int):
                raise self.fault(node.token, f"an array `{node.name}` of unknown length")
            given = node.initial.items if isinstance(node.initial, Braces) else node.initial
            values = [self.value(item) for item in given] if isinstance(given, tuple) else []
            cells = [Cell(pto.construct(self, kind, node.name, (), node.token)) for _ in range(length)]
            for cell, value in zip(cells, values, strict=False):
                pto.assign(self, cell, value)
            self.define(node.name, cells)
            return
        if isinstance(node.initial, tuple):
            items = [self.value(item) for item in node.initial]
            self.define(node.name, pto.construct(self, kind, node.name, items, node.token))
        elif node.initial is None:
            self.define(node.name, pto.construct(self, kind, node.name, (), node.token))
        elif node.reference and (found := self.place(node.initial)) is not None:
            self.define(node.name, found)
        else:
            value = self.value(node.initial)
            if isinstance(node.initial, Braces):
                value = pto.construct(self, kind, node.name, [self.value(i) for i in node.initial.items], node.token)
            cell = Cell(pto.construct(self, kind, node.name, (), node.token))
            self.define(node.name, cell)
            pto.assign(self, cell, value)

    def _loop(self, node: Loop) -> None:
        self.scopes.append({})
        try:
            if node.initial is not None:
                self.execute(node.initial)
            rounds, open_ended = 0, False
            while True:
                condition = True if node.condition is None else self.value(node.condition)
                open_ended = open_ended or condition is UNKNOWN
                if not self._goes_on(node, condition, rounds, open_ended):
                    break
                rounds += 1
                try:
                    self.execute(node.body)
                except _Jump as jump:
                    if jump.kind == "break":
                        break
                    if jump.kind == "return":
                        raise
                for step in node.steps:
                    self.value(step)
                open_ended = self._count(node, rounds) or open_ended
        finally:
            self.scopes.pop()

    def _goes_on(self, node: Loop, condition: Any, rounds: int, open_ended: bool) -> bool:
        """Whether there is another round. A loop that nobody knows the end of has as many as the walk is told."""
        if open_ended:
            self.trace.forced = True
            if rounds == 0:
                self._start(node)
            return bool(condition is UNKNOWN or condition) and rounds < self.trips
        if condition and rounds >= self.longest:
            self.cut = True
            return False
        return bool(condition)

    def _start(self, node: Loop) -> None:
        """A loop from an unknown place on: it may as well be 0."""
        if isinstance(node.initial, Declaration):
            cell = self.cell(node.initial.name)
            if cell is not None and cell.value is UNKNOWN:
                cell.value = 0

    def _count(self, node: Loop, rounds: int) -> bool:
        """A step by an unknown amount: the number of the round takes its place. Whether there was one."""
        if isinstance(node.initial, Declaration):
            cell = self.cell(node.initial.name)
            if cell is not None and cell.value is UNKNOWN:
                cell.value = rounds
                return True
        return False

    def _switch(self, node: Switch) -> None:
        subject = self.value(node.subject)
        labels = [(None if label is None else self.value(label), at) for label, at in node.cases]
        if subject is UNKNOWN:
            self.trace.forced = True
            at = labels[min(self.trips, len(labels) - 1)][1] if labels else len(node.body)
        else:
            default = next((at for label, at in labels if label is None), len(node.body))
            at = next((at for label, at in labels if label is not None and label == subject), default)
        try:
            for part in node.body[at:]:
                self.execute(part)
        except _Jump as jump:
            if jump.kind != "break":
                raise

    # -- expressions ----------------------------------------------------------------------------------------------

    def value(self, node: Expr) -> Any:
        """The value of an expression."""
        if isinstance(node, Name):
            return self._named(node)
        if isinstance(node, Constant):
            return node.value
        if isinstance(node, Call):
            return pto.call(self, node)
        if isinstance(node, Binary):
            return self._binary(node)
        if isinstance(node, Unary):
            return self._unary(node)
        if isinstance(node, Ternary):
            condition = self.value(node.condition)
            if condition is UNKNOWN:
                return either(self.value(node.then), self.value(node.other), node)
            return self.value(node.then if condition else node.other)
        if isinstance(node, Member):
            return pto.member(self, self.value(node.object), node)
        if isinstance(node, Index):
            cell = self.place(node)
            return UNKNOWN if cell is None else cell.value
        return [self.value(item) for item in node.items]

    def _named(self, node: Name) -> Any:
        if node.arguments is None and len(node.plain) == 1:
            (name,) = node.plain
            cell = self.cell(name)
            if cell is not None:
                return cell.value
            if name in SIZES:
                return ScalarType(name)
        return pto.named(self, node.plain, node)

    def place(self, node: Expr) -> Cell | None:
        """The variable that an expression names, if it is one."""
        if isinstance(node, Name) and node.arguments is None and len(node.path) == 1:
            return self.cell(node.path[0])
        if isinstance(node, Index):
            holder, index = self.value(node.object), self.value(node.index)
            if isinstance(holder, list):
                if not isinstance(index, int) or not 0 <= index < len(holder):
                    raise self.fault(node.token, "an element that is not known, of an array of tiles")
                found = holder[index]
                return found if isinstance(found, Cell) else Cell(found)
        return None

    def _binary(self, node: Binary) -> Any:
        if node.op.endswith("=") and node.op not in ("==", "!=", "<=", ">="):
            return self._assign(node)
        left = self.value(node.left)
        if node.op in ("&&", "||"):
            if left is not UNKNOWN and bool(left) == (node.op == "||"):
                return bool(left)
            right = self.value(node.right)
            if right is not UNKNOWN and bool(right) == (node.op == "||"):
                return bool(right)
            return UNKNOWN if UNKNOWN in (left, right) else bool(right)
        return combine(self.file, node.op, left, self.value(node.right), node.token)

    def _assign(self, node: Binary) -> Any:
        value = self.value(node.right)
        cell = self.place(node.left)
        if cell is None:
            if isinstance(node.left, Unary | Member | Index):
                return value
            raise self.fault(node.token, "an assignment to something that is no variable")
        if node.op != "=":
            value = combine(self.file, node.op[:-1], cell.value, value, node.token)
        pto.assign(self, cell, value)
        return value

    def _unary(self, node: Unary) -> Any:
        if node.op == "sizeof":
            kind = self.value(node.operand)
            return kind.size if isinstance(kind, ScalarType) else UNKNOWN
        if node.op in ("++", "--"):
            cell = self.place(node.operand)
            if cell is None:
                return UNKNOWN
            before = cell.value
            cell.value = combine(self.file, node.op[0], before, 1, node.token)
            return before if node.postfix else cell.value
        operand = self.value(node.operand)
        if node.op == "!":
            return UNKNOWN if operand is UNKNOWN else not operand
        if not isinstance(operand, int | float):
            return operand if node.op in ("&", "*") and isinstance(operand, Tile) else UNKNOWN
        if node.op == "~":
            return ~operand if isinstance(operand, int) else UNKNOWN
        return {"-": -operand, "+": operand}.get(node.op, UNKNOWN)


__all__ = ["Machine", "OtherType", "TileKind"]
