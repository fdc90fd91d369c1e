"""``x[8*i:8*i+8, :]`` in a kernel by hand → a 2-D window of a GM tensor.

A slice has a fixed size. Where it follows a loop whose last step is short (``8*i:8*i+8`` of an axis that the loop
cuts into eights), the window is short there too; any other slice must lie inside the tensor for every index.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from pyptogen.diagnostics import DiagnosticError, did_you_mean, fault
from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.hand.scope import Scope
from pyptogen.lower.tensor.ir import Value
from pyptogen.lower.tile.ir import Extent, Form, GmRef
from pyptogen.records import dataclass
from pyptogen.schema import Expr


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor as a kernel names it: its value, and the GM tensor that holds it."""

    value: Value
    gm: str


@dataclass(frozen=True, slots=True)
class Window:
    """A window and the tile that fits it."""

    tensor: Tensor
    ref: GmRef
    form: Form


@dataclass(frozen=True, slots=True)
class _Axis:
    extent: Extent
    start: Poly
    stride: Poly
    kept: bool


def window(expr: Expr, node: ast.expr, tensors: Mapping[str, Tensor], scope: Scope) -> Window:
    """Read a tensor with or without a subscript. Raises PTG108, PTG201, PTG204, PTG304."""
    base, items = (node.value, _items(node)) if isinstance(node, ast.Subscript) else (node, [])
    if not isinstance(base, ast.Name) or base.id not in tensors:
        text = expr.text_of(base)
        raise fault(
            "PTG201",
            f"`{text}` is no tensor",
            expr.span_of(base),
            expected="one of " + ", ".join(tensors),
            fix=did_you_mean(text, tensors),
        )
    tensor = tensors[base.id]
    shape = [scope.axes.poly(size) for size in tensor.value.shape]
    if len(items) > len(shape):
        raise fault(
            "PTG204",
            f"`{base.id}` has {len(shape)} axes, and {len(items)} are named",
            expr.span_of(node),
            expected=f"at most {len(shape)}",
        )
    axes, stride = [], ONE
    padded = [*items, *[None] * (len(shape) - len(items))]
    for position in reversed(range(len(shape))):
        axes.append(_axis(expr, padded[position], node, shape[position], stride, scope))
        stride = stride * shape[position]
    return _flat(expr, node, tensor, axes[::-1])


def _items(node: ast.Subscript) -> list[ast.expr | None]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _axis(expr: Expr, item: ast.expr | None, whole: ast.expr, size: Poly, stride: Poly, scope: Scope) -> _Axis:
    if item is None or isinstance(item, ast.Slice):
        if isinstance(item, ast.Slice) and item.step is not None:
            raise fault("PTG108", "a window has no step", expr.span_of(item), expected="`start:stop`")
        lower = scope.counted(expr, item.lower) if item is not None and item.lower is not None else ZERO
        upper = scope.counted(expr, item.upper) if item is not None and item.upper is not None else size
        length = (upper - lower).constant
        at = whole if item is None else item
        if length is None or length < 1:
            raise fault(
                "PTG304",
                f"the size of `{expr.text_of(at)}` is {'not known at build time' if length is None else length}",
                expr.span_of(at),
                expected="a slice of fixed size, such as `8*i:8*i+8`",
                fix="cut the axis by a loop of `grid`",
            )
        start = scope.in_elements(lower, expr.span_of(at))
        return _Axis(_extent(expr, at, start, length, size, scope), start, stride, True)
    start = scope.index(expr, item)
    return _Axis(_extent(expr, item, start, 1, size, scope), start, stride, False)


def _extent(expr: Expr, node: ast.expr, start: Poly, length: int, size: Poly, scope: Scope) -> Extent:
    """Capacity and valid part of a slice that begins at ``start``."""
    for loop in scope.loops.values():
        if start == Poly.of(loop.var) and loop.extent == size and loop.step == length:
            return Extent(length, Poly.of(loop.valid) if loop.valid else None)
        into = (start - Poly.of(loop.var)).constant
        if into is not None and 0 <= into <= loop.step - length and loop.extent == size and loop.valid is None:
            return Extent(length)
    reach, whole = scope.largest(start), size.constant
    if reach is not None and reach[0] >= 0 and whole is not None and reach[1] + length <= whole:
        return Extent(length)
    if start == ZERO and size == Poly.of(length):
        return Extent(length)
    raise _outside(expr, node, start, length, size)


def _outside(expr: Expr, node: ast.expr, start: Poly, length: int, size: Poly) -> DiagnosticError:
    return fault(
        "PTG304",
        f"`{expr.text_of(node)}` may leave an axis of {size} elements",
        expr.span_of(node),
        expected=f"{length} elements from {start} on that lie in the tensor at every step",
        fix=f"cut the axis by a loop: `grid: {{i: ceil({size} / {length})}}` and `{length}*i:{length}*i+{length}`",
    )


def _flat(expr: Expr, node: ast.expr, tensor: Tensor, axes: list[_Axis]) -> Window:
    """Rows and columns of the window."""
    offset = ZERO
    for axis in axes:
        offset = offset + axis.start * axis.stride
    kept = [axis for axis in axes if axis.kept]
    while len(kept) > 2 and any(a.extent == Extent(1) for a in kept[:-1]):
        kept.remove(next(a for a in kept[:-1] if a.extent == Extent(1)))
    if len(kept) > 2:
        raise fault(
            "PTG204",
            f"a tile has two axes, and `{expr.text_of(node)}` has {len(kept)}",
            expr.span_of(node),
            expected="an index or a slice of one element for all other axes",
        )
    one = Extent(1)
    rows = kept[0] if len(kept) == 2 else None
    cols = kept[-1] if kept else None
    form: Form = "row" if rows is None else "col" if cols is not None and cols.extent == one else "full"
    places = [axis.start for axis in axes]
    ref = GmRef(
        tensor.gm,
        offset,
        rows.stride if rows else ONE,
        cols.stride if cols else ONE,
        rows.extent if rows else one,
        cols.extent if cols else one,
        places[0] if len(places) == 2 else ZERO,
        places[1] if len(places) == 2 else ZERO,
    )
    return Window(tensor, ref, form)
