"""An exported graph of PyTorch as a spec."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from pyptogen.importing import vocabulary
from pyptogen.importing.expression import Expression
from pyptogen.importing.faults import Findings, NotTakenError
from pyptogen.importing.index_numbers import as_many_as_there_are
from pyptogen.importing.names import FOR_INPUTS, FOR_VALUES, Names, operator_name
from pyptogen.importing.sizes import Sizes
from pyptogen.importing.spec_text import ImportedSpec, Tensor
from pyptogen.importing.torch_complex import Complex
from pyptogen.importing.torch_program import CALLER, HOME, Traced
from pyptogen.importing.torch_site import COMPLEX_DTYPE, Site, dtype_of
from pyptogen.importing.torch_source import Frames, assigned_names, frames_of, returned_names
from pyptogen.importing.torch_translation import translation
from pyptogen.importing.writing import Value, Writer

_SAYS_NOTHING = ("_assert", "sym_constrain", "sym_size", "sym_", "_guards")


class TorchImport:
    """One import. ``spec()`` gives what the program says. Raises PTG802, one for each operation that is not taken."""

    def __init__(self, traced: Traced, operator: str = "") -> None:
        self._traced, self._operator = traced, operator or operator_name(traced.name)
        self._graph, self._signature = traced.exported.graph, traced.exported.graph_signature
        self._findings, self._names = Findings(), Names()
        self._writer = Writer(self._names)
        self._generators: dict[str, str] = {}
        self._values: dict[Any, Any] = {}
        self._arguments = [self._names.take(name, FOR_INPUTS) for name in traced.arguments]
        self._sizes = Sizes(traced, self._names)
        self._inputs: list[Tensor] = []
        self._nodes = [node for node in self._graph.nodes if node.op == "call_function" and not _says_nothing(node)]
        self._wanted = assigned_names(self._nodes, _frames)

    def spec(self) -> ImportedSpec:
        self._take_inputs()
        self._name_heads()
        outputs = self._name_outputs()
        for node in self._nodes:
            self._take(node)
        self._findings.raise_if_any()
        declared = self._write_outputs(outputs)
        doc = self._traced.doc or f"Imported from {self._traced.name}."
        used = {name for name, _ in self._sizes.seen.items()}
        dims = [dim for dim in self._sizes.dims() if dim.name in used]
        inputs = [one for one in self._inputs if one.name in self._read()]
        generators = as_many_as_there_are(self._generators, inputs, dims)
        return ImportedSpec(
            self._operator, doc, dims, inputs, declared, self._writer.lines, generators, self._sizes.cases(dims)
        )

    def _name_heads(self) -> None:
        """Names for the axes that attention is cut along, where the program makes them by a reshape."""
        for node in self._nodes:
            if getattr(node.target, "__name__", "").startswith("scaled_dot_product_attention"):
                for operand in node.args[:3]:
                    *several, _, depth = operand.meta["val"].shape
                    for heads in several[-1:]:
                        self._sizes.call(heads, "heads")
                    self._sizes.call(depth, "head_size")

    def _read(self) -> set[str]:
        """The inputs of the spec: arguments, and whatever else of the program is read."""
        words = {word for _, text in self._writer.lines for word in re.findall(r"[A-Za-z_]\w*", text)}
        return words | set(self._arguments)

    def _take_inputs(self) -> None:
        given = iter(self._arguments)
        order = []
        for spec, node in zip(
            self._signature.input_specs,
            (one for one in self._graph.nodes if one.op == "placeholder"),
            strict=True,
        ):
            order.append((spec, node, next(given) if spec.kind.name == "USER_INPUT" else ""))
        order.sort(key=lambda one: not one[2])  # arguments first, then weights
        for spec, node, argument in order:
            constant = self._number(spec)
            if constant is not None:
                self._values[node] = constant
            else:
                own = (spec.target or node.name).removeprefix("program.")
                self._declare(node, argument or self._names.take(own, FOR_INPUTS))

    def _declare(self, node: Any, name: str) -> None:
        tensor = node.meta["val"]
        try:
            shape = self._sizes.shape(tensor.shape, name, node)
            dtype = COMPLEX_DTYPE if tensor.dtype is torch.complex64 else dtype_of(tensor.dtype)
        except NotTakenError as error:
            self._findings.add(NotTakenError(f"{error.what} of `{name}`", error.fix), None)
            shape, dtype = self._sizes.shape(tensor.shape, name, node), "fp32"
        given = Value(Expression(name), dtype, shape)
        if dtype == COMPLEX_DTYPE:  # its parts are those of a last axis, as `torch.view_as_real` has them
            pairs = replace(given, dtype="fp32", shape=(*shape, "2"))
            self._inputs.append(Tensor(name, pairs.dtype, pairs.shape))
            self._values[node] = Complex(*(vocabulary.select(pairs, len(shape), str(i), shape) for i in range(2)))
            return
        self._inputs.append(Tensor(name, dtype, shape))
        self._values[node] = given

    def _number(self, spec: Any) -> float | None:
        """A constant of the program that is one number."""
        if spec.kind.name != "CONSTANT_TENSOR":
            return None
        held = self._traced.exported.constants.get(spec.target)
        return held.item() if isinstance(held, torch.Tensor) and held.dim() == 0 else None

    def _name_outputs(self) -> list[tuple[str, Any, str]]:
        """Name, node, and the input whose memory it takes, for each output."""
        returned = _returned(self._traced.code)
        (node,) = (one for one in self._graph.nodes if one.op == "output")
        made = list(zip(self._signature.output_specs, node.args[0], strict=True))
        plain = [one for spec, one in made if spec.kind.name == "USER_OUTPUT" and one is not None]
        labels = _labels(self._traced.exported, len(plain))
        plain = [_origin(one) for one in plain]
        assigned = {name for names in self._wanted.values() for name in names}
        usual = "result" if "y" in assigned or self._is_input("y") else "y"  # `y` is another value of the program
        found = []
        for i, one in enumerate(plain):
            label = labels[i] or (returned[i] if len(returned) == len(plain) else "")
            label = label if label and not self._is_input(label) else ""
            label = label or (self._wanted.get(one) or ("",))[0] or (usual if len(plain) == 1 else f"{usual}{i}")
            found.append((label, one, ""))
        for spec, one in made:
            if spec.kind.name in ("USER_INPUT_MUTATION", "BUFFER_MUTATION"):
                updated = self._updated(spec)
                found.append((f"{updated}_updated", one, updated))
        named = [(self._names.take(label, FOR_VALUES), one, updated) for label, one, updated in found]
        self._direct: dict[Any, str] = {}
        for name, one, _ in named:
            self._direct.setdefault(one, name)
        return named

    def _is_input(self, name: str) -> bool:
        return any(tensor.name == name for tensor in self._inputs)

    def _updated(self, spec: Any) -> str:
        for given, node in zip(
            self._signature.input_specs, (one for one in self._graph.nodes if one.op == "placeholder"), strict=True
        ):
            if spec.target in (given.target, getattr(given.arg, "name", None)):
                return str(self._values[node].expression.text)
        raise KeyError(spec.target)

    def _take(self, node: Any) -> None:
        """Translate an operation, and decide whether its result has a line of its own."""
        place = (_frames(node) or (None,))[-1]
        if node.target.__name__ == "getitem" and isinstance(self._values.get(node.args[0]), list):
            self._values[node] = self._settled(node, self._values[node.args[0]][node.args[1]])
            return
        if not isinstance(node.target, torch._ops.OpOverload):
            return  # arithmetic of sizes, which `Sizes` knows from the shapes
        try:
            made = self._translated(node)
            self._values[node] = made if isinstance(made, list) else self._settled(node, made)
        except NotTakenError as error:
            self._findings.add(error, place)
            self._values[node] = self._unknown(node)

    def _translated(self, node: Any) -> Any:
        given = _mapped(node.args, self._operand)
        found = translation(node.target, given)
        if found is None:
            raise NotTakenError(f"`{str(node.target).removesuffix('.default')}`")
        options = {key: _mapped(value, self._operand) for key, value in node.kwargs.items() if key not in _NOT_OURS}
        results = node.meta["val"]
        several = isinstance(results, (tuple, list))
        site = Site(
            tuple(results) if several else (results,),
            self._sizes.texts,
            self._sizes.text,
            self._writer,
            self._wanted_of(node, len(results) if several else 1),
            self._outputs_of(node, results) if several else ("",),
            self._generators,
            {one.name: one.dtype for one in self._inputs},
        )
        try:
            return found(site, *given, **options)
        except TypeError as error:
            raise NotTakenError(f"this form of `{node.target}` ({error})") from None

    def _operand(self, node: Any) -> Any:
        """An argument: a value, or a number that is a size."""
        if node in self._values:
            return self._values[node]
        return node.meta["val"]

    def _settled(self, node: Any, value: Value | Complex) -> Value | Complex:
        tensor = node.meta["val"]
        if isinstance(value, Complex):
            if node in self._direct:
                raise NotTakenError("a complex result of the program", "return `torch.view_as_real` of it")
            wanted, uses = self._wanted_of(node, 1)[0], _uses(node)
            return value.each(
                lambda part, word: self._writer.settle(part, wanted and f"{wanted.rstrip('_')}_{word}", uses)
            )
        if value.dtype != "int32" or tensor.dtype is not torch.int64:
            value = vocabulary.cast(value, dtype_of(tensor.dtype))
        value = _with_shape(value, self._sizes.texts(tensor.shape))
        if node in self._direct and not value.expression.is_name:
            value = vocabulary.cast(value, dtype_of(tensor.dtype))
            return self._writer.line(value, self._direct.pop(node))
        wanted = self._wanted_of(node, 1)[0]
        return self._writer.settle(value, wanted, _uses(node))

    def _wanted_of(self, node: Any, count: int) -> tuple[str, ...]:
        if count == 1:
            names = self._wanted.get(node, ("",))
            if node.target.__name__ == "getitem" and len(names) > 1:
                return (names[node.args[1]] if node.args[1] < len(names) else "",)
            return names if len(names) == 1 else ("",)
        wanted = [""] * count
        for user in node.users:
            names = self._wanted.get(user, ())
            if user not in self._direct and len(names) == count:
                wanted[user.args[1]] = names[user.args[1]]
        return tuple(wanted)

    def _outputs_of(self, node: Any, results: Any) -> tuple[str, ...]:
        """The names of those results of an operation that are outputs as they are."""
        names = [""] * len(results)
        for user in node.users:
            if results[user.args[1]].dtype is not torch.int64:
                names[user.args[1]] = self._direct.pop(user, "")
        return tuple(names)

    def _unknown(self, node: Any) -> Any:
        """Something in the place of a result that is not known, so that what follows is looked at, too."""
        results = node.meta["val"]
        tensors = results if isinstance(results, (tuple, list)) else (results,)
        made = [self._unknown_one(one) for one in tensors if isinstance(one, torch.Tensor)]
        return made if isinstance(results, (tuple, list)) else made[0] if made else Value(Expression("0"), "fp32", ())

    def _unknown_one(self, tensor: Any) -> Value | Complex:
        value = Value(Expression("unknown"), _dtype_or_float(tensor), self._sizes.texts(tensor.shape))
        return Complex(value, value) if tensor.dtype is torch.complex64 else value

    def _write_outputs(self, outputs: list[tuple[str, Any, str]]) -> list[Tensor]:
        declared, written = [], {name for names, _ in self._writer.lines for name in names.split(", ")}
        for name, node, updated in outputs:
            tensor, value = node.meta["val"], self._values[node]
            dtype = dtype_of(tensor.dtype)
            if isinstance(value, (int, float)):
                value = vocabulary.full((), value, dtype)
            if name not in written:
                self._writer.output(vocabulary.cast(value, dtype), name)
            declared.append(Tensor(name, dtype, self._sizes.texts(tensor.shape), updated))
        return declared


_NOT_OURS = frozenset({"device", "layout", "pin_memory", "memory_format", "non_blocking"})


def _says_nothing(node: Any) -> bool:
    name = getattr(node.target, "__name__", "")
    return name.startswith(_SAYS_NOTHING) or (isinstance(node.meta.get("val"), (torch.SymInt, torch.SymBool, int)))


def _frames(node: Any) -> Frames:
    return frames_of(node, HOME, CALLER)


_COPIES = ("aten.clone.default", "aten.alias.default", "aten.dropout.default", "aten.detach.default")


def _origin(node: Any) -> Any:
    """What a copy is a copy of, where the program computed it."""
    while str(node.target) in _COPIES and node.args[0].op == "call_function":
        node = node.args[0]
    return node


def _uses(node: Any) -> int:
    return sum(not _says_nothing(user) or user.op == "output" for user in node.users)


def _mapped(value: Any, of: Callable[[Any], Any]) -> Any:
    if isinstance(value, torch.fx.Node):
        return of(value)
    if isinstance(value, (tuple, list)):
        return [_mapped(one, of) for one in value]
    return value


def _with_shape(value: Value, shape: tuple[str, ...]) -> Value:
    return replace(value, shape=shape)


def _dtype_or_float(tensor: Any) -> str:
    try:
        return dtype_of(tensor.dtype)
    except NotTakenError:
        return "fp32"


def _returned(code: Any) -> tuple[str, ...]:
    function = getattr(code, "__func__", code)
    compiled = getattr(function, "__code__", None)
    return () if compiled is None else returned_names(compiled.co_filename, compiled.co_firstlineno)


def _labels(exported: Any, count: int) -> list[str]:
    """The keys of the outputs, where the program returns a dict."""
    tree = exported.call_spec.out_spec
    keys = tree.context if tree is not None and tree.type is dict else []
    return [str(key) for key in keys] if len(keys) == count else [""] * count


def imported(traced: Traced, operator: str = "") -> ImportedSpec:
    """A traced program as a spec. Raises PTG802."""
    return TorchImport(traced, operator).spec()
