"""Walks a kernel: scalar code with the numbers that are known, PTO instructions and flags into a trace.

What hangs on the call is unknown. A loop whose condition is unknown runs as often as the walk is told; a branch goes
the way the walk is told. Everything else runs as it is written, template arguments and constants included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, Literal

from pyptogen.diagnostics import DiagnosticError
from pyptogen.records import dataclass
from pyptogen.sanitize import pto, registers, structs
from pyptogen.sanitize.arithmetic import combine, either
from pyptogen.sanitize.calls import enter, overload, pointee
from pyptogen.sanitize.declare import declare
from pyptogen.sanitize.lexer import Token, unsupported
from pyptogen.sanitize.numbers import FIRST
from pyptogen.sanitize.syntax import (
    Binary,
    Block,
    Call,
    Declaration,
    Enum,
    Evaluate,
    Expr,
    File,
    Function,
    If,
    Index,
    Lambda,
    Loop,
    Member,
    Name,
    Statement,
    Struct,
    Switch,
    Ternary,
    Unary,
    Using,
)
from pyptogen.sanitize.syntax import (
    Literal as Constant,
)
from pyptogen.sanitize.trace import TooLong, Trace
from pyptogen.sanitize.values import (
    SIZES,
    UNKNOWN,
    Cell,
    Functions,
    Instance,
    ScalarType,
    Scope,
    Template,
    Tile,
    Within,
)

Decisions = Literal["then", "else", "in turn"]
DEEPEST = 40
STATEMENTS = 50
"""Statements of a walk for each instruction that it may have."""


class _Jump(Exception):
    def __init__(self, kind: str, value: Any = UNKNOWN) -> None:
        self.kind, self.value = kind, value
        super().__init__(kind)


@dataclass(slots=True)
class Machine:
    """One walk through one kernel. ``trips`` iterations of loops that nobody knows the end of; at most ``longest``
    iterations of those that are known; ``given`` are run-time arguments that are fixed for the walk."""

    program: File
    trips: int
    decisions: Decisions
    longest: int
    given: Mapping[str, int]
    core: str
    target: str
    trace: Trace = field(default_factory=Trace)
    scopes: list[dict[str, Cell]] = field(default_factory=list)
    statics: dict[tuple[Token, str], Cell] = field(default_factory=dict)
    """Static variables of functions, by the instance of the template."""
    by_name: dict[str, Functions] = field(init=False)
    """The file's functions."""
    called_as: Mapping[str, Any] = field(default_factory=dict)
    """Template arguments of the function that is walked."""
    turn: bool = False
    depth: int = 0
    steps: int = 0
    """Statements so far."""
    reads_much: bool = False
    """Whether what is read from memory, and where some loop ends, is taken to be more than what is known beside it: two
    programs that read the same number then go equally far."""

    def __post_init__(self) -> None:
        overloads: dict[str, list[Function]] = {}
        for function in self.program.functions:
            overloads.setdefault(function.name, []).append(function)
        self.by_name = {name: Functions(tuple(functions)) for name, functions in overloads.items()}

    def run(self, function: Function, arguments: Sequence[Any] = ()) -> Trace:
        """Walk a kernel with these template arguments. Raises PTG306 and TooLong."""
        self.open()
        sizes = (p.name for p in function.parameters if not p.pointer and not FIRST.fullmatch(p.name))
        self.trace = Trace(self.trace.most, cut=any(self.given.get(name) == 0 for name in sizes))
        self.call(Functions((function,)), list(arguments), [UNKNOWN] * len(function.parameters), function.token)
        return self.trace

    def open(self) -> None:
        """What stands at namespace level."""
        self.scopes = [{}]
        for statement in self.program.statements:
            try:
                self.execute(statement)
            except DiagnosticError:
                continue

    def fault(self, token: Token, what: str) -> DiagnosticError:
        return unsupported(token, what)

    # -- names ----------------------------------------------------------------------------------------------------

    def cell(self, name: str) -> Cell | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def define(self, name: str, value: Any) -> None:
        self.scopes[-1][name] = value if isinstance(value, Cell) else Cell(value)

    def assign(self, cell: Cell, value: Any) -> None:
        """``variable = value``."""
        pto.assign(self, cell, value)

    @contextmanager
    def inside(self, *scopes: Scope) -> Iterator[None]:
        """In these scopes alone, and the file's."""
        outside, self.scopes = self.scopes, [self.scopes[0], *scopes]
        try:
            yield
        finally:
            self.scopes = outside

    def opened(self, value: Any, token: Token) -> Any:
        """A struct that takes no template arguments, by its name alone."""
        return structs.instantiate(self, value, (), token) if isinstance(value, Template) else value

    def functions(self, name: str) -> Functions | None:
        """The file's functions of a name. Raises PTG306 where they were not understood."""
        found = self.by_name.get(name)
        if found is None and name in self.program.refused:
            raise self.program.refused[name]
        return found

    # -- functions ------------------------------------------------------------------------------------------------

    def call(self, functions: Functions, template: Sequence[Any], arguments: Sequence[Any], token: Token) -> Any:
        """Run a function of the file. Arguments may be cells, for parameters by reference."""
        if self.depth > DEEPEST:
            raise self.fault(token, f"`{functions.overloads[0].name}` calls itself too often")
        with self.inside(*functions.around):
            function, bound = overload(self, functions.overloads, template, arguments)
        self.depth += 1
        before, self.called_as = self.called_as, bound
        try:
            with self.inside(*functions.around, {}):
                enter(self, function, bound, arguments)
                self.execute(function.body)
        except _Jump as jump:
            return jump.value
        finally:
            self.depth -= 1
            self.called_as = before
        return UNKNOWN

    # -- statements -----------------------------------------------------------------------------------------------

    def execute(self, node: Statement) -> None:
        """One statement. Raises PTG306 and TooLong."""
        self.steps += 1
        if self.steps > STATEMENTS * self.trace.most:
            raise TooLong
        if isinstance(node, Block):
            self._block(node)
        elif isinstance(node, Declaration):
            declare(self, node)
        elif isinstance(node, Using):
            self.define(node.name, self.value(node.type))
        elif isinstance(node, Evaluate):
            self.value(node.expr)
        elif isinstance(node, If):
            taken = self.decide(self.value(node.condition))
            self.trace.outcomes.add((node.token, taken))
            if taken or node.other is not None:
                self.execute(node.then if taken or node.other is None else node.other)
        elif isinstance(node, Loop):
            self._loop(node)
        elif isinstance(node, Switch):
            self._switch(node)
        elif isinstance(node, Struct):
            structs.declare(self, node)
        elif isinstance(node, Enum):
            structs.enumerate_(self, node)
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

    def _loop(self, node: Loop) -> None:
        self.scopes.append({})
        try:
            if node.initial is not None:
                self.execute(node.initial)
            iterations, open_ended = 0, False
            while True:
                tested = node.condition is not None and not (node.behind and iterations == 0)
                condition = self.value(node.condition) if tested and node.condition is not None else True
                open_ended = open_ended or condition is UNKNOWN
                if not self._goes_on(node, condition, iterations, open_ended):
                    break
                iterations += 1
                try:
                    self.execute(node.body)
                except _Jump as jump:
                    if jump.kind == "break":
                        break
                    if jump.kind == "return":
                        raise
                for step in node.steps:
                    self.value(step)
                open_ended = self._count(node, iterations) or open_ended
        finally:
            self.scopes.pop()

    def _goes_on(self, node: Loop, condition: Any, iterations: int, open_ended: bool) -> bool:
        """Whether there is another iteration. A loop that nobody knows the end of has as many as the walk is told."""
        if open_ended:
            self.trace.forced = True
            if iterations == 0:
                self._start(node)
            return bool(condition is UNKNOWN or condition) and iterations < self.trips
        if condition and iterations >= self.longest:
            self.trace.cut = True
            return False
        return bool(condition)

    def _start(self, node: Loop) -> None:
        """A loop from an unknown place on: it may as well be 0."""
        if isinstance(node.initial, Declaration):
            cell = self.cell(node.initial.name)
            if cell is not None and cell.value is UNKNOWN:
                cell.value = 0

    def _count(self, node: Loop, iterations: int) -> bool:
        """A step by an unknown amount: the number of the iteration takes its place. Whether there was one."""
        if isinstance(node.initial, Declaration):
            cell = self.cell(node.initial.name)
            if cell is not None and cell.value is UNKNOWN:
                cell.value = iterations
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
        if isinstance(node, Constant):  # the most frequent ones first
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
                then, other = self.value(node.then), self.value(node.other)
                of_both = either(then, other, node)
                return other if self.reads_much and isinstance(of_both, Within) else of_both
            return self.value(node.then if condition else node.other)
        if isinstance(node, Member):
            return pto.member(self, self.value(node.object), node)
        if isinstance(node, Lambda):
            scopes = self.scopes[1:]
            if node.copies:
                scopes = [{name: Cell(cell.value, cell.element) for name, cell in s.items()} for s in scopes]
            return Functions((node.function,), tuple(scopes))
        if isinstance(node, Index):
            cell = self.place(node)
            if cell is None and pointee(self, node.object) is not UNKNOWN:
                registers.needed(self, "cache", f"an element of `{_last_name(node.object)}`", node.token)
            return UNKNOWN if cell is None else cell.value
        return [self.value(item) for item in node.items]

    def _named(self, node: Name) -> Any:
        if node.arguments is None and len(node.plain) == 1:
            (name,) = node.plain
            cell = self.cell(name)
            if cell is not None:
                return self.opened(cell.value, node.token)
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
        if isinstance(node, Member):
            holder = self.value(node.object)
            return holder.members.get(node.name) if isinstance(holder, Instance) else None
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
        return combine(node.op, left, self.value(node.right), node.token)

    def _assign(self, node: Binary) -> Any:
        value = self.value(node.right)
        cell = self.place(node.left)
        if cell is None:
            if isinstance(node.left, Unary | Member | Index):
                return value
            raise self.fault(node.token, "an assignment to something that is no variable")
        if node.op != "=":
            value = combine(node.op[:-1], cell.value, value, node.token)
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
            cell.value = combine(node.op[0], before, 1, node.token)
            return before if node.postfix else cell.value
        operand = self.value(node.operand)
        if node.op == "!":
            return UNKNOWN if operand is UNKNOWN else not operand
        if not isinstance(operand, int | float):
            return operand if node.op in ("&", "*") and isinstance(operand, Tile) else UNKNOWN
        if node.op == "~":
            return ~operand if isinstance(operand, int) else UNKNOWN
        return {"-": -operand, "+": operand}.get(node.op, UNKNOWN)


def _last_name(node: Expr) -> str:
    """What a pointer is called: ``index`` of ``index + n``."""
    while isinstance(node, Binary):
        node = node.left
    return node.plain[-1] if isinstance(node, Name) else "a pointer"
