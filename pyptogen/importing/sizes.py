"""Sizes of an imported program by the names of its dims."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import torch

from pyptogen.importing.names import OF_IMAGES, Names
from pyptogen.importing.spec_text import Dim

_IMAGES = ("conv", "group_norm", "_native_batch_norm", "max_pool", "avg_pool")
"""What operations of images are called."""
_OF_FILTERS = {3: ("filters", "channels", "taps"), 4: ("filters", "channels", "taps", "taps_across")}
_BY_RANK = {1: ("n",), 2: ("rows", "cols"), 3: ("batch", "rows", "cols"), 4: ("batch", "heads", "rows", "cols")}


class Sizes:
    """The dims of an import. Those of the examples have their names; static sizes of arguments without one get the name
    that the program's modules have for that number, or one by the place of their axis; symbols are those of PyTorch."""

    def __init__(self, traced: Any, names: Names) -> None:
        self._names = names
        self._dims: dict[str, Dim] = {}
        self._symbols: dict[str, str] = {}
        self._by_value: dict[int, str | None] = {}
        self.seen: dict[str, None] = {}
        self._own = {name: self._names.take(name) for name in traced.examples.dims}  # dims of examples -> of the spec
        for name, dim in traced.examples.dims.items():
            self._add(Dim(self._own[name], dim.value, dim.least, dim.most))
        self._modules = _numbers_of_modules(traced.exported, traced.code)
        self._examples = traced.arguments
        nodes = traced.exported.graph.nodes
        images = [node for node in nodes if getattr(node.target, "__name__", "").startswith(_IMAGES)]
        self._usual = _BY_RANK | (OF_IMAGES if images else {})
        self._filters = {node.args[1] for node in images if node.target.__name__.startswith("conv")}
        """What convolutions take as their weights."""
        self._learn(traced)

    def _add(self, dim: Dim) -> None:
        self._dims[dim.name] = dim
        if dim.value is not None:
            taken = dim.value in self._by_value
            self._by_value[dim.value] = None if taken else dim.name

    def _learn(self, traced: Any) -> None:
        """Which symbol of PyTorch is which dim."""
        nodes = iter(one for one in traced.exported.graph.nodes if one.op == "placeholder")
        arguments = iter(traced.arguments.values())
        for spec, node in zip(traced.exported.graph_signature.input_specs, nodes, strict=True):
            if spec.kind.name != "USER_INPUT":
                continue
            for size, axis in zip(node.meta["val"].shape, next(arguments).axes, strict=True):
                if isinstance(size, torch.SymInt):
                    self._symbols.setdefault(str(size.node.expr), self._own[axis])

    def shape(self, sizes: Any, name: str, node: Any) -> tuple[str, ...]:
        """The shape of an input, a node of the graph, whose static sizes get names."""
        usual = _OF_FILTERS if node in self._filters else self._usual
        example = self._examples.get(name)
        texts: list[str] = []
        for i, size in enumerate(sizes):
            if example is not None and not example.axes[i].isdigit():
                texts.append(self._own[example.axes[i]])
                self.seen[texts[-1]] = None
                continue
            text = self.text(size) if isinstance(size, torch.SymInt) else self._named(int(size), i, len(sizes), usual)
            texts.append(str(int(size)) if len(sizes) > 2 and text in texts else text)
        return tuple(texts)

    def _named(self, size: int, axis: int, rank: int, usual: Mapping[int, tuple[str, ...]]) -> str:
        if size <= 1:
            return str(size)
        by_place = usual[rank][axis] if rank in usual else f"axis{axis}"
        name = self._by_value.get(size) or self._called(size, by_place)
        self.seen[name] = None
        return name

    def _called(self, size: int, usual: str) -> str:
        """A new dim."""
        name = self._names.take(self._modules.get(size, usual))
        self._add(Dim(name, size))
        return name

    def call(self, size: Any, usual: str) -> None:
        """A static size that only the program's operations know gets a name: an axis without one is never cut."""
        if not isinstance(size, torch.SymInt) and int(size) > 1 and int(size) not in self._by_value:
            self._called(int(size), usual)

    def text(self, size: Any) -> str:
        """A size in the words of the spec."""
        if isinstance(size, torch.SymInt):
            text = re.sub(r"[A-Za-z_]\w*", lambda match: self._symbols.get(match[0], match[0]), str(size.node.expr))
        else:
            text = str(int(size))
            known = self._by_value.get(int(size)) if int(size) > 1 else None
            text = known or text
        self.seen.update(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text)))
        return text

    def texts(self, sizes: Any) -> tuple[str, ...]:
        """The sizes of a shape. Axes that are equally long need not be the same dim: of more than a matrix's one is
        called so, and the others have their number."""
        texts = [self.text(size) for size in sizes]
        if len(texts) <= 2:
            return tuple(texts)
        static = [not isinstance(size, torch.SymInt) for size in sizes]
        again = [is_static and text in texts[:i] for i, (text, is_static) in enumerate(zip(texts, static, strict=True))]
        return tuple(str(int(size)) if twice else text for size, text, twice in zip(sizes, texts, again, strict=True))

    def dims(self) -> list[Dim]:
        return list(self._dims.values())

    def cases(self, dims: list[Dim]) -> list[Mapping[str, int]]:
        """Sizes for ``verify``: the smallest, and something that fills no tile."""
        dynamic = [dim for dim in dims if dim.value is None]
        if not dynamic:
            return []
        small = {dim.name: dim.least for dim in dynamic}
        odd = {dim.name: max(dim.least, min(dim.most, 37 + 6 * i)) for i, dim in enumerate(dynamic)}
        return [small, odd] if small != odd else [odd]


def _numbers_of_modules(exported: Any, code: Any) -> dict[int, str]:
    """Whole numbers that the program's modules keep by a name that says something, and nothing else of that number."""
    found: dict[int, set[str]] = {}
    owner = getattr(code, "__self__", None)
    for module in owner.modules() if isinstance(owner, torch.nn.Module) else ():
        for name, value in vars(module).items():
            whole = isinstance(value, int) and not isinstance(value, bool)
            if whole and value > 1 and not name.startswith("_"):
                found.setdefault(value, set()).add(name)
    first = vars(owner) if owner is not None else {}
    own = {value: name for name, value in first.items() if isinstance(value, int) and not isinstance(value, bool)}
    return {value: own.get(value) or min(names) for value, names in found.items() if value in own or len(names) == 1}
