"""Mixtures of experts: routers, rows by expert, their products, and what comes back."""

from __future__ import annotations

import torch

from library_cases.case import Case, Tensors, distinct


def moe_gate_softmax(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    top = torch.topk((t["x"] @ t["w"]).float(), 10, dim=-1)
    return torch.softmax(top.values, dim=-1), top.indices


def moe_select_groups(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    scores = torch.sigmoid(t["logits"])
    choice = (scores + t["bias"]).view(len(scores), 8, -1)
    best = choice.topk(2, dim=-1).values.sum(dim=-1)
    open_groups = torch.zeros_like(best, dtype=torch.bool).scatter_(1, best.topk(4, dim=-1).indices, True)
    masked = choice.masked_fill(~open_groups[:, :, None], -torch.inf).view(scores.shape)
    expert = masked.topk(8, dim=-1).indices
    return _shares(scores, expert), expert


def _shares(scores: torch.Tensor, expert: torch.Tensor) -> torch.Tensor:
    chosen = scores.gather(1, expert)
    return chosen / (chosen.sum(dim=-1, keepdim=True) + 1e-20) * 2.5


def glm_expert_selector(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    expert = t["choice"].topk(8, dim=-1).indices
    return _shares(t["score"], expert), expert


def glm_gate(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    score = torch.sigmoid(t["x"] @ t["w"])
    return score, score + t["bias"]


def moe_dispatch(t: Tensors) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    chosen = t["expert"].reshape(-1).long()
    order = torch.argsort(chosen, stable=True)
    place = torch.empty_like(order).scatter_(0, order, torch.arange(len(order)))
    count = torch.zeros(64, dtype=torch.int64).scatter_add_(0, chosen, torch.ones_like(chosen))
    return t["x"][order // t["expert"].shape[1]], place.view(t["expert"].shape), count[None]


def moe_combine(t: Tensors) -> torch.Tensor:
    picked = t["rows"][t["place"]].float()
    return ((picked * t["weight"][:, :, None]).sum(dim=1) + t["shared"].float()).to(torch.bfloat16)


def grouped_matmul(t: Tensors) -> torch.Tensor:
    """A product for each group; rows behind the last group meet its weight too."""
    x, w = t["x"], t["w"]
    y = torch.empty(x.shape[0], w.shape[2], dtype=x.dtype)
    ends = t["count"][0].cumsum(0).tolist()
    ends[-1] = len(x)
    for group, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        torch.mm(x[start:end], w[group], out=y[start:end])
    return y


def _quantise(v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    largest = v.abs().amax(dim=-1, keepdim=True).clamp_min(1e-30)
    return torch.round(v * (127 / largest)).to(torch.int8), largest * (1 / 127)


def glm_shared_expert(t: Tensors) -> torch.Tensor:
    x, x_scale = _quantise(t["x"].float())
    gate = torch._int_mm(x, t["w_gate"]).float() * x_scale * t["w_gate_scale"]
    up = torch._int_mm(x, t["w_up"]).float() * x_scale * t["w_up_scale"]
    a, a_scale = _quantise(torch.nn.functional.silu(gate) * up)
    return (torch._int_mm(a, t["w_down"]).float() * a_scale * t["w_down_scale"]).to(torch.bfloat16)


EXPERTS = (
    Case(
        "moe_gate_softmax 1024×2048×512",
        "moe_gate_softmax.yaml",
        {"t": 1024},
        moe_gate_softmax,
        inputs=distinct("x"),
        operations={"bf16": lambda d: 2.0 * d["t"] * 2048 * 512},
        apart=2**-5,
        outliers=0.2,
    ),
    Case(
        "moe_select_groups 8192×256",
        "moe_select_groups.yaml",
        {"t": 8192},
        moe_select_groups,
        inputs=distinct("logits"),
        apart=1e-4,
        outliers=1e-3,
    ),
    Case(
        "glm_gate 512×5120×160",
        "glm_gate.yaml",
        {"t": 512},
        glm_gate,
        operations={"fp32": lambda d: 2.0 * d["t"] * 5120 * 160},
        apart=1e-4,
    ),
    Case(
        "glm_expert_selector 8192×160",
        "glm_expert_selector.yaml",
        {"t": 8192},
        glm_expert_selector,
        inputs=distinct("choice"),
        outliers=1e-3,
    ),
    Case("moe_dispatch 2048×8×1024", "moe_dispatch.yaml", {"t": 2048}, moe_dispatch),
    Case("moe_combine 2048×8×1024", "moe_combine.yaml", {"t": 2048}, moe_combine, apart=2**-7),
    Case(
        "grouped_matmul 2048×512×512",
        "grouped_matmul.yaml",
        {"full": 64},
        grouped_matmul,
        compiled=False,
        operations={"bf16": lambda d: 2.0 * 32 * d["full"] * 512 * 512},
        apart=2**-7,
    ),
    *(
        Case(
            f"glm_shared_expert t={t}",
            "glm_shared_expert.yaml",
            {"t": t},
            glm_shared_expert,
            operations={"int8": lambda d: 2.0 * 3 * d["t"] * 5120 * 1536},
            apart=0.03,
        )
        for t in (8, 128)
    ),
)
