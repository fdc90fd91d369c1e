"""The shapes of a contract as C++ has them: names of fields, sizes, and how dims follow from axes."""

from __future__ import annotations

from pyptogen.package.size_text import cpp_size
from pyptogen.runtime.operator.contract import Contract, DimArg, TensorArg
from pyptogen.runtime.operator.size_functions import expand
from pyptogen.templates.spelling import field_name


class ContractText:
    """Texts about the tensors of a contract. A subclass has those of another language."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        texts = [*contract.input_texts, *contract.output_texts]
        tensors = [*contract.inputs, *contract.outputs]
        self._extents = {t.name: (len(t.shape), list(text)) for t, text in zip(tensors, texts, strict=True)}
        names = [dim.name for dim in contract.dims]
        self._fields = {name: self.name(name) for name in names if self.name(name) != name}

    def name(self, name: str) -> str:
        """A name of the spec."""
        return field_name(name)

    def size(self, text: str) -> str:
        """A size of the dynamic dims."""
        return cpp_size(expand(text, self._fields))

    def sizes(self, tensor: TensorArg) -> list[str]:
        """Those of a tensor, as memory has it."""
        rank, extents = self._extents[tensor.name]
        return [self.size(text) for text in extents[:rank]]

    def strides(self, tensor: TensorArg) -> list[str]:
        """Its strides, where the spec gives them."""
        rank, extents = self._extents[tensor.name]
        return [self.size(text) for text in extents[rank:]]

    def ends(self, dim: DimArg) -> tuple[str, str]:
        """The size of the axis that shows a dim where that is 0, and where it is 1."""
        text = self.contract.input_texts[dim.source][dim.axis]
        zero, one = (self.size(expand(text, {dim.name: value})) for value in ("0", "1"))
        return zero, one
