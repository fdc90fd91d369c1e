"""Matrix products, and linear layers with what follows them in the same operator."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812  (PyTorch's own name for it)

from library_cases.case import Case, Onnx, Tensors


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
        onnx={"fp32": Onnx("MatMul", ("a", "b")), "int8": Onnx("MatMulInteger", ("a", "b"))}.get(dtype),
        operations={dtype: lambda d: 2.0 * d["m"] * size * size},
        apart=apart,
    )


def hadamard_int8(t: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
    turned = (t["x"] @ t["h"]).float()
    largest = turned.abs().amax(dim=-1, keepdim=True).clamp_min(1e-30)
    return torch.round(turned * (127 / largest)).to(torch.int8), largest * (1 / 127)


PRODUCTS = (
    *(_matmul("fp32", size, 1e-5) for size in (1024, 2048, 4096)),
    *(_matmul("bf16", size, 2**-7) for size in (1024, 2048, 4096)),
    *(_matmul("fp16", size, 2**-10) for size in (1024, 2048)),
    *(_matmul("int8", size, 0.0) for size in (1024, 2048, 4096)),
    Case(
        "matmul_fp32_backward 1024³",
        "matmul_fp32_backward.yaml",
        {"m": 1024},
        lambda t: (torch.mm(t["d_c"], t["b"].T), torch.mm(t["a"].T, t["d_c"])),
        compiled=False,
        operations={"fp32": lambda d: 4.0 * d["m"] * 1024 * 1024},
    ),
    Case(
        "matmul_split_k 16×7168×256",
        "matmul_split_k.yaml",
        {"m": 16},
        lambda t: torch.mm(t["a"], t["b"]),
        out=lambda t, out: torch.mm(t["a"], t["b"], out=out["c"]),
        compiled=False,
        operations={"bf16": lambda d: 2.0 * d["m"] * 7168 * 256},
        apart=2**-7,
    ),
    Case(
        "matmul_swizzle 2048×2048×4096",
        "matmul_swizzle.yaml",
        {"m": 2048},
        lambda t: torch.mm(t["a"], t["b"]),
        out=lambda t, out: torch.mm(t["a"], t["b"], out=out["c"]),
        compiled=False,
        operations={"bf16": lambda d: 2.0 * d["m"] * 2048 * 4096},
        apart=2**-7,
    ),
    Case(
        "matmul_transposed 2048×512×256",
        "matmul_transposed.yaml",
        {"m": 2048},
        lambda t: torch.mm(t["a"].T, t["b"].T).float(),
        operations={"bf16": lambda d: 2.0 * d["m"] * 512 * 256},
        apart=2**-7,
    ),
    Case(
        "batched_matmul 16×512×256×256",
        "batched_matmul.yaml",
        {"m": 512},
        lambda t: torch.bmm(t["a"], t["b"]),
        out=lambda t, out: torch.bmm(t["a"], t["b"], out=out["c"]),
        compiled=False,
        operations={"bf16": lambda d: 2.0 * 16 * d["m"] * 256 * 256},
        apart=2**-7,
    ),
    Case(
        "linear_int8 1024×2048×2048",
        "linear_int8.yaml",
        {"t": 1024},
        linear_int8,
        operations={"int8": lambda d: 2.0 * d["t"] * 2048 * 2048},
        apart=2**-7,
    ),
    Case(
        "linear_gelu 1024×1024×2048",
        "linear_gelu.yaml",
        {"t": 1024},
        lambda t: F.gelu((t["x"] @ t["w"]).float() + t["bias"]).to(torch.bfloat16),
        operations={"bf16": lambda d: 2.0 * d["t"] * 1024 * 2048},
        apart=2**-7,
    ),
    Case(
        "linear_relu 1024×512×1024",
        "linear_relu.yaml",
        {"t": 1024},
        lambda t: torch.relu(F.linear(t["x"], t["w"]).float() + t["bias"]).to(torch.float16),
        operations={"fp16": lambda d: 2.0 * d["t"] * 512 * 1024},
        apart=2**-9,
    ),
    Case(
        "hadamard_int8 65536×128",
        "hadamard_int8.yaml",
        {"rows": 65536},
        hadamard_int8,
        operations={"bf16": lambda d: 2.0 * d["rows"] * 128 * 128},
        apart=1 / 127,
    ),
)
