"""An operator of a device package in PyTorch: the text of its function in C++, and of what it returns for tensors
without data in Python."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import dataclass

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.numpy_dtypes import dtype_name, numpy_dtype
from pyptogen.package.arguments import Argument
from pyptogen.package.contract_text import ContractText
from pyptogen.package.launches import DeviceOperator
from pyptogen.package.size_text import python_size
from pyptogen.runtime.operator.contract import Contract, DimArg, TensorArg
from pyptogen.runtime.operator.size_functions import expand
from pyptogen.templates.spelling import field_name

_TORCH = {
    "fp32": ("kFloat", "float32"), "fp16": ("kHalf", "float16"), "bf16": ("kBFloat16", "bfloat16"),
    "int8": ("kChar", "int8"), "uint8": ("kByte", "uint8"), "int16": ("kShort", "int16"),
    "uint16": ("kUInt16", "uint16"), "int32": ("kInt", "int32"), "uint32": ("kUInt32", "uint32"),
    "int64": ("kLong", "int64"), "bool": ("kBool", "bool"), "fp8_e4m3": ("kFloat8_e4m3fn", "float8_e4m3fn"),
    "fp8_e5m2": ("kFloat8_e5m2", "float8_e5m2"), "fp8_e8m0": ("kFloat8_e8m0fnu", "float8_e8m0fnu"),
}  # fmt: skip
"""What memory has, by its names in ATen and in torch."""


TORCH_NAMES = {str(numpy_dtype(name)): torch for name, (_, torch) in _TORCH.items()}
"""What torch calls the dtypes of memory, by numpy's names."""


@dataclass(frozen=True, slots=True)
class TorchOperator:
    """What the templates place of one operator."""

    name: str
    schema: str
    returns: str
    parameters: str
    first: str
    dims: list[str]
    expectations: list[str]
    made: list[str]
    sizes: str
    given: list[str]
    result: str
    python_parameters: str
    python_dims: list[str]
    python_checks: list[str]
    python_result: str


def torch_operator(operator: DeviceOperator) -> TorchOperator:
    """An operator as templates place it. Raises PTG703 for tensors that PyTorch's side of a package has no form for."""
    contract = Contract.from_program(operator.lowered.program)
    for tensor in (*contract.inputs, *contract.outputs):
        if tensor.strides:
            raise _no_form(tensor, "strides of its own")
    for tensor in _fresh(contract):
        if tensor.layout == "nz":
            raise _no_form(tensor, "the layout nz")
    cpp, python = _Text(contract), _PythonText(contract)
    fresh, by_name = _fresh(contract), {tensor.name: tensor for tensor in (*contract.inputs, *contract.outputs)}
    parameters = [f"const at::Tensor &{field_name(t.name)}" for t in contract.inputs]
    parameters += [f"{'double' if attr.is_float else 'int64_t'} {field_name(attr.name)}" for attr in contract.attrs]
    names = [field_name(t.name) for t in fresh]
    listed = [python.name(tensor.name) for tensor in contract.inputs]
    listed += [
        python.name(attr.name) + ("" if attr.default is None else f"={attr.default!r}") for attr in contract.attrs
    ]
    empties = [python.empty(tensor, python.name(contract.inputs[0].name)) for tensor in fresh]
    return TorchOperator(
        name=contract.name,
        schema=schema_of(contract),
        returns="void" if not names else "at::Tensor" if len(names) == 1 else f"std::tuple<{_tensors(len(names))}>",
        parameters=", ".join(parameters),
        first=field_name(contract.inputs[0].name),
        dims=[cpp.dim(dim) for dim in contract.order],
        expectations=[line for tensor in contract.inputs for line in cpp.expectations(tensor)],
        made=[cpp.empty(tensor) for tensor in fresh],
        sizes=", ".join(field_name(dim.name) for dim in contract.dims),
        given=[_given(argument, by_name) for argument in operator.arguments],
        result="" if not names else names[0] if len(names) == 1 else f"{{{', '.join(names)}}}",
        python_parameters=", ".join(listed),
        python_dims=[python.dim(dim) for dim in contract.order],
        python_checks=[python.check(tensor) for tensor in contract.inputs if tensor.layout != "nz"],
        python_result="None" if not empties else empties[0] if len(empties) == 1 else f"({', '.join(empties)})",
    )


def schema_of(contract: Contract) -> str:
    """The schema of an operator in torch: what is updated in place is marked, what is new is returned."""
    updated = {source: chr(ord("a") + i) for i, source in enumerate(dict.fromkeys(contract.inplace.values()))}
    parameters = [
        f"Tensor({updated[t.name]}!) {t.name}" if t.name in updated else f"Tensor {t.name}" for t in contract.inputs
    ]
    for attr in contract.attrs:
        default = "" if attr.default is None else f"={attr.default!r}"
        parameters.append(f"{'float' if attr.is_float else 'int'} {attr.name}{default}")
    returned = ", ".join("Tensor" for _ in _fresh(contract))
    return f"({', '.join(parameters)}) -> {returned if len(_fresh(contract)) == 1 else f'({returned})'}"


def _fresh(contract: Contract) -> list[TensorArg]:
    return [tensor for tensor in contract.outputs if tensor.name not in contract.inplace]


def _tensors(count: int) -> str:
    return ", ".join(["at::Tensor"] * count)


def _given(argument: Argument, by_name: Mapping[str, TensorArg]) -> str:
    """An argument of the launch: a pointer for a tensor."""
    if argument.name not in by_name:
        return argument.field
    return f"static_cast<{argument.ctype}>({argument.field}.data_ptr())"


def _no_form(tensor: TensorArg, what: str) -> DiagnosticError:
    return fault(
        "PTG703",
        f"`{tensor.name}` has {what}, which PyTorch's side of a package does not take",
        tensor.span,
        expected="contiguous tensors, and `nz` of inputs alone",
        fix="call the C entry",
    )


class _Text(ContractText):
    """Lines of C++ about the tensors of a contract."""

    def dim(self, dim: DimArg) -> str:
        zero, one = self.ends(dim)
        axis = f"{self.name(self.contract.inputs[dim.source].name)}.size({dim.axis})"
        return f"const int64_t {self.name(dim.name)} = solved({axis}, {zero}, {one});"

    def shape(self, tensor: TensorArg) -> str:
        return f"{{{', '.join(self.sizes(tensor))}}}"

    def expectations(self, tensor: TensorArg) -> list[str]:
        field, dtype = self.name(tensor.name), f"at::{_TORCH[dtype_name(tensor.dtype)][0]}"
        quoted = f'"{self.contract.name}: {tensor.name}"'
        if tensor.layout == "nz":
            elements = " * ".join(self.sizes(tensor))
            return [f"expect_packed({field}, {quoted}, {dtype}, {elements});"]
        form = "columns" if tensor.layout == "dn" else "contiguous"
        return [f"expect({field}, {quoted}, {dtype}, {self.shape(tensor)});", f"expect_{form}({field}, {quoted});"]

    def empty(self, tensor: TensorArg) -> str:
        dtype, like = _TORCH[dtype_name(tensor.dtype)][0], self.name(self.contract.inputs[0].name)
        texts = self.sizes(tensor)
        columns = tensor.layout == "dn"
        shape = ", ".join([*texts[:-2], texts[-1], texts[-2]] if columns else texts)
        turned = ".transpose(-1, -2)" if columns else ""
        return (
            f"const at::Tensor {self.name(tensor.name)} = "
            f"at::empty({{{shape}}}, {like}.options().dtype(at::{dtype})){turned};"
        )


class _PythonText(_Text):
    """The same in Python, where sizes may be symbols."""

    def name(self, name: str) -> str:
        return f"{name}_" if keyword.iskeyword(name) or name in ("torch", "max", "min") else name

    def size(self, text: str) -> str:
        return (
            python_size(expand(text, self._fields)).replace("Max(", "torch.sym_max(").replace("Min(", "torch.sym_min(")
        )

    def dim(self, dim: DimArg) -> str:
        zero, one = self.ends(dim)
        axis = f"{self.name(self.contract.inputs[dim.source].name)}.shape[{dim.axis}]"
        return f"{self.name(dim.name)} = _solved({axis}, {zero}, {one})"

    def check(self, tensor: TensorArg) -> str:
        name = self.name(tensor.name)
        shape = "".join(f"{text}, " for text in self.sizes(tensor))
        dtype = _TORCH[dtype_name(tensor.dtype)][1]
        return (
            f"torch._check({name}.dtype == torch.{dtype} and tuple({name}.shape) == ({shape}), "
            f'lambda: f"{self.contract.name}: {tensor.name} is {{{name}.dtype}}{{list({name}.shape)}}")'
        )

    def empty(self, tensor: TensorArg, like: str = "") -> str:
        dtype = _TORCH[dtype_name(tensor.dtype)][1]
        texts = self.sizes(tensor)
        columns = tensor.layout == "dn"
        shape = "".join(f"{text}, " for text in ([*texts[:-2], texts[-1], texts[-2]] if columns else texts))
        return f"{like}.new_empty(({shape}), dtype=torch.{dtype}){'.transpose(-1, -2)' if columns else ''}"
