"""A small transformer decoder in PyTorch whose layers are operators of the library, beside the same in plain PyTorch.

RMSNorm, rotary embedding, causal attention over a cache, SwiGLU and linear layers, all in bf16 (Touvron et al.,
"LLaMA"). The specs are those of the library with the sizes of this model.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

import pyptogen.torch

LIBRARY = Path(__file__).parents[1] / "specs"
OWN = Path(__file__).parent / "specs"


@dataclass(frozen=True)
class Config:
    """Sizes of a model: its weights are 3.5 MB."""

    layers: int = 2
    width: int = 256
    heads: int = 8
    hidden: int = 768
    vocabulary: int = 1024

    @property
    def head(self) -> int:
        """Columns of a head."""
        return self.width // self.heads


def sized(spec: Path, folder: Path, **dims: int) -> Any:
    """An operator of the library with other static dims."""
    text = spec.read_text()
    for name, size in dims.items():
        text, found = re.subn(rf"^(  {name}: )\d+", rf"\g<1>{size}", text, flags=re.MULTILINE)
        assert found == 1, f"{spec.name} has no static dim {name}"
    name = "_".join([spec.stem, *map(str, dims.values())])
    text = re.sub(r"^operator: \w+", f"operator: {name}", text, flags=re.MULTILINE)
    text = re.sub(r"^backward: \w+\n", "", text, flags=re.MULTILINE)
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return pyptogen.torch.load(path, threads=1)


class Plain:
    """The layers as PyTorch has them."""

    def norm(self, x: Any, gamma: Any) -> Any:
        return F.rms_norm(x, x.shape[-1:], gamma, 1e-6)

    def linear(self, weight: Any) -> Any:
        """A linear layer of a weight [out, in]."""
        return lambda x: F.linear(x, weight)

    def rope(self, x: Any, cos: Any, sin: Any) -> Any:
        """x [t, heads, d], cos and sin [t, d]."""
        a, b = x.float().chunk(2, dim=-1)
        turned = torch.cat([-b, a], dim=-1)
        return (x * cos[:, None].float() + turned * sin[:, None].float()).to(x.dtype)

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        """q [heads, t, d], k and v [heads, kv, d]; the queries are the last positions."""
        return F.scaled_dot_product_attention(q, k, v, is_causal=q.shape[1] == k.shape[1] > 1)

    def swiglu(self, gate: Any, up: Any) -> Any:
        return F.silu(gate) * up


class PackedLinear(torch.nn.Module):
    """A linear layer whose weight [in, out] lies as the operator reads it."""

    def __init__(self, operator: Any, weight: Any) -> None:
        super().__init__()
        self.operator = operator
        self.register_buffer("weight", operator.pack(w=weight))

    def forward(self, x: Any) -> Any:
        return self.operator(x, self.weight)


class Operators:
    """The layers as operators of the library, called in the same way."""

    def __init__(self, config: Config) -> None:
        c = config
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self.norm = sized(LIBRARY / "rms_norm_bf16.yaml", folder, cols=c.width)
            self.rope = sized(LIBRARY / "rope.yaml", folder, heads=c.heads, d=c.head)
            self.swiglu = sized(LIBRARY / "swiglu.yaml", folder, cols=c.hidden)
            self._attention = sized(LIBRARY / "flash_attention_causal.yaml", folder, heads=c.heads, d=c.head)
            shapes = {(c.width, 3 * c.width), (c.width, c.width), (c.width, c.hidden), (c.hidden, c.width)}
            shapes.add((c.width, c.vocabulary))
            self._linears = {(k, n): sized(OWN / "linear_bf16.yaml", folder, k=k, n=n) for k, n in sorted(shapes)}
        self._scale = c.head**-0.5

    def linear(self, weight: Any) -> Any:
        """A linear layer of a weight [out, in], which is packed here, once."""
        n, k = weight.shape
        return PackedLinear(self._linears[k, n], weight.T)

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        return self._attention(q, k, v, self._scale)


class Decoder:
    """A decoder of random weights that are the same in every run. ``layers`` says by what it computes."""

    def __init__(self, config: Config, layers: Plain | Operators) -> None:
        self.config, self.layers = config, layers
        random, c = torch.Generator().manual_seed(7), config

        def weight(n: int, k: int) -> Any:
            return (torch.randn(n, k, generator=random) * k**-0.5).to(torch.bfloat16)

        def linear(n: int, k: int) -> Any:
            return layers.linear(weight(n, k))

        self.embedding = weight(c.vocabulary, c.width) * 16
        self.blocks = [
            {
                "qkv": linear(3 * c.width, c.width), "out": linear(c.width, c.width), "gate": linear(c.hidden, c.width),
                "up": linear(c.hidden, c.width), "down": linear(c.width, c.hidden),
            }
            for _ in range(c.layers)
        ]  # fmt: skip
        self.ones = torch.ones(c.width, dtype=torch.bfloat16)
        self.head = linear(c.vocabulary, c.width)
        frequencies = 10000 ** (-torch.arange(0, c.head, 2) / c.head)
        angles = torch.outer(torch.arange(4096), frequencies).repeat(1, 2)
        self.cos, self.sin = angles.cos().to(torch.bfloat16), angles.sin().to(torch.bfloat16)

    def __call__(self, tokens: Any, cache: list[tuple[Any, Any]] | None = None) -> tuple[Any, list[tuple[Any, Any]]]:
        """Logits [t, vocabulary] of tokens [t], which follow those in the cache, and the cache with them."""
        on, kept = self.layers, []
        before = 0 if cache is None else cache[0][0].shape[1]
        cos, sin = (one[before : before + len(tokens)] for one in (self.cos, self.sin))
        x = self.embedding[tokens]
        for i, block in enumerate(self.blocks):
            x, own = self._attend(x, block, cos, sin, None if cache is None else cache[i])
            kept.append(own)
            h = on.norm(x, self.ones)
            x = x + block["down"](on.swiglu(block["gate"](h), block["up"](h)))
        return self.head(on.norm(x, self.ones)), kept

    def _attend(self, x: Any, block: dict[str, Any], cos: Any, sin: Any, before: tuple[Any, Any] | None) -> Any:
        on, c = self.layers, self.config
        qkv = block["qkv"](on.norm(x, self.ones)).view(len(x), 3, c.heads, c.head)
        q, k = on.rope(qkv[:, 0], cos, sin), on.rope(qkv[:, 1], cos, sin)
        q, k, v = (one.transpose(0, 1).contiguous() for one in (q, k, qkv[:, 2]))
        if before is not None:
            k, v = torch.cat([before[0], k], dim=1), torch.cat([before[1], v], dim=1)
        o = on.attention(q, k, v).transpose(0, 1).reshape(len(x), c.width)
        return x + block["out"](o), (k, v)


def difference(tokens: int = 64, steps: int = 3) -> float:
    """How far the logits of both are apart after a prompt and some single tokens, as part of the largest."""
    config = Config()
    ours, theirs = Decoder(config, Operators(config)), Decoder(config, Plain())
    prompt = torch.randint(0, config.vocabulary, (tokens,), generator=torch.Generator().manual_seed(3))
    worst = 0.0
    with torch.no_grad():
        (mine, cache), (other, kept) = ours(prompt), theirs(prompt)
        for _ in range(steps + 1):
            worst = max(worst, ((mine - other).float().abs().max() / other.float().abs().max()).item())
            token = other[-1:].argmax(-1)
            (mine, cache), (other, kept) = ours(token, cache), theirs(token, kept)
    return worst


if __name__ == "__main__":
    print(f"logits differ by {100 * difference():.2f} % of the largest")
