"""Orchestrations: graphs of tasks, scopes, groups, collectives; two ways to share a network between chips."""

from __future__ import annotations

import gc
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from pyptogen import Arg, Runtime
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime.faults import WorkerLost

from . import kernels

KERNELS = {name: getattr(kernels, name) for name in ("scale", "add", "fail", "die", "sleep", "increase", "matmul")}


def run(rt: Runtime, orch: Any, args: Any = None) -> Any:
    rt.register("program", orch=orch, kernels=KERNELS)
    return rt.submit("program", args).result(30)


def out(like: Any) -> Arg:
    return Arg.output(shape=like.shape, dtype=like.dtype)


def test_graph_by_handles(rt: Runtime) -> None:
    def orch(o: Any, args: Any) -> Any:
        a = o.submit("scale", chip=0, x=args.x, y=out(args.x))
        b = o.submit("scale", chip=1, x=a, y=out(args.x), by=args.factor)
        return o.submit("add", x=a["y"], y=b["y"], z=out(args.x))

    x = np.arange(6, dtype=np.float32)
    assert (run(rt, orch, {"x": x, "factor": 5}).z == 12 * x).all()


def test_run_does_the_same_on_the_callers_thread(rt: Runtime) -> None:
    rt.register(
        "program", orch=lambda o, args: {"twice": o.submit("scale", x=args[0], y=out(args[0]))}, kernels=KERNELS
    )
    assert (rt.run("program", [np.ones(3)])["twice"].y == 2).all()


def test_output_of_the_caller_is_filled(rt: Runtime) -> None:
    y = np.zeros(4)

    def orch(o: Any, args: Any) -> None:
        o.submit("scale", x=args.x, y=Arg.output(args.y))

    assert run(rt, orch, {"x": np.ones(4), "y": Arg.output(y)}) is None
    assert (y == 2).all()


def test_output_of_the_caller_is_left_alone_when_a_task_fails(rt: Runtime) -> None:
    y = np.zeros(4)

    def orch(o: Any, args: Any) -> None:
        o.submit("scale", x=args.x, y=Arg.output(args.y))
        o.submit("die", y=out(args.y))

    with pytest.raises(WorkerLost):
        run(rt, orch, {"x": np.ones(4), "y": Arg.output(y)})
    assert (y == 0).all()


def test_failed_task_fails_the_run_though_nothing_uses_it(rt: Runtime) -> None:
    def orch(o: Any, args: Any) -> int:
        o.submit("fail", text="unused")
        return 1

    with pytest.raises(ValueError, match="unused"):
        run(rt, orch)


def test_exception_of_the_function_arrives(rt: Runtime) -> None:
    def orch(o: Any, args: Any) -> None:
        raise LookupError("in orch")

    with pytest.raises(LookupError, match="in orch"):
        run(rt, orch)


def test_unknown_kernel(rt: Runtime) -> None:
    with pytest.raises(DiagnosticError, match="has no kernel `scal`"):
        run(rt, lambda o, args: o.submit("scal"))


def test_flow_that_depends_on_data(rt: Runtime) -> None:
    def orch(o: Any, args: Any) -> Any:
        x, rounds = args.x, 0
        while x.numpy()[0] < 100:
            x = o.submit("scale", x=x, y=out(x))["y"]
            rounds += 1
        return rounds, x

    rounds, x = run(rt, orch, {"x": np.ones(2)})
    assert (rounds, x[0]) == (7, 128)


def test_after_orders_tasks_without_tensors(rt: Runtime) -> None:
    def orch(o: Any, args: Any) -> Any:
        x = o.tensor(np.zeros(2))
        wait = o.submit("sleep", chip=0, seconds=0.2)
        return wait, o.submit(kernels.note_time, chip=1, after=[wait], t=Arg.output(x), seconds=0.0)

    rt.register("program", orch=orch, kernels=KERNELS)
    handle = rt.submit("program")
    handle.wait()
    assert handle.result()[1].t[0] > 0


def test_scope_frees_intermediates(rt: Runtime) -> None:
    arena = rt._level._arena
    peak = []
    gc.freeze()  # what other tests left behind is not walked in each round, which would take longer than the run may

    def orch(o: Any, args: Any) -> Any:
        x = o.tensor(np.ones(1 << 18))
        start = arena.used
        for _ in range(20):
            with o.scope() as scope:
                a = o.submit("scale", x=x, y=out(x))
                x = scope.keep(o.submit("scale", x=a, y=out(x), by=0.5))["y"]
            x.numpy()
            gc.collect()
            peak.append(arena.used - start)
        with pytest.raises(ValueError, match="freed"):
            a["y"].numpy()
        return x

    try:
        assert (run(rt, orch) == 1).all()
    finally:
        gc.unfreeze()
    assert max(peak) < 10 * (1 << 21)


def test_sub_program(rt: Runtime) -> None:
    rt.register("twice", orch=lambda o, args: o.submit("scale", x=args.x, y=out(args.x)), kernels=KERNELS)

    def orch(o: Any, args: Any) -> Any:
        return o.submit("scale", x=o.call("twice", {"x": args.x}), y=out(args.x))

    assert (run(rt, orch, {"x": np.ones(3)}).y == 4).all()


def test_group_runs_on_every_chip(four: Runtime) -> None:
    def orch(o: Any, args: Any) -> Any:
        group = o.group("scale", [{"x": args.x, "by": chip, "y": out(args.x)} for chip in o.chips])
        assert [task.chip for task in group] == [0, 1, 2, 3]
        assert [tensor.owner for tensor in group.outputs("y")] == [0, 1, 2, 3]
        return group

    results = run(four, orch, {"x": np.ones(2)})
    assert [result.y[0] for result in results] == [0, 1, 2, 3]


def test_copy_belongs_to_the_other_chip(rt: Runtime) -> None:
    def orch(o: Any, args: Any) -> Any:
        there = o.copy(o.tensor(np.arange(5), chip=0), 1)
        assert there.owner == 1
        return there

    assert (run(rt, orch) == np.arange(5)).all()


RNG = np.random.default_rng(3)
DATA = [RNG.integers(-50, 50, (8, 4)).astype(np.float32) for _ in range(4)]
TOTAL = np.sum(DATA, axis=0)


def collective(four: Runtime, name: str, data: Any = DATA, **options: Any) -> Any:
    def orch(o: Any, args: Any) -> Any:
        tensors = [o.tensor(array, chip=chip) for chip, array in zip(o.chips, data, strict=True)]
        results = getattr(o, name)(tensors, **options)
        assert [result.owner for result in results] == [0, 1, 2, 3]
        return results

    return run(four, orch)


def test_all_reduce(four: Runtime) -> None:
    assert all((result == TOTAL).all() for result in collective(four, "all_reduce"))
    for name, operation in (("max", np.maximum), ("min", np.minimum), ("prod", np.multiply)):
        expected = operation.reduce(DATA)
        assert all((result == expected).all() for result in collective(four, "all_reduce", op=name))


def test_all_reduce_of_uneven_parts(four: Runtime) -> None:
    data = [array.reshape(-1)[:7] for array in DATA]
    assert all((result == np.sum(data, axis=0)).all() for result in collective(four, "all_reduce", data))


def test_all_reduce_rounds_bf16_once(four: Runtime) -> None:
    data = [np.array([1.0, 256.0 if chip == 0 else 0.75], ml_dtypes.bfloat16) for chip in range(4)]
    expected = np.array([4.0, 258.25], np.float32).astype(ml_dtypes.bfloat16)
    assert all((result == expected).all() for result in collective(four, "all_reduce", data))


def test_reduce_scatter(four: Runtime) -> None:
    for axis in (0, 1):
        results = collective(four, "reduce_scatter", axis=axis)
        assert all((a == b).all() for a, b in zip(results, np.split(TOTAL, 4, axis), strict=True))


def test_all_gather(four: Runtime) -> None:
    for axis in (0, 1, -1):
        expected = np.concatenate(DATA, axis)
        assert all((result == expected).all() for result in collective(four, "all_gather", axis=axis))


def test_all_to_all(four: Runtime) -> None:
    for axis in (0, 1):
        expected = [np.concatenate([np.split(x, 4, axis)[i] for x in DATA], axis) for i in range(4)]
        assert all((a == b).all() for a, b in zip(collective(four, "all_to_all", axis=axis), expected, strict=True))


def test_broadcast(four: Runtime) -> None:
    def orch(o: Any, args: Any) -> Any:
        results = o.broadcast(o.tensor(DATA[0], chip=2))
        assert [result.owner for result in results] == [0, 1, 2, 3]
        return results

    assert all((result == DATA[0]).all() for result in run(four, orch))


@pytest.mark.parametrize(
    ("name", "data", "options", "code"),
    [
        ("all_reduce", [*DATA[:3], DATA[0][:4]], {}, "PTG402"),
        ("all_reduce", DATA, {"op": "mean"}, "PTG404"),
        ("reduce_scatter", [array[:6] for array in DATA], {}, "PTG402"),
        ("all_gather", DATA, {"axis": 2}, "PTG402"),
        ("all_to_all", [array[:6] for array in DATA], {}, "PTG402"),
    ],
)
def test_collective_that_cannot_be(four: Runtime, name: str, data: Any, options: Any, code: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        collective(four, name, data, **options)
    assert error.value.diagnostics[0].code == code
