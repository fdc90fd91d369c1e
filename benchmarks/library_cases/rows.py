"""Row by row, element by element: activations, norms, softmax, quantisation, rotary embeddings."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812  (PyTorch's own name for it)

from library_cases.case import Case, Onnx, Tensors

ops = torch.ops.aten


def rms_norm(t: Tensors) -> torch.Tensor:
    return F.rms_norm(t["x"], (t["x"].shape[-1],), t["gamma"], 1e-6)


def layer_norm(t: Tensors) -> torch.Tensor:
    return F.layer_norm(t["x"], (t["x"].shape[-1],), t["gamma"], t["beta"], 1e-5)


def layer_norm_channels(t: Tensors) -> torch.Tensor:
    """As ConvNeXt has it: channels last for the norm alone."""
    x = t["x"].float().permute(0, 2, 1)
    y = F.layer_norm(x, x.shape[-1:], t["gamma"], t["beta"], 1e-6)
    return y.permute(0, 2, 1).to(t["x"].dtype)


def layer_norm_residual(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    total = t["x"] + t["residual"]
    return F.layer_norm(total, (total.shape[-1],), t["gamma"], t["beta"], 1e-5), total


def swiglu(t: Tensors) -> torch.Tensor:
    return (F.silu(t["gate"].float()) * t["up"].float()).to(torch.bfloat16)


def rms_norm_backward(t: Tensors) -> tuple[torch.Tensor, ...]:
    x, gamma = t["x"].detach().requires_grad_(), t["gamma"].detach().requires_grad_()
    with torch.enable_grad():
        return torch.autograd.grad(F.rms_norm(x, (x.shape[-1],), gamma, 1e-6), (x, gamma), t["d_y"])


def layer_norm_backward(t: Tensors) -> tuple[torch.Tensor, ...]:
    centred = t["x"] - t["x"].mean(-1, keepdim=True)
    rstd = torch.rsqrt((centred * centred).mean(-1, keepdim=True) + 1e-5)
    size, masks = [t["x"].shape[-1]], [True, True, True]
    mean = t["x"].mean(-1, keepdim=True)
    found: tuple[torch.Tensor, ...] = ops.native_layer_norm_backward(
        t["d_y"], t["x"], size, mean, rstd, t["gamma"], torch.zeros_like(t["gamma"]), masks
    )
    return found


def softmax_backward(t: Tensors) -> torch.Tensor:
    found: torch.Tensor = ops._softmax_backward_data(t["d_y"], t["y"], -1, torch.float32)
    return found


def swiglu_backward(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    gate, d = t["gate"].float(), t["d_y"].float()
    s = torch.sigmoid(gate)
    d_gate = d * t["up"].float() * (s * (gate * (1 - s) + 1))
    return d_gate.to(torch.bfloat16), (d * (gate * s)).to(torch.bfloat16)


def rope(t: Tensors) -> torch.Tensor:
    x = t["x"].float()
    low, high = x.chunk(2, dim=-1)
    turned = torch.cat((-high, low), dim=-1)
    return (x * t["cos"].float()[:, None, :] + turned * t["sin"].float()[:, None, :]).to(torch.bfloat16)


def rope_qkv(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    """Queries and keys at their places in rows of both and the values."""
    turned = torch.empty_like(t["qkv"]).view(len(t["qkv"]), 48, 128)
    heads = t["qkv"].view(turned.shape)
    angles = {"cos": t["cos"], "sin": t["sin"]}
    turned[:, :40] = rope({"x": heads[:, :40], **angles})
    return turned[:, :32], turned[:, 32:40]


def rope_cache(t: Tensors, turned: Callable[[Tensors], torch.Tensor] = rope) -> tuple[torch.Tensor, ...]:
    """Queries turned; keys turned and values to their slots."""
    angles = {"cos": t["cos"], "sin": t["sin"]}
    for name, rows in (("k_cache", turned({"x": t["k"], **angles})), ("v_cache", t["v"])):
        t[name].view(-1, *rows.shape[1:]).index_copy_(0, t["slot"], rows)
    return turned({"x": t["q"], **angles}), t["k_cache"], t["v_cache"]


def quant_per_token(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    x = t["x"].float()
    largest = x.abs().amax(dim=-1, keepdim=True)
    return torch.round(x * (127 / largest.clamp_min(1e-35))).to(torch.int8), largest * (1 / 127)


def rms_norm_residual(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    total = t["x"].float() + t["residual"].float()
    return F.rms_norm(total, (total.shape[-1],), t["gamma"].float(), 1e-6).to(torch.bfloat16), total.to(torch.bfloat16)


def geglu(t: Tensors) -> torch.Tensor:
    return (F.gelu(t["gate"].float()) * t["x"].float()).to(torch.bfloat16)


def rope_interleaved(t: Tensors) -> torch.Tensor:
    x, cos, sin = (t[name].float() for name in ("x", "cos", "sin"))
    turned = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).reshape(x.shape)
    return (x * cos[:, None, :] + turned * sin[:, None, :]).to(torch.bfloat16)


def quant_per_channel(t: Tensors) -> torch.Tensor:
    return torch.round(t["x"].float() / t["scale"]).clamp(-128, 127).to(torch.int8)


def casts(t: Tensors) -> tuple[torch.Tensor, ...]:
    x = t["x"]
    level = x.trunc().clamp(-128, 127).to(torch.int8)
    below = x.floor().to(torch.int16)  # the inputs stay within its range
    return x.to(torch.float16), x.to(torch.bfloat16), x.round().to(torch.int32), below, level, level.float()


def sinkhorn(t: Tensors) -> torch.Tensor:
    m = torch.softmax(t["x"], dim=-1)  # the first balancing divides by these sums once more, which are 1
    for _ in range(4):
        m = m / m.sum(dim=-1, keepdim=True)
        m = m / m.sum(dim=-2, keepdim=True)
    return m


DTYPES = ("fp16", "bf16", "int32", "int16", "int8", "uint8")


def add_each(t: Tensors, out: Tensors) -> None:
    for dtype in DTYPES:
        torch.add(t[f"a_{dtype}"], t[f"b_{dtype}"], out=out[f"c_{dtype}"])


def _softmax(rows: int, cols: int) -> Case:
    return Case(
        name=f"softmax {rows}×{cols}",
        spec="softmax.yaml",
        static={"cols": cols},
        dims={"rows": rows},
        torch=lambda t: torch.softmax(t["x"], dim=-1),
        out=lambda t, out: torch.softmax(t["x"], dim=-1, out=out["y"]),
        onnx=Onnx("Softmax", ("x",), {"axis": -1}),
    )


def _softmax_long() -> Case:
    return Case(
        "softmax_long 2048×16384",
        "softmax_long.yaml",
        {"rows": 2048},
        lambda t: torch.softmax(t["x"], dim=-1),
        out=lambda t, out: torch.softmax(t["x"], dim=-1, out=out["y"]),
        onnx=Onnx("Softmax", ("x",), {"axis": -1}),
    )


ROWS = (
    _softmax(4096, 4096),
    _softmax(32768, 512),
    _softmax(2048, 16384),
    Case(
        "log_softmax 4096×4096",
        "log_softmax.yaml",
        {"rows": 4096},
        lambda t: torch.log_softmax(t["x"], dim=-1),
        out=lambda t, out: torch.log_softmax(t["x"], dim=-1, out=out["y"]),
        onnx=Onnx("LogSoftmax", ("x",), {"axis": -1}),
    ),
    Case(
        "cross_entropy 4096×4096",
        "cross_entropy.yaml",
        {"rows": 4096},
        lambda t: (
            torch.nn.functional.cross_entropy(t["logits"], t["labels"], reduction="none"),
            (t["labels"] != -100).sum(),
        ),
    ),
    Case(
        "rms_norm 8192×4096",
        "rms_norm.yaml",
        {"rows": 8192},
        rms_norm,
        onnx=Onnx("SimplifiedLayerNormalization", ("x", "gamma"), {"axis": -1, "epsilon": 1e-6}),
    ),
    Case("rms_norm_bf16 8192×4096", "rms_norm_bf16.yaml", {"rows": 8192}, rms_norm, apart=2**-7),
    Case(
        "layer_norm 8192×4096",
        "layer_norm.yaml",
        {"rows": 8192},
        layer_norm,
        onnx=Onnx("LayerNormalization", ("x", "gamma", "beta"), {"axis": -1, "epsilon": 1e-5}),
    ),
    Case("layer_norm_bf16 8192×4096", "layer_norm_bf16.yaml", {"rows": 8192}, layer_norm, apart=2**-7),
    Case(
        "layer_norm_channels 8×192×12544",
        "layer_norm_channels.yaml",
        {"n": 8, "hw": 12544},
        layer_norm_channels,
        apart=2**-7,
    ),
    Case(
        "layer_norm_residual 8192×4096",
        "layer_norm_residual.yaml",
        {"rows": 8192},
        layer_norm_residual,
        static={"cols": 4096},
    ),
    Case("swiglu 8192×2048", "swiglu.yaml", {"rows": 8192}, swiglu, apart=2**-7),
    Case("rms_norm_backward 4096×4096", "rms_norm_backward.yaml", {"rows": 4096}, rms_norm_backward, compiled=False),
    Case(
        "layer_norm_backward 4096×4096", "layer_norm_backward.yaml", {"rows": 4096}, layer_norm_backward, compiled=False
    ),
    Case("softmax_backward 4096×4096", "softmax_backward.yaml", {"rows": 4096}, softmax_backward),
    Case("swiglu_backward 8192×2048", "swiglu_backward.yaml", {"rows": 8192}, swiglu_backward, apart=2**-7),
    Case("rope 4096×32×128", "rope.yaml", {"t": 4096}, rope, apart=2**-7),
    Case("rope_qkv 2048×48×128", "rope_qkv.yaml", {"t": 2048}, rope_qkv, apart=2**-7),
    Case(
        "rope_cache 2048×16×128",
        "rope_cache.yaml",
        {"t": 2048, "blocks": 256},
        rope_cache,
        moved=lambda d: 2.0 * d["t"] * 128 * (2 * 16 + 4 * 4 + 2),
        apart=2**-7,
    ),
    Case(
        "rope_cache_interleaved 2048×16×128",
        "rope_cache_interleaved.yaml",
        {"t": 2048, "blocks": 256},
        lambda t: rope_cache(t, rope_interleaved),
        moved=lambda d: 2.0 * d["t"] * 128 * (2 * 16 + 4 * 4 + 2),
        apart=2**-7,
    ),
    Case("quant_per_token 8192×4096", "quant_per_token.yaml", {"rows": 8192}, quant_per_token, apart=1 / 127),
    Case(
        "vector_add 16M",
        "vector_add.yaml",
        {"n": 1 << 24},
        lambda t: t["a"] + t["b"],
        out=lambda t, out: torch.add(t["a"], t["b"], out=out["c"]),
        onnx=Onnx("Add", ("a", "b"), {}),
    ),
    _softmax_long(),
    Case(
        "relu 8192×4096",
        "relu.yaml",
        {"rows": 8192},
        lambda t: torch.relu(t["x"]),
        out=lambda t, out: torch.clamp_min(t["x"], 0, out=out["y"]),
    ),
    Case(
        "silu 8192×4096",
        "silu.yaml",
        {"rows": 8192},
        lambda t: F.silu(t["x"]),
        out=lambda t, out: ops.silu.out(t["x"], out=out["y"]),
        apart=2**-7,
    ),
    Case(
        "gelu 8192×4096",
        "gelu.yaml",
        {"rows": 8192},
        lambda t: F.gelu(t["x"]),
        out=lambda t, out: ops.gelu.out(t["x"], out=out["y"]),
        apart=2**-7,
    ),
    Case(
        "gelu_tanh 8192×4096",
        "gelu_tanh.yaml",
        {"rows": 8192},
        lambda t: F.gelu(t["x"], approximate="tanh"),
        out=lambda t, out: ops.gelu.out(t["x"], approximate="tanh", out=out["y"]),
        apart=2**-7,
    ),
    Case("geglu 8192×4096", "geglu.yaml", {"rows": 8192}, geglu, apart=2**-7),
    Case("rms_norm_residual 8192×4096", "rms_norm_residual.yaml", {"rows": 8192}, rms_norm_residual, apart=2**-7),
    Case("rope_interleaved 4096×16×64", "rope_interleaved.yaml", {"t": 4096}, rope_interleaved, apart=2**-7),
    Case("quant_per_channel 8192×4096", "quant_per_channel.yaml", {"rows": 8192}, quant_per_channel, apart=1 / 127),
    Case(
        "dequant_per_token 8192×4096",
        "dequant_per_token.yaml",
        {"rows": 8192},
        lambda t: (t["q"].float() * t["scale"]).to(torch.bfloat16),
        apart=2**-7,
    ),
    Case(
        "dequant_rows 16384×1024",
        "dequant_rows.yaml",
        {"rows": 16384},
        lambda t: (t["acc"].float() * t["scale"]).to(torch.bfloat16),
        apart=2**-7,
    ),
    Case(
        "blend 16384×1024",
        "blend.yaml",
        {"rows": 16384},
        lambda t: t["a"] * 1.0 + t["b"] * 1.0,
        out=lambda t, out: torch.add(t["a"], t["b"], alpha=1.0, out=out["y"]),
    ),
    Case("casts 65536×256", "casts.yaml", {"rows": 65536}, casts),
    Case("sinkhorn 262144×4×4", "sinkhorn.yaml", {"t": 262144}, sinkhorn),
    Case(
        "vector_add_dtypes 4M",
        "vector_add_dtypes.yaml",
        {"n": 1 << 22},
        lambda t: tuple(t[f"a_{dtype}"] + t[f"b_{dtype}"] for dtype in DTYPES),
        out=add_each,
        apart=2**-7,
    ),
)
