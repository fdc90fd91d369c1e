"""C++ text → tokens with their places."""

from __future__ import annotations

import re

from pyptogen.diagnostics import DiagnosticError, Span, fault
from pyptogen.records import dataclass

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<number>(?:0[xX][0-9a-fA-F']+|\d[\d']*\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)[uUlLfF]*)"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<space>[ \t\r\f\v]+)|(?P<newline>\n)"""
    r"""|(?P<op><<<|>>>|<<=|\#\#|\.\.\.|->|::|\+\+|--|<=|>=|==|!=|&&|\|\||<<|[-+*/%&|^]=|"""
    r"""[-+*/%=<>!~&|^?:;,.(){}\[\]\\#])""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """``kind`` is name, number, string or op; ``line`` and ``col`` count from 1."""

    kind: str
    text: str
    file: str
    line: int
    col: int

    @property
    def span(self) -> Span:
        return Span(self.file, self.line, self.col, self.line, self.col + len(self.text))


def unsupported(token: Token, what: str) -> DiagnosticError:
    """PTG306: a construct that the sanitizer does not follow."""
    return fault(
        "PTG306",
        what,
        token.span,
        expected="tiles, windows, instructions, flags, loops and conditions in straightforward form",
    )


def scan(file: str, text: str, before: int = 0) -> list[Token]:
    """Tokens of ``text``, which has ``before`` lines above it in its file. Raises PTG306 for what is no C++."""
    found, at, line, begin = [], 0, before + 1, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise unsupported(Token("op", text[at], file, line, at - begin + 1), f"`{text[at]}` is no C++")
        kind = str(match.lastgroup)
        if kind in ("name", "number", "string") or (kind == "op" and match[0] != "\\"):
            found.append(Token(kind, match[0], file, line, at - begin + 1))
        newlines = match[0].count("\n")
        line += newlines
        if newlines:
            begin = at + match[0].rfind("\n") + 1
        at = match.end()
    return found
