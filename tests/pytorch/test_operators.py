"""Custom operators of PyTorch: registration, tensors in and out, compile, export, gradients, threads, pickles."""

from __future__ import annotations

import copy
import pickle
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from meeting import meeting

torch = pytest.importorskip("torch", reason="pip install 'pyptogen[torch]'")

import torch.nn.functional as F  # noqa: E402, N812

import pyptogen.torch  # noqa: E402
from pyptogen.diagnostics import DiagnosticError  # noqa: E402

from .conftest import SPECS  # noqa: E402

Load = Callable[[str], Any]
LIBRARY = sorted(path.stem for path in SPECS.glob("*.yaml"))
OWN_CHECKS = ("test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(DiagnosticError) as error:
        call()
    return error.value.diagnostics[0].code


@pytest.mark.parametrize("name", LIBRARY)
def test_opcheck(load: Load, arguments: Callable[..., Any], name: str) -> None:
    operator = load(name)
    given = arguments(operator)
    small = any(tensor.dtype.itemsize == 1 and tensor.is_floating_point() for tensor in given)
    checks = OWN_CHECKS if small else ("test_schema", *OWN_CHECKS)  # of fp8 torch's check of schemas has no products
    torch.library.opcheck(operator.op, tuple(given), test_utils=checks)


def test_a_call_by_position_and_by_name(load: Load) -> None:
    operator = load("rms_norm")
    x, gamma = torch.randn(5, 4096), torch.rand(4096)
    want = F.rms_norm(x, (4096,), gamma, 1e-6)
    for y in (operator(x, gamma), operator(x, gamma, 1e-6), operator(gamma=gamma, x=x), operator(x, gamma=gamma)):
        assert isinstance(y, torch.Tensor)
        torch.testing.assert_close(y, want)
    assert not torch.allclose(operator(x, gamma, eps=3.0), want)
    assert torch.equal(torch.ops.pyptogen.rms_norm(x, gamma), operator(x, gamma))


def test_several_outputs_are_a_named_tuple(load: Load, arguments: Callable[..., Any]) -> None:
    operator = load("rms_norm_residual")
    found = operator(*arguments(operator))
    assert found._fields == tuple(tensor.name for tensor in operator.operator.contract.outputs)


def test_in_place_outputs_are_the_tensors_given(load: Load, arguments: Callable[..., Any]) -> None:
    operator = load("scatter_update")
    given = arguments(operator)
    names = [tensor.name for tensor in operator.operator.contract.inputs]
    cache = given[names.index("cache")]
    before, version = cache.clone(), cache._version
    assert operator(*given) is cache
    assert cache._version > version
    assert not torch.equal(cache, before)


@pytest.mark.parametrize("name", ["swiglu", "linear_fp8", "linear_w4a16", "casts"])
def test_same_bytes_as_for_numpy(load: Load, arguments: Callable[..., Any], name: str) -> None:
    operator = load(name)
    made = operator(*arguments(operator))
    compiled = operator.operator
    want = compiled(**compiled.example_inputs(**compiled.spec.verify.cases[0]))
    for found, array in zip(made if isinstance(made, tuple) else (made,), want, strict=True):
        assert found.view(torch.uint8).numpy().tobytes() == np.ascontiguousarray(array).tobytes()


def test_tensors_with_gaps(load: Load) -> None:
    operator = load("softmax")
    wide = torch.randn(7, 8192)
    for x in (wide[:, ::2], wide[:, :4096], torch.randn(4096, 7).T, torch.randn(4096).expand(3, 4096)):
        torch.testing.assert_close(operator(x), torch.softmax(x, -1))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compile_has_no_break(load: Load, dynamic: bool) -> None:
    norm, cache = load("rms_norm"), load("scatter_update")
    assert cache.op._schema.is_mutable
    gamma = torch.rand(4096)
    compiled = torch.compile(lambda x: norm(x * 2, gamma) + 1, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    for rows in (3, 8):
        x = torch.randn(rows, 4096)
        torch.testing.assert_close(compiled(x), norm(x * 2, gamma) + 1)


def test_compile_of_an_update_in_place(load: Load, arguments: Callable[..., Any]) -> None:
    operator = load("scatter_update")
    given = arguments(operator)
    want = operator(*[tensor.clone() for tensor in given])
    compiled = torch.compile(lambda *args: operator(*args) * 1, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(*given), want)


def test_export_keeps_symbolic_sizes(load: Load) -> None:
    norm = load("rms_norm")

    class Block(torch.nn.Module):
        def forward(self, x: Any, gamma: Any) -> Any:
            return norm(x, gamma=gamma)

    rows = torch.export.Dim("rows", min=1, max=1048576)
    shapes = {"x": {0: rows}, "gamma": None}
    program = torch.export.export(Block(), (torch.randn(5, 4096), torch.rand(4096)), dynamic_shapes=shapes)
    assert any(node.target is norm.op for node in program.graph.nodes)
    x, gamma = torch.randn(11, 4096), torch.rand(4096)
    assert torch.equal(program.module()(x, gamma), norm(x, gamma))


GRADIENTS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "rms_norm": (lambda x, g: F.rms_norm(x, (4096,), g, 1e-6), [(7, 4096), (4096,)]),
    "layer_norm": (lambda x, g, b: F.layer_norm(x, (4096,), g, b, 1e-5), [(7, 4096), (4096,), (4096,)]),
    "softmax": (lambda x: torch.softmax(x, -1), [(7, 4096)]),
    "swiglu": (lambda gate, up: F.silu(gate) * up, [(7, 2048), (7, 2048)]),
    "matmul_fp32": (torch.matmul, [(33, 1024), (1024, 1024)]),
    "flash_attention_fp32": (F.scaled_dot_product_attention, [(8, 33, 128), (8, 50, 128), (8, 50, 128)]),
}


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_are_those_of_torch(load: Load, name: str, compiled: bool) -> None:
    operator, (reference, shapes) = load(name), GRADIENTS[name]
    torch.manual_seed(7)
    dtype = torch.bfloat16 if name == "swiglu" else torch.float32
    given = [torch.randn(shape).to(dtype) for shape in shapes]
    ours, theirs = ([one.clone().requires_grad_() for one in given] for _ in range(2))
    call = torch.compile(operator, fullgraph=True, backend="aot_eager") if compiled else operator
    y, want = call(*ours), reference(*theirs)
    weights = torch.randn_like(want)
    y.backward(weights)
    want.backward(weights)
    near = 2**-6 if dtype is torch.bfloat16 else 1e-4
    for mine, other in zip(ours, theirs, strict=True):
        largest = other.grad.abs().max().item()
        torch.testing.assert_close(mine.grad, other.grad, rtol=near, atol=near * largest)


def test_nothing_is_detached_silently(load: Load) -> None:
    x = torch.randn(2, 4096, requires_grad=True)
    relu = load("relu")
    shape = [4 if axis == "rows" else 4096 for axis in relu.operator.contract.inputs[0].shape]
    given = torch.randn(shape, dtype=torch.bfloat16, requires_grad=True)
    assert code_of(lambda: relu(given)) == "PTG412"
    with torch.no_grad():
        assert not relu(given).requires_grad
    twice = torch.autograd.grad(load("softmax")(x).square().sum(), x, create_graph=False)
    assert twice[0].shape == x.shape
    assert code_of(lambda: torch.autograd.grad(load("softmax")(x).sum(), x, create_graph=True)) == "PTG412"


def test_wrong_arguments(load: Load) -> None:
    norm, x, gamma = load("rms_norm"), torch.randn(3, 4096), torch.rand(4096)
    assert code_of(lambda: norm(x)) == "PTG404"
    assert code_of(lambda: norm(x, gamma, beta=gamma)) == "PTG404"
    assert code_of(lambda: norm(x, gamma, 1e-6, 2)) == "PTG404"
    assert code_of(lambda: norm(x, gamma, x=x)) == "PTG404"
    assert code_of(lambda: norm(x.numpy(), gamma)) == "PTG403"
    assert code_of(lambda: norm(x.double(), gamma)) == "PTG403"
    assert code_of(lambda: norm(x[:, :5], gamma)) == "PTG402"
    assert code_of(lambda: norm(x, gamma, "small")) == "PTG403"


def test_threads_call_one_operator(load: Load) -> None:
    norm, gamma = load("rms_norm"), torch.rand(4096)
    many = [torch.randn(1 + i % 5, 4096) for i in range(40)]
    want = [norm(x, gamma) for x in many]
    with ThreadPoolExecutor(4) as pool:
        for found, one in zip(pool.map(lambda x: norm(x, gamma), many), want, strict=True):
            assert torch.equal(found, one)


def called(operator: Any) -> Any:
    return operator(torch.ones(1, 4096), torch.ones(4096)).sum().item()


def test_indices_of_a_known_call_are_looked_at_in_cpp(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = load("embedding")
    table, token = torch.randn(7, 1024).bfloat16(), torch.tensor([0, 6, 2], dtype=torch.int32)
    operator(table, token)
    with monkeypatch.context() as patch:
        patch.setattr(type(operator.operator), "bind", lambda *_: pytest.fail("by Python"))
        assert torch.equal(operator(table, token), table[token.long()])
    for wrong in (7, -1, 2**31 - 1):
        token[1] = wrong
        assert code_of(lambda: operator(table, token)) == "PTG408"


def test_an_index_that_a_kernel_of_a_known_call_reads(
    load: Load, arguments: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    operator = load("cross_entropy")
    given = arguments(operator)
    operator(*given)
    monkeypatch.setattr(type(operator.operator), "bind", lambda *_: pytest.fail("by Python"))
    operator(*given)
    label = given[operator.parameters.index("labels")]
    label[0] = 2**30
    assert code_of(lambda: operator(*given)) == "PTG408"


def test_operators_pickle_and_copy(load: Load, tmp_path: Path) -> None:
    norm = load("rms_norm")
    assert copy.deepcopy(norm) is norm
    assert pickle.loads(pickle.dumps(norm)) is norm
    torch.save({"norm": norm}, tmp_path / "model.pt")
    assert torch.load(tmp_path / "model.pt", weights_only=False)["norm"] is norm
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(called, (norm,)) == pytest.approx(4096, rel=1e-5)


def test_two_operators_of_one_name(load: Load, tmp_path: Path) -> None:
    norm = load("rms_norm")
    text = (SPECS / "rms_norm.yaml").read_text().replace("\nbackward: rms_norm_backward\n", "")
    (tmp_path / "rms_norm.yaml").write_text(text.replace("cols: 4096", "cols: 512"))
    other = pyptogen.torch.load(tmp_path / "rms_norm.yaml")
    assert other.name != norm.name
    assert pyptogen.torch.load(tmp_path / "rms_norm.yaml") is other
    assert other(torch.ones(2, 512), torch.ones(512)).shape == (2, 512)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("  d_y: fp32[rows, cols]\n  z: fp32[rows, cols]", "PTG250"),
        ("  d_y: fp16[rows, cols]", "PTG250"),
        ("", "PTG110"),
    ],
)
def test_a_backward_operator_that_does_not_fit(tmp_path: Path, change: str, code: str) -> None:
    head = "pyptogen: 1\noperator: {}\ndims: {{rows: {{min: 1, max: 64}}, cols: 64}}\n"
    (tmp_path / "twice.yaml").write_text(
        head.format("twice") + "inputs: {x: 'fp32[rows, cols]'}\noutputs: {y: 'fp32[rows, cols]'}\n"
        "graph: {y: x + x}\nbackward: twice_backward\n"
    )
    if change:
        (tmp_path / "twice_backward.yaml").write_text(
            head.format("twice_backward")
            + f"inputs:\n{change}\noutputs: {{d_x: 'fp32[rows, cols]'}}\ngraph: {{d_x: 'cast(d_y, fp32) * 2'}}\n"
        )
    assert code_of(lambda: pyptogen.torch.load(tmp_path / "twice.yaml")) == code


def test_the_lock_is_released_in_calls(tmp_path: Path) -> None:
    """The kernel waits for this thread, which could not count itself in while a call holds the lock."""
    meet = pyptogen.torch.load(meeting(tmp_path), threads=1)
    for _ in range(3):  # through Python, and then in native code
        count, results = torch.zeros(1, dtype=torch.int32), list[Any]()
        call = Thread(target=lambda: results.append(meet(count, torch.full((1,), 2, dtype=torch.int32))))  # noqa: B023
        call.start()
        while count.item() == 0:
            time.sleep(0.001)
        count.fill_(2)
        call.join()
        assert results[0].seen.item() == 2, "the kernel gave up"
