"""The peer: the indexer prolog as an ordinary user composes it from nine PyTorch operators.

Weights are laid out beforehand as each operator likes them best, results are
allocated by PyTorch, the caches are updated in place. Nothing else imports `torch`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812  (PyTorch's own name for it)

HEADS, HEAD_DIM, ROPE_DIM = 64, 128, 64


def to_torch(array: npt.NDArray[Any]) -> torch.Tensor:
    """A tensor with a copy of the array's data; bf16 goes through its bits, which numpy alone cannot name."""
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(array.copy())


def to_numpy(tensor: torch.Tensor) -> npt.NDArray[Any]:
    """The tensor's data as an array of the contract's dtype."""
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def rope(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """InterleaveRope: fp32 inside, bf16 out."""
    wide = x.float()
    first, second = wide.chunk(2, dim=-1)
    return (wide * cos.float() + torch.cat((-second, first), dim=-1) * sin.float()).to(torch.bfloat16)


def dynamic_quant(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """DynamicQuant: symmetric int8 per row, scale as fp16."""
    wide = x.float()
    factor = 127.0 / wide.abs().amax(dim=-1, keepdim=True)
    return torch.round(wide * factor).to(torch.int8), (1.0 / factor).to(torch.float16)


class Composition:
    """The nine operators over one set of inputs. Call `step()` with `fixed` and `tokens`."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]], *, eps: float = 1e-6, transposed: bool = False) -> None:
        """Lay the weights out. The int8 weight stays row-major as in the contract, or is `transposed` beforehand."""
        tensors = {name: to_torch(array) for name, array in arrays.items()}
        self.eps = eps
        self.tokens = [tensors[n] for n in ("x", "q_norm", "q_norm_scale", "cos", "sin", "k_index")]
        self.k_cache, self.k_scale_cache = tensors["k_cache"], tensors["k_scale_cache"]
        self.caches = [self.k_cache.view(-1, HEAD_DIM), self.k_scale_cache.view(-1, 1)]
        self.w_qb = tensors["w_qb"].t().contiguous().t() if transposed else tensors["w_qb"]
        self.w_qb_scale = tensors["w_qb_scale"].view(1, -1)
        self.w_k, self.w_proj = tensors["w_k"].t().contiguous(), tensors["w_proj"].t().contiguous()
        self.hadamard_q, self.hadamard_k = (tensors[n].t().contiguous() for n in ("hadamard_q", "hadamard_k"))
        self.ln_gamma, self.ln_beta = tensors["ln_gamma"].float(), tensors["ln_beta"].float()

    def step(
        self,
        x: torch.Tensor,
        q_norm: torch.Tensor,
        q_norm_scale: torch.Tensor,
        cos: torch.Tensor,
        sin: torch.Tensor,
        k_index: torch.Tensor,
        k_rows: torch.Tensor,
        k_scales: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """One run: q, q_scale and weights; the caches (viewed as rows) are written in place."""
        q_i32 = torch._int_mm(q_norm, self.w_qb)
        heads = (q_i32.float() * q_norm_scale * self.w_qb_scale).to(torch.bfloat16).view(-1, HEADS, HEAD_DIM)
        roped, rest = torch.split(heads, (ROPE_DIM, HEAD_DIM - ROPE_DIM), dim=-1)
        q_cat = torch.cat((rope(roped, cos.unsqueeze(1), sin.unsqueeze(1)), rest), dim=-1)
        q, q_scale = dynamic_quant(F.linear(q_cat, self.hadamard_q))

        k = F.linear(x, self.w_k).float()
        k_b = F.layer_norm(k, (HEAD_DIM,), self.ln_gamma, self.ln_beta, self.eps).to(torch.bfloat16)
        roped, rest = torch.split(k_b, (ROPE_DIM, HEAD_DIM - ROPE_DIM), dim=-1)
        k_cat = torch.cat((rope(roped, cos, sin), rest), dim=-1)
        k_new, k_new_scale = dynamic_quant(F.linear(k_cat, self.hadamard_k))
        k_rows.index_put_((k_index,), k_new)
        k_scales.index_put_((k_index,), k_new_scale)

        weights = (F.linear(x, self.w_proj).float() * (HEADS**-0.5 * HEAD_DIM**-0.5)).to(torch.float16)
        return q, q_scale, weights

    def eager(self) -> Callable[[], tuple[torch.Tensor, ...]]:
        """The composition as PyTorch runs it operator by operator."""
        return lambda: self.step(*self.tokens, *self.caches)

    def compiled(self) -> Callable[[], tuple[torch.Tensor, ...]]:
        """The composition through `torch.compile` for exactly these shapes (about 20 s each)."""
        step = torch.compile(self.step, dynamic=False, fullgraph=True)
        return lambda: step(*self.tokens, *self.caches)

    def outputs(self, results: tuple[torch.Tensor, ...]) -> dict[str, npt.NDArray[Any]]:
        """What a run gave, under the contract's names."""
        q, q_scale, weights = (to_numpy(r) for r in results)
        caches = {"k_cache": to_numpy(self.k_cache), "k_scale_cache": to_numpy(self.k_scale_cache)}
        return {"q": q, "q_scale": q_scale, "weights": weights, **caches}
