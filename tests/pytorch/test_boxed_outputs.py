"""Outputs `@ nz`, which tensors have as plain matrices: written in boxes, and unpacked without Python."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="pip install 'pyptogen[torch]'")

import pyptogen.torch  # noqa: E402

SPEC = """\
pyptogen: 1
operator: boxed
dims: {h: {min: 1, max: 64}, k: 41, n: 72}
inputs: {x: "fp32[h, k, n]", kept: "fp32[k]"}
outputs:
  a: fp32[h, k, n] @ nz
  total: fp32[h, k]
  b: bf16[h, k, n] @ nz
  c: int8[k, n] @ nz
  kept: {inplace: true}
graph:
  a: x * 2
  total: sum(x)
  b: cast(x, bf16)
  c: cast(x[0], int8)
  kept: kept + 1
"""


@pytest.fixture(scope="module", params=["cpu", "a2a3", "a5"])
def boxed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("boxed") / "boxed.yaml"
    path.write_text(SPEC)
    return pyptogen.torch.load(path, request.param, threads=1)


def given(h: int) -> tuple[Any, Any]:
    return torch.arange(h * 41 * 72).reshape(h, 41, 72).remainder(101).float() - 50, torch.zeros(41)


def check(made: Any, x: Any, kept: Any) -> None:
    want = (x * 2, x.sum(-1), x.bfloat16(), x[0].to(torch.int8), torch.ones(41))
    for found, one in zip(made, want, strict=True):
        torch.testing.assert_close(found, one, rtol=0, atol=0)
        assert found.is_contiguous()
    assert made.kept is kept


@pytest.mark.parametrize("h", [1, 3])
def test_known_calls(boxed: Any, monkeypatch: pytest.MonkeyPatch, h: int) -> None:
    for _ in range(3):
        x, kept = given(h)
        check(boxed(x, kept), x, kept)
        x, kept = given(h)
        made = boxed.op(x, kept)  # by the dispatcher
        check(boxed._results(*made, kept), x, kept)
        monkeypatch.setattr(type(boxed.operator), "bind", lambda *_: pytest.fail("by Python"))


def test_as_any_operator_of_torch(boxed: Any) -> None:
    torch.library.opcheck(boxed.op, given(2))

    def model(x: Any, kept: Any) -> Any:
        made = boxed(x + 1, kept)
        return made.a + 1, made.b, made.c

    x, _ = given(2)
    want = (x + 1) * 2 + 1, (x + 1).bfloat16(), (x[0] + 1).to(torch.int8)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")

    class Model(torch.nn.Module):
        forward = staticmethod(model)

    exported = torch.export.export(Model(), given(2)).module()
    for call in (compiled, compiled, exported):
        for found, one in zip(call(x, torch.zeros(41)), want, strict=True):
            torch.testing.assert_close(found, one, rtol=0, atol=0)
