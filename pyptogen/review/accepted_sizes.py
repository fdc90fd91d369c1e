"""Which calls a contract takes: whether every call that one took is taken by another, dim by dim and axis by axis.

Names of dims do not matter, nor whether a size is a number or a dim that has it as its value. Sizes of the first
contract are put into the shapes of the second: an axis that is one unknown dim binds it, and what is bound must be in
its range; every other axis must then be equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Dim
    from pyptogen.review.model import Contract, Tensor


@dataclass(frozen=True, slots=True)
class Untaken:
    """Calls of the first contract that the second does not take, for one reason.

    ``dim``: that dim's range is too small for what ``size`` may be. Without one: the axes ``places`` have the size
    ``size`` and would have to have ``wanted``. ``strides`` where those are meant instead of sizes.
    """

    size: Any
    wanted: Any = None
    dim: Dim | None = None
    places: tuple[str, ...] = ()
    strides: bool = False


def untaken(first: Contract, second: Contract) -> tuple[Untaken, ...]:
    """Why some calls of ``first`` are none of ``second``; nothing where all are. Arguments and results are matched by
    their names; those of one contract alone, or of another rank, are left out of account."""
    other = _Renamed(second)
    inputs = list(_axes(first.inputs, second.inputs))
    bound = _bind(first, other, inputs)
    found = [*_unequal(first, other, bound, [*inputs, *_axes(first.outputs, second.outputs)])]
    for name, size in bound.items():
        dim = next(dim for dim in second.dims.dims if dim.name == name.removesuffix("'"))
        if not _within(first, size, dim):
            found.append(Untaken(size, dim=dim))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Axis:
    place: str
    first: Any
    second: Any
    strides: bool


def _axes(first: tuple[Tensor, ...], second: tuple[Tensor, ...]) -> Iterator[_Axis]:
    by_name = {one.name: one for one in second}
    for one in first:
        other = by_name.get(one.name)
        if other is None or len(one.shape) != len(other.shape):
            continue
        for index, sizes in enumerate(zip(one.shape, other.shape, strict=True)):
            yield _Axis(f"{one.name}[{index}]", *sizes, False)
        if len(one.strides) == len(other.strides):
            for index, sizes in enumerate(zip(one.strides, other.strides, strict=True)):
                yield _Axis(f"{one.name}[{index}]", *sizes, True)


class _Renamed:
    """The sizes of a contract in symbols that no other contract has."""

    def __init__(self, contract: Contract) -> None:
        import sympy

        self._dims = contract.dims
        self._own = {
            contract.dims.symbols[dim.name]: sympy.Symbol(f"{dim.name}'", integer=True, positive=True)
            for dim in contract.dims.dims
            if dim.dynamic
        }

    def size(self, expr: Any, bound: Mapping[str, Any]) -> Any:
        """A size with what is known of it, expanded."""
        import sympy

        own = self._dims.resolve(expr).xreplace(self._own)
        return sympy.expand(own.xreplace({symbol: bound[symbol.name] for symbol in self._unknown(own, bound, True)}))

    def unknown(self, expr: Any) -> list[Any]:
        """The symbols of an expression that are unknown dims."""
        return self._unknown(expr, {}, False)

    def _unknown(self, expr: Any, bound: Mapping[str, Any], known: bool) -> list[Any]:
        mine = set(self._own.values())
        return [symbol for symbol in expr.free_symbols if symbol in mine and (symbol.name in bound) is known]


def _bind(first: Contract, other: _Renamed, axes: list[_Axis]) -> dict[str, Any]:
    """The dims of the second contract in sizes of the first: plain axes first, then those with one unknown."""
    import sympy

    bound: dict[str, Any] = {}
    before = -1
    while before != len(bound):
        before = len(bound)
        for plain in (True, False):
            for axis in axes:
                size = other.size(axis.second, bound)
                unknown = other.unknown(size)
                if len(unknown) != 1 or (plain and size != unknown[0]):
                    continue
                factor = size.coeff(unknown[0])
                rest = sympy.expand(size - factor * unknown[0])
                if factor.is_Integer and unknown[0] not in rest.free_symbols:
                    bound[unknown[0].name] = sympy.expand((first.dims.resolve(axis.first) - rest) / factor)
    return bound


def _unequal(first: Contract, other: _Renamed, bound: Mapping[str, Any], axes: list[_Axis]) -> Iterator[Untaken]:
    """One reason for all axes that had one size and have another."""
    found: dict[tuple[str, str, bool], Untaken] = {}
    for axis in axes:
        if first.dims.equal(axis.first, other.size(axis.second, bound)):
            continue
        key = (str(axis.first), str(axis.second), axis.strides)
        places = (*found[key].places, axis.place) if key in found else (axis.place,)
        found[key] = Untaken(axis.first, axis.second, places=places, strides=axis.strides)
    yield from found.values()


def _within(contract: Contract, size: Any, dim: Dim) -> bool:
    low, high = contract.dims.bounds(size)
    return bool(dim.min <= low and high <= dim.max) and contract.dims.is_multiple(size, dim.multiple_of)
