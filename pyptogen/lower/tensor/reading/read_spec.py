"""A checked spec to a Tensor program: names resolved, shapes and dtypes proved, composites and functions
expanded."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pyptogen import plugins
from pyptogen.diagnostics import (
    DiagnosticError,
    Span,
    did_you_mean,
    fault,
    gathering,
    is_sound,
    keep,
    kept,
    poison,
    require_sound,
    stop_if_faulty,
)
from pyptogen.lower.tensor.building import layouts
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.registry import operations
from pyptogen.lower.tensor.building.sometimes import Sometimes
from pyptogen.lower.tensor.index_sites import index_sites
from pyptogen.lower.tensor.ir import Operand, Program, Scalar, TilingRow, Value
from pyptogen.lower.tensor.legality import verify
from pyptogen.lower.tensor.passes import exact_blocks, name_values, remove_dead, unify_dims
from pyptogen.lower.tensor.program_names import iteration_condition
from pyptogen.lower.tensor.reading import by_hand, choose_stages, hints, read_loop, unknown_parts
from pyptogen.lower.tensor.reading.contract import Contract, check_output, read_contract
from pyptogen.lower.tensor.reading.evaluate import Evaluator, Scope
from pyptogen.lower.tensor.reading.order import unknown_value
from pyptogen.lower.tensor.reading.read_loop_if import IterationCondition
from pyptogen.lower.tensor.reading.scalars import ScalarReader
from pyptogen.lower.tensor.reading.targets import read_targets
from pyptogen.records import replace
from pyptogen.schema import Assign, Expr, FunctionSpec, LoopSpec, Spec, StageSpec, TensorSpec
from pyptogen.schema.budget import MOST_CALLS, MOST_NESTED, too_much
from pyptogen.schema.hand import HandKernel


def from_spec(
    spec: Spec, dump: Callable[[str, Program], None] = lambda name, program: None, verify_each: bool = False
) -> Program:
    """The operator at the Tensor level; ``dump`` is called with each pass's name and result.

    Raises ``DiagnosticError`` with PTG1xx and PTG2xx codes; with ``verify_each``, ``IllegalIR`` for a pass that made a
    program which breaks a rule of the level.
    """

    def passed(name: str, program: Program) -> Program:
        dump(name, program)
        if verify_each:
            verify(program)
        return program

    with gathering():
        return _from_spec(spec, passed)
    raise AssertionError  # `gathering` raises what it holds


def _from_spec(spec: Spec, passed: Callable[[str, Program], Program]) -> Program:
    """The same in a `gathering`, which it ends where an error was found."""
    contract = read_contract(spec)
    targets = read_targets(spec)
    whole, spec = spec, choose_stages.run(spec, contract.dims)
    reader = _GraphReader(spec, contract, choose_stages.left_out(whole, spec))
    reader.read()
    stop_if_faulty()
    program = Program(
        name=spec.name,
        doc=spec.doc,
        dims=contract.dims.dims,
        attrs=contract.attrs,
        inputs=contract.inputs,
        outputs=reader.outputs(),
        inplace={o.name: o.inplace for o in spec.outputs if o.inplace is not None},
        stages=tuple(reader.sometimes.stages),
        ops=tuple(reader.builder.ops),
        tiling=tuple(TilingRow(row.when, row.sizes, row.fuse, row.spans, row.span) for row in spec.tiling),
        schedule=spec.schedule,
        targets=targets,
        span=spec.span,
        notes=tuple(reader.notes()),
        requires=(*contract.requires, *contract.dims.needed),
        loops=tuple(reader.builder.loops),
        restricted=bool(spec.targets),
        kernels=tuple(k for k in spec.kernels if k.name in {stage.name for stage in spec.stages}),
        laid_out={value.name: value for value in contract.outputs if layouts.steps(value) or value.layout == "nz"},
        sites=index_sites(reader.builder.ops),
        declared={output.name: output.span for output in spec.outputs},
    )
    program = exact_blocks.run(program)
    program = replace(program, notes=(*program.notes, *hints.notes(program)))
    program = passed("read", unify_dims.run(program, contract.dims))
    program = passed("remove-dead", remove_dead.run(program))
    program = passed("name-values", name_values.run(program, reader.names, reader.builder.hints))
    for name, plugged in plugins.load("passes").items():
        program = passed(name, plugged(program))
        verify(program)
    return program


class _GraphReader:
    """Walks the stages in order."""

    def __init__(self, spec: Spec, contract: Contract, left_out: Mapping[str, StageSpec]) -> None:
        self._spec = spec
        self._left_out = left_out
        self._contract = contract
        self.builder = Builder(contract.dims, spec.span)
        self._constants: dict[str, Operand] = {
            name: Scalar(symbol, spec.span) for name, symbol in contract.dims.symbols.items() if is_sound(name)
        }
        self._values: dict[str, Operand] = {
            **self._constants,
            **{value.name: value for value in contract.inputs if is_sound(value.name)},
        }
        self._functions = {function.name: function for function in spec.functions}
        _check_function_names(spec)
        _poison_functions(spec.functions)
        self._defined: dict[str, tuple[Span, Operand]] = {}
        self._used: set[str] = set()
        self._calls = 0
        self.sometimes = Sometimes(spec, contract, self.builder)
        self._targets: tuple[str, ...] = ()
        self._block: tuple[str, Any] | None = None
        self.names = name_values.Names()

    def read(self) -> None:
        """Evaluates every definition. Values are named as in the spec."""
        self._begin_outputs()
        for stage in self._spec.stages:
            self.builder.stage = stage.name
            self.sometimes.open(stage)
            before = dict(self._values)
            names = [name for assign in stage.body for name, _ in assign.targets]
            if stage.loop is not None:
                with kept(*names) as outcome:
                    self._loop(stage, stage.loop)
                if outcome.failed:
                    self._values, self._block, self.builder.loop = before, None, ""
            else:
                if stage.by_hand:
                    kernel = next(kernel for kernel in self._spec.kernels if kernel.name == stage.name)
                    with kept(*(name for name, _ in kernel.writes)):
                        self._by_hand(kernel)
                for assign in stage.body:
                    with self._judged(assign):
                        self.assign(assign)
            with kept(*names):
                self._join(stage, before)
        _check_outputs(self._spec, self._defined)
        self.sometimes.check_outputs({output.name: output.span for output in self._spec.outputs})

    @contextmanager
    def _judged(self, assign: Assign) -> Iterator[None]:
        """Around the evaluation of a definition: its error is kept, with what else is unknown in it. One that hangs on
        an error fails without a word."""
        names = [name for name, _ in assign.targets]
        with kept(*names) as outcome:
            yield
        if outcome.failed:
            unknown_parts.tell(assign.value, self._values, self._functions, self._unknown)

    def _begin_outputs(self) -> None:
        """Outputs that begin with a number, in a stage of their own."""
        declared = {value.name: value for value in self._contract.outputs}
        begun = [o for o in self._spec.outputs if o.init is not None and o.name in declared]
        if not begun:
            return
        self.builder.stage = self.sometimes.begin(begun[0].span)
        for output in begun:
            with kept(output.name):
                self._begin_output(output, declared[output.name])

    def _begin_output(self, output: TensorSpec, value: Value) -> None:
        assert output.init is not None
        self.builder.prefix = output.name
        number = ScalarReader(self._constant).read(output.init)
        with self.builder.located(output.init.span):
            started = self.builder.full(value.shape, number, value.dtype)
        self.names.suggest(started, f"{output.name}_start")
        self._values[output.name] = started
        self._defined[output.name] = (output.span, started)

    def _constant(self, name: str, expr: Expr, node: ast.AST) -> Any:
        """A dim or attr in the number that an output begins with."""
        require_sound(name)
        if name not in self._constants:
            raise fault(
                "PTG201", f"`{name}` is no dim or attr", expr.span_of(node), fix=did_you_mean(name, self._constants)
            )
        scalar = self._constants[name]
        assert isinstance(scalar, Scalar)
        return scalar.expr

    def _join(self, stage: StageSpec, before: Mapping[str, Operand]) -> None:
        """What the names that a stage defines mean behind it."""
        for name, span in (target for assign in stage.body for target in assign.targets):
            if name not in self._values or not is_sound(name):
                continue
            joined = self.sometimes.join(name, span, self._values[name], before.get(name))
            if joined is not self._values[name]:
                assert isinstance(joined, Value)
                self.names.bind(joined, self.sometimes.joined_name(name))
                self._defined[name] = (span, joined)
                self._values[name] = joined

    def outputs(self) -> tuple[tuple[str, Value], ...]:
        """The contract's outputs with the values that the graph gives them."""
        found = []
        for output in self._spec.outputs:
            value = self._defined[output.name][1]
            assert isinstance(value, Value)
            found.append((output.name, value))
        return tuple(found)

    def notes(self) -> tuple[str, ...]:
        """Inputs and values that nothing uses."""
        outputs = {output.name for output in self._spec.outputs} | {output.inplace for output in self._spec.outputs}
        there = {value.name: value.span for value in self._contract.inputs}
        there |= {name: span for name, (span, _) in self._defined.items()}
        conditions = [*self._spec.requires, *(part for stage in self._spec.stages for part in stage.run_if)]
        used = self._used | {n.id for part in conditions for n in ast.walk(part.node) if isinstance(n, ast.Name)}
        return tuple(
            f"{span}: `{name}` is never used"
            for name, span in there.items()
            if name not in outputs and name not in used
        )

    def _by_hand(self, kernel: HandKernel) -> None:
        """The results of a kernel that is itself the meaning of its stage."""
        require_sound(*(name for name, _ in kernel.reads))
        results = by_hand.results(kernel, self._contract, self._values, self.builder)
        self._used |= {name for name, _ in kernel.reads}
        for name, span, value in results:
            self.names.bind(value, f"{name}_out" if name in self._values else name)
            self._defined[name] = (span, value)
            self._values[name] = value

    def _loop(self, stage: StageSpec, loop: LoopSpec) -> None:
        """A stage that is a loop; what its body defines is gone afterwards."""
        before = dict(self._values)
        require_sound(loop.over)
        names = {dim.name for dim in self._contract.dims.dims}
        if loop.over not in names:
            raise fault(
                "PTG201",
                f"`{loop.over}` is no dim",
                loop.over_span,
                expected="the dim whose blocks the iterations see",
                fix=did_you_mean(loop.over, names),
            )
        opened = read_loop.Opened(stage.name, loop, self._contract.dims, self.builder)
        starts = self._all(loop.carry)
        carries = opened.carry(starts)
        self._block = (loop.over, opened.symbol)
        self._enter(opened.targets, carries)
        if loop.run_if:
            condition = IterationCondition(loop.over, self._contract, self.builder, self._operand)
            decides = condition.emit(loop.run_if, carries)
            self.names.bind(decides, iteration_condition(stage.name))
        for assign in loop.body:
            with self._judged(assign):
                self._enter(assign.targets, self.evaluate(assign))
        ends = self._all((*loop.next, *loop.collect))
        names_next = [name for assign in loop.next for name, _ in assign.targets]
        following = dict(zip(names_next, ends, strict=False))
        gathered, at = [], len(names_next)
        for assign in loop.collect:
            gathered.append((assign, ends[at : at + len(assign.targets)]))
            at += len(assign.targets)
        require_sound(*(name for name, _ in opened.targets))  # its `next` may be what could not be read
        finals = opened.close(carries, following)
        self._block, self._values = None, before
        for assign, results in gathered:
            for (name, span), value in zip(assign.targets, results, strict=True):
                if isinstance(value, Value):
                    self.names.suggest(value, f"{name}_block")
                self._define(name, span, opened.collect(name, span, value, assign.value.span), assign.value)
        for (name, span), start, value, assign in zip(opened.targets, starts, finals, opened.assigns, strict=True):
            for made, word in ((start, "start"), (following[name], "next"), (value, "end")):
                if isinstance(made, Value):
                    self.names.suggest(made, f"{name}_{word}")
            self._define(name, span, value, assign.value, name_it=False)

    def _all(self, assigns: Iterable[Assign]) -> list[Operand]:
        """The values of all of these definitions, one after the other. Where one has none the others are judged all the
        same; raises an error that says nothing then."""
        values: list[Operand] = []
        complete = True
        for assign in assigns:
            found: tuple[Operand, ...] = ()
            with self._judged(assign):
                found = self.evaluate(assign)
            values += found
            complete &= bool(found)
        if not complete:
            raise DiagnosticError
        return values

    def _enter(self, targets: Sequence[tuple[str, Span]], results: Sequence[Operand]) -> None:
        """Names that are there inside a loop. There an input's name may mean another value."""
        inputs = {value.name for value in self._contract.inputs}
        for (name, _), value in zip(targets, results, strict=True):
            if isinstance(value, Value):
                self.names.bind(value, f"{name}_round" if name in inputs else name)
            self._values[name] = value
            self.sometimes.define(name)

    def evaluate(self, assign: Assign) -> tuple[Operand, ...]:
        """The values of a definition's names."""
        self._targets = tuple(name for name, _ in assign.targets)
        self.builder.prefix = self._targets[0]
        self._use(assign.value, assign.value.node)
        return self._evaluate(assign, self._here())

    def _operand(self, expr: Expr, node: ast.expr) -> Operand:
        """A sub-expression that stands where nothing is defined."""
        self._use(expr, node)
        return Evaluator(self.builder, self._here(), expr, self._inline).operand(node)

    def _here(self) -> Scope:
        return Scope(self._values, self._functions, self._unknown, block=self._block)

    def _use(self, expr: Expr, node: ast.expr) -> None:
        """Notes which values an expression reads. Raises PTG222."""
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        self._used |= used
        require_sound(*used)
        for name in sorted(used):
            self.sometimes.check_use(name, expr)

    def assign(self, assign: Assign) -> None:
        """A definition of the graph."""
        for (name, span), result in zip(assign.targets, self.evaluate(assign), strict=True):
            self._define(name, span, result, assign.value)

    def _evaluate(self, assign: Assign, scope: Scope) -> tuple[Operand, ...]:
        result = Evaluator(self.builder, scope, assign.value, self._inline).result()
        results = result if isinstance(result, tuple) else (result,)
        if len(results) != len(assign.targets):
            spare = [(f"{assign.targets[0][0]}_{n}", None) for n in range(2, len(results) + 1)]
            raise fault(
                "PTG216",
                f"{_counted(len(assign.targets), 'name')} for {_counted(len(results), 'value')}",
                assign.value.span,
                expected=f"{_counted(len(results), 'name')} on the left",
                fix=f"`{', '.join(name for name, _ in (*assign.targets, *spare)[: len(results)])}: …`",
            )
        return results

    def _define(self, name: str, span: Span, result: Operand, expr: Expr, name_it: bool = True) -> None:
        output = next((o for o in self._contract.outputs if o.name == name), None)
        if output is not None and is_sound(name):
            if isinstance(result, Scalar):
                raise fault("PTG220", f"the output `{name}` is a number", expr.span, expected="a tensor")
            if any(result.name == value.name for value in self._contract.inputs):
                with self.builder.located(expr.span):
                    result = self.builder.emit("reshape", [result], result.dtype, result.shape, shape=result.shape)
            check_output(self._contract.dims, output, result, expr)
        if isinstance(result, Value) and name_it:
            own = self.sometimes.own_name(name)
            self.names.bind(result, f"{name}_out" if own == name and name in self._values else own)
        self._defined[name] = (span, result)
        self._values[name] = result
        self.sometimes.define(name)

    def _inline(
        self, function: FunctionSpec, arguments: Mapping[str, Operand], calls: tuple[str, ...]
    ) -> tuple[Operand, ...]:
        """The body of a function with its parameters bound: hygienic, it sees only those, dims and attrs."""
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise too_much("too many calls of functions", MOST_CALLS, self.builder.at)
        if len(calls) > MOST_NESTED:
            raise too_much("too many calls one in another", MOST_NESTED, self.builder.at)
        values: dict[str, Operand] = {**self._constants, **arguments}
        outer = self.builder.prefix

        def unknown(name: str, expr: Expr, node: ast.AST) -> DiagnosticError:
            return fault(
                "PTG201",
                f"`{name}` is not defined in function `{function.name}`",
                expr.span_of(node),
                expected="a parameter, a value defined above it, a dim or an attr",
                fix=did_you_mean(name, values),
            )

        scope = Scope(values, self._functions, unknown, calls)
        for assign in function.body:
            self.builder.prefix = f"{outer}_{assign.targets[0][0]}"
            for (name, _), result in zip(assign.targets, self._evaluate(assign, scope), strict=True):
                values[name] = result
                if isinstance(result, Value):
                    self.names.suggest(result, f"{outer}_{name}")
        self.builder.prefix = outer
        results: list[Operand] = []
        several = len(calls) == 1 and len(function.returns) == len(self._targets)
        for index, expr in enumerate(function.returns):
            self.builder.prefix = self._targets[index] if several else outer
            returned = Evaluator(self.builder, scope, expr, self._inline).result()
            if isinstance(returned, tuple):
                raise fault("PTG216", f"one of the values that `{function.name}` returns is several", expr.span)
            results.append(returned)
        self.builder.prefix = outer
        return tuple(results)

    def _unknown(self, name: str, expr: Expr, node: ast.AST) -> DiagnosticError:
        return unknown_value(self._spec, self._values, name, expr, node, self._left_out)


def _check_function_names(spec: Spec) -> None:
    for function in spec.functions:
        if function.name in operations():
            taken = fault(
                "PTG213",
                f"`{function.name}` is an operation and cannot name a function",
                function.span,
                fix=f"choose another name, such as `my_{function.name}`",
            )
            keep(taken)


def _poison_functions(functions: Iterable[FunctionSpec]) -> None:
    """Functions whose bodies use what hangs on an error hang on it themselves."""
    uses = {
        function.name: {
            node.id
            for expr in (*(assign.value for assign in function.body), *function.returns)
            for node in ast.walk(expr.node)
            if isinstance(node, ast.Name)
        }
        for function in functions
    }
    faulty = {name for name, used in uses.items() if not is_sound(*used)}
    while faulty:
        poison(faulty)
        faulty = {name for name, used in uses.items() if is_sound(name) and not is_sound(*used)}


def _check_outputs(spec: Spec, defined: Mapping[str, Any]) -> None:
    for output in spec.outputs:
        if output.name not in defined and is_sound(output.name):
            missing = fault(
                "PTG207",
                f"the output `{output.name}` is never defined",
                output.span,
                expected=f"a definition `{output.name}: …` in the graph",
                fix=did_you_mean(output.name, defined),
            )
            keep(missing)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
