"""Programs that tests import, as somebody would write them."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn


def gated(x: Tensor, gain: Tensor) -> Tensor:
    """x scaled by the sigmoid of itself and by a gain per column."""
    s = 1 / (torch.exp(-x) + 1)
    return x * s * gain


def rms_norm_by_hand(x: Tensor, gamma: Tensor, eps: float = 1e-6) -> Tensor:
    mean = x.float().pow(2).mean(-1, keepdim=True)
    return (x.float() * torch.rsqrt(mean + eps)).to(x.dtype) * gamma


def norms(x: Tensor, gamma: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
    r = F.rms_norm(x, (64,), gamma, 1e-6)
    z = F.layer_norm(x, (64,), gamma, beta)
    return r, z


def mlp(x: Tensor, up: Tensor, down: Tensor, bias: Tensor) -> Tensor:
    h = F.gelu(F.linear(x, up, bias), approximate="tanh")
    return x + h @ down.T


def swiglu(x: Tensor, merged: Tensor) -> Tensor:
    gate, up = (x @ merged).chunk(2, dim=-1)
    return F.silu(gate) * up


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def grouped_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    o = F.scaled_dot_product_attention(q, k, v, enable_gqa=True, scale=0.2)
    return o.transpose(1, 2).reshape(2, 24, 4 * 16)


def masked_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def attention_by_hand(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.einsum("hqd,hkd->hqk", q, k) * q.shape[-1] ** -0.5
    p = torch.softmax(scores, dim=-1)
    return torch.einsum("hqk,hkd->qhd", p, v).flatten(1)


def rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    turned = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return x * cos[:, None] + turned * sin[:, None]


def routing(logits: Tensor) -> dict[str, Tensor]:
    scores = logits.softmax(-1)
    weights, experts = torch.topk(scores, 4, dim=-1)
    return {"weights": weights / weights.sum(-1, keepdim=True), "experts": experts}


def quantise(x: Tensor) -> tuple[Tensor, Tensor]:
    scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-12) / 127
    q = torch.round(x / scale).clamp(-127, 127).to(torch.int8)
    return q, scale


def embed(token: Tensor, table: Tensor, place: Tensor) -> Tensor:
    return F.embedding(token, table) + place[None, :5]


def pick(x: Tensor, index: Tensor) -> Tensor:
    return torch.gather(x, 1, index) * 2


def scatter_sum(base: Tensor, index: Tensor, source: Tensor) -> Tensor:
    return base.scatter_add(1, index, source)


def add_rows(base: Tensor, index: Tensor, rows: Tensor) -> Tensor:
    return base.index_add(0, index, rows, alpha=0.5)


def write_cache(cache: Tensor, slot: Tensor, rows: Tensor) -> Tensor:
    cache[slot] = rows
    return rows.sum()


def statistics(x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    mean = x.mean(0)
    deviation = x.std(-1)
    best, place = x.max(dim=-1)
    return mean, deviation, best, place


def losses(logits: Tensor, target: Tensor) -> Tensor:
    logp = F.log_softmax(logits, -1)
    picked = logp.gather(1, target[:, None])[:, 0]
    return -picked


def log_total(x: Tensor) -> Tensor:
    return torch.logsumexp(x, dim=-1)


def choices(x: Tensor, y: Tensor) -> Tensor:
    inside = (x > 0) & (y < 0.5) | torch.isnan(x)
    return torch.where(inside, x, y.masked_fill(y < -0.5, 0.0))


def whole_numbers(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return (a * 3 + b) // 4 % 7, a & 12 | b >> 1


def activations(x: Tensor) -> Tensor:
    return F.elu(x) + F.leaky_relu(x, 0.2) * F.softplus(x) - F.hardswish(x) + torch.tanh(x).erf()


def shapes(x: Tensor) -> Tensor:
    y = x.view(x.shape[0], 4, 16).permute(1, 0, 2)
    first, rest = y[0], y[1:]
    tiled = first.unsqueeze(0).expand(3, -1, -1)
    return torch.stack([tiled, rest], dim=1)[:, :, :, ::2]


def mixed(x: Tensor, y: Tensor, n: Tensor) -> Tensor:
    return (x * y + n.to(torch.float32)).to(torch.bfloat16)


def scans(x: Tensor) -> Tensor:
    return torch.cumsum(x, dim=-1) - F.pad(x, (1, 0))[:, :-1].tril()


def convolved(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return F.relu(F.conv2d(x, weight, bias, stride=2, padding=1))


def low_rank(x: Tensor, weight: Tensor, down: Tensor, up: Tensor) -> Tensor:
    """A linear layer that is frozen, with an update of low rank; its dims have words that the language keeps."""
    base = x @ weight.t()
    update = (x @ down.t()) @ up.t()
    return base + 0.5 * update


def group_norm(x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    return F.group_norm(x, 4, gamma, beta, eps=1e-4)


def batch_norm(x: Tensor, mean: Tensor, var: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Batch normalisation by what was learned before."""
    return F.relu(F.batch_norm(x, mean, var, weight, bias, training=False))


def contrastive(image: Tensor, text: Tensor, log_scale: Tensor) -> tuple[Tensor, Tensor]:
    """Scores of pairs, by a scale that is a lone number."""
    image = F.normalize(image, dim=-1)
    text = F.normalize(text, dim=-1)
    logits = log_scale.exp() * image @ text.t()
    return logits, logits.t()


def between(x: Tensor, y: Tensor, pair: Tensor) -> tuple[Tensor, Tensor]:
    """PyTorch asks of a lone number whether it is below a half."""
    return torch.lerp(x, y, 0.25), pair[2] * x


def turned(x: Tensor) -> tuple[Tensor, Tensor]:
    """Rolled by half a window, and cut into windows; rows from the last to the first."""
    windows = torch.roll(x, shifts=(4, -1), dims=(1, 2)).reshape(x.shape[0], 2, 4, 16)
    return windows.transpose(1, 2), x.flip(1)


def ordered(x: Tensor) -> tuple[Tensor, Tensor]:
    values, order = torch.sort(x, dim=-1, descending=True)
    return values[:, :8], order


def smoothed(logits: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(logits, labels, label_smoothing=0.1)


def smoothed_rows(logits: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(logits, labels, label_smoothing=0.1, reduction="none")


def grouped_masked(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)


def rotated(x: Tensor, position: Tensor, frequency: Tensor) -> Tensor:
    """Neighbours are turned together."""
    angle = position[:, None] * frequency
    cos, sin = angle.cos()[:, None], angle.sin()[:, None]
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def turned_as_complex(xq: Tensor, xk: Tensor, angle: Tensor) -> tuple[Tensor, Tensor]:
    """The same by complex numbers, and turned back."""
    q = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    k = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
    turn = torch.polar(torch.ones_like(angle), angle)[:, None]
    back = 0.5 * (k * turn.conj() + k)
    return torch.view_as_real(q * turn).flatten(-2).type_as(xq), torch.view_as_real(back).flatten(-2).type_as(xk)


def windows(x: Tensor, weight: Tensor) -> Tensor:
    """A causal convolution by windows, every other one."""
    return (F.pad(x, (3, 0)).unfold(-1, 4, 2) * weight[:, None]).sum(-1)


def by_token(x: Tensor, weight: Tensor, scale: Tensor) -> Tensor:
    """A product of int8, quantised by token."""
    step = x.abs().amax(-1, keepdim=True) / 127
    rounded = torch.round(x / step).to(torch.int8)
    return torch._int_mm(rounded, weight.t()).float() * step * scale


def next_token_loss(logits: Tensor, labels: Tensor) -> Tensor:
    shifted = labels[1:]
    return -logits[:-1].log_softmax(-1).gather(-1, shifted[:, None]).mean()


def labelled(logits: Tensor, labels: Tensor) -> Tensor:
    return logits.log_softmax(-1)[torch.arange(logits.shape[0]), labels]


def elements(x: Tensor, row: Tensor, column: Tensor) -> tuple[Tensor, Tensor]:
    return x[row, column], x[row[:, None], column]


def write_blocks(cache: Tensor, block: Tensor, offset: Tensor, rows: Tensor) -> Tensor:
    """Rows to places of blocks."""
    cache[block, offset] = rows
    return cache.amax(-1)


def write_heads(cache: Tensor, slot: Tensor, rows: Tensor) -> Tensor:
    """Rows to slots of every head."""
    cache[:, slot] = rows
    return cache.amax(-1)


def last_rows(x: Tensor) -> Tensor:
    mask = torch.ones(x.shape[0], x.shape[1], dtype=torch.bool).tril(1)
    return x * mask


class Filters(nn.Module):
    """A convolution behind a normalisation of groups."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.conv = nn.GroupNorm(4, 16), nn.Conv2d(16, 12, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(F.silu(self.norm(x)))


def turned_outside(x: Tensor) -> Tensor:
    return torch.view_as_complex(x)


def angles(x: Tensor) -> Tensor:
    return torch.view_as_complex(x).angle()


def counted(x: Tensor) -> Tensor:
    return torch.bincount(x, minlength=16)


class Encoder(nn.Module):
    """A layer whose heads are made by reshapes."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(64, 4, 96, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


class Block(nn.Module):
    """One layer of a decoder without attention."""

    def __init__(self, width: int = 64, hidden: int = 96) -> None:
        super().__init__()
        self.width, self.hidden = width, hidden
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width, bias=False)
        self.register_buffer("gain", torch.full((width,), 0.5))

    def forward(self, x: Tensor) -> Tensor:
        h = self.norm(x) * self.gain
        h = F.silu(self.up(h))
        return x + self.down(h)


def strange(x: Tensor) -> Tensor:
    y = torch.fft.fft(x).real
    return torch.linalg.inv(y @ y.T)
