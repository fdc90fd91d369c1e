"""Files of C++ in straightforward form: functions, structs, constants."""

from __future__ import annotations

from itertools import pairwise

from pyptogen.diagnostics import DiagnosticError
from pyptogen.sanitize.expressions import QUALIFIERS
from pyptogen.sanitize.lexer import Token, unsupported
from pyptogen.sanitize.statements import StatementParser
from pyptogen.sanitize.syntax import (
    Binary,
    Block,
    Declaration,
    Enum,
    Evaluate,
    Expr,
    File,
    Function,
    Instantiation,
    Name,
    Statement,
    Struct,
    TemplateParameter,
    Using,
)


def parse(tokens: list[Token]) -> File:
    """What stands in a file. Raises PTG306 inside a function that is marked as a kernel's; other functions and structs
    that it does not understand are kept by their names, with the reason."""
    found: dict[str, set[str]] = {"using": set(), "struct": set(), "class": set(), "namespace": set()}
    for token, after in pairwise(tokens):
        if token.kind == after.kind == "name" and token.text in found:
            found[token.text].add(after.text)
    templates = found["using"] | found["struct"] | found["class"] | _template_functions(tokens)
    return Parser(tokens, frozenset(templates), frozenset(found["namespace"] - templates)).whole()


def _template_functions(tokens: list[Token]) -> frozenset[str]:
    """Names that stand before `(` behind a `template <…>`."""
    found = set()
    for i, (token, after) in enumerate(pairwise(tokens)):
        if token.text != "template" or after.text != "<":
            continue
        at = _behind(tokens, i + 1, "<", ">")
        while at < len(tokens) and tokens[at].text not in ("(", "{", ";", "="):
            marked = tokens[at].text == "__attribute__"
            at = _behind(tokens, at + 1, "(", ")") if marked else at + 1
        if at < len(tokens) and tokens[at - 1].kind == "name":
            found.add(tokens[at - 1].text)
    return frozenset(found)


def _behind(tokens: list[Token], at: int, opening: str, closing: str) -> int:
    """The place behind the bracket that is opened at ``at``."""
    depth = 0
    while at < len(tokens):
        depth += (tokens[at].text == opening) - (tokens[at].text == closing)
        at += 1
        if depth == 0:
            break
    return at


class Parser(StatementParser):
    """Reads a whole file."""

    def whole(self) -> File:
        functions: list[Function] = []
        statements: list[Statement] = []
        aliases: list[tuple[tuple[TemplateParameter, ...], Using]] = []
        instantiations: list[Instantiation] = []
        self.refused: dict[str, DiagnosticError] = {}
        while not self.ends():
            if self.accept(";") or self.accept("}"):
                continue
            if self.at_token("namespace") or (self.at_token("extern") and self.after.kind == "string"):
                self._open()
                continue
            template = self._template_head()
            if template is None:
                self.take()
                found = self.attempt(self._instantiated)
                if isinstance(found, Name):
                    instantiations.append(Instantiation(found, found.token))
                self._skip_to_end()
                continue
            if self.at_token("using") and template:
                using = self._using()
                aliases += [] if using is None else [(template, using)]
                continue
            read = self._declared_here(template)
            if isinstance(read, Function):
                functions.append(read)
            elif read is not None:
                statements.append(read)
        return File(tuple(functions), tuple(statements), tuple(aliases), tuple(instantiations), self.refused)

    def _declared_here(self, template: tuple[TemplateParameter, ...], owner: str = "") -> Function | Statement | None:
        """A function, a struct, an enum, a constant or an alias, in the class ``owner`` perhaps; None for what was
        passed over."""
        start = self.at
        if self.at_token("struct", "class"):
            struct = self._struct(template)
            if struct is not None:
                return struct
        elif self.at_token("enum"):
            return self._enum()
        function = self._function(template, owner)
        if function is not None:
            return function
        self.at = start
        statement = None if template else self._constant()
        if statement is None:
            self.at = start
            self._skip_to_end()
        return statement

    def _open(self) -> None:
        """``namespace x {`` and ``extern "C" {``: what is inside stands in the open. ``extern "C"`` before a function
        is passed over."""
        self.take()
        while not self.ends() and self.here.kind in ("name", "string") and self.here.text not in QUALIFIERS | {"void"}:
            self.take()
            self.accept("::")
        if not self.accept("{") and self.at_token("="):
            self._skip_to_end()

    def _template_head(self) -> tuple[TemplateParameter, ...] | None:
        """Parameters of ``template <…>``; empty without; None (and no progress) for an instantiation."""
        if not self.at_token("template"):
            return ()
        if self.after.text != "<":
            return None
        self.take()
        self.expect("<")
        self.angles += 1
        parameters: list[TemplateParameter] = []
        while not self.at_token(">"):
            name = ""
            while not self.at_token(",", ">", "="):
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

    def _constant(self) -> Statement | None:
        """A constant or an alias at namespace level."""
        try:
            found = self.statement()
        except DiagnosticError:
            return None
        return found if isinstance(found, Declaration | Using | Block) else None

    def _function(self, template: tuple[TemplateParameter, ...], owner: str = "") -> Function | None:
        """A function with a body, of the class ``owner`` perhaps; None and no progress for anything else."""
        start, kernel = self.at, False
        depth = 0
        while not self.ends() and (depth or not self.at_token("(", ";", "{", "=", "}")):
            token = self.take()
            kernel |= token.text == "__global__"
            depth += (token.text == "<") - (token.text == ">")
            if token.text == "__attribute__":
                self.skip_balanced()
        words = self.tokens[start : self.at]
        named = words and words[-1].kind == "name" and (len(words) > 1 or words[-1].text == owner)
        if not self.at_token("(") or not named or (words[-2:-1] and words[-2].text == "~"):
            self.at = start
            return None
        name = words[-1]
        parameters = self.parameters()
        while self.at_token("const", "noexcept", "override"):
            self.take()
        body = self.at
        try:
            given = self._initialisers() if owner == name.text else ()
            if not self.at_token("{"):
                self.at = start
                return None
            body = self.at
            block = self.block()
        except DiagnosticError as error:
            if kernel:
                raise
            self.refused[name.text] = error
            self.at = body
            self._skip_to_end()
            return None
        return Function(name.text, template, parameters, Block((*given, *block.body), block.token), kernel, name)

    # -- structs and enums ----------------------------------------------------------------------------------------

    def _initialisers(self) -> tuple[Statement, ...]:
        """``: a(b), c{d}`` of a constructor, as assignments. What takes several values stays as it was declared."""
        found: list[Statement] = []
        separator = ":"
        while self.accept(separator):
            separator = ","
            name = self._name()
            values = self._braces().items if self.at_token("{") else self._bracketed()
            if len(values) == 1:
                found.append(Evaluate(Binary("=", name, values[0], name.token), name.token))
        return tuple(found)

    def _bracketed(self) -> tuple[Expr, ...]:
        self.expect("(")
        return self._list(")")

    def _struct(self, template: tuple[TemplateParameter, ...]) -> Struct | None:
        """A struct or class with a body; None, with it passed over, for another one that is not understood, and for a
        declaration."""
        start = self.at
        self.take()
        self.skip_words()
        token = self.take()
        try:
            pattern = self._template_arguments() if self.at_token("<") else None
            self.accept("final")
            if self.at_token(":"):
                raise unsupported(self.here, f"`{token.text}` with a base class")
            if not self.at_token("{"):
                self.at = start
                return None
            self.take()
            found = self._body(token, template, pattern)
        except DiagnosticError as error:
            self.refused[token.text] = error
            self.at = start
            return None
        self.expect("}")
        self.accept(";")
        return found

    def _body(self, token: Token, template: tuple[TemplateParameter, ...], pattern: tuple[Expr, ...] | None) -> Struct:
        shared: list[Statement] = []
        members: list[Statement] = []
        functions: list[Function] = []
        while not self.at_token("}"):
            if self.ends():
                raise unsupported(token, f"`{token.text}` has no end")
            if self.at_token("public", "private", "protected"):
                self.take()
                self.expect(":")
                continue
            static = "static" in (self.here.text, self.after.text)
            read = self._declared_here(self._template_head() or (), token.text)
            if isinstance(read, Function):
                functions.append(read)
            elif isinstance(read, Using | Enum | Struct) or (read is not None and static):
                shared.append(read)
            elif read is not None:
                members.append(read)
        return Struct(token.text, template, pattern, tuple(shared), tuple(members), tuple(functions), token)

    def _enum(self) -> Enum | None:
        self.take()
        scoped = self.accept("class") or self.accept("struct")
        token = self.take() if self.here.kind == "name" else self.here
        while not self.at_token("{"):
            if self.take().text == ";":
                return None
        self.take()
        items: list[tuple[str, Expr | None]] = []
        while not self.at_token("}"):
            name = self.take().text
            items.append((name, self._ternary() if self.accept("=") else None))
            if not self.accept(","):
                break
        self.expect("}")
        self.accept(";")
        return Enum(token.text, tuple(items), scoped, token)
