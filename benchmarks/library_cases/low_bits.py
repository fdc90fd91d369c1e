"""Linear layers whose weights have eight bits or four: floats of e4m3 and e2m1, and whole numbers, two in a byte."""

from __future__ import annotations

import numpy as np
import torch

from library_cases.case import Case, Tensors
from pyptogen.hifloat8 import hif8_values

_PACKED: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
"""Weights of four bits in PyTorch's own form, by the address of the bytes: made once, as a model does."""


def linear_w4a16(t: Tensors) -> torch.Tensor:
    """PyTorch's product for weights of four bits, packed beforehand."""
    w, scale = t["w"], t["scale"]
    if w.data_ptr() not in _PACKED:
        weights = torch.stack((w & 15, w >> 4), dim=-1).flatten(2) ^ 8  # [groups, group, n], which count from -8
        columns = weights.permute(2, 0, 1).reshape(weights.shape[2], -1).to(torch.int32).contiguous()
        scales = torch.stack((scale, torch.zeros_like(scale)), dim=-1)
        _PACKED[w.data_ptr()] = torch.ops.aten._convert_weight_to_int4pack_for_cpu(columns, 1), scales
    packed, scales = _PACKED[w.data_ptr()]
    return torch.ops.aten._weight_int4pack_mm_for_cpu(t["x"], packed, w.shape[1], scales)


def linear_fp8(t: Tensors) -> torch.Tensor:
    """Rows quantised to e4m3, then a product of what the codes mean, in fp32."""
    x = t["x"].float()
    scale = x.abs().amax(dim=-1, keepdim=True).clamp_min(1e-12) / 448
    codes = (x / scale).to(torch.float8_e4m3fn)
    return (codes.float() @ t["w"].float() * scale * t["w_scale"]).to(torch.bfloat16)


def linear_fp8_blocks(t: Tensors) -> torch.Tensor:
    """Both operands scaled block by block, then one product."""
    blocks, columns = t["w_scale"].shape
    x = t["x"].float().view(len(t["x"]), blocks, -1) * t["x_scale"][:, :, None]
    w = t["w"].float().view(blocks, 128, columns, 128) * t["w_scale"][:, None, :, None]
    product = x.view(len(x), -1) @ w.view(blocks * 128, columns * 128)
    return product.view(len(x), columns, 128).to(torch.bfloat16)


def linear_mxfp8(t: Tensors) -> torch.Tensor:
    """Rows quantised to e4m3 with a power of two for 32 neighbours, then a product of what the codes mean, in fp32."""
    x = t["x"].float().view(len(t["x"]), -1, 32)
    _, exponent = torch.frexp(x.abs().amax(dim=-1, keepdim=True))
    scale = torch.exp2(exponent.float() - 9)
    codes = (x / scale).clamp(-448, 448).to(torch.float8_e4m3fn)
    w = t["w"].float().view(len(t["w"]), -1, 32) * t["w_scale"].float()[:, :, None]
    product = (codes.float() * scale).flatten(1) @ w.flatten(1).T
    return (product + t["bias"]).to(torch.bfloat16)


_FP4 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])
"""Values of the codes of e2m1."""
_BETWEEN = (_FP4[:7] + _FP4[1:8]) / 2 - torch.tensor([0, 1e-6, 0, 1e-6, 0, 1e-6, 0])
"""Midpoints, of which each belongs to the even code beside it."""


def linear_mxfp4(t: Tensors) -> torch.Tensor:
    """As linear_mxfp8, of what codes of four bits mean; those of x are found between the midpoints of their values."""
    x = t["x"].float().view(len(t["x"]), -1, 32)
    _, exponent = torch.frexp(x.abs().amax(dim=-1, keepdim=True))
    scale = torch.exp2(exponent.float() - 3)
    codes = torch.bucketize((x / scale).abs(), _BETWEEN)
    levels = _FP4[codes] * x.sign() * scale
    bytes_ = t["w"].int()
    values = _FP4[torch.stack((bytes_ & 15, bytes_ >> 4), dim=-1).flatten(1)]
    w = values.view(len(values), -1, 32) * t["w_scale"].float()[:, :, None]
    return (levels.flatten(1) @ w.flatten(1).T + t["bias"]).to(torch.bfloat16)


_HIF8 = torch.from_numpy(hif8_values(np.arange(256, dtype=np.uint8)))
"""Values of the codes of HiFloat8."""
_STEPS = _HIF8[:111].sort().values
_MIDPOINTS = (_STEPS[:-1] + _STEPS[1:]) / 2


def linear_hif8(t: Tensors) -> torch.Tensor:
    """x to the nearest values of HiFloat8, found between midpoints, then a product of what the codes mean, in fp32."""
    x = t["x"].float() / 0.25
    levels = _STEPS[torch.bucketize(x.abs(), _MIDPOINTS, right=True)] * x.sign()
    return (levels @ _HIF8[t["w"].int()] * 0.25 * t["w_scale"]).to(torch.bfloat16)


LOW_BITS = (
    *(
        Case(
            f"linear_w4a16 {t}×2048×2048",
            "linear_w4a16.yaml",
            {"t": t},
            linear_w4a16,
            compiled=False,
            operations={"bf16": lambda d: 2.0 * d["t"] * 2048 * 2048},
            moved=lambda d: 2048 * 2048 / 2 + 2.0 * 16 * 2048 + 2.0 * 2 * d["t"] * 2048,
            apart=2**-6,
        )
        for t in (8, 256)
    ),
    Case(
        "linear_fp8 256×2048×1024",
        "linear_fp8.yaml",
        {"t": 256},
        linear_fp8,
        operations={"bf16": lambda d: 2.0 * d["t"] * 2048 * 1024},
        apart=2**-7,
    ),
    Case(
        "linear_hif8 256×2048×1024",
        "linear_hif8.yaml",
        {"t": 256},
        linear_hif8,
        operations={"fp32": lambda d: 2.0 * d["t"] * 2048 * 1024},
        apart=2**-7,
    ),
    Case(
        "linear_mxfp8 256×2048×1024",
        "linear_mxfp8.yaml",
        {"t": 256},
        linear_mxfp8,
        operations={"bf16": lambda d: 2.0 * d["t"] * 2048 * 1024},
        apart=2**-7,
    ),
    Case(
        "linear_mxfp4 256×2048×1024",
        "linear_mxfp4.yaml",
        {"t": 256},
        linear_mxfp4,
        operations={"bf16": lambda d: 2.0 * d["t"] * 2048 * 1024},
        apart=2**-5,
    ),
    Case(
        "linear_fp8_blocks 256×1536×768",
        "linear_fp8_blocks.yaml",
        {"t": 256},
        linear_fp8_blocks,
        operations={"bf16": lambda d: 2.0 * d["t"] * 1536 * 768},
        apart=2**-7,
    ),
)
