"""Who takes part in library.py: our operator, PyTorch in its forms, ONNX Runtime."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import torch
from library_cases import Case, Tensors

import pyptogen

ROOT = Path(__file__).resolve().parents[1]
OURS = "pyptogen"
_OTHER_DTYPES = (
    (ml_dtypes.bfloat16, np.int16, torch.bfloat16),
    (ml_dtypes.float8_e4m3fn, np.uint8, torch.float8_e4m3fn),
    (ml_dtypes.float8_e8m0fnu, np.uint8, torch.float8_e8m0fnu),
)
"""Element types that numpy knows by another package: theirs, whole numbers of as many bits, PyTorch's."""
_SAME_BITS = {np.int16: torch.int16, np.uint8: torch.uint8}


class Contender:
    """Something that runs the operator: `run` is timed, `outputs` reads what the last run left."""

    def __init__(self, name: str, run: Callable[[], Any], outputs: Callable[[Any], list[torch.Tensor]]) -> None:
        self.name, self.run, self.outputs = name, run, outputs
        self.times: list[float] = []

    def once(self) -> float:
        """Seconds of one run; its result is dropped before the next one allocates its own."""
        start = time.perf_counter()
        result = self.run()
        took = time.perf_counter() - start
        del result
        return took


def as_tensor(array: np.ndarray[Any, Any]) -> torch.Tensor:
    """A tensor with a copy of the array, at an address that suits vectors."""
    for dtype, bits, theirs in _OTHER_DTYPES:
        if array.dtype == dtype:
            return torch.from_numpy(array.view(bits)).clone().view(theirs)
    return torch.from_numpy(array).clone()


def as_array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """The tensor's memory as an array."""
    for dtype, bits, theirs in _OTHER_DTYPES:
        if tensor.dtype == theirs:
            return tensor.view(_SAME_BITS[bits]).numpy().view(dtype)
    return tensor.numpy()


def memory_of(result: torch.Tensor, dtype: Any, in_steps: bool) -> torch.Tensor:
    """Memory for a result of our own; ``in_steps``: its rows lie apart, as PyTorch's do."""
    if not in_steps:
        return as_tensor(np.zeros(result.shape, dtype))
    last = sum((n - 1) * step for n, step in zip(result.shape, result.stride(), strict=True))
    return torch.as_strided(as_tensor(np.zeros(last + 1, dtype)), result.shape, result.stride())


def as_list(result: Any) -> list[torch.Tensor]:
    """Outputs in contract order."""
    return list(result) if isinstance(result, tuple) else [result]


@contextmanager
def spec_of(case: Case) -> Iterator[Path]:
    """The spec of a case, its static sizes replaced where the case has others."""
    path = ROOT / "specs" / case.spec
    if not case.static:
        yield path
        return
    text = path.read_text(encoding="utf-8")
    for dim, size in case.static.items():
        text, count = re.subn(rf"(?m)^(  {dim}): \d+", rf"\1: {size}", text)
        assert count == 1, f"{path.name} has no static dim {dim}"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_text(text, encoding="utf-8")
        yield copy


def operator_of(case: Case, threads: int) -> Any:
    """The operator as a user gets it."""
    with spec_of(case) as path:
        return pyptogen.compile(path, threads=threads)


def ours(operator: Any, tensors: Tensors, out: Tensors) -> Contender:
    """Our operator into given memory; weights packed beforehand, as a model does once."""
    layouts = {tensor.name: tensor.layout for tensor in operator.contract.inputs}
    arguments = {
        name: pyptogen.pack(as_array(t), layout="nz", target="cpu") if layouts[name] == "nz" else as_array(t)
        for name, t in tensors.items()
    }
    inplace = operator.contract.inplace
    arrays = {name: as_array(t) for name, t in out.items() if name not in inplace}
    results = [tensors[inplace[name]] if name in inplace else t for name, t in out.items()]
    return Contender(OURS, lambda: operator(**arguments, out=arrays), lambda _: results)


def onnx_session(case: Case, tensors: Tensors, out: Tensors, threads: int) -> Contender | None:
    """ONNX Runtime with bound inputs and outputs; None where it has no such operator or it is not installed."""
    if case.onnx is None:
        return None
    try:
        import onnx
        import onnxruntime
    except ImportError:
        return None
    asked, helper = case.onnx, onnx.helper
    names = [name for name in asked.inputs if name not in asked.constants]
    given = {name: as_array(tensors[name]) for name in names}
    results = {name: as_array(t) for name, t in out.items()}

    def value(name: str, array: np.ndarray[Any, Any]) -> Any:
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)

    graph = helper.make_graph(
        [helper.make_node(asked.kind, list(asked.inputs), list(out), **asked.attributes)],
        "case",
        [value(name, array) for name, array in given.items()],
        [value(name, array) for name, array in results.items()],
        [onnx.numpy_helper.from_array(array, name) for name, array in asked.constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, array in given.items():
        binding.bind_input(name, "cpu", 0, array.dtype, list(array.shape), array.ctypes.data)
    for name, array in results.items():
        binding.bind_output(name, "cpu", 0, array.dtype, list(array.shape), array.ctypes.data)
    return Contender("onnxruntime", lambda: session.run_with_iobinding(binding), lambda _: list(out.values()))


@dataclass(frozen=True)
class Field:
    """Everybody who takes part in a case, the bytes that it must move, and what runs write in place."""

    contenders: list[Contender]
    moved: float
    written: Tensors

    def outputs(self) -> Iterator[tuple[Contender, list[torch.Tensor]]]:
        """What each makes of the same inputs: those written in place are as at first before each."""
        first = {name: t.clone() for name, t in self.written.items()}
        for contender in self.contenders:
            for name, t in self.written.items():
                t.copy_(first[name])
            yield contender, contender.outputs(contender.run())


def field_of(case: Case, threads: int, compiled: bool) -> Field:
    """Who takes part; eager PyTorch is first."""
    operator = operator_of(case, threads)
    arrays = {n: np.asarray(a) for n, a in operator.example_inputs(seed=7, **case.dims).items()}
    case.inputs(arrays, np.random.default_rng(7))
    tensors = {n: as_tensor(a) for n, a in arrays.items()}
    contract = operator.contract
    written = {name: tensors[name] for name in contract.inplace.values()}
    results = dict(zip((o.name for o in contract.outputs), as_list(case.torch(tensors)), strict=True))
    own = {o.name: memory_of(results[o.name], o.dtype, bool(o.strides)) for o in contract.outputs}

    def fresh() -> dict[str, torch.Tensor]:
        return {name: torch.zeros_like(result) for name, result in results.items()}

    found = [Contender("eager", lambda: case.torch(tensors), as_list), ours(operator, tensors, own)]
    if case.out is not None:
        given = fresh()
        found.append(Contender("eager out=", lambda: case.out(tensors, given), lambda _: list(given.values())))  # type: ignore[misc]
    if compiled and case.compiled:
        torch._dynamo.reset()
        function = torch.compile(case.torch, dynamic=False)
        found.append(Contender("compile", lambda: function(tensors), as_list))
    session = onnx_session(case, tensors, fresh(), threads)
    found += [session] if session else []
    caches = set(contract.inplace) | set(written)
    moved = sum(t.numel() * t.element_size() for name, t in (*tensors.items(), *own.items()) if name not in caches)
    return Field(found, case.moved(case.dims) if case.moved else float(moved), written)
