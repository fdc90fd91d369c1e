"""C++ text → tokens with their places, comments gone and conditional compilation decided."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pyptogen.diagnostics import DiagnosticError, Span, fault

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<number>(?:0[xX][0-9a-fA-F']+|\d[\d']*\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)[uUlLfF]*)"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<space>[ \t\r\f\v]+)|(?P<newline>\n)"""
    r"""|(?P<op><<<|>>>|<<=|\.\.\.|->|::|\+\+|--|<=|>=|==|!=|&&|\|\||<<|[-+*/%&|^]=|[-+*/%=<>!~&|^?:;,.(){}\[\]\\#])""",
    re.DOTALL | re.VERBOSE,
)
_CONTINUED = re.compile(r"\\\n")


@dataclass(frozen=True, slots=True)
class Token:
    """``kind`` is name, number, string or op; ``line`` and ``col`` count from 1."""

    kind: str
    text: str
    line: int
    col: int


def unsupported(file: str, token: Token | None, what: str) -> DiagnosticError:
    """PTG306: a construct that the sanitizer does not follow."""
    line, col, width = (token.line, token.col, len(token.text)) if token else (1, 1, 1)
    return fault(
        "PTG306",
        what,
        Span(file, line, col, line, col + width),
        expected="tiles, windows, instructions, flags, loops and conditions in straightforward form",
    )


class Lexer:
    """Tokens of one file. ``defined`` are macros with their replacement texts."""

    def __init__(self, file: str, text: str, defined: Mapping[str, str]) -> None:
        self.file, self.text = file, text
        self.macros: dict[str, list[Token]] = {}
        for name, value in defined.items():
            self.macros[name] = self._scan(value, 0)[0] if value else []

    def tokens(self) -> list[Token]:
        """All tokens. Raises PTG306 for a character that is no C++, or a macro with arguments."""
        lines = _CONTINUED.sub(lambda m: "\\ ", self.text).split("\n")
        found: list[Token] = []
        active: list[bool] = []
        taken: list[bool] = []
        plain: list[str] = []
        start = 1

        def flush(upto: int) -> None:
            nonlocal plain
            found.extend(self._scan("\n".join(plain), start - 1)[0])
            plain = []

        text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), "\n".join(lines), flags=re.DOTALL)
        for number, line in enumerate(text.split("\n"), 1):
            stripped = line.strip()
            if stripped.startswith("#"):
                flush(number)
                start = number + 1
                self._directive(stripped[1:].strip(), active, taken)
                continue
            plain.append(line if all(active) else "")
        flush(0)
        return [token for item in found for token in self._expanded(item, ())]

    def _expanded(self, token: Token, inside: tuple[str, ...]) -> list[Token]:
        if token.kind != "name" or token.text not in self.macros or token.text in inside:
            return [token]
        here = [Token(t.kind, t.text, token.line, token.col) for t in self.macros[token.text]]
        return [t for part in here for t in self._expanded(part, (*inside, token.text))]

    def _directive(self, text: str, active: list[bool], taken: list[bool]) -> None:
        word, _, rest = text.partition(" ")
        if word in ("if", "ifdef", "ifndef"):
            holds = all(active) and self._condition(word, rest.strip())
            active.append(holds)
            taken.append(holds)
        elif word == "elif" and active:
            active[-1] = not taken[-1] and all(active[:-1]) and self._condition("if", rest.strip())
            taken[-1] |= active[-1]
        elif word == "else" and active:
            active[-1] = not taken[-1] and all(active[:-1])
            taken[-1] = True
        elif word == "endif" and active:
            active.pop()
            taken.pop()
        elif word == "define" and all(active):
            name = re.match(r"\s*(\w+)(.?)", rest)
            # A file may give a pipe that its headers lack a number: it stays the pipe of that name.
            if name and name[2] != "(" and not name[1].startswith("PIPE_"):
                self.macros[name[1]] = self._scan(rest.split("//")[0][name.end(1) :], 0)[0]

    def _condition(self, word: str, text: str) -> bool:
        if word != "if":
            name = text.split()[0] if text else ""
            return (name in self.macros) == (word == "ifdef")
        text = re.sub(
            r"defined\s*\(?\s*(\w+)\s*\)?", lambda m: "1" if m[1] in self.macros else "0", text.split("//")[0]
        )
        text = re.sub(r"[A-Za-z_]\w*", lambda m: self._value(m[0]), text)
        text = text.replace("&&", " and ").replace("||", " or ").replace("!", " not ").replace(" not =", "!=")
        if not re.fullmatch(r"[\d\s()<>=!+*/-]*(?:(?:and|or|not)[\d\s()<>=!+*/-]*)*", text):
            return False
        return _truth(text)

    def _value(self, name: str) -> str:
        tokens = self.macros.get(name, [])
        return (
            tokens[0].text if len(tokens) == 1 and tokens[0].kind == "number" else "1" if name in self.macros else "0"
        )

    def _scan(self, text: str, before: int) -> tuple[list[Token], int]:
        found, at, line, begin = [], 0, before + 1, 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise unsupported(self.file, Token("op", text[at], line, at - begin + 1), f"`{text[at]}` is no C++")
            kind = str(match.lastgroup)
            if kind in ("name", "number", "string") or (kind == "op" and match[0] not in ("\\", "#")):
                found.append(Token(kind, match[0], line, at - begin + 1))
            newlines = match[0].count("\n")
            line += newlines
            if newlines:
                begin = at + match[0].rfind("\n") + 1
            at = match.end()
        return found, line


def _truth(text: str) -> bool:
    """The value of a checked expression of numbers, comparisons and and/or/not."""
    import ast
    import operator

    tree = ast.parse(text.strip() or "0", mode="eval").body
    compare = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
               ast.Gt: operator.gt, ast.GtE: operator.ge}  # fmt: skip

    def value(node: ast.expr) -> int:
        if isinstance(node, ast.BoolOp):
            values = [bool(value(part)) for part in node.values]
            return int(all(values) if isinstance(node.op, ast.And) else any(values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return int(not value(node.operand))
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in compare:
            return int(compare[type(node.ops[0])](value(node.left), value(node.comparators[0])))
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        return 0

    return bool(value(tree))
