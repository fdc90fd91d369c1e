"""Expressions of C++ in straightforward form. Types are read as expressions too: their meaning is found when they are
used."""

from __future__ import annotations

import re
from collections.abc import Callable

from pyptogen.diagnostics import DiagnosticError
from pyptogen.records import replace
from pyptogen.sanitize.lexer import Token, unsupported
from pyptogen.sanitize.syntax import Binary, Braces, Call, Expr, Index, Literal, Member, Name, Ternary, Unary

_LEVELS = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<",), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
_ASSIGN = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<="})
_WORDS = frozenset({"const", "typename", "volatile", "struct", "class", "template"})
QUALIFIERS = frozenset(
    {"const", "constexpr", "static", "inline", "volatile", "typename", "__gm__", "__ubuf__", "__cbuf__", "__ca__",
     "__cb__", "__cc__", "__in__", "__out__", "__inout__", "AICORE", "__aicore__", "__global__", "PTO_INTERNAL",
     "PTO_INST", "extern", "unsigned", "signed", "__tf__", "__attribute__", "thread_local", "register"}
)  # fmt: skip
_BUILTIN_TEMPLATES = frozenset(
    {"Tile", "TileLeft", "TileRight", "TileAcc", "GlobalTensor", "Shape", "Stride", "Event", "static_cast",
     "reinterpret_cast", "const_cast", "is_same_v", "is_same", "conditional_t", "min", "max", "TileShape2D",
     "BaseShape2D", "ConvTile", "TPipe", "integral_constant", "numeric_limits"}
)  # fmt: skip


class ExpressionParser:
    """A cursor over tokens. ``templates`` are names that ``<`` makes a template of; ``namespaces`` those that say
    nothing before a name."""

    def __init__(self, tokens: list[Token], templates: frozenset[str], namespaces: frozenset[str]) -> None:
        self.tokens, self.at = tokens, 0
        self.templates = templates | _BUILTIN_TEMPLATES
        self.namespaces = namespaces
        self.angles = 0

    # -- cursor ---------------------------------------------------------------------------------------------------

    @property
    def here(self) -> Token:
        return self.tokens[min(self.at, len(self.tokens) - 1)]

    @property
    def after(self) -> Token:
        """The token behind this one; the last one at the end."""
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]

    def ends(self) -> bool:
        return self.at >= len(self.tokens)

    def at_token(self, *texts: str) -> bool:
        if self.at >= len(self.tokens):
            return False
        here = self.tokens[self.at]
        if self.angles and here.text == ">>>" and ">" in texts:  # ends of templates
            ends = [replace(here, text=">", col=here.col + i) for i in range(3)]
            self.tokens[self.at : self.at + 1], here = ends, ends[0]
        return here.text in texts and here.kind != "string"

    def take(self) -> Token:
        if self.ends():
            raise unsupported(self.tokens[-1], "the file ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, text: str) -> bool:
        if self.at_token(text):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        if not self.at_token(text):
            raise unsupported(self.here, f"`{self.here.text}` where `{text}` is expected")
        return self.take()

    def attempt(self, read: Callable[[], Expr]) -> Expr | None:
        """The result of ``read``, or None and no progress."""
        start, angles = self.at, self.angles
        try:
            return read()
        except DiagnosticError:
            self.at, self.angles = start, angles
            return None

    def skip_words(self) -> None:
        while not self.ends() and self.here.text in QUALIFIERS:
            word = self.take().text
            if word == "__attribute__" and self.at_token("("):
                self.skip_balanced()

    def skip_balanced(self) -> None:
        """From an opening bracket to behind the closing one."""
        depth = 0
        while True:
            token = self.take()
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth == 0:
                return

    # -- expressions ----------------------------------------------------------------------------------------------

    def expression(self) -> Expr:
        """One expression, assignments included (no comma operator)."""
        left = self._ternary()
        if not self.ends() and self.here.text in _ASSIGN and self.here.kind == "op":
            token = self.take()
            return Binary(token.text, left, self.expression(), token)
        return left

    def _ternary(self) -> Expr:
        condition = self._binary(0)
        if self.at_token("?"):
            token = self.take()
            then = self.expression()
            self.expect(":")
            return Ternary(condition, then, self.expression(), token)
        return condition

    def _binary(self, level: int) -> Expr:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self.at_token(*_LEVELS[level]) and not (self.angles and self.here.text in (">", ">=")):
            token = self.take()
            left = Binary(token.text, left, self._binary(level + 1), token)
        if level == 7 and self.at_token(">") and not self.angles and self._shifts():
            token = self.take()
            self.take()
            left = Binary(">>", left, self._binary(level + 1), token)
        return left

    def _shifts(self) -> bool:
        return self.after.text == ">" and self.after.col == self.here.col + 1

    def _unary(self) -> Expr:
        if self.at_token("-", "+", "!", "~", "*", "&", "++", "--"):
            token = self.take()
            return Unary(token.text, self._unary(), token)
        if self.at_token("sizeof"):
            token = self.take()
            self.accept("...")
            self.expect("(")
            inside = self.type()
            self.expect(")")
            return Unary("sizeof", inside, token)
        if self.at_token("("):
            cast = self.attempt(self._cast)
            if cast is not None:
                return cast
        return self._postfix(self._primary())

    def _cast(self) -> Expr:
        """``(int64_t)x``: only with a built-in type or a pointer, so that ``(a)(b)`` stays a call."""
        token = self.expect("(")
        marked = self.at_token(*QUALIFIERS)
        kind = self.type()
        pointer = self.tokens[self.at - 1].text == "*"
        self.expect(")")
        known = isinstance(kind, Name) and re.fullmatch(
            r"(u?int\d*_t|void|int|float|half|bool|double|long|event_t|size_t|uint32_t|char|\w*_t|T|U)", kind.path[-1]
        )
        if not (known or pointer or marked) or self.ends() or self.at_token(")", ";", ",", "=", ".", "+", "/", "]"):
            raise unsupported(token, "no cast")
        return Call(Name(("static_cast",), (kind,), token), (self._unary(),), token)

    def type(self) -> Expr:
        """A type: qualifiers, a name with template arguments, pointers and references, which say nothing here."""
        self.skip_words()
        while self.at_token(*_WORDS):
            self.take()
        if self.at_token("decltype"):
            token = self.take()
            self.expect("(")
            inside = self.expression()
            self.expect(")")
            return Call(Name(("decltype",), None, token), (inside,), token)
        before = self.tokens[self.at - 1].text if self.at else ""
        if before in ("unsigned", "signed") and self.here.text not in ("int", "char", "short", "long"):
            return Name(("int",), None, self.tokens[self.at - 1])
        if self.here.kind != "name" or self.at_token("*", "&"):
            return self._binary(0)
        found = self._name()
        while self.at_token("long", "int", "const", "double"):
            self.take()
        self.skip_words()
        while self.at_token("*", "&", "&&", "const", "__restrict__", "..."):
            self.take()
            self.skip_words()
        return found

    def _primary(self) -> Expr:
        token = self.here
        if token.kind == "number":
            self.take()
            return Literal(_number(token.text), token)
        if token.kind == "string":
            self.take()
            while not self.ends() and self.here.kind == "string":
                self.take()
            return Literal(token.text, token)
        if self.accept("("):
            angles, self.angles = self.angles, 0
            inside = self.expression()
            while self.accept(","):
                inside = self.expression()
            self.angles = angles
            self.expect(")")
            return inside
        if self.at_token("{"):
            return self._braces()
        if self.at_token("["):
            return self.function_object()
        self.skip_words()
        while self.at_token("typename", "template"):
            self.take()
        if self.ends() or self.here.kind != "name":
            raise unsupported(self.here, f"`{self.here.text}` in an expression")
        return self._name()

    def function_object(self) -> Expr:
        """A lambda, which needs statements."""
        raise unsupported(self.here, "a lambda here")

    def _name(self) -> Name:
        token = self.here
        path: list[str] = []
        arguments: tuple[Expr, ...] | None = None
        outer: tuple[Expr, ...] | None = None
        self.accept("::")
        while True:
            if self.here.kind != "name":
                raise unsupported(self.here, f"`{self.here.text}` in a name")
            path.append(self.take().text)
            if self.at_token("<"):
                arguments = self._template_arguments_of(path[-1])
            if not self.at_token("::"):
                break
            self.take()
            self.accept("template")
            if arguments is None and path[-1] in self.namespaces:
                path.pop()
            outer, arguments = arguments or outer, None
        return Name(tuple(path), arguments, token, outer)

    def _template_arguments_of(self, name: str) -> tuple[Expr, ...] | None:
        """Template arguments behind a name, or None and no progress where ``<`` compares. A name that nobody declared
        as a template is one where a call or a member follows, and the arguments are no conditions."""
        start = self.at
        found = self._template_arguments()
        known = name in self.templates or re.match(r"[A-Z]\w*[a-z]", name) or name in ("conditional", "is_same")
        conditions = any(isinstance(part, Binary) and part.op in ("&&", "||") for part in found or ())
        if not known and (not self.at_token("(", "::") or conditions):
            self.at = start
            return None
        return found

    def _template_arguments(self) -> tuple[Expr, ...] | None:
        start, angles = self.at, self.angles
        self.expect("<")
        self.angles += 1
        items: list[Expr] = []
        try:
            while not self.at_token(">"):
                items.append(self._argument())
                if not self.accept(","):
                    break
            self.expect(">")
        except DiagnosticError:
            self.at, self.angles = start, angles
            return None
        self.angles = angles
        return tuple(items)

    def _argument(self) -> Expr:
        """A type or an expression."""
        found = self.attempt(lambda: self._until(self.type()))
        return found if found is not None else self._until(self._ternary())

    def _until(self, expr: Expr) -> Expr:
        if not self.at_token(",", ">"):
            raise unsupported(self.here, "not the end of a template argument")
        return expr

    def _braces(self) -> Braces:
        token = self.expect("{")
        return Braces(self._list("}"), token)

    def _list(self, closing: str) -> tuple[Expr, ...]:
        angles, self.angles = self.angles, 0
        items: list[Expr] = []
        while not self.at_token(closing):
            items.append(self.expression())
            self.accept("...")
            if not self.accept(","):
                break
        self.expect(closing)
        self.angles = angles
        return tuple(items)

    def _postfix(self, expr: Expr) -> Expr:
        while not self.ends():
            token = self.here
            if self.accept("("):
                expr = Call(expr, self._list(")"), token)
            elif self.at_token("<<<"):
                self.take()
                self._list(">>>")
                self.expect("(")
                expr = Call(expr, self._list(")"), token)
            elif (
                self.at_token("{")
                and isinstance(expr, Name)
                and (expr.arguments is not None or expr.path[-1][0].isupper())
            ):
                expr = Call(expr, self._braces().items, token)
            elif self.accept(".") or self.accept("->"):
                self.accept("template")
                expr = Member(expr, self.take().text, token)
                if self.at_token("<"):
                    self._template_arguments_of(str(expr.name))
            elif self.accept("["):
                angles, self.angles = self.angles, 0
                expr = Index(expr, self.expression(), token)
                self.angles = angles
                self.expect("]")
            elif self.at_token("++", "--"):
                expr = Unary(self.take().text, expr, token, postfix=True)
            else:
                break
        return expr


def _number(text: str) -> int | float:
    plain = text.replace("'", "")
    if plain.lower().startswith("0x"):
        return int(plain.rstrip("uUlL"), 16)
    if re.search(r"[.]|[eE]|[fF]$", plain):
        return float(plain.rstrip("fFlL"))
    return int(plain.rstrip("uUlL"), 8 if re.fullmatch(r"0[0-7]+[uUlL]*", plain) else 10)
