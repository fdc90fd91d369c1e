"""A model of ONNX as a spec."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
from onnx import numpy_helper, shape_inference

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.importing import onnx_indexing, onnx_networks, onnx_operations, vocabulary
from pyptogen.importing.expression import Expression
from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.index_numbers import as_many_as_there_are
from pyptogen.importing.names import FOR_INPUTS, FOR_VALUES, OF_IMAGES, Names, operator_name
from pyptogen.importing.onnx_table import TABLE, Site, short
from pyptogen.importing.spec_text import Dim, ImportedSpec, Tensor
from pyptogen.importing.writing import Value, Writer

_DTYPES = {
    onnx.TensorProto.FLOAT: "fp32", onnx.TensorProto.FLOAT16: "fp16", onnx.TensorProto.BFLOAT16: "bf16",
    onnx.TensorProto.INT8: "int8", onnx.TensorProto.UINT8: "uint8", onnx.TensorProto.INT16: "int16",
    onnx.TensorProto.INT32: "int32", onnx.TensorProto.INT64: "int64", onnx.TensorProto.BOOL: "bool",
}  # fmt: skip
_MOST = 65536
"""The largest size of a dim that a model leaves open."""
_FILES = (onnx_indexing, onnx_networks, onnx_operations)
"""What enters its translations when it is imported."""
_NAMES_ITS_RESULTS = ("TopK", "SoftmaxCrossEntropyLoss")
_MATRICES = {4: OF_IMAGES[4]}
_NOT_FOUND = "unk__"
"""How the names begin that shape inference gives to sizes that it does not find."""
_OF_ITS_INPUT = ("GroupNormalization",)
_FEW = 64
"""Elements of a weight whose numbers an operator may be told, such as axes and pads."""


def read_model(path: str) -> Any:
    """A model with the shapes of all its values. Raises PTG801."""
    if not Path(path).is_file():
        raise fault("PTG801", f"there is no file `{path}`", None)
    try:
        model = onnx.load(path)
        onnx.checker.check_model(model)
        _tell_types(model)
        return shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except Exception as error:  # whatever is in the file, onnx and protobuf say it in exceptions of many kinds
        first = (str(error).splitlines() or [""])[0]
        raise fault("PTG801", f"`{path}` is no model of ONNX: {first}", None) from None


def _tell_types(model: Any) -> None:
    """The types of results that shape inference does not find, and that are those of the operator's input."""
    while any(node.op_type in _OF_ITS_INPUT for node in model.graph.node):
        graph = shape_inference.infer_shapes(model, data_prop=True).graph
        known = {one.name: one.type for one in (*graph.value_info, *graph.output, *graph.input)}
        told = [one for one in graph.node if one.op_type in _OF_ITS_INPUT and one.output[0] not in known]
        told = [one for one in told if one.input[0] in known]
        if not told:
            return
        model.graph.value_info.extend(onnx.helper.make_value_info(one.output[0], known[one.input[0]]) for one in told)


class OnnxImport:
    """One import. ``spec()`` gives what the model says. Raises PTG802, one for each operator that is not taken."""

    def __init__(self, model: Any, file: str, name: str = "") -> None:
        self._graph, self._file = model.graph, file
        self._operator = operator_name(name or re.sub(r"\.onnx$", "", Path(file).name))
        self._doc = model.doc_string or self._graph.doc_string or f"Imported from {Path(file).name}."
        self._names = Names()
        self._writer = Writer(self._names)
        self._generators: dict[str, str] = {}
        self._dims: dict[str, Dim] = {}
        self._by_name: dict[str, str] = {}
        self._values: dict[str, Value | float] = {}
        self._numbers: dict[str, list[Any]] = {}
        known = (*self._graph.value_info, *self._graph.output, *self._graph.input)
        self._types = {one.name: one.type.tensor_type for one in known}
        self._told: list[DiagnosticError] = []
        self._inputs: set[str] = set()
        """Names in the spec, of weights too."""

    def spec(self) -> ImportedSpec:
        uses = _uses(self._graph)
        inputs = self._take_inputs()
        weights = self._take_weights()
        outputs = {one.name: self._names.take(one.name, FOR_VALUES) for one in self._graph.output}
        self._direct = dict(outputs)
        for node in self._graph.node:
            self._take(node, uses)
        if self._told:
            raise DiagnosticError(*(one for error in self._told for one in error.diagnostics))
        declared = self._write_outputs(outputs)
        read = {word for _, text in self._writer.lines for word in re.findall(r"[A-Za-z_]\w*", text)}
        taken = [*inputs, *(one for one in weights if one.name in read)]
        words = {
            word for one in (*taken, *declared) for size in one.shape for word in re.findall(r"[A-Za-z_]\w*", size)
        }
        dims = [dim for dim in self._dims.values() if dim.name in words | read]
        generators = as_many_as_there_are(self._generators, taken, dims)
        return ImportedSpec(
            self._operator, self._doc, dims, taken, declared, self._writer.lines, generators, _cases(dims)
        )

    def _take_inputs(self) -> list[Tensor]:
        weights = {one.name for one in self._graph.initializer}
        made = []
        for one in self._graph.input:
            if one.name not in weights:
                made.append(self._declare(one.name, self._dtype(one.name), self._shape(one.name)))
        return [replace(one, shape=self._named(one.shape)) for one in made]

    def _named(self, shape: tuple[str, ...]) -> tuple[str, ...]:
        """The shape of an image, or of a stack of matrices, with names for its numbers: an axis without one is never
        cut into tiles."""
        axes = OF_IMAGES if any(node.op_type == "Conv" for node in self._graph.node) else _MATRICES
        if len(shape) not in axes or not all(size.isdigit() for size in shape[1:]):
            return shape
        found = []
        for size, word in zip(shape, axes[len(shape)], strict=True):
            if size.isdigit():
                name = self._names.take(word)
                self._dims[name] = Dim(name, int(size))
                size = name
            found.append(size)
        return tuple(found)

    def _take_weights(self) -> list[Tensor]:
        made = []
        for one in self._graph.initializer:
            array = numpy_helper.to_array(one)
            if array.size <= _FEW and array.dtype.kind in "iuf":
                self._numbers[one.name] = array.reshape(-1).tolist()
            if array.ndim == 0:
                self._values[one.name] = _number(array)
                continue
            dtype = _DTYPES.get(one.data_type, "fp32")
            made.append(self._declare(one.name, dtype, tuple(map(str, array.shape))))
        return made

    def _declare(self, own: str, dtype: str, shape: tuple[str, ...]) -> Tensor:
        name = self._names.take(own, FOR_INPUTS)
        self._values[own] = Value(Expression(name), dtype, shape)
        self._inputs.add(name)
        return Tensor(name, dtype, shape)

    def _dtype(self, name: str) -> str:
        kind = self._types[name].elem_type
        if kind not in _DTYPES:
            raise NotTakenError(f"the dtype {onnx.TensorProto.DataType.Name(kind)} of `{name}`")
        return _DTYPES[kind]

    def _shape(self, name: str) -> tuple[str, ...]:
        return tuple(self._size(one) for one in self._types[name].shape.dim)

    def _size(self, dim: Any) -> str:
        if dim.HasField("dim_value"):
            return str(dim.dim_value)
        if not dim.dim_param or not re.fullmatch(r"[A-Za-z]\w*", dim.dim_param):
            raise NotTakenError("a size that shape inference does not find", "give the dims of the model names")
        if dim.dim_param not in self._by_name:
            if dim.dim_param.startswith(_NOT_FOUND):
                raise NotTakenError("a size that shape inference does not find", "give the dims of the model names")
            name = self._by_name[dim.dim_param] = self._names.take(dim.dim_param)
            self._dims[name] = Dim(name, None, 1, _MOST)
        return self._by_name[dim.dim_param]

    def _find_size(self, node: Any) -> None:
        """The -1 of a reshape beside dims without a number, which shape inference leaves open: what is left of the
        elements."""
        sizes, x = self._types[node.output[0]].shape.dim, self._values.get(node.input[0])
        left_open = [one.dim_param for one in sizes if one.dim_param.startswith(_NOT_FOUND)]
        if len(left_open) != 1 or left_open[0] in self._by_name or not isinstance(x, Value):
            return
        others = [self._size(one) for one in sizes if one.dim_param != left_open[0]]
        named = [size for size in x.shape if not size.isdigit()]
        for size in others:
            if size in named:
                named.remove(size)
            elif not size.isdigit():
                return
        above, below = (math.prod(int(one) for one in each if one.isdigit()) for each in (x.shape, others))
        if above % below == 0 and len(named) <= 1:
            count = above // below
            words = ([str(count)] if count > 1 or not named else []) + named
            self._by_name[left_open[0]] = " * ".join(words)

    def _take(self, node: Any, uses: Mapping[str, int]) -> None:
        try:
            if node.op_type == "Reshape":
                self._find_size(node)
            if node.op_type == "Constant":
                self._constant(node)
                return
            made = self._translated(node)
            for own, value in zip(node.output, made if isinstance(made, list) else [made], strict=False):
                self._values[own] = self._settled(own, value, uses.get(own, 0))
        except NotTakenError as error:
            what = f"{error.what}, in {self._file}: node `{node.name or node.op_type}`, which makes `{node.output[0]}`"
            self._told.append(fault("PTG802", what, None, expected="an operation that imports take", fix=error.fix))
            for own in node.output:
                shape = ("1",) * len(self._types[own].shape.dim) if own in self._types else ()
                self._values[own] = Value(Expression("unknown"), "fp32", shape)

    def _constant(self, node: Any) -> None:
        (own,) = node.output
        held = next((one.t for one in node.attribute if one.name == "value"), None)
        if held is None:
            given = onnx.helper.get_attribute_value(node.attribute[0])
            self._values[own], self._numbers[own] = given, given if isinstance(given, list) else [given]
            return
        array = numpy_helper.to_array(held)
        self._numbers[own] = array.reshape(-1).tolist()
        if array.size == 1:
            self._values[own] = _number(array)

    def _translated(self, node: Any) -> Any:
        if node.op_type not in TABLE or node.domain not in ("", "ai.onnx"):
            raise NotTakenError(f"`{node.op_type}`")
        attributes = {}
        for one in node.attribute:
            value = onnx.helper.get_attribute_value(one)
            attributes[one.name] = value.decode() if isinstance(value, bytes) else value
        made = [own for own in node.output if own]
        if any(own not in self._types for own in made):
            raise NotTakenError(f"`{node.op_type}`, whose shape is not known")
        site = Site(
            tuple(self._dtype(own) for own in made),
            tuple(self._shape(own) for own in made),
            attributes,
            tuple(self._numbers.get(own) for own in node.input),
            self._writer,
            tuple(_wanted(own) for own in made),
            tuple(self._direct.pop(own, "") if self._dtype(own) != "int64" else "" for own in made)
            if node.op_type in _NAMES_ITS_RESULTS
            else ("",) * len(made),
            self._generators,
            self._inputs,
        )
        given = [self._values.get(own) if own else None for own in node.input]
        while given and given[-1] is None:
            given.pop()
        try:
            return TABLE[node.op_type](site, *given)
        except TypeError as error:
            raise NotTakenError(f"this form of `{node.op_type}` ({error})") from None

    def _settled(self, own: str, value: Value, uses: int) -> Value:
        dtype = self._dtype(own)
        if value.dtype != "int32" or dtype != "int64":
            value = vocabulary.cast(value, dtype)
        value = replace(value, shape=self._shape(own))
        if own in self._direct and not value.expression.is_name:
            return self._writer.line(vocabulary.cast(value, dtype), self._direct.pop(own))
        return self._writer.settle(value, _wanted(own), uses)

    def _write_outputs(self, outputs: Mapping[str, str]) -> list[Tensor]:
        declared, written = [], {name for names, _ in self._writer.lines for name in names.split(", ")}
        for own, name in outputs.items():
            value, dtype = self._values[own], self._dtype(own)
            if name not in written:
                self._writer.output(vocabulary.cast(value, dtype), name)  # type: ignore[arg-type]
            declared.append(Tensor(name, dtype, self._shape(own)))
        return declared


def _number(array: Any) -> Any:
    """The number of an array that has one."""
    return short(array.item()) if array.dtype.name == "float32" else array.item()


def _uses(graph: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in graph.node:
        for own in node.input:
            found[own] = found.get(own, 0) + 1
    for one in graph.output:
        found[one.name] = found.get(one.name, 0) + 1
    return found


def _wanted(own: str) -> str:
    """The name of a value if somebody gave it: exporters count (`/Add_output_0`, `123`, `add_2`)."""
    made = re.fullmatch(r"/?.*/.*|.*_output_\d+|\d+|[a-z]+(_[a-z]+)*_\d+|val_\d+", own)
    return "" if made else own


def _cases(dims: list[Dim]) -> list[Mapping[str, int]]:
    dynamic = [dim for dim in dims if dim.value is None]
    if not dynamic:
        return []
    return [{dim.name: 1 for dim in dynamic}, {dim.name: 37 + 6 * i for i, dim in enumerate(dynamic)}]


def imported(path: str, name: str = "") -> ImportedSpec:
    """A model as a spec. Raises PTG801 and PTG802."""
    model = OnnxImport(read_model(path), path, name)
    try:
        return model.spec()
    except NotTakenError as error:  # of an input or output
        raise fault("PTG802", f"{error.what}, in {path}", None, fix=error.fix) from None
