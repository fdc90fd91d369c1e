"""An operator of a library for C and C++: what the templates of its entries and of its typed function place."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pyptogen.codegen.generate import Generated, of_lowered
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor.ir import Program
from pyptogen.number_formats import BEYOND_FP32
from pyptogen.numpy_dtypes import dtype_name
from pyptogen.package.arguments import Argument, arguments_of, own_names
from pyptogen.package.call_checks import condition_text, index_function
from pyptogen.package.contract_text import ContractText
from pyptogen.runtime.operator.call import CallRules
from pyptogen.runtime.operator.contract import Contract, DimArg, TensorArg
from pyptogen.runtime.operator.traced_sources import traced_sources
from pyptogen.templates import wrapper_hpp

TARGET = "cpu"
_OWN_TYPES = {
    "fp32": "float", "bool": "bool", "int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t",
    "uint8": "uint8_t", "uint16": "uint16_t", "uint32": "uint32_t", "int4": "pyptogen::int4x2",
    "fp4_e2m1": "pyptogen::fp4_e2m1x2",
}  # fmt: skip
"""Elements as C++ has them; the others are structs of ``elements.hpp`` under their names."""
_POLICIES = {"critical_path": "CriticalPath", "breadth": "Breadth", "depth": "Depth"}
_WORDS = ("context", "shapes", "status", "call", "args", "value")


@dataclass(frozen=True)
class LibraryOperator:
    """One operator of a library. Raises PTG706 where its calls have a check that C++ has no form for."""

    program: Program
    library: str

    def __post_init__(self) -> None:
        list(self._checks())

    @cached_property
    def generated(self) -> Generated:
        """Its kernels, under names that no other operator of the library has."""
        return of_lowered(lower(self.program, TARGET), prefix=f"{self.name}_")

    @cached_property
    def rules(self) -> CallRules:
        return CallRules.from_program(self.program)

    @property
    def contract(self) -> Contract:
        return self.rules.contract

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        return arguments_of(self.program)

    @cached_property
    def _text(self) -> ContractText:
        return ContractText(self.contract)

    @cached_property
    def _tensors(self) -> Mapping[str, TensorArg]:
        return {tensor.name: tensor for tensor in (*self.contract.outputs, *self.contract.inputs)}

    @cached_property
    def _dtypes(self) -> Mapping[str, str]:
        """Of each tensor as the spec has it."""
        return {
            name: dtype_name(tensor.dtype if tensor.packed is None else tensor.packed)
            for name, tensor in self._tensors.items()
        }

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def function(self) -> str:
        """Its entry for C."""
        return f"{self.library}_{self.name}"

    @property
    def doc(self) -> list[str]:
        return textwrap.wrap(" ".join(self.program.doc.split()).replace("*/", "* /"), 110) or [self.name]

    @cached_property
    def own(self) -> dict[str, str]:
        """What its functions call their own variables."""
        return own_names(self.arguments, _WORDS)

    @property
    def policy(self) -> str:
        return _POLICIES[self.rules.policy]

    def files(self, spec_file: str) -> dict[str, str]:
        """Its sources by their paths in its folder."""
        found = {path: str(text) for path, text in traced_sources(self.generated).items()}
        return found | {"wrapper.hpp": str(wrapper_hpp.render(self.program, [TARGET], spec_file))}

    @property
    def functions(self) -> list[str]:
        """All that it defines for the linker inside of a level."""
        entry = f"{self.name}_{TARGET}"
        return [entry, *self.generated.functions]

    def view(self) -> dict[str, object]:
        """What the templates say of it."""
        return {
            "name": self.name,
            "function": self.function,
            "doc": self.doc,
            "own": self.own,
            "arguments": self.arguments,
            "packed": [name for name, tensor in self._tensors.items() if tensor.layout == "nz"],
            "sources": [f"{self.name}/{path}" for path in traced_sources(self.generated)],
            "policy": self.policy,
            "fields": [argument.field for argument in self.arguments],
            "ranges": list(self._ranges()),
            "checks": list(self._checks()),
            "parameters": self._parameters(),
            "passed": [argument.field for argument in self.arguments if argument.kind != "size"],
            "solved": [(self._text.name(dim.name), self._solved(dim)) for dim in self.contract.order],
            "shapes": list(self._shapes()),
            "given": [self._given(argument) for argument in self.arguments],
        }

    def _ranges(self) -> Iterator[str]:
        """Checks of sizes and scalars, before anything is computed from them."""
        for dim in self.contract.dims:
            field = self._text.name(dim.name)
            yield f'size("{dim.name}", {field}, {dim.min}, {dim.max}, {dim.multiple_of})'
        for attr in self.contract.attrs:
            field = self._text.name(attr.name)
            if attr.is_float:
                yield f'number("{attr.name}", {field}, {float(BEYOND_FP32)!r})'
            elif attr.dtype != "int64":
                limits = np.iinfo(attr.dtype)
                yield f'whole("{attr.name}", {field}, INT64_C({limits.min}), INT64_C({limits.max}))'

    def _checks(self) -> Iterator[str]:
        """Checks of what is computed from them: arrays, preconditions, indices."""
        inplace = self.contract.inplace
        written = {*inplace.values(), *(t.name for t in self.contract.outputs if t.name not in inplace)}
        for argument in self.arguments:
            if argument.kind in ("input", "updated", "output"):
                yield self._array(self._tensors[argument.name], argument.name in written)
        fields = {one.name: one.field for one in self.arguments}
        whole = {one.name: one.ctype == "int64_t" for one in self.arguments}
        for check in self.contract.requires:
            text = check.text.replace("\\", "\\\\").replace('"', '\\"')
            yield f'holds({condition_text(check, fields, whole)}, "{text}")'
        for bound in self.rules.bounds:
            sizes = {text: self._text.size(text) for texts in bound.chain.texts for text in texts}
            value = index_function(bound, sizes, self.own["value"])
            source = self._tensors[bound.chain.inputs[0]]
            count, places = self._count(source), self._text.size(bound.use.places)
            yield (
                f'indices("{source.name}", {self._text.name(source.name)}, {count}, {bound.use.least}, {places}, '
                f'"{bound.use.target}", {value})'
            )

    def _array(self, tensor: TensorArg, written: bool) -> str:
        size = tensor.dtype.itemsize
        alignment = 64 if tensor.layout == "nz" else size
        field = self._text.name(tensor.name)
        return f'array("{tensor.name}", {field}, {self._count(tensor)}, {size}, {alignment}, {str(written).lower()})'

    def _count(self, tensor: TensorArg) -> str:
        """Elements from the first to the last."""
        sizes = ", ".join(self._text.sizes(tensor))
        if tensor.layout == "nz":
            return f"pyptogen::packed_count({{{sizes}}}, {tensor.dtype.itemsize})"
        if tensor.strides:
            return f"pyptogen::span_of({{{sizes}}}, {{{', '.join(self._text.strides(tensor))}}})"
        return f"pyptogen::count_of({{{sizes}}})"

    def _type(self, argument: Argument) -> str:
        tensor, dtype = self._tensors[argument.name], self._dtypes[argument.name]
        element = _OWN_TYPES.get(dtype, f"pyptogen::{dtype}")
        const = "const " if argument.kind == "input" else ""
        form = "Packed" if tensor.layout == "nz" else "Tensor"
        return f"{form}<{const}{element}, {len(tensor.shape)}>"

    def _parameters(self) -> list[str]:
        """Those of the typed function. Defaults stand where all that follow have one, too."""
        found, scalars = [], [one for one in self.arguments if one.kind == "scalar"]
        bare = max((i for i, one in enumerate(scalars) if one.default is None), default=-1)
        for argument in self.arguments:
            if argument.kind == "scalar":
                default = f" = {argument.default!r}" if scalars.index(argument) > bare else ""
                found.append(f"{argument.declared}{default}")
            elif argument.kind != "size":
                found.append(f"{self._type(argument)} {argument.field}")
        return found

    def _solved(self, dim: DimArg) -> str:
        tensor = self.contract.inputs[dim.source]
        field, rank = self._text.name(tensor.name), len(tensor.shape)
        axis = f"{field}.size({dim.axis})" if dim.axis < rank else f"{field}.stride({dim.axis - rank})"
        zero, one = self._text.ends(dim)
        if (zero, one) == ("0", "1"):
            return axis
        return f'{self.own["shapes"]}.solved("{dim.name}", "{tensor.name}", {axis}, {zero}, {one} - ({zero}))'

    def _shapes(self) -> Iterator[tuple[str, str]]:
        for argument in self.arguments:
            if argument.kind in ("input", "updated", "output"):
                tensor = self._tensors[argument.name]
                sizes = f"{{{', '.join(self._text.sizes(tensor))}}}"
                if tensor.strides:
                    sizes += f", {{{', '.join(self._text.strides(tensor))}}}"
                elif tensor.layout == "dn":
                    sizes += ", true"
                yield argument.field, sizes

    def _given(self, argument: Argument) -> str:
        """An argument of the entry."""
        if argument.kind in ("size", "scalar"):
            return argument.field
        own = _OWN_TYPES.get(self._dtypes[argument.name], "")
        plain = argument.ctype.removeprefix("const ").removesuffix(" *")
        if own == plain:
            return f"{argument.field}.data()"
        return f"reinterpret_cast<{argument.ctype}>({argument.field}.data())"


def levels() -> Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """The levels of x86-64 that a library is compiled for, best first: name, needs, flags."""
    from pyptogen.runtime.operator.prebuilt import LEVELS
    from pyptogen.runtime.toolchain.cpu import level_named

    found = [level_named(name) for name in LEVELS["x86_64"]]
    return [(level.name, tuple(sorted(level.needs)), level.flags) for level in found]
