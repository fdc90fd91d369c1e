"""Layers of networks that are one operator of ONNX: attention, normalisations, quantisation, losses."""

from __future__ import annotations

import math
from dataclasses import replace

from pyptogen.importing import networks
from pyptogen.importing import vocabulary as v
from pyptogen.importing.expression import call, infix, prefix
from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.onnx_table import Site, short, takes
from pyptogen.importing.vocabulary import Operand
from pyptogen.importing.writing import Value

_RANGES = {"int8": (-128, 127), "uint8": (0, 255)}


@takes("Attention")
def _attention(at: Site, q: Value, k: Value, val: Value, mask: Value | None = None, *past: Value | None) -> Value:
    if past or len(at.shapes) > 1:
        raise NotTakenError("`Attention` that keeps a cache", "concatenate keys and values before it")
    if q.rank != 4 or at.attributes.get("softcap") or at.attributes.get("qk_matmul_output_mode"):
        raise NotTakenError("`Attention` of three axes, or with `softcap`", "give it heads as an axis")
    causal = bool(at.attributes.get("is_causal"))
    if causal and q.shape[-2] != k.shape[-2]:
        raise NotTakenError("causal attention of fewer queries than keys", "give a mask, or as many queries as keys")
    scale = at.attributes.get("scale")
    return networks.attention(q, k, val, mask, None if scale is None else short(scale), causal, at.shape)


@takes("GroupNormalization", "InstanceNormalization")
def _group_norm(at: Site, x: Value, gain: Value, shift: Value) -> Value:
    channels, *space = x.shape[1:]
    if not all(size.isdigit() for size in space) or gain.shape != (channels,):
        raise NotTakenError("a normalisation of an image whose size only calls know, or with a gain a group")
    groups = at.attributes.get("num_groups")
    count = channels if groups is None else str(groups)
    part = 1 if groups is None else int(channels) // groups
    size = str(part * math.prod(map(int, space)))
    return networks.group_norm(at.writer, x, (count, size), gain, shift, short(at.attributes.get("epsilon", 1e-5)))


def _of_axis(at: Site, given: Operand, x: Value) -> Operand:
    """A scale or a zero point: a number, or one for each place of an axis."""
    if not isinstance(given, Value) or given.rank == 0:
        return given
    if given.rank != 1:
        raise NotTakenError("a scale for blocks")
    return v.on_axis(given, x.rank, at.attributes.get("axis", 1))


@takes("QuantizeLinear")
def _quantise(at: Site, x: Value, scale: Operand, zero: Operand | None = None) -> Value:
    if at.dtype not in _RANGES:
        raise NotTakenError(f"`QuantizeLinear` to {at.dtype}")
    steps = v.unary("round", v.binary(x, "/", _of_axis(at, scale, x), x.dtype, x.shape, "steps"), x.dtype, x.shape)
    if zero:
        steps = v.binary(steps, "+", _of_axis(at, zero, x), x.dtype, x.shape, "steps")
    low, high = _RANGES[at.dtype]
    return v.cast(replace(steps, expression=call("clip", steps.expression, str(low), str(high))), at.dtype)


@takes("DequantizeLinear")
def _dequantise(at: Site, x: Value, scale: Operand, zero: Operand | None = None) -> Value:
    whole = v.cast(x, at.dtype)
    if zero:
        whole = v.binary(whole, "-", _of_axis(at, zero, x), at.dtype, x.shape, "steps")
    return v.binary(whole, "*", _of_axis(at, scale, x), at.dtype, at.shape, "numbers")


@takes("MatMulInteger")
def _matmul_integer(at: Site, a: Value, b: Value, *zeros: Operand | None) -> Value:
    if any(zeros):
        raise NotTakenError("`MatMulInteger` with zero points", "use weights whose zero point is 0")
    return v.matmul(a, b, "int32", at.shape)


@takes("NegativeLogLikelihoodLoss")
def _log_likelihood(at: Site, log_p: Value, labels: Value, weights: Value | None = None) -> Value:
    ignored = at.attributes.get("ignore_index")
    if log_p.rank != 2 or weights is not None:
        raise NotTakenError("a loss of more than rows of classes, or with weights")
    at.indexes(labels, log_p.shape[1])
    column = (*labels.shape, "1")
    counted = None
    if ignored is not None:
        labels = at.named(labels)
        counted = v.comparison(labels, "!=", ignored, labels.dtype, labels.shape)
        labels = v.where(counted, labels, 0, labels.dtype, labels.shape)
    index = v.indices(v.unsqueeze(labels, 1, column)).expression
    found = v.reshape(Value(call("gather", log_p.expression, "1", index), log_p.dtype, column), labels.shape)
    loss = Value(prefix("-", found.expression), log_p.dtype, labels.shape, "loss")
    if counted is not None:
        loss = v.where(counted, loss, 0, loss.dtype, loss.shape)
    how = at.attributes.get("reduction", "mean")
    if how == "none":
        return loss
    if how == "sum" or counted is None:
        return v.reduced(how, loss, [0], False, loss.dtype, at.shape)
    count = v.reduced("sum", v.cast(counted, loss.dtype), [0], False, loss.dtype, at.shape)
    total = v.reduced("sum", loss, [0], False, loss.dtype, at.shape)
    return Value(infix(total.expression, "/", count.expression), loss.dtype, at.shape, "loss")


@takes("SoftmaxCrossEntropyLoss")
def _cross_entropy(at: Site, scores: Value, labels: Value, weights: Value | None = None) -> list[Value]:
    log_p = v.along("log_softmax", scores, 1, scores.dtype)
    if len(at.shapes) > 1:
        log_p = at.writer.line(log_p, at.outputs[1]) if at.outputs[1] else at.named(replace(log_p, word="log_p"))
    return [_log_likelihood(at, log_p, labels, weights), log_p][: len(at.shapes)]
