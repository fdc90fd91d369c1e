"""Models of ONNX that the import takes: nodes, inputs, outputs, weights. Names with a slash are an exporter's."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper


def random(*shape: int) -> Any:
    return np.random.default_rng(len(shape) + shape[-1]).normal(size=shape).astype(np.float32)


def whole(*numbers: int) -> Any:
    return np.array(numbers, np.int64)


N = helper.make_node
MODELS: dict[str, tuple[Any, ...]] = {
    "layer": (
        [
            N("LayerNormalization", ["x", "norm.weight", "norm.bias"], ["h"], epsilon=1e-5),
            N("MatMul", ["h", "up"], ["/MatMul_output_0"]),
            N("Add", ["/MatMul_output_0", "bias"], ["/Add_output_0"]),
            N("Sigmoid", ["/Add_output_0"], ["/Sigmoid_output_0"]),
            N("Mul", ["/Add_output_0", "/Sigmoid_output_0"], ["gate"]),
            N("Gemm", ["gate", "down"], ["/Gemm_output_0"], transB=1, alpha=0.5),
            N("Add", ["x", "/Gemm_output_0"], ["y"]),
        ],
        {"x": ["rows", 32]},
        {"y": ["rows", 32]},
        {
            "norm.weight": random(32),
            "norm.bias": random(32),
            "up": random(32, 48),
            "bias": random(48),
            "down": random(32, 48),
        },
    ),
    "attention": (
        [
            N("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
            N("MatMul", ["q", "kt"], ["/MatMul_output_0"]),
            N("Mul", ["/MatMul_output_0", "scale"], ["scores"]),
            N("Softmax", ["scores"], ["p"], axis=-1),
            N("MatMul", ["p", "k"], ["o"]),
        ],
        {"q": [3, "t", 16], "k": [3, "s", 16]},
        {"o": [3, "t", 16]},
        {"scale": np.array(0.25, np.float32)},
    ),
    "pick": (
        [
            N("Gather", ["x", "index"], ["rows"], axis=0),
            N("Slice", ["rows", "starts", "ends", "axes"], ["part"]),
            N("ReduceSum", ["part", "axes"], ["total"], keepdims=1),
            N("Sub", ["part", "total"], ["/Sub_output_0"]),
            N("Clip", ["/Sub_output_0", "low", "high"], ["y"]),
        ],
        {"x": [20, 32], "index": [7]},
        {"y": [7, 16]},
        {
            "starts": whole(8),
            "ends": whole(24),
            "axes": whole(1),
            "low": np.array(-2, np.float32),
            "high": np.array(2, np.float32),
        },
    ),
    "best": (
        [N("TopK", ["x", "k"], ["values", "index"], axis=-1), N("Exp", ["values"], ["risen"])],
        {"x": ["rows", 32]},
        {"risen": ["rows", 4], "index": ["rows", 4]},
        {"k": whole(4)},
    ),
    "elementwise": (
        [
            N("Abs", ["x"], ["size"]),
            N("Sqrt", ["size"], ["/Sqrt_output_0"]),
            N("Pow", ["x", "two"], ["square"]),
            N("Div", ["/Sqrt_output_0", "shift"], ["/Div_output_0"]),
            N("Neg", ["square"], ["/Neg_output_0"]),
            N("Exp", ["/Neg_output_0"], ["/Exp_output_0"]),
            N("Max", ["/Div_output_0", "/Exp_output_0", "size"], ["/Max_output_0"]),
            N("Tanh", ["/Max_output_0"], ["y"]),
        ],
        {"x": ["rows", 32]},
        {"y": ["rows", 32]},
        {"two": np.array(2, np.float32), "shift": np.abs(random(32)) + 1},
    ),
    "defaults": (  # what a model does not say
        [
            N("LeakyRelu", ["x"], ["a"]),
            N("HardSigmoid", ["x"], ["b"]),
            N("Elu", ["x"], ["c"]),
            N("Mul", ["x", "tiny"], ["small"]),
            N("LayerNormalization", ["small", "gain"], ["d"]),
            N("RMSNormalization", ["small", "gain"], ["e"]),
        ],
        {"x": ["rows", 32]},
        {name: ["rows", 32] for name in "abcde"},
        {"tiny": np.array(0.003, np.float32), "gain": np.ones(32, np.float32)},
    ),
    "activations": (
        [
            N("Relu", ["x"], ["a"]),
            N("LeakyRelu", ["x"], ["b"], alpha=0.1),
            N("Softplus", ["x"], ["c"]),
            N("HardSigmoid", ["x"], ["d"], alpha=0.2, beta=0.5),
            N("Elu", ["x"], ["e"]),
            N("HardSwish", ["x"], ["f"]),
            N("Sum", ["a", "b", "c"], ["/Sum_output_0"]),
            N("Mean", ["d", "e", "f"], ["/Mean_output_0"]),
            N("Mul", ["/Sum_output_0", "/Mean_output_0"], ["y"]),
        ],
        {"x": ["rows", 32]},
        {"y": ["rows", 32]},
        {},
    ),
    "gelu": (
        [N("Gelu", ["x"], ["exact"]), N("Gelu", ["x"], ["near"], approximate="tanh")],
        {"x": ["rows", 32]},
        {"exact": ["rows", 32], "near": ["rows", 32]},
        {},
    ),
    "erf_gelu": (
        [
            N("Div", ["x", "root"], ["/Div_output_0"]),
            N("Erf", ["/Div_output_0"], ["/Erf_output_0"]),
            N("Add", ["/Erf_output_0", "one"], ["/Add_output_0"]),
            N("Mul", ["x", "/Add_output_0"], ["/Mul_output_0"]),
            N("Mul", ["/Mul_output_0", "half_of"], ["y"]),
        ],
        {"x": ["rows", 32]},
        {"y": ["rows", 32]},
        {"root": np.array(2**0.5, np.float32), "one": np.array(1, np.float32), "half_of": np.array(0.5, np.float32)},
    ),
    "rms_norm_by_hand": (
        [
            N("Pow", ["x", "two"], ["/Pow_output_0"]),
            N("ReduceMean", ["/Pow_output_0", "axes"], ["variance"], keepdims=1),
            N("Add", ["variance", "eps"], ["/Add_output_0"]),
            N("Sqrt", ["/Add_output_0"], ["/Sqrt_output_0"]),
            N("Reciprocal", ["/Sqrt_output_0"], ["scale"]),
            N("Mul", ["x", "scale"], ["/Mul_output_0"]),
            N("Mul", ["/Mul_output_0", "norm.weight"], ["y"]),
        ],
        {"x": ["batch", "rows", 32]},
        {"y": ["batch", "rows", 32]},
        {
            "two": np.array(2, np.float32),
            "eps": np.array(1e-6, np.float32),
            "axes": whole(-1),
            "norm.weight": random(32),
        },
    ),
    "batch_norm": (
        [N("BatchNormalization", ["x", "gain", "shift", "mean_of", "var_of"], ["y"], epsilon=1e-3)],
        {"x": ["batch", 16, 32]},
        {"y": ["batch", 16, 32]},
        {"gain": random(16), "shift": random(16), "mean_of": random(16), "var_of": np.abs(random(16)) + 1},
    ),
    "log_softmax": (
        [N("LogSoftmax", ["x"], ["logits"], axis=1), N("ReduceMax", ["logits", "axes"], ["top"], keepdims=0)],
        {"x": ["rows", 40]},
        {"top": ["rows"]},
        {"axes": whole(1)},
    ),
    "masked_softmax": (
        [
            N("Where", ["mask", "x", "least"], ["kept"]),
            N("Softmax", ["kept"], ["y"], axis=-1),
        ],
        {"x": ["rows", 32], "mask": ["rows", 32]},
        {"y": ["rows", 32]},
        {"least": np.array(-1e4, np.float32)},
    ),
    "comparisons": (
        [
            N("Greater", ["a", "b"], ["above"]),
            N("LessOrEqual", ["a", "top"], ["below"]),
            N("And", ["above", "below"], ["between"]),
            N("Not", ["between"], ["outside"]),
            N("Cast", ["outside"], ["counted"], to=TensorProto.FLOAT),
            N("Where", ["between", "a", "counted"], ["y"]),
        ],
        {"a": ["rows", 32], "b": ["rows", 32]},
        {"y": ["rows", 32]},
        {"top": np.array(0.5, np.float32)},
    ),
    "casts": (
        [
            N("Cast", ["x_half"], ["wide"], to=TensorProto.FLOAT),
            N("Mul", ["wide", "three"], ["/Mul_output_0"]),
            N("Cast", ["/Mul_output_0"], ["whole"], to=TensorProto.INT32),
            N("Cast", ["whole"], ["y"], to=TensorProto.FLOAT),
        ],
        {"x_half": ["rows", 32]},
        {"y": ["rows", 32]},
        {"three": np.array(3, np.float32)},
    ),
    "reductions": (
        [
            N("ReduceMean", ["x", "axes"], ["mean"], keepdims=0),
            N("ReduceMin", ["x", "axes"], ["least"], keepdims=0),
            N("ReduceL2", ["x", "axes"], ["norm"], keepdims=0),
            N("ReduceSumSquare", ["x", "axes"], ["energy"], keepdims=0),
            N("ReduceL1", ["x", "axes"], ["length"], keepdims=0),
            N("ReduceLogSumExp", ["x", "axes"], ["soft"], keepdims=0),
        ],
        {"x": ["rows", 48]},
        {name: ["rows"] for name in ("mean", "least", "norm", "energy", "length", "soft")},
        {"axes": whole(1)},
    ),
    "arguments": (
        [
            N("ArgMax", ["x"], ["best_index"], axis=1, keepdims=0),
            N("ArgMin", ["x"], ["worst_index"], axis=-1, keepdims=1),
        ],
        {"x": ["rows", 48]},
        {"best_index": ["rows"], "worst_index": ["rows", 1]},
        {},
    ),
    "running": (
        [N("CumSum", ["x", "axis"], ["sums"]), N("Sub", ["sums", "x"], ["y"])],
        {"x": ["rows", 48]},
        {"y": ["rows", 48]},
        {"axis": np.array(1, np.int64)},
    ),
    "running_otherwise": (
        [
            N("CumSum", ["x", "last"], ["before"], exclusive=1),
            N("CumSum", ["x", "last"], ["from_here"], reverse=1),
            N("CumSum", ["x", "first"], ["behind"], exclusive=1, reverse=1),
            N("CumSum", ["one", "last"], ["none"], exclusive=1),
        ],
        {"x": ["rows", 48], "one": ["rows", 1]},
        {"before": ["rows", 48], "from_here": ["rows", 48], "behind": ["rows", 48], "none": ["rows", 1]},
        {"last": np.array(-1, np.int64), "first": np.array(0, np.int64)},
    ),
    "linears": (
        [
            N("Gemm", ["x", "up.weight", "up.bias"], ["/Gemm_output_0"], transB=1),
            N("Split", ["/Gemm_output_0"], ["gate", "value"], axis=1, num_outputs=2),
            N("Sigmoid", ["gate"], ["/Sigmoid_output_0"]),
            N("Mul", ["gate", "/Sigmoid_output_0"], ["/Mul_output_0"]),
            N("Mul", ["/Mul_output_0", "value"], ["h"]),
            N("MatMul", ["h", "down"], ["y"]),
        ],
        {"x": ["rows", 32]},
        {"y": ["rows", 32]},
        {"up.weight": random(96, 32), "up.bias": random(96), "down": random(48, 32)},
    ),
    "einsum": (
        [N("Einsum", ["q", "k"], ["scores"], equation="htd,hsd->hts")],
        {"q": [3, "t", 16], "k": [3, "s", 16]},
        {"scores": [3, "t", "s"]},
        {},
    ),
    "rotary": (
        [
            N("Split", ["x"], ["left", "right"], axis=-1, num_outputs=2),
            N("Neg", ["right"], ["/Neg_output_0"]),
            N("Concat", ["/Neg_output_0", "left"], ["turned"], axis=-1),
            N("Mul", ["x", "cos"], ["/Mul_output_0"]),
            N("Mul", ["turned", "sin"], ["/Mul_output_1"]),
            N("Add", ["/Mul_output_0", "/Mul_output_1"], ["y"]),
        ],
        {"x": ["t", 64], "cos": ["t", 64], "sin": ["t", 64]},
        {"y": ["t", 64]},
        {},
    ),
    "elements": (
        [
            N("GatherElements", ["x", "index"], ["picked"], axis=1),
            N("ScatterElements", ["x", "index", "picked"], ["y"], axis=1, reduction="add"),
        ],
        {"x": [8, 32], "index": [8, 4]},
        {"y": [8, 32]},
        {},
    ),
    "embedding": (
        [N("Gather", ["table", "token_index"], ["rows"], axis=0), N("Add", ["rows", "place"], ["y"])],
        {"token_index": ["t"]},
        {"y": ["t", 32]},
        {"table": random(50, 32), "place": random(32)},
    ),
    "padding": (
        [
            N("Pad", ["x", "pads", "fill"], ["wide"]),
            N("Slice", ["wide", "starts", "ends", "axes", "steps"], ["y"]),
        ],
        {"x": ["rows", 32]},
        {"y": ["rows", 16]},
        {
            "pads": whole(0, 2, 0, 2),
            "fill": np.array(0.5, np.float32),
            "starts": whole(1),
            "ends": whole(33),
            "axes": whole(1),
            "steps": whole(2),
        },
    ),
    "spread": (
        [
            N("Unsqueeze", ["x", "axes"], ["/Unsqueeze_output_0"]),
            N("Expand", ["/Unsqueeze_output_0", "shape"], ["/Expand_output_0"]),
            N("Mul", ["/Expand_output_0", "scale"], ["/Mul_output_0"]),
            N("ReduceSum", ["/Mul_output_0", "axes"], ["y"], keepdims=0),
        ],
        {"x": [5, 32]},
        {"y": [5, 32]},
        {"axes": whole(1), "shape": whole(5, 3, 32), "scale": random(3, 32)},
    ),
    "conv": (
        [N("Conv", ["x", "w", "b"], ["/Conv_output_0"], pads=[1, 1, 1, 1]), N("Relu", ["/Conv_output_0"], ["y"])],
        {"x": [2, 3, 8, 8]},
        {"y": [2, 5, 8, 8]},
        {"w": random(5, 3, 3, 3), "b": random(5)},
    ),
    "square": (
        [N("MatMul", ["a", "b"], ["/MatMul_output_0"]), N("Add", ["/MatMul_output_0", "a"], ["y"])],
        {"a": [32, 32], "b": [32, 32]},
        {"y": [32, 32]},
        {},
    ),
    "rotary_of_a_table": (
        [
            N("Gather", ["cos_cache", "place_index"], ["cos_rows"], axis=0),
            N("Gather", ["sin_cache", "place_index"], ["sin_rows"], axis=0),
            N("Unsqueeze", ["cos_rows", "one"], ["cos"]),
            N("Unsqueeze", ["sin_rows", "one"], ["sin"]),
            N("Split", ["x"], ["left", "right"], axis=-1, num_outputs=2),
            N("Neg", ["right"], ["/Neg_output_0"]),
            N("Concat", ["/Neg_output_0", "left"], ["turned"], axis=-1),
            N("Mul", ["x", "cos"], ["/Mul_output_0"]),
            N("Mul", ["turned", "sin"], ["/Mul_1_output_0"]),
            N("Add", ["/Mul_output_0", "/Mul_1_output_0"], ["y"]),
        ],
        {"x": ["t", 3, 16], "place_index": ["t"]},
        {"y": ["t", 3, 16]},
        {"cos_cache": random(40, 16), "sin_cache": random(40, 16), "one": whole(1)},
    ),
    "gate": (
        [
            N("MatMul", ["x", "gate"], ["logits"]),
            N("Sigmoid", ["logits"], ["scores"]),
            N("Add", ["scores", "bias"], ["biased"]),
            N("TopK", ["biased", "k"], ["/TopK_output_0", "index"], axis=-1),
            N("GatherElements", ["scores", "index"], ["picked"], axis=1),
            N("ReduceSum", ["picked", "last"], ["total"], keepdims=1),
            N("Div", ["picked", "total"], ["weights"]),
        ],
        {"x": ["t", 32]},
        {"weights": ["t", 4], "index": ["t", 4]},
        {"gate": random(32, 16), "bias": random(16), "k": whole(4), "last": whole(-1)},
    ),
    "causal_conv": (
        [
            N("Pad", ["x", "pads"], ["padded"]),
            N("Conv", ["padded", "weight", "bias"], ["convolved"], group=6),
            N("Sigmoid", ["convolved"], ["/Sigmoid_output_0"]),
            N("Mul", ["convolved", "/Sigmoid_output_0"], ["y"]),
        ],
        {"x": [2, 6, 24]},
        {"y": [2, 6, 24]},
        {"pads": whole(0, 0, 3, 0, 0, 0), "weight": random(6, 1, 4), "bias": random(6)},
    ),
    "group_norm": (
        [
            N("GroupNormalization", ["x", "gain", "shift"], ["/norm_output_0"], num_groups=4, epsilon=1e-5),
            N("InstanceNormalization", ["/norm_output_0", "gain", "shift"], ["y"], epsilon=1e-5),
        ],
        {"x": ["n", 16, 6, 6]},
        {"y": ["n", 16, 6, 6]},
        {"gain": random(16), "shift": random(16)},
    ),
    "quantised": (
        [
            N("DequantizeLinear", ["weight", "weight_scale"], ["w"], axis=1),
            N("MatMul", ["x", "w"], ["h"]),
            N("QuantizeLinear", ["h", "step", "zero"], ["/q_output_0"]),
            N("DequantizeLinear", ["/q_output_0", "step", "zero"], ["y"]),
        ],
        {"x": ["t", 32]},
        {"y": ["t", 48]},
        {
            "weight": (100 * random(32, 48)).astype(np.int8),
            "weight_scale": np.abs(random(48)) / 100,
            "step": np.array(0.05, np.float32),
            "zero": np.array(3, np.int8),
        },
    ),
    "by_token": (
        [
            N("Abs", ["x"], ["/Abs_output_0"]),
            N("ReduceMax", ["/Abs_output_0", "last"], ["most"], keepdims=1),
            N("Div", ["most", "levels"], ["step"]),
            N("Div", ["x", "step"], ["/Div_output_0"]),
            N("Round", ["/Div_output_0"], ["/Round_output_0"]),
            N("Cast", ["/Round_output_0"], ["rounded"], to=TensorProto.INT8),
            N("MatMulInteger", ["rounded", "weight"], ["sums"]),
            N("Cast", ["sums"], ["/Cast_output_0"], to=TensorProto.FLOAT),
            N("Mul", ["/Cast_output_0", "step"], ["y"]),
        ],
        {"x": ["t", 32]},
        {"y": ["t", 48]},
        {"weight": (100 * random(32, 48)).astype(np.int8), "last": whole(-1), "levels": np.array(127, np.float32)},
    ),
    "cache": (
        [
            N("ScatterND", ["cache", "place_index", "rows"], ["updated"]),
            N("GatherND", ["updated", "read_index"], ["read"]),
        ],
        {"cache": [8, 4, 16], "place_index": [5, 2], "rows": [5, 16], "read_index": [3, 1]},
        {"updated": [8, 4, 16], "read": [3, 4, 16]},
        {},
    ),
    "loss": (
        [N("SoftmaxCrossEntropyLoss", ["logits", "label_index"], ["loss", "log_p"], reduction="mean")],
        {"logits": ["n", 24], "label_index": ["n"]},
        {"loss": [], "log_p": ["n", 24]},
        {},
    ),
    "grouped": (
        [N("Attention", ["q", "k", "v", "allowed_mask"], ["y"], scale=0.25)],
        {"q": [2, 4, "t", 16], "k": [2, 2, "s", 16], "v": [2, 2, "s", 16], "allowed_mask": ["t", "s"]},
        {"y": [2, 4, "t", 16]},
        {},
    ),
    "masked": (
        [
            N("MatMul", ["q", "k"], ["scores"]),
            N("Trilu", ["ones"], ["/Trilu_output_0"], upper=0),
            N("Cast", ["/Trilu_output_0"], ["seen"], to=TensorProto.BOOL),
            N("Where", ["seen", "scores", "low"], ["/Where_output_0"]),
            N("Softmax", ["/Where_output_0"], ["p"], axis=-1),
            N("Tile", ["p", "times"], ["y"]),
        ],
        {"q": [24, 16], "k": [16, 24]},
        {"y": [48, 24]},
        {"ones": np.ones((24, 24), np.float32), "low": np.array(-1e9, np.float32), "times": whole(2, 1)},
    ),
}
# fmt: skip
