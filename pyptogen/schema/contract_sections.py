"""Reads the sections of the contract: dims, attrs, inputs, outputs."""

from __future__ import annotations

import math
import re

from pyptogen.diagnostics import DiagnosticError, did_you_mean, fault, is_sound, keep, kept
from pyptogen.schema.contract import BEYOND_FP32, DTYPES, LAYOUTS, AttrSpec, DimSpec, TensorSpec, suggest_dtype
from pyptogen.schema.expression import Expr, parse_expression, parse_expression_list, parse_text
from pyptogen.schema.models import AttrModel, DynamicDimModel, InPlaceModel, TensorModel
from pyptogen.schema.naming import check_key
from pyptogen.schema.tree import Mapping, Node, Scalar
from pyptogen.schema.validate import need_mapping, validate

_SHORT = re.compile(r"\s*(?P<dtype>\w+)\s*(?P<shape>\[.*\])\s*(?:@\s*(?P<layout>\w*)\s*)?\Z", re.DOTALL)
_CALL = re.compile(r"\s*(?P<dtype>\w+)\s*\((?P<shape>.*)\)\s*\Z", re.DOTALL)
"""The same with the wrong brackets."""


AN_INPUT = "an input"
"""Poisoned where an input is lost that may bind any dim; no name of a spec."""


def read_dims(node: Node) -> tuple[DimSpec, ...]:
    """The ``dims`` section. Raises PTG103–106, PTG213, PTG214."""
    dims = []
    for key, value in need_mapping(node, "`dims`"):
        with kept(key.text):
            dims.append(_dim(key, value))
    return tuple(dims)


def _dim(key: Scalar, node: Node) -> DimSpec:
    name = check_key(key, "a dim")
    if isinstance(node, Mapping):
        model = validate(DynamicDimModel, node, f"dim `{name}`")
        if model.min > model.max:
            raise fault(
                "PTG214",
                f"dim `{name}` has an empty range: min {model.min} is over max {model.max}",
                node.span,
                expected="min <= max",
            )
        if model.max // model.multiple_of * model.multiple_of < model.min:
            raise fault(
                "PTG214",
                f"dim `{name}` has no size: no multiple of {model.multiple_of} from {model.min} to {model.max}",
                node.span,
                expected="a range with a multiple of `multiple_of` in it",
            )
        return DimSpec(name, None, model.min, model.max, model.multiple_of, key.span)
    if (
        isinstance(node, Scalar)
        and isinstance(node.value, int | float)
        and (isinstance(node.value, bool | float) or node.value < 1)
    ):
        raise fault("PTG214", f"dim `{name}` cannot be {node.text}", node.span, expected="a positive integer")
    return DimSpec(name, parse_expression(node), 1, 1, 1, key.span)


def read_attrs(node: Node) -> tuple[AttrSpec, ...]:
    """The ``attrs`` section."""
    attrs = []
    for key, value in need_mapping(node, "`attrs`"):
        with kept(key.text):
            attrs.append(_attr(key, value))
    return tuple(attrs)


def _attr(key: Scalar, value: Node) -> AttrSpec:
    name = check_key(key, "an attr")
    kind = "int32" if isinstance(value, Scalar) and isinstance(value.value, int) else "fp32"
    fix = f"`{name}: {{type: {kind}, default: {value.text}}}`" if isinstance(value, Scalar) else ""
    model = validate(AttrModel, need_mapping(value, f"attr `{name}`", fix), f"attr `{name}`")
    if isinstance(model.default, float) and model.type != "fp32":
        raise fault(
            "PTG104",
            f"`{name}` is {model.type}, its default is not whole",
            value.span,
            expected="an integer",
        )
    bits = {"int32": 31, "int64": 63}.get(model.type)
    if bits and model.default is not None and not -(2**bits) <= model.default < 2**bits:
        message = f"`{name}` is {model.type}, which does not hold its default"
        raise fault("PTG104", message, value.span, expected=f"from {-(2**bits)} to {2**bits - 1}")
    if model.type == "fp32" and model.default is not None and BEYOND_FP32 <= abs(model.default) < math.inf:
        message = f"`{name}` is fp32, in which its default is infinity"
        raise fault("PTG104", message, value.span, fix="write `.inf` if you mean it")
    return AttrSpec(name, model.type, model.default, key.span)


def read_inputs(node: Node) -> tuple[TensorSpec, ...]:
    """The ``inputs`` section."""
    inputs = []
    for key, value in need_mapping(node, "`inputs`"):
        with kept(key.text, AN_INPUT):
            tensor = read_tensor(key, value, "an input")
            inputs.append(tensor)
            if tensor.init is not None:
                raise fault("PTG104", f"the input `{key.text}` has an `init`", tensor.init.span, expected="an output")
    return tuple(inputs)


def read_outputs(node: Node, inputs: tuple[TensorSpec, ...]) -> tuple[TensorSpec, ...]:
    """The ``outputs`` section; an in-place output takes the type of its input. Raises PTG201 for an unknown
    input."""
    by_name = {tensor.name: tensor for tensor in inputs}
    outputs = []
    for key, value in need_mapping(node, "`outputs`"):
        with kept(key.text):
            outputs.append(_output(key, value, by_name))
    return tuple(outputs)


def _output(key: Scalar, node: Node, inputs: dict[str, TensorSpec]) -> TensorSpec:
    if isinstance(node, Mapping) and node.key("inplace") is not None:
        return _in_place(key, node, inputs)
    output = read_tensor(key, node, "an output")
    if output.name in inputs:
        raise fault(
            "PTG208",
            f"`{output.name}` is both an input and an output",
            key.span,
            expected="another name, or an output that updates the input",
            fix=f"`{output.name}: {{inplace: true}}`",
            notes=(("the input", inputs[output.name].span),),
        )
    return output


def _in_place(key: Scalar, node: Mapping, inputs: dict[str, TensorSpec]) -> TensorSpec:
    name = check_key(key, "an output")
    typed = [found for word in TensorModel.model_fields if word != "doc" and (found := node.key(word)) is not None]
    if typed:
        words = ", ".join(f"`{found.text}`" for found in typed)
        raise fault(
            "PTG103",
            f"output `{name}` updates an input, and has no {words} of its own",
            typed[0].span,
            expected="one of inplace, doc",
            fix=f"leave {words} out: an output in place has the type of the input",
        )
    model = validate(InPlaceModel, node, f"output `{name}`")
    if model.inplace is False:
        raise fault("PTG104", f"output `{name}` is not in place and has no type", node.span, expected="dtype[shape]")
    source = name if model.inplace is True else str(model.inplace)
    if not is_sound(source):
        raise DiagnosticError
    if source not in inputs:
        raise fault(
            "PTG201",
            f"output `{name}` updates `{source}`, which is not an input",
            node.span,
            expected="the name of an input",
            fix="`inplace: true`" if source in ("yes", "on") else did_you_mean(source, inputs),
        )
    of = inputs[source]
    return TensorSpec(name, of.dtype, of.shape, of.layout, model.doc, source, key.span, node.span, strides=of.strides)


def read_tensor(key: Scalar, node: Node, what: str = "a tensor") -> TensorSpec:
    """A tensor's type in its short or long form. Raises PTG104 to PTG106, PTG212, PTG213."""
    name = check_key(key, what)
    if isinstance(node, Mapping):
        return _long_form(name, key, node)
    text = node.text if isinstance(node, Scalar) else ""
    match = _SHORT.match(text)
    if not isinstance(node, Scalar) or match is None:
        raise fault(
            "PTG104",
            f"the type of `{name}` is not readable",
            node.span,
            expected="dtype[shape] or dtype[shape] @ layout, such as `bf16[t, 128]`",
            fix=f"`{call['dtype']}[{call['shape']}]`" if (call := _CALL.match(text)) else "",
        )
    whole = parse_text(node, *match.span("shape"))
    layout = match["layout"] if match["layout"] is not None else "nd"
    dtype, layout = _checked_type(name, match["dtype"], layout, node)
    return TensorSpec(name, dtype, _axes(whole), layout, "", None, key.span, node.span)


def _long_form(name: str, key: Scalar, node: Mapping) -> TensorSpec:
    model = validate(TensorModel, node, f"tensor `{name}`")
    laid = node.get("strides")
    strides = () if laid is None else parse_expression_list(laid)
    init = node.get("init")
    shape = node.get("shape")
    assert shape is not None
    axes = parse_expression_list(shape)
    dtype, layout = _checked_type(name, model.dtype, model.layout, node)
    if strides and (len(strides) != len(axes) or strides[-1].text_of(strides[-1].node) != "1" or model.layout != "nd"):
        raise fault(
            "PTG104",
            f"the strides of `{name}` do not say where its elements lie",
            laid.span if laid is not None else node.span,
            expected="elements from one index to the next for each axis, 1 for the last, of a tensor in `nd`",
        )
    number = None if init is None else parse_expression(init)
    return TensorSpec(name, dtype, axes, layout, model.doc, None, key.span, node.span, number, strides)


def _axes(whole: Expr) -> tuple[Expr, ...]:
    return tuple(whole.part(item) for item in getattr(whole.node, "elts", ()))


def _checked_type(name: str, dtype: str, layout: str, node: Node) -> tuple[str, str]:
    """Dtype and layout. In place of unknown ones others, so that what the shape says still counts; the name is poisoned
    then."""
    if dtype not in DTYPES:
        unknown = fault(
            "PTG212",
            f"`{name}` has the unknown dtype `{dtype}`",
            node.span,
            expected="one of " + " ".join(DTYPES),
            fix=suggest_dtype(dtype, DTYPES),
        )
        keep(unknown, name)
        dtype = "fp32"
    if layout not in LAYOUTS:
        unknown = fault(
            "PTG212",
            f"`{name}` has the unknown layout `{layout}`",
            node.span,
            expected="one of " + " ".join(LAYOUTS),
            fix=did_you_mean(layout.lower(), LAYOUTS),
        )
        keep(unknown, name)
        layout = "nd"
    return dtype, layout
