"""Functions and statements of C++ in straightforward form."""

from __future__ import annotations

import re

from pyptogen.diagnostics import DiagnosticError
from pyptogen.sanitize.expressions import QUALIFIERS, ExpressionParser
from pyptogen.sanitize.lexer import Token, unsupported
from pyptogen.sanitize.syntax import (
    Block,
    Declaration,
    Evaluate,
    Expr,
    File,
    Function,
    If,
    Instantiation,
    Jump,
    Loop,
    Name,
    Parameter,
    Statement,
    Switch,
    TemplateParameter,
    Using,
)


def parse(file: str, tokens: list[Token]) -> File:
    """What stands in a file. Raises PTG306 inside a function that is marked as a kernel's; other things that it does
    not know (classes, host code) it passes over."""
    names = frozenset(
        tokens[i + 1].text
        for i, token in enumerate(tokens[:-2])
        if token.kind == "name" and token.text in ("using", "struct", "class") and tokens[i + 1].kind == "name"
    )
    parser = Parser(file, tokens, names | _template_functions(tokens))
    return parser.whole()


def _template_functions(tokens: list[Token]) -> frozenset[str]:
    """Names that stand before `(` behind a `template <…>`."""
    found = set()
    for i, token in enumerate(tokens):
        if token.text == "template" and i + 1 < len(tokens) and tokens[i + 1].text == "<":
            depth, at = 0, i + 1
            while at < len(tokens):
                depth += (tokens[at].text == "<") - (tokens[at].text == ">")
                at += 1
                if depth == 0:
                    break
            while at < len(tokens) and tokens[at].text not in ("(", "{", ";", "="):
                at += 1
            if at < len(tokens) and tokens[at - 1].kind == "name":
                found.add(tokens[at - 1].text)
    return frozenset(found)


class Parser(ExpressionParser):
    """Reads a whole file."""

    def whole(self) -> File:
        functions: list[Function] = []
        statements: list[Statement] = []
        aliases: list[tuple[tuple[TemplateParameter, ...], Using]] = []
        instantiations: list[Instantiation] = []
        while not self.ends():
            if self.accept(";") or self.accept("}"):
                continue
            if self.sees("namespace") or (self.sees("extern") and self.tokens[self.at + 1].kind == "string"):
                self._open()
                continue
            start = self.at
            template = self._template_head()
            if template is None:
                self.take()
                found = self.attempt(self._instantiated)
                if isinstance(found, Name):
                    instantiations.append(Instantiation(found, found.token))
                self._skip_to_end()
                continue
            if self.sees("using"):
                using = self._using()
                if using is not None and template:
                    aliases.append((template, using))
                elif using is not None:
                    statements.append(using)
                continue
            function = self._function(template)
            if function is not None:
                functions.append(function)
                continue
            self.at = start
            statement = None if template else self._constant()
            if statement is not None:
                statements.append(statement)
            else:
                self.at = start
                self._skip_to_end()
        return File(tuple(functions), tuple(statements), tuple(aliases), tuple(instantiations))

    def _open(self) -> None:
        """``namespace x {`` and ``extern "C" {``: what is inside stands in the open. ``extern "C"`` before a function
        is passed over."""
        self.take()
        while not self.ends() and self.here.kind in ("name", "string") and self.here.text not in QUALIFIERS | {"void"}:
            self.take()
            self.accept("::")
        if not self.accept("{") and self.sees("="):
            self._skip_to_end()

    def _skip_to_end(self) -> None:
        """Behind the next `;` or body."""
        while not self.ends():
            if self.sees("{", "(", "["):
                body = self.sees("{")
                self.skip_balanced()
                if body:
                    self.accept(";")
                    return
            elif self.take().text == ";":
                return

    def _template_head(self) -> tuple[TemplateParameter, ...] | None:
        """Parameters of ``template <…>``; empty without; None (and no progress) for an instantiation."""
        if not self.sees("template"):
            return ()
        if self.tokens[self.at + 1].text != "<":
            return None
        self.take()
        self.expect("<")
        self.angles += 1
        parameters: list[TemplateParameter] = []
        while not self.sees(">"):
            name = ""
            while not self.sees(",", ">", "="):
                token = self.take()
                name = token.text if token.kind == "name" else name
                if token.text == "<":
                    while not self.accept(">"):
                        self.take()
            default = self._argument() if self.accept("=") else None
            parameters.append(TemplateParameter(name, default))
            self.accept(",")
        self.angles -= 1
        self.expect(">")
        return tuple(parameters)

    def _instantiated(self) -> Expr:
        self.skip_words()
        self.type()
        return self._name()

    def _using(self) -> Using | None:
        self.take()
        if self.here.kind != "name" or self.sees("namespace") or self.tokens[self.at + 1].text != "=":
            self._skip_to_end()
            return None
        token = self.take()
        self.expect("=")
        kind = self.type()
        self.expect(";")
        return Using(token.text, kind, token)

    def _constant(self) -> Statement | None:
        """A constant or an alias at namespace level."""
        try:
            found = self.statement()
        except DiagnosticError:
            return None
        return found if isinstance(found, Declaration | Using | Block) else None

    def _function(self, template: tuple[TemplateParameter, ...]) -> Function | None:
        start, kernel = self.at, False
        depth = 0
        while not self.ends() and (depth or not self.sees("(", ";", "{", "=", "}")):
            token = self.take()
            kernel |= token.text == "__global__"
            depth += (token.text == "<") - (token.text == ">")
            if token.text == "__attribute__":
                self.skip_balanced()
        name = self.tokens[self.at - 1]
        if not self.sees("(") or name.kind != "name" or self.at - start < 2:
            self.at = start
            return None
        parameters = self._parameters()
        while self.sees("const", "noexcept", "override"):
            self.take()
        if not self.sees("{"):
            self.at = start
            return None
        body = self.at
        try:
            block = self.block()
        except DiagnosticError:
            if kernel:
                raise
            self.at = body
            self.skip_balanced()
            return None
        return Function(name.text, template, parameters, block, kernel, name)

    def _parameters(self) -> tuple[Parameter, ...]:
        self.expect("(")
        found: list[Parameter] = []
        while not self.sees(")"):
            pointer = reference = False
            name: Token | None = None
            depth = 0
            while depth or not self.sees(",", ")"):
                token = self.take()
                depth += (token.text in ("<", "(", "[")) - (token.text in (">", ")", "]"))
                pointer |= token.text == "*"
                reference |= token.text == "&"
                if token.kind == "name" and depth == 0 and token.text not in QUALIFIERS:
                    name = token
                if token.text == "=":
                    self._ternary()
            if name is not None:
                found.append(Parameter(name.text, pointer, reference, name))
            self.accept(",")
        self.expect(")")
        return tuple(found)

    # -- statements -----------------------------------------------------------------------------------------------

    def block(self) -> Block:
        """``{ … }``."""
        token = self.expect("{")
        body: list[Statement] = []
        while not self.sees("}"):
            body.append(self.statement())
        self.expect("}")
        return Block(tuple(body), token)

    def statement(self) -> Statement:
        """One statement. Raises PTG306."""
        token = self.here
        if self.sees("{"):
            return self.block()
        if self.accept(";"):
            return Block((), token)
        if self.sees("using"):
            using = self._using()
            return using if using is not None else Block((), token)
        if self.sees("typedef", "static_assert", "__asm__", "asm"):
            self._skip_to_end()
            return Block((), token)
        if self.sees("if"):
            return self._if()
        if self.sees("for", "while"):
            return self._loop()
        if self.sees("switch"):
            return self._switch()
        if self.sees("return", "break", "continue"):
            self.take()
            value = self.expression() if token.text == "return" and not self.sees(";") else None
            self.expect(";")
            return Jump(token.text, value, token)
        if self.sees("do", "goto", "try", "throw", "struct", "class"):
            raise unsupported(self.file, token, f"`{token.text}` in a kernel")
        found = self._declared()
        if found is not None:
            return found
        expr = self.expression()
        while self.accept(","):
            expr = self.expression()
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
        test = None if self.sees(";") else self.expression()
        self.expect(";")
        return Loop(initial, test, self._list(")"), self.statement(), token)

    def _switch(self) -> Switch:
        token = self.take()
        self.expect("(")
        subject = self.expression()
        self.expect(")")
        self.expect("{")
        cases: list[tuple[Expr | None, int]] = []
        body: list[Statement] = []
        while not self.sees("}"):
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
            if not marked and (
                self.here.kind != "name" or self.tokens[self.at + 1].text in ("(", ".", "->", "[", "=", "+=")
            ):
                return None
            kind = self.type()
            if self.here.kind != "name" or re.fullmatch(r"and|or|not", self.here.text):
                self.at = start
                return None
            found: list[Statement] = []
            while True:
                found.append(self._declarator(kind))
                if not self.accept(","):
                    break
                while self.sees("*", "&"):
                    self.take()
            self.expect(";")
        except DiagnosticError:
            self.at = start
            return None
        return found[0] if len(found) == 1 else Block(tuple(found), self.tokens[start])

    def _declarator(self, kind: Expr) -> Declaration:
        reference = self.tokens[self.at - 1].text == "&"
        token = self.take()
        length = None
        if self.accept("["):
            length = self.expression()
            self.expect("]")
        initial: Expr | tuple[Expr, ...] | None = None
        if self.accept("="):
            initial = self.expression()
        elif self.accept("("):
            initial = self._list(")")
        elif self.sees("{"):
            initial = self._braces().items
        elif not self.sees(";", ","):
            raise unsupported(self.file, self.here, "no declaration")
        return Declaration(kind, token.text, initial, length, reference, token)
