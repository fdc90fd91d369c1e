"""Statements of C++ in straightforward form."""

from __future__ import annotations

import re

from pyptogen.diagnostics import DiagnosticError
from pyptogen.sanitize.expressions import QUALIFIERS, ExpressionParser
from pyptogen.sanitize.lexer import unsupported
from pyptogen.sanitize.syntax import (
    Binary,
    Block,
    Declaration,
    Evaluate,
    Expr,
    Function,
    If,
    Jump,
    Lambda,
    Loop,
    Parameter,
    Statement,
    Switch,
    Using,
)


class StatementParser(ExpressionParser):
    """Reads what stands in a function."""

    def block(self) -> Block:
        """``{ … }``."""
        token = self.expect("{")
        body: list[Statement] = []
        while not self.at_token("}"):
            body.append(self.statement())
        self.expect("}")
        return Block(tuple(body), token)

    def _using(self) -> Using | None:
        self.take()
        if self.here.kind != "name" or self.at_token("namespace") or self.after.text != "=":
            self._skip_to_end()
            return None
        token = self.take()
        self.expect("=")
        kind = self.type()
        self.expect(";")
        return Using(token.text, kind, token)

    def _typedef(self) -> Statement:
        token = self.take()
        kind = self.attempt(self.type)
        if kind is None or self.here.kind != "name" or self.after.text != ";":
            self._skip_to_end()
            return Block((), token)
        name = self.take()
        self.expect(";")
        return Using(name.text, kind, name)

    def _skip_to_end(self) -> None:
        """Behind the next `;` or body."""
        while not self.ends():
            if self.at_token("{", "(", "["):
                body = self.at_token("{")
                self.skip_balanced()
                if body:
                    self.accept(";")
                    return
            elif self.take().text == ";":
                return

    def statement(self) -> Statement:
        """One statement. Raises PTG306."""
        token = self.here
        if self.at_token("{"):
            return self.block()
        if self.accept(";"):
            return Block((), token)
        if self.at_token("using"):
            using = self._using()
            return using if using is not None else Block((), token)
        if self.at_token("typedef"):
            return self._typedef()
        if self.at_token("static_assert", "__asm__", "asm"):
            self._skip_to_end()
            return Block((), token)
        if self.at_token("if"):
            return self._if()
        if self.at_token("for", "while"):
            return self._loop()
        if self.at_token("do"):
            return self._do()
        if self.at_token("switch"):
            return self._switch()
        if self.at_token("return", "break", "continue"):
            self.take()
            value = self.expression() if token.text == "return" and not self.at_token(";") else None
            self.expect(";")
            return Jump(token.text, value, token)
        if self.at_token("goto", "try", "throw", "struct", "class"):
            raise unsupported(token, f"`{token.text}` in a kernel")
        found = self._declared()
        if found is not None:
            return found
        expr = self.expression()
        while self.accept(","):
            expr = self.expression()
        if isinstance(expr, Binary) and expr.op in ("<", ">"):  # a template that is not known as one
            raise unsupported(token, f"`{token.text}`, which is compared and not used")
        self.expect(";")
        return Evaluate(expr, token)

    def _if(self) -> If | Block:
        """A condition; one with a declaration ahead of it is a block of both."""
        token = self.take()
        self.accept("constexpr")
        self.expect("(")
        initial = self.statement() if self._has_initial() else None
        condition = self.expression()
        self.expect(")")
        then = self.statement()
        found = If(condition, then, self.statement() if self.accept("else") else None, token)
        return found if initial is None else Block((initial, found), token)

    def _has_initial(self) -> bool:
        """Whether a ``;`` comes before the bracket that is open here is closed."""
        depth = 0
        for token in self.tokens[self.at :]:
            depth += (token.text == "(") - (token.text == ")")
            if depth < 0 or token.text == ";":
                return depth >= 0
        return False

    def _loop(self) -> Loop:
        token = self.take()
        self.expect("(")
        if token.text == "while":
            condition = self.expression()
            self.expect(")")
            return Loop(None, condition, (), self.statement(), token)
        initial = None if self.accept(";") else self.statement()
        test = None if self.at_token(";") else self.expression()
        self.expect(";")
        return Loop(initial, test, self._list(")"), self.statement(), token)

    def _do(self) -> Loop:
        token = self.take()
        body = self.statement()
        self.expect("while")
        self.expect("(")
        condition = self.expression()
        self.expect(")")
        self.expect(";")
        return Loop(None, condition, (), body, token, behind=True)

    def _switch(self) -> Switch:
        token = self.take()
        self.expect("(")
        subject = self.expression()
        self.expect(")")
        self.expect("{")
        cases: list[tuple[Expr | None, int]] = []
        body: list[Statement] = []
        while not self.at_token("}"):
            if self.accept("case"):
                cases.append((self._ternary(), len(body)))
                self.expect(":")
            elif self.accept("default"):
                cases.append((None, len(body)))
                self.expect(":")
            else:
                body.append(self.statement())
        self.expect("}")
        return Switch(subject, tuple(cases), tuple(body), token)

    def _declared(self) -> Statement | None:
        """A declaration of one or several variables, or None and no progress."""
        start = self.at
        try:
            self.skip_words()
            marked = self.at > start
            static = any(token.text == "static" for token in self.tokens[start : self.at])
            if not marked and (self.here.kind != "name" or self.after.text in ("(", ".", "->", "[", "=", "+=")):
                return None
            kind = self.type()
            if self.here.kind != "name" or re.fullmatch(r"and|or|not", self.here.text):
                self.at = start
                return None
            found: list[Statement] = []
            while True:
                found.append(self._declarator(kind, static))
                if not self.accept(","):
                    break
                while self.at_token("*", "&"):
                    self.take()
            self.expect(";")
        except DiagnosticError:
            self.at = start
            return None
        return found[0] if len(found) == 1 else Block(tuple(found), self.tokens[start])

    def _declarator(self, kind: Expr, static: bool) -> Declaration:
        reference = self.tokens[self.at - 1].text == "&"
        token = self.take()
        lengths: list[Expr | None] = []
        while self.accept("["):
            lengths.append(None if self.at_token("]") else self.expression())
            self.expect("]")
        initial: Expr | tuple[Expr, ...] | None = None
        if self.accept("="):
            initial = self.expression()
        elif self.accept("("):
            initial = self._list(")")
        elif self.at_token("{"):
            initial = self._braces().items
        elif not self.at_token(";", ","):
            raise unsupported(self.here, "no declaration")
        return Declaration(kind, token.text, initial, tuple(lengths), reference, static, token)

    def parameters(self) -> tuple[Parameter, ...]:
        """``(T a, U &b = c)``."""
        self.expect("(")
        found: list[Parameter] = []
        while not self.at_token(")"):
            start = self.at
            found.append(self._parameter(self.attempt(self.type), start))
            if [token.text for token in self.tokens[start : self.at]] == ["void"]:
                found.pop()
            self.accept(",")
        self.expect(")")
        return tuple(found)

    def _parameter(self, kind: Expr | None, start: int) -> Parameter:
        """The rest of a parameter behind its type, which begins at ``start``."""
        name, default, depth = "", None, 0
        extent: Expr | None = None
        if self.at_token("(") and self.after.text == "&":  # T (&name)[n]
            self.take()
            self.take()
            name = self.take().text
            self.expect(")")
            self.expect("[")
            extent = self.expression()
            self.expect("]")
        while depth or not self.at_token(",", ")"):
            if self.accept("="):
                default = self._ternary()
                continue
            token = self.take()
            depth += (token.text in ("<", "(", "[")) - (token.text in (">", ")", "]"))
            if token.kind == "name" and depth == 0 and token.text not in QUALIFIERS:
                name = token.text
        marks = [token.text for token in self.tokens[start : self.at]]
        return Parameter(name, kind, "*" in marks, "&" in marks, default, extent)

    def function_object(self) -> Expr:
        """``[…](…) -> T { … }``."""
        token = self.here
        start = self.at
        self.skip_balanced()
        copies = any(t.text == "=" for t in self.tokens[start : self.at])
        parameters = self.parameters() if self.at_token("(") else ()
        self.skip_words()
        while self.at_token("mutable", "noexcept"):
            self.take()
        if self.accept("->"):
            self.type()
        function = Function("a lambda", (), parameters, self.block(), False, token)
        return Lambda(function, copies, token)
