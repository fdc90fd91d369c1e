"""What a translation of one operation of PyTorch knows besides its arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.index_numbers import distinct_coordinate
from pyptogen.importing.writing import Value, Writer

DTYPES: Mapping[torch.dtype, str] = {
    torch.float32: "fp32",
    torch.float16: "fp16",
    torch.bfloat16: "bf16",
    torch.int8: "int8",
    torch.uint8: "uint8",
    torch.int16: "int16",
    torch.int32: "int32",
    torch.int64: "int64",
    torch.bool: "bool",
    torch.float8_e4m3fn: "fp8_e4m3",
    torch.float8_e5m2: "fp8_e5m2",
}
_TOGETHER = range(2, 5)
"""Along how many axes ``coordinate`` gives places."""
COMPLEX_DTYPE = "complex64"
"""What the language has not, but programs may take: two numbers of fp32 along a last axis."""


def dtype_of(dtype: torch.dtype) -> str:
    """Its name in the language. Raises ``NotTakenError``."""
    if dtype not in DTYPES:
        fix = "compute in torch.float32" if dtype is torch.float64 else ""
        raise NotTakenError(f"the dtype {dtype}", fix)
    return DTYPES[dtype]


@dataclass(frozen=True, slots=True)
class Site:
    """One operation: ``results`` are the tensors without data that PyTorch says it gives, ``sizes`` writes a shape and
    ``size`` a size, which may be a symbol, ``wanted`` are the program's names for the results, ``outputs`` those that
    results have as outputs, as they are, ``generators`` takes those of inputs whose numbers matter."""

    results: tuple[Any, ...]
    sizes: Callable[[Any], tuple[str, ...]]
    size: Callable[[Any], str]
    writer: Writer
    wanted: tuple[str, ...]
    outputs: tuple[str, ...]
    generators: dict[str, str]
    dtypes: Mapping[str, str]
    """Those of the inputs."""

    @property
    def dtype(self) -> str:
        return dtype_of(self.results[0].dtype)

    @property
    def shape(self) -> tuple[str, ...]:
        return self.shape_of(0)

    def shape_of(self, result: int) -> tuple[str, ...]:
        return self.sizes(self.results[result].shape)

    def named(self, value: Value) -> Value:
        """A part of the operation that is used twice."""
        return value if value.at_hand else self.writer.named(value, value.word)

    def settled(self, value: Value) -> Value:
        """A part of the operation, with a line of its own where it is long."""
        return self.writer.settle(value, "", 1)

    def apart(self, values: Sequence[Value]) -> list[Value]:
        """Parts of the operation, with lines of their own where they are long together."""
        return self.writer.apart(values)

    def indexes(self, index: Value, below: str, distinct: bool = False) -> None:
        """An input that holds indices, or of which alone they are made, gets numbers that are some. ``distinct``: where
        something is written to each of them, and which of two comes last is not said."""
        found = self.writer.index_generator(index, below, self.dtypes, distinct)
        self.generators.update({k: text for k, text in found.items() if distinct or k not in self.generators})

    def updates(self, places: Sequence[Value], sizes: Sequence[str]) -> None:
        """Inputs that name together, one along each axis, the places that are written to get distinct ones."""
        names = [place.expression.text for place in places]
        alike = len({place.shape for place in places}) == 1 and len({*names}) == len(names)
        if len(places) in _TOGETHER and alike and self.dtypes.keys() >= {*names}:
            self.generators.update({name: distinct_coordinate(axis, sizes) for axis, name in enumerate(names)})
        else:
            for place, size in zip(places, sizes, strict=True):
                self.indexes(place, size, distinct=True)

    def are_angles(self, value: Value) -> None:
        """Whole numbers of which angles are made are places in a sequence."""
        for name in self._made_of(value):
            if self.dtypes[name].startswith("int"):
                self.generators.setdefault(name, "integers(0, 1023)")

    def _made_of(self, value: Value) -> set[str]:
        """The inputs of which a value is made."""
        return self.writer.reads(value.expression.text) & self.dtypes.keys()

    def is_variance(self, value: Value) -> None:
        """An input that holds variances gets positive numbers."""
        made_of = _VIEW.match(value.expression.text)
        if made_of is not None:
            self.generators.setdefault(made_of["name"], "uniform(0.5, 2)")


_VIEW = re.compile(r"(?:reshape\()?(?P<name>[A-Za-z]\w*)(?:\.T|\[[^\]]*\]|, \[[^\]]*\]\))*\Z")
"""A name, or the elements of one in another shape."""
