"""Level host: programs, tensors, results, dependencies."""

from __future__ import annotations

import gc
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen import Arg, CompiledPackage, Runtime, TensorHandle
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime import CompiledOperator
from pyptogen.runtime.faults import RuntimeClosed
from pyptogen.runtime.toolchain.build import Toolchain
from runtime import toy
from runtime.operator.test_compiled import expected_y, inputs

from . import kernels


@pytest.fixture(scope="module")
def operator(toolchain: Toolchain) -> CompiledOperator:
    library = toolchain.shared_object("toy", toy.sources(), ["toy_cpu"])
    return CompiledOperator(None, toy.program(), "cpu", library, 1)  # type: ignore[arg-type]


def code_of(rt: Runtime, name: str, args: Any) -> str:
    with pytest.raises(DiagnosticError) as error:
        rt.submit(name, args)
    return error.value.diagnostics[0].code


def test_operator_gives_what_a_call_gives(rt: Runtime, operator: CompiledOperator) -> None:
    rt.register("toy", operator)
    given = inputs()
    result = rt.run("toy", given)
    assert type(result).__name__ == "ToyOutputs"
    assert result._fields == ("y", "state", "z")
    assert (result.y == expected_y(given)).all()
    assert (result.z == given["w"]).all()


def test_package_runs_like_its_operator(rt: Runtime, operator: CompiledOperator) -> None:
    rt.register("package", CompiledPackage.of(operator))
    given = inputs()
    assert (rt.run("package", given).y == expected_y(given)).all()


def test_array_updated_in_place_is_the_callers(rt: Runtime, operator: CompiledOperator) -> None:
    rt.register("toy", operator)
    given = inputs()
    state = given["state"]
    handles = [rt.submit("toy", given) for _ in range(5)]
    assert handles[4].result().state is state
    assert (state == np.arange(5) + 35).all()


def test_list_of_arguments_is_in_contract_order(rt: Runtime, operator: CompiledOperator) -> None:
    rt.register("toy", operator)
    given, y = inputs(), np.zeros((5, 8), np.float32)
    order = [Arg.input(given[name]) for name in ("x", "bias", "w")]
    rt.run("toy", [*order, Arg.inout(given["state"]), given["cache"], Arg.output(y), None, 0.5, Arg.scalar(7)])
    assert (y == expected_y(given, 0.5)).all()


def test_packed_weight_stays_packed(rt: Runtime, operator: CompiledOperator) -> None:
    rt.register("toy", operator)
    given = inputs()
    weight = rt.tensor(pyptogen.pack(given["w"]))
    assert weight.shape == (16, 8)
    assert (rt.run("toy", given | {"w": weight}).z == given["w"]).all()
    other = rt.tensor(pyptogen.pack(given["w"], target="a2a3"))
    assert code_of(rt, "toy", given | {"w": other}) == "PTG402"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"x": np.zeros((5, 7), np.float32)}, "PTG402"),
        ({"x": np.zeros((5, 8), np.float64)}, "PTG403"),
        ({"n": 3}, "PTG403"),
        ({"y": np.zeros((4, 8), np.float32)}, "PTG402"),
        ({"state": np.arange(10, dtype=np.int32)[::2]}, "PTG407"),
    ],
)
def test_fault_before_anything_is_submitted(
    rt: Runtime, operator: CompiledOperator, change: dict[str, Any], code: str
) -> None:
    rt.register("toy", operator)
    assert code_of(rt, "toy", inputs() | change) == code


def test_output_over_an_input_is_refused(rt: Runtime, operator: CompiledOperator) -> None:
    rt.register("toy", operator)
    x = rt.tensor(inputs()["x"])
    assert code_of(rt, "toy", inputs() | {"x": x, "y": x}) == "PTG407"


def test_unknown_names_are_suggested(rt: Runtime, operator: CompiledOperator) -> None:
    rt.register("toy", operator)
    with pytest.raises(DiagnosticError) as error:
        rt.run("toi")
    assert "toy" in error.value.diagnostics[0].fix


def test_chip_that_is_not_there(rt: Runtime) -> None:
    rt.register("nothing", kernels.nothing)
    with pytest.raises(DiagnosticError, match="no chip 7"):
        rt.submit("nothing", chip=7)


def test_handle_tells_when_it_is_done(rt: Runtime) -> None:
    rt.register("sleep", kernels.sleep)
    handle = rt.submit("sleep", {"seconds": 0.3})
    assert not handle.done()
    assert not handle.wait(0.01)
    with pytest.raises(TimeoutError):
        handle.result(0.01)
    assert handle.wait(10)
    assert handle.done()


def test_result_is_not_copied(rt: Runtime) -> None:
    rt.register("scale", kernels.scale)
    x = rt.tensor(np.ones(100, np.float32))
    task = rt.submit("scale", {"x": x, "y": Arg.output(shape=(100,), dtype="fp32")})
    y = task.result().y
    assert np.shares_memory(y, task["y"].numpy())
    assert np.shares_memory(rt.submit("scale", {"x": y, "y": Arg.output(y)}).result().y, y)
    assert (y == 4).all()


def test_bf16_and_fp8_travel(rt: Runtime) -> None:
    rt.register("scale", kernels.scale)
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
        x = np.arange(4).astype(dtype)
        result = rt.run("scale", {"x": x, "y": Arg.output(shape=(4,), dtype=dtype), "by": 1.0}).y
        assert result.dtype == dtype
        assert (result == x).all()


def test_kernel_cannot_write_an_input(rt: Runtime) -> None:
    rt.register("write_input", kernels.write_input)
    x = rt.tensor(np.ones(4))
    with pytest.raises(ValueError, match="read-only"):
        rt.run("write_input", {"x": x})
    assert (x.numpy() == 1).all()


def test_reader_waits_for_the_writer(rt: Runtime) -> None:
    rt.register("slow", kernels.slow_copy)
    rt.register("scale", kernels.scale)
    a, b = rt.empty((8,), "fp32"), rt.empty((8,), "fp32")
    rt.submit("slow", {"x": np.full(8, 3, np.float32), "y": Arg.output(a), "seconds": 0.1}, chip=0)
    rt.submit("scale", {"x": a, "y": Arg.output(b)}, chip=1)
    assert (b.numpy() == 6).all()


def test_writer_waits_for_the_readers(rt: Runtime) -> None:
    rt.register("slow", kernels.slow_copy)
    rt.register("scale", kernels.scale)
    a, b = rt.tensor(np.full(8, 3, np.float32)), rt.empty((8,), "fp32")
    rt.submit("slow", {"x": a, "y": Arg.output(b), "seconds": 0.1}, chip=0)
    rt.submit("scale", {"x": np.ones(8, np.float32), "y": Arg.output(a)}, chip=1)
    assert (b.numpy() == 3).all()
    assert (a.numpy() == 2).all()


def test_updates_in_place_take_turns(rt: Runtime) -> None:
    rt.register("slow_increase", kernels.slow_increase)
    a = rt.tensor(np.zeros(8, np.float32))
    for number in range(10):
        rt.submit("slow_increase", {"x": Arg.inout(a), "seconds": 0.005}, chip=number % 2)
    assert (a.numpy() == 10).all()


def test_parts_of_a_tensor_do_not_wait_for_each_other(rt: Runtime) -> None:
    rt.register("note", kernels.note_time)
    times = rt.empty((2, 2), "float64")
    for chip in (0, 1):
        rt.submit("note", {"t": Arg.output(times[chip : chip + 1].reshape(2)), "seconds": 0.3}, chip=chip)
    (begin0, end0), (begin1, end1) = times.numpy()
    assert max(begin0, begin1) < min(end0, end1)


def test_chips_work_at_the_same_time_and_take_the_idle_one(rt: Runtime) -> None:
    rt.register("note", kernels.note_time)
    tasks = [rt.submit("note", {"t": Arg.output(shape=(2,), dtype="float64"), "seconds": 0.3}) for _ in range(2)]
    assert {task.chip for task in tasks} == {0, 1}
    (begin0, end0), (begin1, end1) = (task.result().t for task in tasks)
    assert max(begin0, begin1) < min(end0, end1)


def test_memory_is_free_again(rt: Runtime) -> None:
    arena = rt._level._arena
    rt.empty((1,), "int8").free()
    before = arena.used
    for _ in range(100):
        rt.empty((1000, 1000), "fp32")
    gc.collect()
    rt.empty((1,), "int8").free()
    assert arena.used <= before + 5_000_000


def test_array_keeps_its_memory_when_the_handle_is_gone(rt: Runtime) -> None:
    array = rt.tensor(np.full(1000, 5, np.int32)).numpy()
    others = [rt.tensor(np.zeros(1000, np.int32)) for _ in range(10)]
    assert (array == 5).all()
    del others


def test_freed_handle_is_refused(rt: Runtime) -> None:
    handle = rt.empty((4,), "fp32")
    handle.free()
    with pytest.raises(ValueError, match="freed"):
        handle.numpy()


def test_too_much_memory() -> None:
    with Runtime(level="host", memory=1 << 20) as small:
        kept = small.empty((1 << 19,), "int8")
        with pytest.raises(MemoryError):
            small.empty((1 << 20,), "int8")
        assert isinstance(kept, TensorHandle)


def test_slices_of_handles(rt: Runtime) -> None:
    data = np.arange(24, dtype=np.float32).reshape(6, 4)
    handle = rt.tensor(data)
    assert (handle[2:4].numpy() == data[2:4]).all()
    assert (handle.part(5, 9).numpy() == data.reshape(-1)[5:9]).all()
    assert (handle.reshape(4, 6).numpy() == data.reshape(4, 6)).all()
    for wrong in (lambda: handle[0], lambda: handle[::2], lambda: handle.part(20, 30)):
        with pytest.raises(IndexError):
            wrong()


def test_many_tasks(rt: Runtime) -> None:
    rt.register("increase", kernels.increase)
    a = rt.tensor(np.zeros(4, np.float32))
    for _ in range(2000):
        rt.submit("increase", {"x": Arg.inout(a)})
    assert (a.numpy() == 2000).all()


def test_function_that_a_worker_cannot_import(rt: Runtime) -> None:
    with pytest.raises(TypeError, match="top of a module"):
        rt.register("lambda", lambda x: None)


def test_closed_runtime_says_so() -> None:
    rt = Runtime(level="host")
    rt.register("nothing", kernels.nothing)
    rt.close()
    rt.close()
    with pytest.raises(RuntimeClosed):
        rt.run("nothing")


def test_close_finishes_what_was_submitted() -> None:
    y = np.zeros(4)
    with Runtime(level="host") as rt:
        rt.register("slow", kernels.slow_copy)
        rt.submit("slow", {"x": np.ones(4), "y": Arg.output(y), "seconds": 0.2})
    assert (y == 1).all()


def test_results_outlive_the_runtime() -> None:
    with Runtime(level="host") as rt:
        rt.register("scale", kernels.scale)
        y = rt.run("scale", {"x": np.ones(4), "y": Arg.output(shape=(4,), dtype="float64")}).y
    assert (y == 2).all()


def test_unknown_level() -> None:
    with pytest.raises(DiagnosticError, match="unknown level `hosts`"):
        Runtime(level="hosts")
