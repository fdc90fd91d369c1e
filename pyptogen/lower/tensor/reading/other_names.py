"""What operations are called elsewhere (NumPy, PyTorch), for the fix that a diagnostic proposes."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping

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
    "max": "`amax(x, axis=-1)` along an axis, `maximum(a, b)` of two tensors",
    "max_pool": "`amax` along an axis of a reshape",
    "min": "`amin(x, axis=-1)` along an axis, `minimum(a, b)` of two tensors",
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

_NO_TRANSPOSITION = "transpose it: `x.T`, or `transpose(x, -2, -1)`"

ARGUMENTS: Mapping[str, str] = {
    "a_trans": _NO_TRANSPOSITION,
    "algo": "leave it out: each platform has one way",
    "attn_mask": "`bias`, fp32, where -1e30 hides a key",
    "b_trans": _NO_TRANSPOSITION,
    "c_matrix_nz": "declare the output so: `y: bf16[m, n] @ nz`",
    "extend_params": "write it behind the product: `relu(matmul(a, b) * scale + bias)`",
    "inplace": "leave it out: no value is copied for another shape, and outputs say what they update",
    "mode": "leave it out: what is added has one value",
    "parallel": "leave it out: parts that do not depend on each other run side by side",
    "precision_type": "leave it out: a function has one precision, that of fp32 and the dtype's last rounding",
    "scale_a_trans": _NO_TRANSPOSITION,
    "scale_b_trans": _NO_TRANSPOSITION,
    "stable": "leave it out: equal elements stay in order",
    "tensors": "give them without a name: `concat(a, b, axis=0)`",
    "valid_shape": "leave it out: a tensor is as large as its shape, and `x[:n]` is a part of it",
}
"""What to do about arguments that operations have elsewhere, and not here."""


def meant(name: str, known: Collection[str]) -> str:
    """The fix for an operation that the language lacks."""
    if name in OTHER_NAMES:
        return f"a conversion is `cast(x, {OTHER_NAMES[name]})`"
    own = re.sub("_+(ub)?$", "", name)
    if name != own and own in known:
        return f"write `{own}(…)`: an output updates an input in place by `{{inplace: true}}`"
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
