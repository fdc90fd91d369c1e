"""Calls that reach the chip without torch's dispatcher: only those for which it would do nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from pyptogen.diagnostics import DiagnosticError  # noqa: E402
from pyptogen.torch import load  # noqa: E402

SPEC = """\
pyptogen: 1
operator: direct_rows
dims: {n: {min: 1, max: 64}}
attrs: {gain: {type: fp32, default: 2.0}}
inputs: {x: "fp32[n, 16]", state: "fp32[n, 16]", places: "int32[4]"}
outputs: {y: "fp32[n, 16]", picked: "fp32[4, 16]", behind: "fp32[4, 16]", state: {inplace: true}}
graph:
  y: x * gain
  picked: index_select(x, 0, places)
  behind: index_select(x, 0, where(places + 1 < n, places + 1, 0))
  state: state + x
targets: [cpu]
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("direct") / "direct_rows.yaml"
    path.write_text(SPEC)
    operator = load(path, threads=1)
    operator(**given())
    return operator


@pytest.fixture
def dispatched(rows: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A word for each call that the dispatcher took."""
    taken: list[str] = []
    op = rows.op

    def counted(*args: Any, **kwargs: Any) -> Any:
        taken.append("taken")
        return op(*args, **kwargs)

    monkeypatch.setattr(rows, "op", counted)
    return taken


def given(n: int = 3) -> dict[str, Any]:
    x = torch.randn(n, 16)
    return {"x": x, "state": torch.zeros(n, 16), "places": torch.tensor([0, 2, 1, 0], dtype=torch.int32)}


def check(made: Any, arguments: dict[str, Any], gain: float = 2.0) -> None:
    x = arguments["x"].detach()
    torch.testing.assert_close(made.y, x * gain)
    torch.testing.assert_close(made.picked, x[arguments["places"].long()])
    torch.testing.assert_close(made.behind, x[(arguments["places"].long() + 1) % len(x)])
    assert made.state is arguments["state"]
    torch.testing.assert_close(made.state.detach(), x)


def test_calls_by_position_and_by_name_go_past_the_dispatcher(rows: Any, dispatched: list[str]) -> None:
    first, second, third = given(), given(), given()
    check(rows(*first.values()), first)
    check(rows(**dict(reversed(second.items()))), second)
    check(rows(third["x"], **{name: third[name] for name in ("places", "state")}), third)
    with_attr = given()
    rows(*with_attr.values(), 3.0)
    with_attr = given()
    check(rows(*with_attr.values(), 3.0), with_attr, gain=3.0)
    with_attr = given()
    check(rows(gain=3.0, **with_attr), with_attr, gain=3.0)
    assert dispatched == ["taken"], "the first one with another attr"
    assert rows.last_run > 0


def test_a_parameter_and_what_needs_no_gradient_now(rows: Any, dispatched: list[str]) -> None:
    arguments = given() | {"x": torch.nn.Parameter(torch.randn(3, 16))}
    with torch.no_grad():
        check(rows(**arguments), arguments)
    assert not dispatched
    with pytest.raises(DiagnosticError, match="PTG412"):
        rows(**given() | {"x": arguments["x"]})
    assert dispatched


class _Functions(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class _Dispatched(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    "watching",
    [
        _Functions,
        _Dispatched,
        lambda: torch.autocast("cpu", dtype=torch.bfloat16),
        lambda: torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]),
        torch.inference_mode,
    ],
    ids=["function mode", "dispatch mode", "autocast", "profiler", "inference mode"],
)
def test_who_watches_operators_sees_the_call(
    rows: Any, dispatched: list[str], watching: Callable[[], AbstractContextManager[Any]]
) -> None:
    arguments = given()
    with watching() as watched:
        made = rows(*arguments.values())
    check(made, arguments)
    assert dispatched
    if hasattr(watched, "key_averages"):
        assert any(event.key == rows.name for event in watched.key_averages())
    dispatched.clear()
    with nullcontext():
        rows(**given())
    assert not dispatched


class _Own(torch.Tensor):  # type: ignore[misc, name-defined]
    pass


@pytest.mark.parametrize(
    "other",
    [
        lambda x: x.as_subclass(_Own),
        lambda x: torch.complex(torch.zeros(3, 16), -x).conj().imag.clone(),
        lambda x: x.T.contiguous().T,
        lambda x: torch._neg_view(-x),
    ],
    ids=["subclass", "plain after all", "columns", "negated view"],
)
def test_other_tensors_are_right_too(rows: Any, other: Callable[[Any], Any]) -> None:
    for _ in range(2):
        arguments = given()
        made = rows(**arguments | {"x": other(arguments["x"])})
        torch.testing.assert_close(torch.as_tensor(made.y).as_subclass(torch.Tensor), arguments["x"] * 2)


def test_what_is_updated_gets_a_new_version(rows: Any, dispatched: list[str]) -> None:
    arguments = given()
    before = arguments["state"]._version
    rows(**arguments)
    assert arguments["state"]._version == before + 1
    assert not dispatched


def test_faults_are_told_as_by_the_dispatcher(rows: Any) -> None:
    with pytest.raises(DiagnosticError, match="PTG408"):
        rows(**given() | {"places": torch.tensor([0, 3, 1, 0], dtype=torch.int32)})
    arguments = given()
    with pytest.raises(DiagnosticError, match="PTG407"):
        rows(**arguments | {"state": arguments["x"]})
    with pytest.raises(DiagnosticError, match="PTG404"):
        rows(arguments["x"], x=arguments["x"])
    with pytest.raises(DiagnosticError, match="PTG404"):
        rows(**arguments, gian=2.0)


def test_small_results_own_their_memory(rows: Any) -> None:
    """Blocks are used again only when nobody has them any more, also by other threads."""
    kept: list[tuple[Any, Any]] = []

    def work() -> None:
        for _ in range(200):
            arguments = given()
            made = rows(**arguments)
            kept.append((made.y, arguments["x"]))
            rows(**given())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({made.data_ptr() for made, _ in kept}) == len(kept)
    for made, x in kept:
        np.testing.assert_array_equal(made.numpy(), x.numpy() * 2)
    arguments = given()
    grown = rows(**arguments).y.resize_(100, 16)
    torch.testing.assert_close(grown[:3], arguments["x"] * 2)


def test_the_paths_are_the_same_to_compiled_programs(rows: Any, tmp_path: Path) -> None:
    arguments = given()

    def program(x: Any, places: Any) -> Any:
        return rows(x, torch.zeros(3, 16), places).y + 1

    compiled = torch.compile(program, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(arguments["x"], arguments["places"]), arguments["x"] * 2 + 1)
