"""What operations are called elsewhere (NumPy, PyTorch), for the fix that a diagnostic proposes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from pyptogen.diagnostics import did_you_mean
from pyptogen.schema.contract import OTHER_NAMES

WRITTEN: Mapping[str, str] = {
    "all": "`amin(…) > 0` of numbers that are 1 or 0",
    "any": "`amax(…) > 0` of numbers that are 1 or 0",
    "assemble": "`concat(a, b, axis=0)`, or slices of the parts where they are used",
    "astype": "`cast(x, dtype)`",
    "atomic_add": "`index_add(x, dim, index, source)`, or `sum` over the axis",
    "avg_pool": "`mean` along an axis of a reshape",
    "bmm": "`matmul(a, b)`",
    "broadcast_to": "`expand_clone(x, shape)`, or rely on broadcasting",
    "cat": "`concat(a, b, axis=-1)`",
    "clamp": "`clip(x, min, max)`",
    "concatenate": "`concat(a, b, axis=-1)`",
    "conv1d": "`conv(x, weight)`",
    "conv2d": "`conv(x, weight)`",
    "conv3d": "`conv(x, weight)`",
    "conv_transpose1d": "`conv(x, weight, transposed=true)`",
    "conv_transpose2d": "`conv(x, weight, transposed=true)`",
    "dot": "`matmul(a, b)`, or `sum(a * b)` of vectors",
    "elu": "`where(x > 0, x, exp(minimum(x, 0)) - 1)`",
    "expand": "`expand_clone(x, shape)`, or rely on broadcasting",
    "eye": "`one_hot(arange(n), n)`, which is int32",
    "fillpad": "`pad(x, padding, value)`: tensors have no invalid part",
    "flatten": "`reshape(x, shape)`",
    "full_like": "`full(shape, value, dtype)`",
    "leaky_relu": "`lrelu(x, negative_slope)`",
    "log_sigmoid": "`-softplus(-x)`, where softplus(v) is `maximum(v, 0) + log1p(exp(-abs(v)))`",
    "logical_xor": "`(a != 0) != (b != 0)`",
    "logsumexp": "`m + log(sum(exp(x - m), keepdim=true))` with `m: amax(x, keepdim=true)`",
    "masked_fill": "`where(mask, value, x)`",
    "max_pool": "`amax` along an axis of a reshape",
    "mm": "`matmul(a, b)`",
    "mrgsort": "`sort(x)`",
    "norm": "`sqrt(sum(x * x))`",
    "ones_like": "`ones(shape, dtype)`",
    "outer": "`a[:, None] * b[None, :]`",
    "pack": "`cast(x, dtype)`",
    "relu6": "`clip(x, 0, 6)`",
    "repeat": "`expand_clone(x[:, None], shape)`, then a reshape",
    "softplus": "`maximum(x, 0) + log1p(exp(-abs(x)))`",
    "sort32": "`sort(x)`",
    "split": "slices, such as `x[:, :n]` and `x[:, n:]`",
    "stack": "`concat(a[None], b[None], axis=0)`",
    "std": "`sqrt(var(x))`",
    "swish": "`silu(x)`",
    "take": "`index_select(x, dim, index)`",
    "tile": "`expand_clone(x[None], shape)`, then a reshape",
    "unpack": "`cast(x, dtype)`",
    "zeros_like": "`zeros(shape, dtype)`",
}
"""By name what the language has instead."""


def meant(name: str, known: Iterable[str]) -> str:
    """The fix for an operation that the language lacks."""
    if name in OTHER_NAMES:
        return f"a conversion is `cast(x, {OTHER_NAMES[name]})`"
    return f"write {WRITTEN[name]}" if name in WRITTEN else did_you_mean(name, known)


def instead(node: ast.AST) -> str:
    """How a form of Python that has no meaning for tensors is written here; "" where nothing is near."""
    if isinstance(node, ast.BoolOp):
        return f"join conditions with `{'&' if isinstance(node.op, ast.And) else '|'}`: `(a > 0) & (b > 0)`"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "`~(…)`"
    if isinstance(node, ast.IfExp):
        return "`where(condition, a, b)`"
    if isinstance(node, ast.Attribute):
        return f"a function: `{node.attr}(…)`"
    return ""
