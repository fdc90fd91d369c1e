"""A file as the compiler of one core sees it: headers beside it read, conditional compilation decided, macros replaced.

Headers that are named with `<…>`, and those of an installation, are not read: what kernels use of PTO-ISA is known.
"""

from __future__ import annotations

import ast
import operator
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from pyptogen.diagnostics import fault
from pyptogen.records import dataclass, replace
from pyptogen.regular_files import read_regular
from pyptogen.sanitize.lexer import Token, scan, unsupported

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
            ast.Gt: operator.gt, ast.GtE: operator.ge}  # fmt: skip


def read(name: str) -> str:
    """The text of a file. Raises PTG110."""
    try:
        return read_regular(name).decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise fault("PTG110", f"cannot read `{name}`: {error.strerror or type(error).__name__}", None) from None


def tokens_of(file: str, defined: Mapping[str, str]) -> list[Token]:
    """All tokens of a file and the headers beside it. ``defined`` are macros with their replacement texts.

    Raises:
        DiagnosticError: PTG110 the file cannot be read, PTG306 a character that is no C++.
    """
    found = _Preprocessor({name: Macro(None, tuple(scan(file, value))) for name, value in defined.items()})
    found.add(file)
    return found.expanded(found.tokens, frozenset())


@dataclass(frozen=True, slots=True)
class Macro:
    """What stands for a macro; ``parameters`` is None where it takes no arguments, and ends with `...` where it takes
    any number."""

    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


@dataclass(slots=True)
class _Preprocessor:
    macros: dict[str, Macro]
    tokens: list[Token] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def add(self, file: str) -> None:
        """The tokens of a file and of its headers, macros not yet replaced."""
        self.seen.add(os.path.realpath(file))
        active: list[bool] = []
        taken: list[bool] = []
        plain: list[str] = []
        start = 0
        text = _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), read(file))
        for number, parts in _lines(text):
            directive = parts[0].strip()
            if directive.startswith("#"):
                self.tokens += scan(file, "\n".join(plain), start)
                plain, start = [], number + len(parts) - 1
                self._directive(file, number, " ".join([directive[1:], *parts[1:]]).strip(), active, taken)
                continue
            plain += parts if all(active) else [""] * len(parts)
        self.tokens += scan(file, "\n".join(plain), start)

    def _directive(self, file: str, line: int, text: str, active: list[bool], taken: list[bool]) -> None:
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        if word in ("if", "ifdef", "ifndef"):
            holds = all(active) and self._condition(word, rest)
            active.append(holds)
            taken.append(holds)
        elif word == "elif" and active:
            active[-1] = not taken[-1] and all(active[:-1]) and self._condition("if", rest)
            taken[-1] |= active[-1]
        elif word == "else" and active:
            active[-1] = not taken[-1] and all(active[:-1])
            taken[-1] = True
        elif word == "endif" and active:
            active.pop()
            taken.pop()
        elif word == "define" and all(active):
            self._define(file, line, rest)
        elif word == "include" and all(active) and rest.startswith('"'):
            header = os.path.join(os.path.dirname(file), rest.split('"')[1])
            if os.path.isfile(header) and os.path.realpath(header) not in self.seen:
                self.add(header)

    def _define(self, file: str, line: int, text: str) -> None:
        found = re.match(r"(\w+)(\(([^)]*)\))?", text)
        # A file may give a pipe that its headers lack a number: it stays the pipe of that name.
        if found is None or found[1].startswith("PIPE_"):
            return
        parameters = None if found[2] is None else tuple(p.strip() for p in found[3].split(",") if p.strip())
        body = scan(file, text.split("//")[0][found.end() :], line - 1)
        self.macros[found[1]] = Macro(parameters, tuple(body))

    def _condition(self, word: str, text: str) -> bool:
        if word != "if":
            name = text.split()[0] if text else ""
            return (name in self.macros) == (word == "ifdef")
        text = re.sub(
            r"defined\s*\(?\s*(\w+)\s*\)?", lambda m: "1" if m[1] in self.macros else "0", text.split("//")[0]
        )
        text = re.sub(r"[A-Za-z_]\w*", lambda m: self._number(m[0]), text)
        text = text.replace("&&", " and ").replace("||", " or ").replace("!", " not ").replace(" not =", "!=")
        if not re.fullmatch(r"[\d\s()<>=!+*/-]*(?:(?:and|or|not)[\d\s()<>=!+*/-]*)*", text):
            return False
        return _truth(text)

    def _number(self, name: str) -> str:
        macro = self.macros.get(name)
        body = macro.body if macro is not None else ()
        if len(body) == 1 and body[0].kind == "number":
            return body[0].text
        return "0" if macro is None else "1"

    # -- replacement ----------------------------------------------------------------------------------------------

    def expanded(self, tokens: Sequence[Token], inside: frozenset[str]) -> list[Token]:
        """Tokens with macros replaced, but for those that are being replaced (``inside``)."""
        found: list[Token] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            at += 1
            macro = self.macros.get(token.text) if token.kind == "name" and token.text not in inside else None
            if macro is None:
                found.append(token)
                continue
            body = macro.body
            if macro.parameters is not None:
                if at == len(tokens) or tokens[at].text != "(":
                    found.append(token)
                    continue
                arguments, at = _arguments(tokens, at)
                body = self._filled(macro, arguments, inside)
            here = [replace(t, file=token.file, line=token.line, col=token.col) for t in body]
            found += self.expanded(here, inside | {token.text})
        return found

    def _filled(self, macro: Macro, arguments: list[list[Token]], inside: frozenset[str]) -> tuple[Token, ...]:
        """The body of a macro with its arguments, and what `##` joins."""
        names = list(macro.parameters or ())
        if names[-1:] == ["..."]:
            names[-1] = "__VA_ARGS__"
            rest = arguments[len(names) - 1 :]
            several = [t for part in rest for t in (*part, Token("op", ",", "", 0, 0))][:-1]
            arguments = [*arguments[: len(names) - 1], several]
        given = dict(zip(names, arguments, strict=False))
        found: list[Token] = []
        for i, token in enumerate(macro.body):
            joined = "##" in (macro.body[i - 1].text if i else "", *(t.text for t in macro.body[i + 1 : i + 2]))
            own = given.get(token.text) if token.kind == "name" else None
            found += [token] if own is None else own if joined else self.expanded(own, inside)
        while any(token.text == "##" for token in found[1:-1]):
            i = next(i for i, token in enumerate(found[1:-1], 1) if token.text == "##")
            found[i - 1 : i + 2] = [replace(found[i - 1], text=found[i - 1].text + found[i + 1].text)]
        return tuple(found)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each line with those that a `\\` at its end goes on with, and its number."""
    first, held = 1, []
    for number, line in enumerate(text.split("\n"), 1):
        held.append(line.removesuffix("\\"))
        if not line.endswith("\\"):
            yield first, held
            first, held = number + 1, []


def _arguments(tokens: Sequence[Token], at: int) -> tuple[list[list[Token]], int]:
    """What stands in the brackets that begin at ``at``, by comma, and the place behind them."""
    found: list[list[Token]] = [[]]
    depth = 0
    for i in range(at, len(tokens)):
        token = tokens[i]
        depth += (token.text in ("(", "{", "[")) - (token.text in (")", "}", "]"))
        if depth == 0:
            return found, i + 1
        if token.text == "," and depth == 1:
            found.append([])
        elif i > at:
            found[-1].append(token)
    raise unsupported(tokens[at], "the arguments of a macro do not end")


def _truth(text: str) -> bool:
    """The value of a checked expression of numbers, comparisons and and/or/not; false where it is none."""
    try:
        tree = ast.parse(text.strip() or "0", mode="eval").body
    except SyntaxError:
        return False

    def value(node: ast.expr) -> int:
        if isinstance(node, ast.BoolOp):
            values = [bool(value(part)) for part in node.values]
            return int(all(values) if isinstance(node.op, ast.And) else any(values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return int(not value(node.operand))
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
            return int(_COMPARE[type(node.ops[0])](value(node.left), value(node.comparators[0])))
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        return 0

    return bool(value(tree))
