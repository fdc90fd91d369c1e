"""Where each name of a spec is defined and used, told from its tree alone, so that a spec that is not in order yet has
names, too."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal

from pyptogen.diagnostics import DiagnosticError
from pyptogen.editor.names_in_text import characters, expression, mapping, parsed, targets, values_of
from pyptogen.schema.expression import Expr, parse_expression_list
from pyptogen.schema.loop_section import is_loop
from pyptogen.schema.tree import Mapping, Node, Scalar, Sequence

Kind = Literal["dim", "attr", "input", "output", "value", "function", "parameter", "stage", "operator"]
_SECTIONS = ("carry", "body", "next", "collect")


@dataclass(frozen=True, slots=True)
class Symbol:
    """One name with one meaning. ``scope`` is the function, the loop or the kernel that it is inside of, else empty."""

    name: str
    kind: Kind
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name in the text: the characters ``start <= i < stop``. ``stage`` is the stage that it stands in."""

    symbol: Symbol
    start: int
    stop: int
    defines: bool
    stage: str = ""


@dataclass(slots=True)
class Names:
    """All names of a file. Names that are defined nowhere in it are in ``unknown``: those of operations, and of what
    included files define."""

    occurrences: list[Occurrence] = field(default_factory=list)
    unknown: list[tuple[str, int, int]] = field(default_factory=list)
    stages: list[tuple[str, int]] = field(default_factory=list)
    """Stages with where their key begins; the implicit one has the name of the operator."""

    def at(self, offset: int) -> Occurrence | None:
        """The name at a character, or just before it."""
        return next((one for one in self.occurrences if one.start <= offset <= one.stop), None)

    def of(self, symbol: Symbol) -> list[Occurrence]:
        """Where a symbol occurs, in the order of the text."""
        return sorted((one for one in self.occurrences if one.symbol == symbol), key=lambda one: one.start)

    def defined(self, *kinds: Kind, scope: str = "") -> list[str]:
        """The names of symbols of these kinds, in the order of the text."""
        found = [one for one in self.occurrences if one.defines and one.symbol.kind in kinds]
        names = (one.symbol.name for one in found if one.symbol.scope in ("", scope))
        return list(dict.fromkeys(names))


def names_of(root: Node) -> Names:
    """The names in the tree of a spec, or of a file that specs include."""
    return _Reader().read(root) if isinstance(root, Mapping) else Names()


class _Reader:
    """Definitions first, then what is made of them."""

    def __init__(self) -> None:
        self._names = Names()
        self._globals: dict[str, Symbol] = {}
        self._locals: dict[str, dict[str, Symbol]] = {}
        self._stage_names: dict[str, Symbol] = {}

    def read(self, root: Mapping) -> Names:
        graph, kernels = mapping(root.get("graph")), mapping(root.get("kernels"))
        self._define_contract(root)
        self._define_stages(root, graph, kernels)
        self._contract(root)
        for key, body in mapping(root.get("functions")):
            self._function(key, body)
        if any(isinstance(value, Mapping) for _, value in graph):
            for key, stage in graph:
                self._stage(key, mapping(stage))
        else:
            operator = root.get("operator")
            for key, value in graph:
                self._assign(key, value, "", operator.text if isinstance(operator, Scalar) else "")
        for key, kernel in kernels:
            self._kernel(key.text, mapping(kernel))
        self._tiling(root.get("tiling"))
        for _, hints in mapping(root.get("schedule")):
            for key, _ in mapping(hints):
                self._use_stage(key)
        self._verify(mapping(root.get("verify")))
        return self._names

    # Definitions

    def _define_contract(self, root: Mapping) -> None:
        kinds: tuple[tuple[str, Kind], ...] = (
            ("dims", "dim"),
            ("attrs", "attr"),
            ("inputs", "input"),
            ("outputs", "output"),
        )
        for section, kind in kinds:
            for key, _ in mapping(root.get(section)):
                symbol = self._globals.setdefault(key.text, Symbol(key.text, kind))
                self._add(symbol, key.start, key.stop, symbol.kind == kind)
        for key, _ in mapping(root.get("functions")):
            call = expression(key, key=True)
            if call is not None and isinstance(call.node, ast.Call) and isinstance(call.node.func, ast.Name):
                self._globals.setdefault(call.node.func.id, Symbol(call.node.func.id, "function"))

    def _define_stages(self, root: Mapping, graph: Mapping, kernels: Mapping) -> None:
        staged = any(isinstance(value, Mapping) for _, value in graph)
        operator = root.get("operator")
        if isinstance(operator, Scalar) and operator.text:
            symbol = Symbol(operator.text, "operator")
            self._add(symbol, operator.start, operator.stop, True)
            if not staged:
                self._stage_names[operator.text] = symbol
                self._names.stages.append((operator.text, operator.start))
        for key, value in graph:
            if not staged:
                self._define_values(key, "")
                continue
            symbol = self._stage_names[key.text] = Symbol(key.text, "stage")
            self._add(symbol, key.start, key.stop, True)
            self._names.stages.append((key.text, key.start))
            stage = mapping(value)
            for section, entry in values_of(stage):
                self._define_values(entry, key.text if section == "body" and is_loop(stage) else "")
        for key, kernel in kernels:
            fresh = key.text not in self._stage_names
            symbol = self._stage_names.setdefault(key.text, Symbol(key.text, "stage"))
            self._add(symbol, key.start, key.stop, fresh)
            if fresh:
                self._names.stages.append((key.text, key.start))
            for name, _ in mapping(mapping(kernel).get("writes")):
                self._globals.setdefault(name.text, Symbol(name.text, "value"))

    def _define_values(self, key: Scalar, scope: str) -> None:
        table = self._locals.setdefault(scope, {}) if scope else self._globals
        for name, _, _ in targets(key):
            table.setdefault(name, Symbol(name, "value", scope))

    # What is made of them

    def _contract(self, root: Mapping) -> None:
        for _, value in mapping(root.get("dims")):
            if isinstance(value, Scalar) and isinstance(value.value, str):
                self._use(value)
        for section in ("inputs", "outputs"):
            for _, value in mapping(root.get(section)):
                self._tensor(value)
        requires = root.get("requires")
        for item in requires.items if isinstance(requires, Sequence) else ():
            self._use(item)

    def _tensor(self, node: Node) -> None:
        if isinstance(node, Mapping):
            for key in ("shape", "strides", "init"):
                self._use_list(node.get(key))
            other = node.get("inplace")
            if isinstance(other, Scalar) and isinstance(other.value, str):
                self._use(other)
        elif isinstance(node, Scalar) and "[" in node.text and "]" in node.text:
            begin, end = node.text.index("["), node.text.rindex("]") + 1
            expr = parsed(node, begin, end)
            if expr is not None:
                self._expression(expr)

    def _function(self, key: Scalar, body: Node) -> None:
        call = expression(key, key=True)
        if call is None or not isinstance(call.node, ast.Call) or not isinstance(call.node.func, ast.Name):
            return
        name = call.node.func.id
        scope = f"{name}()"
        self._place(call, call.node.func, self._globals[name], True)
        inside = self._locals.setdefault(scope, {})
        for arg in call.node.args:
            if isinstance(arg, ast.Name):
                inside[arg.id] = Symbol(arg.id, "parameter", scope)
                self._place(call, arg, inside[arg.id], True)
        entries = list(mapping(body))
        for entry, _ in entries:
            if entry.text != "return":
                self._define_values(entry, scope)
        for entry, value in entries:
            if entry.text == "return":
                self._use_list(value, scope)
            else:
                self._assign(entry, value, scope)

    def _stage(self, key: Scalar, stage: Mapping) -> None:
        scope = key.text
        for word in ("when", "if"):
            self._condition(stage.get(word), scope)
        head = mapping(stage.get("loop"))
        over = head.get("over")
        if isinstance(over, Scalar):
            self._use(over, scope)
        self._condition(head.get("if"), scope)
        loop = is_loop(stage)
        for section, entry in values_of(stage):
            values = mapping(stage.get(section)) if loop else stage
            value = values.get(entry.text)
            if value is not None:
                self._assign(entry, value, scope, scope, section != "next")

    def _condition(self, node: Node | None, scope: str) -> None:
        if isinstance(node, Mapping):
            for key, _ in node:
                self._use(key, scope)
        elif node is not None:
            self._use(node, scope)

    def _assign(self, key: Scalar, value: Node, scope: str, stage: str = "", defines: bool = True) -> None:
        for name, start, stop in targets(key):
            symbol = self._find(name, scope)
            if symbol is not None:
                self._add(symbol, start, stop, defines and symbol.kind == "value", stage)
        self._use(value, scope, stage)

    def _kernel(self, name: str, kernel: Mapping) -> None:
        scope = f"{name}:"
        inside = self._locals.setdefault(scope, {})
        for section in ("grid", "buffers"):
            for key, _ in mapping(kernel.get(section)):
                inside[key.text] = Symbol(key.text, "value", scope)
                self._add(inside[key.text], key.start, key.stop, True, name)
        for _, trips in mapping(kernel.get("grid")):
            self._use(trips, scope)
        for _, buffer in mapping(kernel.get("buffers")):
            for word in ("shape", "valid"):
                self._use_list(mapping(buffer).get(word), scope)
        writes = kernel.get("writes")
        for key, value in mapping(writes):
            symbol = self._globals[key.text]
            self._add(symbol, key.start, key.stop, symbol.kind == "value")
            self._tensor(value)
        for listed in (kernel.get("reads"), writes, kernel.get("arguments")):
            for item in listed.items if isinstance(listed, Sequence) else ():
                self._use(item, scope)
        for word in ("blocks", "range"):
            given = kernel.get(word)
            if given is not None:
                self._use(given, scope)
        for section in ("before", "body", "after"):
            self._lines(kernel.get(section), scope)

    def _lines(self, node: Node | None, scope: str) -> None:
        if isinstance(node, Sequence):
            for item in node.items:
                if isinstance(item, Mapping):
                    self._lines(item, scope)
                else:
                    self._use(item, scope)
            return
        for key, value in mapping(node):
            if isinstance(value, Mapping | Sequence) and key.text in ("for", "body"):
                self._loop_head(value, scope) if key.text == "for" else self._lines(value, scope)
            elif isinstance(value, Mapping):
                self._lines(value, scope)
            else:
                symbol = self._locals[scope].get(key.text)
                fresh = symbol is None
                symbol = symbol or self._locals[scope].setdefault(key.text, Symbol(key.text, "value", scope))
                self._add(symbol, key.start, key.stop, fresh)
                self._use(value, scope)

    def _loop_head(self, node: Node, scope: str) -> None:
        for key, trips in mapping(node):
            symbol = self._locals[scope].setdefault(key.text, Symbol(key.text, "value", scope))
            self._add(symbol, key.start, key.stop, True)
            self._use(trips, scope)

    def _tiling(self, node: Node | None) -> None:
        for row in node.items if isinstance(node, Sequence) else ():
            for key, value in mapping(row):
                if key.text == "when":
                    self._use_dims(value)
                elif key.text == "fuse":
                    groups = value.items if isinstance(value, Sequence) else ()
                    for group in groups:
                        for item in group.items if isinstance(group, Sequence) else ():
                            self._use_stage(item)
                elif key.text in self._stage_names:
                    self._use_stage(key)
                    self._use_dims(value)
            self._use_dims(row)

    def _verify(self, verify: Mapping) -> None:
        for section in ("generate", "tolerance"):
            for key, value in mapping(verify.get(section)):
                self._use(key)
                if section == "generate":
                    self._use(value)
        cases = verify.get("cases")
        for case in cases.items if isinstance(cases, Sequence) else ():
            self._use_dims(case)

    # Names in text

    def _use_dims(self, node: Node) -> None:
        """The keys of a mapping that are dims; beside them stand words of the language."""
        for key, _ in mapping(node):
            symbol = self._globals.get(key.text)
            if symbol is not None and symbol.kind == "dim":
                self._add(symbol, key.start, key.stop, False)

    def _use_stage(self, node: Node) -> None:
        if isinstance(node, Scalar) and node.text in self._stage_names:
            self._add(self._stage_names[node.text], node.start, node.stop, False)

    def _use(self, node: Node, scope: str = "", stage: str = "") -> None:
        expr = expression(node)
        if expr is not None:
            self._expression(expr, scope, stage)

    def _use_list(self, node: Node | None, scope: str = "") -> None:
        if node is None:
            return
        try:
            for expr in parse_expression_list(node):
                self._expression(expr, scope)
        except DiagnosticError:
            return

    def _expression(self, expr: Expr, scope: str = "", stage: str = "") -> None:
        called = {id(node.func) for node in ast.walk(expr.node) if isinstance(node, ast.Call)}
        for node in ast.walk(expr.node):
            if isinstance(node, ast.Name):
                symbol = self._find(node.id, scope)
                # `cos(x)` is the operation, also where an input is called so.
                if symbol is not None and (symbol.kind == "function" or id(node) not in called):
                    self._place(expr, node, symbol, False, stage)
                else:
                    self._names.unknown.append((node.id, *characters(expr, node)))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                self._keywords(expr, node, node.func.id)

    def _keywords(self, expr: Expr, call: ast.Call, function: str) -> None:
        inside = self._locals.get(f"{function}()", {})
        for keyword in call.keywords:
            if keyword.arg is not None and keyword.arg in inside and function in self._globals:
                start, _ = characters(expr, keyword)
                self._add(inside[keyword.arg], start, start + len(keyword.arg), False)

    def _find(self, name: str, scope: str) -> Symbol | None:
        return self._locals.get(scope, {}).get(name) or self._globals.get(name)

    def _place(self, expr: Expr, node: ast.AST, symbol: Symbol, defines: bool, stage: str = "") -> None:
        self._add(symbol, *characters(expr, node), defines, stage)

    def _add(self, symbol: Symbol, start: int, stop: int, defines: bool, stage: str = "") -> None:
        self._names.occurrences.append(Occurrence(symbol, start, stop, defines, stage))
