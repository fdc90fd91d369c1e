"""Operands packed once: plain tensors that operators take in place of the plain ones."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="pip install 'pyptogen[torch]'")

import pyptogen.torch  # noqa: E402
from pyptogen.diagnostics import DiagnosticError  # noqa: E402
from pyptogen.hifloat8 import hif8_values  # noqa: E402
from pyptogen.layout.packing import PackedWeight  # noqa: E402

from .conftest import SPECS  # noqa: E402

Load = Callable[[str], Any]
LIBRARY = sorted(path.stem for path in SPECS.glob("*.yaml") if "@ nz" in path.read_text())

GROUPED = """\
pyptogen: 1
operator: grouped
dims: {t: {min: 1, max: 64}, g: 3, k: 40, n: 33}
inputs: {x: "bf16[g, t, k]", w: "bf16[g, k, n] @ nz", bias: "fp32[n]"}
outputs: {y: "fp32[g, t, n]"}
graph: {y: "matmul(x, w, dtype=fp32) + bias"}
targets: [cpu]
"""
FREE = """\
pyptogen: 1
operator: free
dims: {t: {min: 1, max: 64}, k: 40, n: {min: 1, max: 200}}
inputs: {x: "bf16[t, k]", w: "bf16[k, n] @ nz"}
outputs: {y: "fp32[t, n]"}
graph: {y: "matmul(x, w, dtype=fp32)"}
targets: [cpu]
"""
"""Only the weight shows `n`."""
LYING = """\
pyptogen: 1
operator: lying
dims: {t: {min: 1, max: 64}, n: 8, h: 2}
inputs: {x: "fp32[h, t, n] @ dn", kept: "fp32[t, n] @ dn"}
outputs: {y: "fp32[h, t, n] @ dn", kept: {inplace: true}}
graph:
  y: x + 1
  kept: kept * 2
targets: [cpu]
"""


def loaded(folder: Path, text: str) -> Any:
    path = folder / "spec.yaml"
    path.write_text(text)
    return pyptogen.torch.load(path, threads=1)


def fault(call: Callable[[], Any]) -> Any:
    with pytest.raises(DiagnosticError) as error:
        call()
    return error.value.diagnostics[0]


def closed(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(operator.operator), "bind", lambda *_: pytest.fail("by Python"))


@pytest.mark.parametrize("name", LIBRARY)
def test_same_bytes_as_plain_ones(
    load: Load, arguments: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    operator = load(name)
    given = arguments(operator)
    contract = operator.operator.contract
    weights = {t.name: one for t, one in zip(contract.inputs, given, strict=True) if t.layout == "nz"}
    made = operator.pack(**weights)
    packed = dict(zip(weights, made if len(weights) > 1 else (made,), strict=True))
    updated = {*contract.inplace.values()}
    names = [tensor.name for tensor in contract.inputs]

    def fresh() -> dict[str, Any]:
        return {key: one.clone() if key in updated else one for key, one in zip(names, given, strict=True)}

    want = operator(**fresh())
    for _ in range(2):
        found = operator(**fresh() | packed)
        for one, other in zip(*((v if isinstance(v, tuple) else (v,)) for v in (found, want)), strict=True):
            assert torch.equal(one.view(torch.uint8), other.view(torch.uint8))
        closed(operator, monkeypatch)
    monkeypatch.undo()
    torch.library.opcheck(operator.op, tuple((fresh() | packed).values()))


@pytest.mark.parametrize("shape", [(1, 1), (64, 32), (100, 33), (33, 50), (33, 64)])
def test_shapes_are_known_by_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int]
) -> None:
    k, n = shape
    operator = loaded(tmp_path, GROUPED.replace("k: 40", f"k: {k}").replace("n: 33", f"n: {n}"))
    torch.manual_seed(k)
    x, w, bias = torch.randn(3, 5, k).bfloat16(), torch.randn(3, k, n).bfloat16(), torch.randn(n)
    packed = operator.pack(w=w)
    want = torch.matmul(x.float(), w.float()) + bias
    for kept in (packed, packed.clone()[:], torch.cat([packed[:1], packed])[1:]):  # the last begins anywhere
        torch.testing.assert_close(operator(x, kept, bias), want, rtol=1e-4, atol=1e-4)
    closed(operator, monkeypatch)
    torch.testing.assert_close(operator(x, packed, bias), want, rtol=1e-4, atol=1e-4)


def test_of_weights_of_one_length_each_is_its_own(tmp_path: Path) -> None:
    """33 and 50 columns take the same boxes."""
    operator = loaded(tmp_path, FREE)
    x = torch.ones(2, 40).bfloat16()
    weights = [torch.randn(40, n).bfloat16() for n in (33, 50, 64)]
    packed = [operator.pack(w=w) for w in weights]
    assert len({one.shape for one in packed}) == 1
    for _ in range(2):
        for w, one in zip(weights, packed, strict=True):
            torch.testing.assert_close(operator(x, one), torch.matmul(x.float(), w.float()), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_module_keeps_it(load: Load, tmp_path: Path, dynamic: bool) -> None:
    operator = load("linear_gelu")
    w, bias = torch.randn(1024, 2048).bfloat16(), torch.randn(2048)

    class Layer(torch.nn.Module):
        def __init__(self, seed: int) -> None:
            super().__init__()
            torch.manual_seed(seed)
            self.w = torch.nn.Parameter(operator.pack(w=w * seed), requires_grad=False)
            self.register_buffer("again", operator.pack(w=w * seed))
            self.register_buffer("bias", bias)

        def forward(self, x: Any) -> Any:
            return operator(x, self.w, self.bias) + operator(x, self.again, self.bias)

    x = torch.randn(7, 1024).bfloat16()
    want = operator(x, w, bias) * 2
    layer = Layer(1)
    assert torch.equal(layer(x), want)
    torch.save(layer.state_dict(), tmp_path / "state.pt")
    other = Layer(2)
    other.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
    assert torch.equal(other(x), want)
    assert torch.equal(copy.deepcopy(other)(x), want)
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    assert torch.equal(compiled(x), want)
    rows = {"x": {0: torch.export.Dim("rows", min=1, max=1024)}} if dynamic else None
    exported, file = torch.export.export(layer, (x,), dynamic_shapes=rows), io.BytesIO()
    torch.export.save(exported, file)
    file.seek(0)
    assert torch.equal(torch.export.load(file).module()(x), want)


def test_packing_is_traced(load: Load) -> None:
    operator = load("matmul_fp32")
    a, b = torch.randn(3, 1024), torch.randn(1024, 1024)
    compiled = torch.compile(lambda a, b: operator(a, operator.pack(b=b)), fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(a, b), operator(a, b))
    for case in ((b, "cpu"), (torch.ones(2, 65, 33, dtype=torch.int8), "a2a3")):
        torch.library.opcheck(torch.ops.pyptogen_packing.pack.default, case)
        back = (torch.ops.pyptogen_packing.pack(*case), [*case[0].shape], case[1])
        assert torch.equal(torch.ops.pyptogen_packing.unpack(*back), case[0])
        torch.library.opcheck(torch.ops.pyptogen_packing.unpack.default, back)
        for wrong in ((back[0], [64, 32], back[2]), (back[0], back[1], "a5"), (case[0].view(-1), *back[1:])):
            assert fault(lambda: torch.ops.pyptogen_packing.unpack(*wrong)).code == "PTG402"  # noqa: B023


def test_without_data_a_size_that_only_a_packed_one_shows_is_refused(tmp_path: Path) -> None:
    operator = loaded(tmp_path, FREE)
    x, packed = torch.ones(2, 40).bfloat16(), operator.pack(w=torch.randn(40, 33).bfloat16())
    operator(x, packed)
    with pytest.raises(Exception, match=r"`w` of `free` is packed, .* give it plain"):
        torch.compile(operator, fullgraph=True, backend="aot_eager")(x, packed)


def test_a_wrong_packing_is_refused(load: Load, tmp_path: Path) -> None:
    operator = loaded(tmp_path, GROUPED)
    x, w, bias = torch.randn(3, 5, 40).bfloat16(), torch.randn(3, 40, 33).bfloat16(), torch.randn(33)
    packed = operator.pack(w=w)
    operator(x, packed, bias)
    integers = operator.pack(w=w).view(torch.int16).clone()
    integers[-1 - 4 * (13 - 3)] = 77  # a size that is not that of the data
    for wrong, code, said in (
        (packed[2:], "PTG402", "neither plain, nor as `pack` made it"),
        (packed[:-2], "PTG402", "neither plain, nor as `pack` made it"),
        (packed * 2, "PTG402", "neither plain, nor as `pack` made it"),
        (torch.cat([packed, packed]), "PTG402", "neither plain, nor as `pack` made it"),
        (integers.view(torch.bfloat16), "PTG402", "neither plain, nor as `pack` made it"),
        (torch.zeros(10).bfloat16(), "PTG402", "neither plain, nor as `pack` made it"),
        (packed.half(), "PTG403", "dtype fp16"),
        (torch.ops.pyptogen_packing.pack(w, "a2a3"), "PTG403", "packed for a2a3"),
        (torch.ops.pyptogen_packing.pack(w[:, :39].contiguous(), "cpu"), "PTG402", "axis 1 is 39"),
        (torch.ops.pyptogen_packing.pack(w[:2].contiguous(), "cpu"), "PTG402", "axis 0 is 2"),
        (torch.ops.pyptogen_packing.pack(w[0].contiguous(), "cpu"), "PTG402", "3 axes"),
    ):
        found = fault(lambda: operator(x, wrong, bias))  # noqa: B023
        assert found.code == code
        assert said in f"{found.message} {found.expected}"
        assert "bf16[g, k, n] @ nz" in found.expected
    without_data = [one.to("meta") for one in (x, bias)]
    for shape, cut in (((3, 65, 33), 0), ((3, 40, 65), 0), ((3, 40, 33), 1)):  # lengths are compared
        other = torch.ops.pyptogen_packing.pack(torch.ones(shape).bfloat16(), "cpu").to("meta")[cut:]
        with pytest.raises(RuntimeError, match="is packed, and not of this shape"):
            operator.op(without_data[0], other, without_data[1])
    assert operator.op(without_data[0], packed.to("meta"), without_data[1]).shape == (3, 5, 33)


def test_one_of_another_platform_may_have_the_same_length(tmp_path: Path) -> None:
    operator = loaded(tmp_path, FREE.replace("k: 40", "k: 64"))
    x, w = torch.randn(2, 64).bfloat16(), torch.randn(64, 96).bfloat16()
    packed, other = operator.pack(w=w), torch.ops.pyptogen_packing.pack(w, "a2a3")
    assert packed.shape == other.shape
    for _ in range(2):
        operator(x, packed)
        assert fault(lambda: operator(x, other)).code == "PTG403"


def test_what_cannot_be_packed(load: Load, tmp_path: Path) -> None:
    operator, w = loaded(tmp_path, GROUPED), torch.randn(3, 40, 33).bfloat16()
    for call, code in (
        (lambda: operator.pack(), "PTG404"),
        (lambda: operator.pack(v=w), "PTG404"),
        (lambda: operator.pack(w=w.float()), "PTG403"),
        (lambda: operator.pack(w=w.float().numpy()), "PTG403"),
        (lambda: operator.pack(w=w[0]), "PTG402"),
        (lambda: operator.pack(w=w[:2]), "PTG402"),
        (lambda: operator.pack(w=w[:, :0]), "PTG402"),
        (lambda: operator.pack(w=operator.pack(w=w)), "PTG402"),
        (lambda: operator.pack(w=w.clone().requires_grad_()), "PTG412"),
        (lambda: load("scatter_update").pack(cache=w), "PTG407"),
    ):
        assert fault(call).code == code
    with torch.no_grad():
        assert torch.equal(operator.pack(w=w.clone().requires_grad_()), operator.pack(w=w))


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients(load: Load, compiled: bool) -> None:
    operator = load("matmul_fp32")
    torch.manual_seed(3)
    a, b = torch.randn(9, 1024), torch.randn(1024, 1024)
    packed = operator.pack(b=b)
    call = torch.compile(operator, fullgraph=True, backend="aot_eager") if compiled else operator
    given = [a.clone().requires_grad_() for _ in range(2)]
    for x, y in zip(given, (packed, b), strict=True):
        call(x, y).square().sum().backward()
    assert torch.equal(given[0].grad, given[1].grad)
    trained = torch.nn.Parameter(packed.clone())
    found = fault(lambda: operator(a, trained))
    assert found.code == "PTG412"
    assert "requires_grad=False" in found.fix
    with torch.no_grad():
        assert torch.equal(operator(a, trained), operator(a, b))


def test_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = loaded(tmp_path, LYING)
    assert fault(lambda: operator.pack(kept=torch.ones(5, 8))).code == "PTG407"
    for t in (5, 1):
        x = torch.randn(2, t, 8)
        packed = operator.pack(x=x)
        assert packed.mT.is_contiguous()
        for _ in range(2):
            kept = torch.ones(8, t).mT
            version = kept._version
            made = operator(packed, kept)
            assert torch.equal(made.y, x + 1)
            assert made.y.mT.is_contiguous()
            assert made.kept is kept
            assert kept._version > version
            assert torch.equal(kept, torch.full((t, 8), 2.0))
            closed(operator, monkeypatch)
        monkeypatch.undo()
        assert torch.equal(operator(x, torch.ones(8, t).mT).y, x + 1)  # row after row: copied
        torch.library.opcheck(operator.op, (packed, torch.ones(8, t).mT))
    assert fault(lambda: operator(torch.randn(2, 5, 8), torch.ones(5, 8))).code == "PTG407"


def test_numbers_of_four_bits_and_hif8(load: Load) -> None:
    four, eight = load("linear_w4a16"), load("linear_hif8")
    for operator, dtype in ((four, ml_dtypes.int4), (eight, None)):
        contract = operator.operator.contract
        tensor = next(t for t in contract.inputs if t.packed is not None)
        example = operator.operator.example_inputs(**operator.operator.spec.verify.cases[0])[tensor.name]
        codes = torch.from_numpy(example)
        if dtype is not None:
            values = torch.from_numpy(tensor.elements(example).astype(np.int8))
        else:
            values = torch.from_numpy(hif8_values(example))
        for given in (codes, values):
            assert torch.equal(operator.pack(**{tensor.name: given}), codes)
        wrong = values.clone()
        wrong.view(-1)[3] = 9 if dtype is not None else 1.03
        found = fault(lambda: operator.pack(**{tensor.name: wrong}))  # noqa: B023
        assert found.code == "PTG403"
        assert f"holds {wrong.view(-1)[3].item()}" in found.message
        again = operator.operator.pack(**{tensor.name: tensor.elements(example)})
        np.testing.assert_array_equal(again, example)


def test_arrays_are_packed_by_compiled_operators(load: Load) -> None:
    operator = load("matmul_fp32").operator
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(3, 1024)).astype(np.float32), rng.normal(size=(1024, 1024)).astype(np.float32)
    packed = operator.pack(b=b)
    assert isinstance(packed, PackedWeight)
    want = operator(a=a, b=b).c
    np.testing.assert_array_equal(operator(a=a, b=packed).c, want)
    np.testing.assert_array_equal(operator(a=a, b=load("matmul_fp32").pack(b=torch.from_numpy(b))).c, want)
    rows, again = operator.pack(a=a, b=packed)
    assert rows is a
    assert again is packed
