"""Values of stages that run in some calls only (`if`): when each is there, and which of several counts.

before: stage small (if t <= 8) {y: f(x)}   stage large (if t > 8) {y: g(x)}
after:  y_small = f(x); y_large = g(x); y = either(y_small if t <= 8, y_large if t > 8)

Where a value is there already when such a stage gives it anew, the earlier one counts in the other calls; it is copied
then, unless it is the memory of an input that the operator updates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import sympy

from pyptogen.diagnostics import Span, fault, is_sound, keep, kept
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape
from pyptogen.lower.tensor.building.fitting_shapes import unrelated
from pyptogen.lower.tensor.ir import Operand, Scalar, Stage, Value
from pyptogen.lower.tensor.reading import conditions
from pyptogen.lower.tensor.reading.contract import Contract
from pyptogen.schema import Expr, Spec, StageSpec
from pyptogen.schema.naming import defined_twice

Alternative = tuple[Any, Value, str]
"""A condition, the value that counts where it holds, and the stage to which a copy of it would belong."""


class Sometimes:
    """What is there under which condition, while the stages are read in order."""

    def __init__(self, spec: Spec, contract: Contract, builder: Builder) -> None:
        self._contract, self._builder = contract, builder
        self._read: dict[str, Any] = {}
        for stage in spec.stages:
            with kept(*(name for assign in stage.definitions for name, _ in assign.targets)):
                if stage.run_if:
                    self._read[stage.name] = conditions.read(stage.run_if, contract)
        self.stages: list[Stage] = []
        """All stages so far, with those that hold copies."""
        self._there: dict[str, Any] = {}
        """The condition under which a value is there, where it is not always."""
        self._alternatives: dict[str, list[Alternative]] = {}
        self._first: dict[str, Span] = {}
        self._seen: Counter[str] = Counter()
        definitions = (name for stage in spec.stages for assign in stage.body for name, _ in assign.targets)
        self._times = Counter(definitions)
        self._inputs = {value.name for value in contract.inputs}
        self._taken = {stage.name for stage in spec.stages}

    def open(self, stage: StageSpec) -> None:
        """A stage begins."""
        text = " and ".join(expr.text for expr in stage.run_if)
        self._stage = Stage(stage.name, stage.span, stage.implicit, self._read.get(stage.name), text)
        self.stages.append(self._stage)
        self._own: set[str] = set()

    def begin(self, span: Span) -> str:
        """A stage before all others, in which outputs begin."""
        self.stages.append(Stage(self._free("begin"), span))
        return self.stages[-1].name

    def _free(self, name: str) -> str:
        """A stage's name that no stage of the spec has."""
        while name in self._taken:
            name += "_"
        return name

    @property
    def condition(self) -> Any:
        """That of the stage which is being read."""
        return self._stage.condition

    def define(self, name: str) -> None:
        """The stage gives a name a value; from here to its end that is what the name means."""
        self._own.add(name)

    def own_name(self, name: str) -> str:
        """What the stage's own value of a name is called: others have a say in what the name means."""
        updated = self.condition is not None and name in self._inputs
        return f"{name}_{self._stage.name}" if updated or self._times[name] > 1 else name

    def joined_name(self, name: str) -> str:
        """What the value is called that a name means behind the stage; the last of them has the name itself."""
        if self._seen[name] < self._times[name]:
            return f"{name}_until_{self._stage.name}"
        return f"{name}_out" if name in self._inputs else name

    def check_use(self, name: str, expr: Expr) -> None:
        """Raises PTG222 for a value that is not there in all calls in which this stage runs."""
        there = self._there.get(name)
        here = sympy.true if self.condition is None else self.condition
        if name not in self._own and there is not None and not conditions.implies(here, there, self._contract.dims):
            raise self._not_there(name, there, expr.span, "give this stage the same `if`")

    def check_outputs(self, outputs: Mapping[str, Span]) -> None:
        """Raises PTG222 for an output that some calls would not compute."""
        for name, span in outputs.items():
            if name in self._there and is_sound(name):
                keep(self._not_there(name, self._there[name], span, "begin with a value of it before that stage"))

    def _not_there(self, name: str, there: Any, span: Span, fix: str) -> Exception:
        return fault(
            "PTG222",
            f"`{name}` is there only if {conditions.shown(there)}",
            span,
            expected="a value that is there whenever it is used",
            fix=f"define it for the other cases as well in a stage of the opposite `if`, or {fix}",
        )

    def join(self, name: str, span: Span, new: Operand, old: Operand | None) -> Operand:
        """What a name means after the stage that gave it a value, ``old`` before it. Raises PTG205, PTG206, PTG208,
        PTG220."""
        stage, dims = self._stage, self._contract.dims
        self._seen[name] += 1
        condition = stage.condition
        if condition is None:
            if name in self._alternatives:
                raise defined_twice(name, span, "a value of every call", self._first[name], "a value of some calls")
            return new
        self._first.setdefault(name, span)
        if isinstance(new, Scalar) or isinstance(old, Scalar):
            raise fault("PTG220", f"`{name}` is a number, and defined only sometimes", span, expected="a tensor")
        there = self._there.pop(name, sympy.true)
        before = self._alternatives.get(name) or ([(there, old, "")] if old is not None else [])
        self._alternatives[name] = [(condition, new, stage.name)]
        if old is None:
            self._there[name] = condition
            return new
        self._check_alike(name, span, new, old)
        if all(stage_of and conditions.disjoint(condition, other, dims) for other, _, stage_of in before):
            self._alternatives[name] = [*before, (condition, new, stage.name)]
        else:
            kept = sympy.And(there, sympy.Not(condition))
            self._alternatives[name].insert(0, (kept, old, self._else_stage(stage, span)))
        total = sympy.Or(there, condition)
        if not conditions.always(total, dims):
            self._there[name] = total
        found = self._alternatives[name]
        with self._builder.located(span):
            self._builder.prefix = name
            return self._builder.either([(c, value, stage_of) for c, value, stage_of in found])

    def _else_stage(self, stage: Stage, span: Span) -> str:
        """The stage of copies in calls in which ``stage`` does not run."""
        name = self._free(f"{stage.name}_else")
        if not any(other.name == name for other in self.stages):
            condition = sympy.Not(stage.condition)
            self.stages.append(Stage(name, span, False, condition, f"not ({stage.text})"))
        return name

    def _check_alike(self, name: str, span: Span, new: Value, old: Value) -> None:
        if new.dtype != old.dtype:
            raise fault("PTG206", f"`{name}` is {old.dtype} otherwise, and {new.dtype} here", span, expected=old.dtype)
        if not self._builder.dims.same_shape(old.shape, new.shape):
            raise fault(
                "PTG205",
                f"`{name}` is {show_shape(old.shape)} otherwise, and {show_shape(new.shape)} here",
                span,
                expected=show_shape(old.shape),
                fix=unrelated(self._builder.dims, new.shape, old.shape),
            )
