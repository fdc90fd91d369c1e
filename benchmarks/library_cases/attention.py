"""Attention: dense, paged, sparse, and the indexer that selects its keys; the gated delta rule."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  (PyTorch's own name for it)

from library_cases.case import Arrays, Case, Tensors


def _attention(spec: str, unit: str, apart: float, causal: bool = False) -> Case:
    def attention(t: Tensors) -> torch.Tensor:
        return F.scaled_dot_product_attention(t["q"][None], t["k"][None], t["v"][None], is_causal=causal)[0]

    return Case(
        f"{spec} 8×2048×128",
        f"{spec}.yaml",
        {"sq": 2048, "kv": 2048},
        attention,
        compiled=False,
        operations={unit: lambda d: 4.0 * 8 * d["sq"] * d["kv"] * 128 / (2 if causal else 1)},
        apart=apart,
    )


def attention_backward(t: Tensors) -> tuple[torch.Tensor, ...]:
    given = [t[name][None].detach().requires_grad_() for name in "qkv"]
    with torch.enable_grad():
        o = F.scaled_dot_product_attention(*given)
    return tuple(one[0] for one in torch.autograd.grad(o, given, t["d_o"][None]))


def of_its_own(a: Arrays, _: np.random.Generator) -> None:
    """The output that the forward operator has for these inputs."""
    q, k, v = (torch.from_numpy(a[name])[None] for name in "qkv")
    a["o"] = F.scaled_dot_product_attention(q, k, v)[0].numpy()


def grouped(t: Tensors) -> torch.Tensor:
    """The heads of a group, and its new tokens, share keys and values: the mask says who sees what."""
    q, k, v = t["q"], t["k"], t["v"]
    groups, sq = q.shape[0], q.shape[2]
    heads = q.reshape(1, -1, sq, q.shape[3])
    return F.scaled_dot_product_attention(heads, k[None], v[None], is_causal=True, enable_gqa=True).view(
        groups, -1, sq, q.shape[3]
    )


def paged(t: Tensors) -> torch.Tensor:
    """The pages of each sequence gathered, then attention with a mask of its length."""
    batch, kv_heads, _, d = t["q"].shape
    k, v = (
        t[name][t["block_table"]].reshape(batch, -1, kv_heads, d).permute(0, 2, 1, 3) for name in ("k_cache", "v_cache")
    )
    seen = torch.arange(k.shape[2])[None, :] < t["lengths"][:, None]
    return F.scaled_dot_product_attention(t["q"], k, v, attn_mask=seen[:, None, None, :])


def paged_inputs(a: Arrays, rng: np.random.Generator) -> None:
    """Pages anywhere in the cache, sequences half to wholly as long as the table has room for."""
    table, blocks = a["block_table"], len(a["k_cache"])
    a["block_table"] = rng.permutation(blocks)[: table.size].reshape(table.shape).astype(table.dtype)
    longest = table.shape[1] * a["k_cache"].shape[1]
    a["lengths"] = rng.integers(longest // 2, longest + 1, len(table)).astype(a["lengths"].dtype)


def sparse(t: Tensors) -> torch.Tensor:
    keys = t["latent"][t["index"]]
    rank = 512
    scores = t["q"] @ keys.transpose(1, 2)
    weights = torch.softmax(scores.float() * 0.0416666667, dim=-1).to(torch.bfloat16)
    return weights @ keys[..., :rank]


def _sparse(queries: int, selected: int) -> Case:
    return Case(
        f"sparse_attention {queries}×{selected}",
        "sparse_attention.yaml",
        {"t": queries, "kv": 8192},
        sparse,
        static={"selected": selected},
        inputs=sparse_inputs,
        operations={"bf16": lambda d: 2.0 * d["t"] * 16 * selected * (576 + 512)},
        moved=lambda d: 2.0 * d["t"] * (selected * 576 + 16 * (576 + 512)),
        apart=2**-5,
    )


def sparse_inputs(a: Arrays, rng: np.random.Generator) -> None:
    """Tokens from the whole cache."""
    a["index"] = rng.integers(0, len(a["latent"]), a["index"].shape).astype(a["index"].dtype)


def block_sparse(t: Tensors) -> torch.Tensor:
    """Attention with the mask written out: what has no peer of its own is computed for all blocks."""
    heads, _, size, d = t["q"].shape
    q, k, v = (t[name].view(heads, -1, d) for name in ("q", "k", "v"))
    seen = (t["seen"] != 0).repeat_interleave(size, dim=1).repeat_interleave(size, dim=2)
    return F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=seen[None])[0].view(t["q"].shape)


def block_sparse_inputs(a: Arrays, rng: np.random.Generator) -> None:
    """An eighth of the blocks of keys, and each query's own."""
    seen = rng.random(a["seen"].shape) < 1 / 8
    a["seen"] = (seen | np.eye(seen.shape[1], seen.shape[2], dtype=bool)).astype(a["seen"].dtype)


def lightning_indexer(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    tokens, heads, d = t["q"].shape
    scores = torch.relu((t["q"].view(-1, d) @ t["k"].T).float()).view(tokens, heads, -1)
    best = torch.topk((scores * t["weights"][:, :, None]).sum(dim=1), 64, dim=-1)
    return best.indices, best.values


def all_seen(a: Arrays, _: np.random.Generator) -> None:
    """Every query sees all keys."""
    a["seen"][...] = len(a["k"])


def _lightning(heads: int) -> Case:
    """A few of the best keys are chosen: of many the peer, whose scores are rounded, would have another order."""
    return Case(
        f"lightning_indexer 64×{heads}×8192",
        "lightning_indexer.yaml",
        {"t": 64, "kv": 8192},
        lightning_indexer,
        static={"heads": heads, "selected": 64},
        inputs=all_seen,
        operations={"bf16": lambda d: 2.0 * d["t"] * heads * d["kv"] * 128},
        apart=2**-6,
        outliers=0.5,  # the peer's products are rounded to bf16, and the chosen scores lie close to each other
    )


def _unit(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    return wide * torch.rsqrt((wide * wide).sum(dim=-1, keepdim=True) + 1e-6)


def gated_delta_rule(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    """Chunk by chunk in fp32, the triangle solved by LAPACK; the prompt is whole chunks long."""
    chunk = 64

    def in_chunks(x: torch.Tensor, order: tuple[int, ...]) -> torch.Tensor:
        x = x.float().permute(order)
        return x.unflatten(3, (-1, chunk))

    heads_first = (0, 2, 3, 1, 4)
    q = in_chunks(_unit(t["q"])[:, :, :, None] * t["q"].shape[-1] ** -0.5, heads_first)
    k = in_chunks(_unit(t["k"])[:, :, :, None], heads_first)
    v = in_chunks(t["v"], heads_first)
    beta = in_chunks(t["beta"], heads_first[:-1])[..., None]
    gamma = in_chunks(t["g"], heads_first[:-1]).cumsum(dim=-1)
    decay = torch.exp((gamma[..., :, None] - gamma[..., None, :]).tril()).tril()
    lower = (k @ k.mT * decay * beta).tril(-1)
    sides = torch.cat((v * beta, k * (beta * torch.exp(gamma)[..., None])), dim=-1)
    u, w = torch.linalg.solve_triangular(lower, sides, upper=False, unitriangular=True).split(v.shape[-1], dim=-1)
    state, read = t["state"].mT, torch.empty_like(v)
    scores = q @ k.mT * decay
    for i in range(v.shape[3]):
        since = torch.exp(gamma[:, :, :, i])[..., None]
        fresh = u[:, :, :, i] - w[:, :, :, i] @ state
        read[:, :, :, i] = (q[:, :, :, i] * since) @ state + scores[:, :, :, i] @ fresh
        state = state * since[..., -1:, :] + (k[:, :, :, i] * decay[:, :, :, i, -1, :, None]).mT @ fresh
    t["state"].copy_(state.mT)
    return read.flatten(3, 4).permute(0, 3, 1, 2, 4).to(torch.bfloat16).contiguous(), t["state"]


def gated_delta_step(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    q, k, state = _unit(t["q"]) * t["q"].shape[-1] ** -0.5, _unit(t["k"]), t["state"]
    state.mul_(torch.exp(t["g"])[..., None, None])
    seen = (state * k[:, :, None, None, :]).sum(dim=-1)
    change = (t["v"].float() - seen) * t["beta"][..., None]
    state.add_(change[..., None] * k[:, :, None, None, :])
    return (state * q[:, :, None, None, :]).sum(dim=-1).to(torch.bfloat16), state


ATTENTION = (
    _attention("flash_attention", "bf16", 2**-6),
    _attention("flash_attention_causal", "bf16", 2**-6, causal=True),
    _attention("flash_attention_fp32", "fp32", 1e-5),
    Case(
        "flash_attention_fp32_backward 8×1024×128",
        "flash_attention_fp32_backward.yaml",
        {"sq": 1024, "kv": 1024},
        attention_backward,
        compiled=False,
        operations={"fp32": lambda d: 10.0 * 8 * d["sq"] * d["kv"] * 128},
        inputs=of_its_own,
        apart=1e-4,
    ),
    Case(
        "flash_attention_grouped 8×1024×64",
        "flash_attention_grouped.yaml",
        {"sq": 1024, "kv": 1024},
        grouped,
        compiled=False,
        operations={"fp16": lambda d: 4.0 * 8 * d["sq"] * d["kv"] * 64 / 2},
        apart=2**-8,
    ),
    Case(
        "paged_attention 8×2048",
        "paged_attention.yaml",
        {"batch": 8, "pages": 64, "blocks": 1024},
        paged,
        inputs=paged_inputs,
        moved=lambda d: 2.0 * 2 * d["batch"] * d["pages"] * 32 * 2 * 128,  # k and v, bf16
        apart=2**-6,
    ),
    Case(
        "block_sparse_attention 8×2048×128",
        "block_sparse_attention.yaml",
        {"q_blocks": 32, "kv_blocks": 32},
        block_sparse,
        compiled=False,
        inputs=block_sparse_inputs,
        operations={
            "bf16": lambda d: 4.0 * 8 * (64 * d["q_blocks"]) * (64 * d["kv_blocks"]) * 128 * (1 / 8 + 7 / 8 / 32)
        },
        apart=2**-6,
    ),
    *(_sparse(64, 128), _sparse(16, 2048)),
    *(_lightning(64), _lightning(16)),
    Case(
        "gated_delta_rule 1×2048×32×128",
        "gated_delta_rule.yaml",
        {"b": 1, "s": 2048},
        gated_delta_rule,
        compiled=False,
        # For each value head and token: three products with the state, three rows and two columns of a chunk's square.
        operations={"bf16": lambda d: 2.0 * d["b"] * d["s"] * 32 * (3 * 128 * 128 + 5 * 64 * 128)},
        apart=2**-6,
    ),
    Case(
        "gated_delta_step 8×32×128×128",
        "gated_delta_step.yaml",
        {"b": 8},
        gated_delta_step,
        moved=lambda d: 2.0 * 4 * d["b"] * 32 * 128 * 128,
        apart=2**-7,
    ),
)
