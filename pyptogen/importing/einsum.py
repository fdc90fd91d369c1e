"""Einstein sums of two tensors as one matrix product."""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.importing import vocabulary as v
from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.writing import Value


def einsum(equation: str, operands: Sequence[Value], dtype: str, shape: tuple[str, ...]) -> Value:
    """Axes that both have and the result has, too, are batches; those that the result lacks are summed. Raises
    ``NotTakenError`` for other forms."""
    given, _, result = equation.replace(" ", "").partition("->")
    letters = given.split(",")
    if (
        len(operands) != 2
        or "." in equation
        or "->" not in equation
        or any(len(set(one)) < len(one) for one in letters)
    ):
        raise NotTakenError(f"`einsum({equation!r})`", "two operands, each axis once, and the result behind `->`")
    (a, b), (left, right) = operands, letters
    sizes = dict(zip(left + right, a.shape + b.shape, strict=True))
    batch = [one for one in left if one in right and one in result]
    summed = [one for one in left if one in right and one not in result]
    rows = [one for one in left if one not in right]
    columns = [one for one in right if one not in left]
    if any(one not in result for one in (*rows, *columns)):
        raise NotTakenError(f"`einsum({equation!r})`, which sums an axis of one operand alone", "sum it before")
    x = _arranged(a, left, (batch, rows, summed), sizes)
    y = _arranged(b, right, (batch, summed, columns), sizes)
    axes = [*batch, *rows, *columns]
    made = tuple(sizes[one] for one in axes)
    product = v.matmul(x, y, dtype, (*(sizes[one] for one in batch), _size(rows, sizes), _size(columns, sizes)))
    return v.permute(v.reshape(product, made), [axes.index(one) for one in result])


def _arranged(x: Value, letters: str, groups: tuple[list[str], list[str], list[str]], sizes: dict[str, str]) -> Value:
    """Batches in front, then one axis for each of the other groups."""
    batch, first, second = groups
    permuted = v.permute(x, [letters.index(one) for one in (*batch, *first, *second)])
    return v.reshape(permuted, (*(sizes[one] for one in batch), _size(first, sizes), _size(second, sizes)))


def _size(group: list[str], sizes: dict[str, str]) -> str:
    if not group:
        return "1"
    if all(sizes[one].isdigit() for one in group):
        product = 1
        for one in group:
            product *= int(sizes[one])
        return str(product)
    return " * ".join(sizes[one] for one in group)
