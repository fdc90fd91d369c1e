"""Reductions, scans, orders, and elements that indices name."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  (PyTorch's own name for it)

from library_cases.case import Case, Onnx, Tensors, distinct


def reductions(t: Tensors) -> tuple[torch.Tensor, ...]:
    x = t["x"]
    rows = (x.sum(1), x.amax(1), x.amin(1), x.mean(1), (1 + x * 0.01).prod(1), x.var(1))
    return *rows, x.sum(0), x.amax(0)


def scans(t: Tensors) -> tuple[torch.Tensor, ...]:
    x, mark = t["x"], t["mark"]
    return x.cumsum(0), x.cumprod(-1), mark.cumsum(-1, dtype=torch.int32)


def embedding_bag(t: Tensors) -> torch.Tensor:
    """Places to leave out have the weight 0."""
    table, token = t["table"], t["token"]
    weights = (token >= 0).to(table.dtype)
    return F.embedding_bag(token.clamp_min(0), table, mode="sum", per_sample_weights=weights)


def scatter_update(t: Tensors) -> torch.Tensor:
    cache = t["cache"]
    cache.view(-1, cache.shape[-1]).index_copy_(0, t["slot"], t["rows"].to(torch.bfloat16))
    return cache


PLACES = (
    Case("reductions 16384×512", "reductions.yaml", {"rows": 16384}, reductions, apart=1e-4),
    Case(
        "column_sum 8192×4096",
        "column_sum.yaml",
        {"rows": 8192},
        lambda t: t["x"].sum(dim=0, keepdim=True),
        out=lambda t, out: torch.sum(t["x"], dim=0, keepdim=True, out=out["y"]),
        onnx=Onnx("ReduceSum", ("x", "axes"), {"keepdims": 1}, {"axes": np.array([0])}),
        apart=1e-4,
    ),
    Case(
        "argmax 8192×4096",
        "argmax.yaml",
        {"rows": 8192},
        lambda t: torch.argmax(t["x"], dim=-1, keepdim=True),
        out=lambda t, out: torch.argmax(t["x"], dim=-1, keepdim=True, out=out["y"]),
        onnx=Onnx("ArgMax", ("x",), {"axis": -1, "keepdims": 1}),
        inputs=distinct("x"),
    ),
    Case(
        "cumsum 16384×1024",
        "cumsum.yaml",
        {"rows": 16384},
        lambda t: torch.cumsum(t["x"], dim=-1),
        out=lambda t, out: torch.cumsum(t["x"], dim=-1, out=out["y"]),
        onnx=Onnx("CumSum", ("x", "axis"), {}, {"axis": np.array(1)}),
    ),
    Case("scans 16384×256", "scans.yaml", {"rows": 16384}, scans, apart=1e-4),
    Case(
        "transpose 64×1024×200",
        "transpose.yaml",
        {"batch": 64, "m": 1024},
        lambda t: t["x"].transpose(1, 2).contiguous(),
        out=lambda t, out: out["y"].copy_(t["x"].transpose(1, 2)),
        onnx=Onnx("Transpose", ("x",), {"perm": [0, 2, 1]}),
    ),
    Case(
        "transpose_copy 32768×256",
        "transpose_copy.yaml",
        {"rows": 32768},
        lambda t: t["x"].T.contiguous(),
        out=lambda t, out: out["y"].copy_(t["x"].T),
        onnx=Onnx("Transpose", ("x",), {"perm": [1, 0]}),
    ),
    Case(
        "topk 1024×4096, 64",
        "topk.yaml",
        {"rows": 1024},
        lambda t: tuple(torch.topk(t["x"], 64, dim=-1)),
        out=lambda t, out: torch.topk(t["x"], 64, dim=-1, out=(out["values"], out["indices"])),
        onnx=Onnx("TopK", ("x", "k"), {"axis": -1}, {"k": np.array([64])}),
        inputs=distinct("x"),
        outliers=1e-3,
    ),
    Case(
        "topk_long 32×65536, 2048",
        "topk_long.yaml",
        {"rows": 32, "keys": 65536},
        lambda t: tuple(torch.topk(t["scores"], 2048, dim=-1)),
        out=lambda t, out: torch.topk(t["scores"], 2048, dim=-1, out=(out["values"], out["indices"])),
        onnx=Onnx("TopK", ("scores", "k"), {"axis": -1}, {"k": np.array([2048])}),
        inputs=distinct("scores"),
        outliers=1e-2,
    ),
    Case(
        "argsort 1024×4096",
        "argsort.yaml",
        {"rows": 1024},
        lambda t: torch.argsort(t["x"], dim=-1, stable=True),
        outliers=1e-3,
    ),
    Case(
        "gather 16384×1024, 128",
        "gather.yaml",
        {"rows": 16384},
        lambda t: torch.gather(t["x"], 1, t["index"].long()),
        out=lambda t, out: torch.gather(t["x"], 1, t["index"].long(), out=out["y"]),
        onnx=Onnx("GatherElements", ("x", "index"), {"axis": 1}),
    ),
    Case(
        "embedding 16384×1024",
        "embedding.yaml",
        {"t": 16384, "vocabulary": 32000},
        lambda t: F.embedding(t["token"], t["table"]),
        out=lambda t, out: torch.index_select(t["table"], 0, t["token"], out=out["y"]),
        moved=lambda d: 2.0 * 2 * d["t"] * 1024,
    ),
    Case(
        "embedding_bag 4096×26×128",
        "embedding_bag.yaml",
        {"t": 4096, "bag": 26, "vocabulary": 50000},
        embedding_bag,
        moved=lambda d: 2.0 * 128 * d["t"] * (d["bag"] + 1),
        apart=2**-7,
    ),
    Case(
        "one_hot 65536×160",
        "one_hot.yaml",
        {"t": 65536},
        lambda t: F.one_hot(t["index"].long(), 160).float(),
    ),
    Case(
        "scatter_update 4096×128",
        "scatter_update.yaml",
        {"tokens": 4096, "blocks": 128},
        scatter_update,
        moved=lambda d: d["tokens"] * (8.0 + 128 * (4 + 2)),
        apart=2**-7,
    ),
    Case(
        "index_add 8192+16384×256",
        "index_add.yaml",
        {"rows": 8192, "added": 16384},
        lambda t: torch.index_add(t["x"], 0, t["index"], t["src"]),
        out=lambda t, out: torch.index_add(t["x"], 0, t["index"], t["src"], out=out["y"]),
    ),
)
