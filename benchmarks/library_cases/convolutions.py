"""Convolutions: of images, and the short one before a linear attention layer."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812  (PyTorch's own name for it)

from library_cases.case import Case, Tensors


def conv2d(t: Tensors) -> torch.Tensor:
    return torch.relu(F.conv2d(t["x"], t["w"], t["bias"].to(torch.bfloat16), stride=2, padding=1))


def causal_conv1d(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    seen = torch.cat([t["state"], t["x"]], dim=-1)
    y = F.conv1d(seen.float(), t["w"].float(), t["bias"], groups=t["w"].shape[0])
    return F.silu(y).to(torch.bfloat16), seen[:, :, -3:]


CONVOLUTIONS = (
    Case(
        "conv2d 16×64×56×56",
        "conv2d.yaml",
        {"n": 16},
        conv2d,
        operations={"bf16": lambda d: 2.0 * d["n"] * 128 * 28 * 28 * 64 * 9},
        apart=2**-6,
    ),
    Case("causal_conv1d 4×256×4096", "causal_conv1d.yaml", {"b": 4, "s": 4096}, causal_conv1d, apart=2**-7),
)
