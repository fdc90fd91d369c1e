"""The operators that library.py times: sizes, what PyTorch and ONNX Runtime call the same, and the work in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812  (PyTorch's own name for it)
from library_prologs import indexer_prolog, mla_prolog

Tensors = Mapping[str, torch.Tensor]
Work = Callable[[Mapping[str, int]], float]


def nothing(_: Mapping[str, int]) -> float:
    """No operations worth counting: moving the data is the limit."""
    return 0.0


@dataclass(frozen=True)
class Case:
    """One operator at one size.

    Attributes:
        spec: file below specs/; `static` replaces sizes that the file fixes, `dims` gives the dynamic ones.
        torch: the outputs in contract order, of the inputs by name.
        out: the same into tensors given by output name; None where PyTorch has no such form.
        compiled: whether torch.compile is a peer (it leaves a lone matrix product to the same library).
        onnx: operator type, its inputs in order, its attributes; None where ONNX Runtime has no such operator.
        operations: their number, of the element type `unit`.
        apart: largest difference from PyTorch, as a share of the largest value.
    """

    name: str
    spec: str
    dims: Mapping[str, int]
    torch: Callable[[Tensors], Any]
    static: Mapping[str, int] = field(default_factory=dict)
    out: Callable[[Tensors, Tensors], object] | None = None
    compiled: bool = True
    onnx: tuple[str, tuple[str, ...], Mapping[str, Any]] | None = None
    operations: Work = nothing
    unit: str = "fp32"
    apart: float = 1e-5


def rms_norm(t: Tensors) -> torch.Tensor:
    return F.rms_norm(t["x"], (t["x"].shape[-1],), t["gamma"], 1e-6)


def layer_norm(t: Tensors) -> torch.Tensor:
    return F.layer_norm(t["x"], (t["x"].shape[-1],), t["gamma"], t["beta"], 1e-5)


def layer_norm_residual(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    total = t["x"] + t["residual"]
    return F.layer_norm(total, (total.shape[-1],), t["gamma"], t["beta"], 1e-5), total


def swiglu(t: Tensors) -> torch.Tensor:
    return (F.silu(t["gate"].float()) * t["up"].float()).to(torch.bfloat16)


def rope(t: Tensors) -> torch.Tensor:
    x = t["x"].float()
    low, high = x.chunk(2, dim=-1)
    turned = torch.cat((-high, low), dim=-1)
    return (x * t["cos"].float()[:, None, :] + turned * t["sin"].float()[:, None, :]).to(torch.bfloat16)


def quant_per_token(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    x = t["x"].float()
    largest = x.abs().amax(dim=-1, keepdim=True)
    return torch.round(x * (127 / largest.clamp_min(1e-35))).to(torch.int8), largest * (1 / 127)


def linear_int8(t: Tensors) -> torch.Tensor:
    product = torch._int_mm(t["x"], t["w"]).float()
    return (product * t["x_scale"] * t["w_scale"] + t["bias"]).to(torch.bfloat16)


def _matmul(dtype: str, size: int, apart: float) -> Case:
    integer = dtype == "int8"
    return Case(
        name=f"matmul_{dtype} {size}³",
        spec=f"matmul_{dtype}.yaml",
        static={"k": size, "n": size},
        dims={"m": size},
        torch=(lambda t: torch._int_mm(t["a"], t["b"])) if integer else (lambda t: torch.mm(t["a"], t["b"])),
        out=None if integer else (lambda t, out: torch.mm(t["a"], t["b"], out=out["c"])),
        compiled=False,
        onnx={"fp32": ("MatMul", ("a", "b"), {}), "int8": ("MatMulInteger", ("a", "b"), {})}.get(dtype),
        operations=lambda d: 2.0 * d["m"] * size * size,
        unit=dtype,
        apart=apart,
    )


def _softmax(rows: int, cols: int) -> Case:
    return Case(
        name=f"softmax {rows}×{cols}",
        spec="softmax.yaml",
        static={"cols": cols},
        dims={"rows": rows},
        torch=lambda t: torch.softmax(t["x"], dim=-1),
        out=lambda t, out: torch.softmax(t["x"], dim=-1, out=out["y"]),
        onnx=("Softmax", ("x",), {"axis": -1}),
    )


def _attention(spec: str, unit: str, apart: float, causal: bool = False) -> Case:
    def attention(t: Tensors) -> torch.Tensor:
        return F.scaled_dot_product_attention(t["q"][None], t["k"][None], t["v"][None], is_causal=causal)[0]

    return Case(
        f"{spec} 8×2048×128",
        f"{spec}.yaml",
        {"sq": 2048, "kv": 2048},
        attention,
        compiled=False,
        operations=lambda d: 4.0 * 8 * d["sq"] * d["kv"] * 128 / (2 if causal else 1),
        unit=unit,
        apart=apart,
    )


CASES = (
    _softmax(4096, 4096),
    _softmax(32768, 512),
    Case(
        "log_softmax 4096×4096",
        "log_softmax.yaml",
        {"rows": 4096},
        lambda t: torch.log_softmax(t["x"], dim=-1),
        out=lambda t, out: torch.log_softmax(t["x"], dim=-1, out=out["y"]),
        onnx=("LogSoftmax", ("x",), {"axis": -1}),
    ),
    Case(
        "rms_norm 8192×4096",
        "rms_norm.yaml",
        {"rows": 8192},
        rms_norm,
        onnx=("SimplifiedLayerNormalization", ("x", "gamma"), {"axis": -1, "epsilon": 1e-6}),
    ),
    Case("rms_norm_bf16 8192×4096", "rms_norm_bf16.yaml", {"rows": 8192}, rms_norm, apart=2**-7),
    Case(
        "layer_norm 8192×4096",
        "layer_norm.yaml",
        {"rows": 8192},
        layer_norm,
        onnx=("LayerNormalization", ("x", "gamma", "beta"), {"axis": -1, "epsilon": 1e-5}),
    ),
    Case("layer_norm_bf16 8192×4096", "layer_norm_bf16.yaml", {"rows": 8192}, layer_norm, apart=2**-7),
    Case(
        "layer_norm_residual 8192×4096",
        "layer_norm_residual.yaml",
        {"rows": 8192},
        layer_norm_residual,
        static={"cols": 4096},
    ),
    Case("swiglu 8192×2048", "swiglu.yaml", {"rows": 8192}, swiglu, apart=2**-7),
    Case("rope 4096×32×128", "rope.yaml", {"t": 4096}, rope, apart=2**-7),
    Case("quant_per_token 8192×4096", "quant_per_token.yaml", {"rows": 8192}, quant_per_token, apart=1 / 127),
    Case(
        "vector_add 16M",
        "vector_add.yaml",
        {"n": 1 << 24},
        lambda t: t["a"] + t["b"],
        out=lambda t, out: torch.add(t["a"], t["b"], out=out["c"]),
        onnx=("Add", ("a", "b"), {}),
    ),
    Case(
        "linear_int8 1024×2048×2048",
        "linear_int8.yaml",
        {"t": 1024},
        linear_int8,
        operations=lambda d: 2.0 * d["t"] * 2048 * 2048,
        unit="int8",
        apart=2**-7,
    ),
    _attention("flash_attention", "bf16", 2**-6),
    _attention("flash_attention_causal", "bf16", 2**-6, causal=True),
    _attention("flash_attention_fp32", "fp32", 1e-5),
    *(_matmul("fp32", size, 1e-5) for size in (1024, 2048, 4096)),
    *(_matmul("bf16", size, 2**-7) for size in (1024, 2048, 4096)),
    *(_matmul("fp16", size, 2**-10) for size in (1024, 2048)),
    *(_matmul("int8", size, 0.0) for size in (1024, 2048, 4096)),
    *(
        Case(f"mla_prolog t={t}", "mla_prolog.yaml", {"t": t, "slots": 4096}, mla_prolog, apart=0.03)
        for t in (1, 8, 128)
    ),
    *(
        Case(f"indexer_prolog t={t}", "indexer_prolog.yaml", {"t": t, "blocks": 32}, indexer_prolog, apart=0.03)
        for t in (1, 8, 128)
    ),
)
