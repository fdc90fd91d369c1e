"""Layers of networks that front ends share: attention, normalisation of groups of channels."""

from __future__ import annotations

from pyptogen.importing import vocabulary as v
from pyptogen.importing.expression import Expression, call, infix, number
from pyptogen.importing.writing import Value, Writer


def attention(
    q: Value, k: Value, val: Value, mask: Value | None, scale: float | None, causal: bool, shape: tuple[str, ...]
) -> Value:
    """Attention whose mask says by truth values which keys count, or is added to the scores. Heads of queries may be in
    groups, each beside its head of keys and values."""
    options: dict[str, str] = {}
    if q.rank == 2:
        q, k, val = (v.unsqueeze(one, 0, ("1", *one.shape)) for one in (q, k, val))
    if scale is not None:
        options["scale"] = number(scale).text
    if causal:
        options["causal"] = "true"
    if mask is not None:
        mask = v.where(mask, 0, -1e30, "fp32", mask.shape) if mask.dtype == "bool" else v.cast(mask, "fp32")
    if q.rank > 3 and q.shape[-3] != k.shape[-3]:
        q, mask = _in_groups(q, k.shape[-3], mask)
    if mask is not None:
        options["bias"] = mask.expression.text
    text = call("attention", q.expression, k.expression, val.expression, **options)
    return v.reshape(Value(text, q.dtype, (*q.shape[:-1], val.shape[-1]), "attended"), shape)


def _in_groups(q: Value, kv: str, mask: Value | None) -> tuple[Value, Value | None]:
    """Queries, and a mask of them, whose heads are in groups."""
    try:
        group = str(int(q.shape[-3]) // int(kv))
    except ValueError:
        group = f"{q.shape[-3]} // {kv}"
    if mask is not None and mask.rank > 2:
        heads = ("1", "1") if mask.shape[-3] == "1" else (kv, group)
        mask = v.reshape(mask, (*mask.shape[:-3], *heads, *mask.shape[-2:]))
    return v.reshape(q, (*q.shape[:-3], kv, group, *q.shape[-2:])), mask


def group_norm(
    writer: Writer, x: Value, groups: tuple[str, str], gain: Value | None, shift: Value | None, eps: float
) -> Value:
    """``x`` [batch, channels, …] with each group of channels normalised. ``groups``: how many there are, and how many
    elements one has."""
    rows = v.reshape(x, (x.shape[0], *groups))
    ones, zeros = (v.full((groups[1],), fill, x.dtype).expression for fill in (1, 0))
    text = call("layer_norm", rows.expression, ones, zeros, eps=number(eps).text)
    whole = v.reshape(writer.named(Value(text, x.dtype, rows.shape, "normed"), "normed"), x.shape).expression
    if gain is not None:
        whole = infix(whole, "*", of_channels(v.cast(gain, x.dtype), x.rank))
    if shift is not None:
        whole = infix(whole, "+", of_channels(v.cast(shift, x.dtype), x.rank))
    return Value(whole, x.dtype, x.shape, "normed")


def of_channels(one: Value, rank: int, axis: int = 1) -> Expression:
    """A number a channel, beside a tensor whose axis ``axis`` they are."""
    return v.on_axis(one, rank, axis).expression
