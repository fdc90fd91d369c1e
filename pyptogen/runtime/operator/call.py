"""What a call of an operator needs to know, as objects and as data of a manifest, which needs no compiler."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import Span
from pyptogen.numpy_dtypes import dtype_name, numpy_dtype
from pyptogen.runtime.operator.attrs import AttrArg
from pyptogen.runtime.operator.contract import Contract, TensorArg, solvable_order
from pyptogen.runtime.operator.index_chains import Chain, Step
from pyptogen.runtime.operator.indices import IndexBound, IndexUse, index_bounds, index_uses
from pyptogen.runtime.operator.requirements import Check
from pyptogen.runtime.operator.size_functions import sizes_function

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CallRules:
    """The contract of an operator, the indices that its calls look at, and how a chip orders its launches."""

    contract: Contract
    indices: tuple[IndexUse, ...]
    bounds: tuple[IndexBound, ...]
    policy: str

    @classmethod
    def from_program(cls, program: Program) -> CallRules:
        """Those of a Tensor program."""
        uses = index_uses(program)
        policy = program.schedule.get("policy") or "critical_path"
        return cls(Contract.from_program(program), uses, index_bounds(program, uses), policy)

    def data(self) -> dict[str, Any]:
        """The same as JSON has it. Places are numbers in the spec; the name of a file is there where it is another."""
        contract, shown = self.contract, _Places(self.contract.span.file)
        chains = {id(bound.use): bound.chain for bound in self.bounds}
        return {
            "at": shown.numbers(contract.span),
            "attrs": [
                {"at": shown.numbers(a.span), "default": a.default, "dtype": a.dtype, "name": a.name}
                for a in contract.attrs
            ],
            "dims": [
                {"at": shown.numbers(d.span), "max": d.max, "min": d.min, "multiple_of": d.multiple_of, "name": d.name}
                for d in contract.dims
            ],
            "indices": [_index(use, chains.get(id(use)), shown) for use in self.indices],
            "inplace": dict(contract.inplace),
            "inputs": _tensors(contract.inputs, contract.input_texts, shown),
            "name": contract.name,
            "outputs": _tensors(contract.outputs, contract.output_texts, shown),
            "policy": self.policy,
            "requires": [
                {"at": shown.numbers(c.span), "condition": c.condition, "names": list(c.names), "text": c.text}
                for c in contract.requires
            ],
        }

    @classmethod
    def of_data(cls, data: Data, file: str) -> CallRules:
        """What ``data`` gave; ``file`` is the spec that diagnostics name. Raises ``KeyError``, ``TypeError`` and
        ``ValueError`` for anything else."""
        places = _Places(file)
        names = tuple(str(dim["name"]) for dim in data["dims"])
        dims = {
            str(d["name"]): _Dim(d["name"], d["min"], d["max"], d["multiple_of"], places.span(d)) for d in data["dims"]
        }
        in_texts, out_texts = ([tensor["extents"] for tensor in data[key]] for key in ("inputs", "outputs"))
        order = solvable_order(list(dims.values()), in_texts)
        by_name = {dim.name: dim for dim in order}
        contract = Contract(
            name=data["name"],
            inputs=tuple(_tensor(tensor, places) for tensor in data["inputs"]),
            outputs=tuple(_tensor(tensor, places) for tensor in data["outputs"]),
            inplace=dict(data["inplace"]),
            dims=tuple(by_name[name] for name in names),
            attrs=tuple(AttrArg(a["name"], a["dtype"], a["default"], places.span(a)) for a in data["attrs"]),
            requires=tuple(Check.of(c["text"], c["names"], c["condition"], places.span(c)) for c in data["requires"]),
            span=places.span(data),
            order=tuple(order),
            input_extents=sizes_function(in_texts, names),
            output_extents=sizes_function(out_texts, names),
            input_texts=in_texts,
            output_texts=out_texts,
        )
        pairs = [_index_of(index, names, places) for index in data["indices"]]
        bounds = tuple(IndexBound(use, chain) for use, chain in pairs if chain is not None)
        return cls(contract, tuple(use for use, _ in pairs), bounds, data["policy"])


@dataclass(frozen=True, slots=True)
class _Dim:
    name: str
    min: int
    max: int
    multiple_of: int
    span: Span


@dataclass(frozen=True, slots=True)
class _Places:
    """Places of a spec as numbers: line and column of the beginning and of the end."""

    file: str

    def numbers(self, span: Span) -> list[Any]:
        numbers = [span.line, span.col, span.end_line, span.end_col]
        return (
            numbers
            if span.file == self.file
            else [*numbers, os.path.relpath(span.file, os.path.dirname(self.file) or ".")]
        )

    def span(self, data: Data) -> Span:
        line, col, end_line, end_col, *other = data["at"]
        file = os.path.join(os.path.dirname(self.file), other[0]) if other else self.file
        return Span(file, line, col, end_line, end_col)


def _tensors(tensors: tuple[TensorArg, ...], extents: Any, places: _Places) -> list[dict[str, Any]]:
    return [
        {
            "at": places.numbers(tensor.span),
            "dtype": dtype_name(tensor.dtype),
            "extents": list(texts),
            "layout": tensor.layout,
            "name": tensor.name,
            "packed": None if tensor.packed is None else dtype_name(tensor.packed),
            "shape": list(tensor.shape),
            "strides": list(tensor.strides),
        }
        for tensor, texts in zip(tensors, extents, strict=True)
    ]


def _tensor(data: Data, places: _Places) -> TensorArg:
    packed = None if data["packed"] is None else numpy_dtype(data["packed"])
    dtype, shape, strides = numpy_dtype(data["dtype"]), tuple(data["shape"]), tuple(data["strides"])
    return TensorArg(data["name"], dtype, shape, data["layout"], places.span(data), strides, packed)


def _index(use: IndexUse, chain: Chain | None, places: _Places) -> dict[str, Any]:
    return {
        "at": places.numbers(use.span),
        "chain": None
        if chain is None
        else {
            "computes": chain.computes,
            "inputs": list(chain.inputs),
            "steps": [
                {
                    "detail": list(step.detail),
                    "kind": step.kind,
                    "numbers": list(texts),
                    "result": step.result,
                    "sources": list(step.sources),
                }
                for step, texts in zip(chain.steps, chain.texts, strict=True)
            ],
        },
        "index": use.index,
        "least": use.least,
        "places": use.places,
        "site": use.site,
        "target": use.target,
        "what": use.what,
    }


def _index_of(data: Data, dims: tuple[str, ...], places: _Places) -> tuple[IndexUse, Chain | None]:
    use = IndexUse(
        data["index"],
        data["target"],
        data["places"],
        dims,
        data["least"],
        data["what"],
        data["site"],
        places.span(data),
    )
    chain = data["chain"]
    if chain is None:
        return use, None
    steps = [Step(s["result"], tuple(s["sources"]), s["kind"], _frozen(s["detail"])) for s in chain["steps"]]
    texts = [s["numbers"] for s in chain["steps"]]
    return use, Chain.of(chain["inputs"], steps, texts, dims, chain["computes"])


def _frozen(value: Any) -> Any:
    return tuple(_frozen(one) for one in value) if isinstance(value, list) else value
