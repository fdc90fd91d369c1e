"""Flags and barriers of kernels whose pipes are asynchronous: few, enough, and each of them needed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from operators.test_scans_in_iterations import ROWS

from lower.instruction.editing import dropped, edit, places, with_parts
from lower.small_programs import elementwise, library, lowered, program_of
from pyptogen.codegen import generate
from pyptogen.lower.instruction import synchronise as synchronise_module
from pyptogen.lower.instruction.effects import KernelEffects
from pyptogen.lower.instruction.event_ids import EVENT_IDS, Flags
from pyptogen.lower.instruction.in_order import is_in_order
from pyptogen.lower.instruction.ir import Barrier, For, Instr, InstrKernel, Node, SetFlag, WaitFlag, walk
from pyptogen.lower.instruction.replay import Replay, Trips, prove, trip_counts
from pyptogen.lower.instruction.synchronise import run as synchronise
from pyptogen.lower.instruction.synchronise import settle
from pyptogen.lower.instruction.trips import Counted
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.simulate.fault import MachineFault
from pyptogen.simulate.graph import interpret

KERNELS = [
    (name, kernel.name)
    for name in ("softmax", "rms_norm", "matmul_bf16", "indexer_prolog", "fused", "product", "casts", "index_add")
    for kernel in lowered(name, "a2a3").instructions
]


def kernel_of(operator: str, name: str) -> InstrKernel:
    return next(k for k in lowered(operator, "a2a3").instructions if k.name == name)


def pairs(kernel: InstrKernel) -> set[tuple[str, str, int]]:
    """Distinct flags."""
    return {(n.src, n.dst, n.event) for n in walk(kernel.body) if isinstance(n, SetFlag)}


def orders(kernel: InstrKernel) -> list[tuple[str, str]]:
    """The pairs of set and wait in the loops' text; a choice of events by round is one pair."""
    return [
        (n.src, n.dst)
        for loop in walk(kernel.body)
        if isinstance(loop, For)
        for n in loop.body
        if isinstance(n, SetFlag)
    ]


def without_sync(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    kept = (n for n in nodes if not isinstance(n, SetFlag | WaitFlag | Barrier))
    return tuple(replace(n, body=without_sync(n.body)) if isinstance(n, For) else n for n in kept)


def test_load_add_store_takes_four_flags() -> None:
    (kernel,) = generate(elementwise("y: x + x"), "a2a3").instructions
    assert sorted(orders(kernel)) == [("MTE2", "V"), ("MTE3", "V"), ("V", "MTE2"), ("V", "MTE3")]


def test_a_matmul_k_loop_takes_five_flags() -> None:
    """Each operand is moved as soon as it is loaded; both have room again at once."""
    text = """\
pyptogen: 1
operator: product
dims: {m: {min: 1, max: 64}, k: 128, n: 64}
inputs: {a: "bf16[m, k]", b: "bf16[k, n]"}
outputs: {c: "fp32[m, n]"}
graph: {c: "matmul(a, b, dtype=fp32)"}
tiling: [{m: 16, k: 64}]
"""
    (kernel,) = generate(program_of(text), "a2a3").instructions
    (loop,) = (node for node in walk(kernel.body) if isinstance(node, For) and node.var == "k0")
    assert loop.slots == 2
    in_loop = [(n.src, n.dst) for n in walk(loop.body) if isinstance(n, SetFlag)]
    assert sorted(in_loop) == [("M", "MTE1"), ("MTE1", "M"), ("MTE1", "MTE2"), ("MTE2", "MTE1"), ("MTE2", "MTE1")]
    assert len({pair[:2] for pair in pairs(kernel)} - set(in_loop)) <= 2, "the accumulator's way out, and back"


@pytest.mark.parametrize(("operator", "name"), KERNELS)
def test_event_ids(operator: str, name: str) -> None:
    kernel = kernel_of(operator, name)
    assert all(0 <= event < EVENT_IDS for _, _, event in pairs(kernel))
    waits = {(n.src, n.dst, n.event) for n in walk(kernel.body) if isinstance(n, WaitFlag)}
    assert waits == pairs(kernel)


@pytest.mark.parametrize(("operator", "name"), KERNELS)
@pytest.mark.parametrize("trips", [0, 1, 2, 5])
def test_any_trip_count_is_in_order(operator: str, name: str, trips: int) -> None:
    found: list[str] = []
    Replay(kernel_of(operator, name), Trips((trips,)), on_find=lambda f: found.append(f.text)).run()
    assert found == []


@pytest.mark.parametrize(("operator", "name"), KERNELS)
def test_nothing_is_in_order_without_flags(operator: str, name: str) -> None:
    kernel = kernel_of(operator, name)
    bare = replace(kernel, body=without_sync(kernel.body))
    assert {f.kind for f in prove(bare)} <= {"race", "hazard"}
    assert any(f.kind == "race" for f in prove(bare))
    assert synchronise(bare) == kernel


@pytest.mark.parametrize(("operator", "name"), [k for k in KERNELS if k[0] not in ("matmul_bf16", "indexer_prolog")])
def test_every_flag_and_barrier_is_needed(operator: str, name: str) -> None:
    kernel = kernel_of(operator, name)
    expected = {
        SetFlag: {"deadlock", "race"},
        WaitFlag: {"left over", "double set", "race"},
        Barrier: {"hazard", "race"},
    }
    for path in places(kernel.body, lambda node: isinstance(node, SetFlag | WaitFlag | Barrier)):
        node = _at(kernel.body, path)
        kinds = {f.kind for f in prove(dropped(kernel, path))}
        assert kinds & expected[type(node)], f"{node} can go"  # type: ignore[index]


def _at(nodes: tuple[Node, ...], path: tuple[int, ...]) -> Node:
    node = nodes[path[0]]
    if len(path) == 1:
        return node
    assert isinstance(node, For)
    return _at(node.body, path[1:])


def test_a_flag_of_another_event_is_found() -> None:
    kernel = kernel_of("fused", "scale")
    path = next(places(kernel.body, lambda node: isinstance(node, WaitFlag)))

    def renumber(node: Node) -> tuple[Node, ...]:
        assert isinstance(node, WaitFlag)
        return (replace(node, event=7),)

    kinds = {f.kind for f in prove(replace(kernel, body=edit(kernel.body, path, renumber)))}
    assert "deadlock" in kinds


def test_the_interpreter_proves_first() -> None:
    program = lowered("softmax", "a2a3")
    (kernel,) = program.instructions
    path = next(places(kernel.body, lambda node: isinstance(node, WaitFlag)))
    broken = with_parts(program, instructions=(dropped(kernel, path),))
    with pytest.raises(MachineFault, match="in kernel `softmax`") as caught:
        interpret(broken, {})
    assert caught.value.kind == "order"
    assert caught.value.span.file == library("softmax").span.file


def test_loops_of_each_depth_are_proved_by_themselves() -> None:
    """A middle loop of several iterations around an inner one of one: without that walk the second tile of the bias
    would be loaded over the first, which is still read."""
    for name, kernel in (("linear_gelu", "product_to_activation_vec"), ("batched_matmul", "batched_matmul")):
        counts = {trips.counts for trips in trip_counts(kernel_of(name, kernel))}
        assert {(3, 3, 1), (3, 1, 3), (3, 1)} <= counts


def test_a_loop_that_ends_early_may_have_no_iteration() -> None:
    """A wait that only such a loop's iterations reach: one of them finds it in order, none leaves its flag set."""
    kernel = kernel_of("flash_attention_causal", "flash_attention_causal_vec")
    assert any(trips.early for trips in trip_counts(kernel))
    early = next(places(kernel.body, lambda n: isinstance(n, For) and n.before is not None and not n.once))
    wait = next(
        path
        for path in places(kernel.body, lambda n: isinstance(n, WaitFlag) and (n.src, n.dst) == ("MTE3", "V"))
        if path[:-1] == early[:-1] and path[-1] > early[-1]
    )
    moved = _at(kernel.body, wait)

    def with_wait(node: Node) -> tuple[Node, ...]:
        assert isinstance(node, For)
        return (replace(node, body=(*node.body, moved)),)

    inside = dropped(kernel, wait)
    this = next(places(kernel.body, lambda n: isinstance(n, For) and n.once and n.after is not None))
    assert this[: len(early)] == early
    inside = replace(inside, body=edit(inside.body, this, with_wait))
    found: dict[bool, set[str]] = {False: set(), True: set()}
    for trips in (Trips((1,)), Trips((1,), early=True)):
        Replay(inside, trips, on_find=lambda f, kinds=found[trips.early]: kinds.add(f.kind)).run()  # type: ignore[misc]
    assert found[False] == set()
    assert found[True] & {"double set", "left over"}


def test_a_loop_in_stages_that_ends_early_may_not_even_begin() -> None:
    """Rows that see no key at all: not even the first iteration's scores are made."""
    kernel = kernel_of("flash_attention_causal", "flash_attention_causal_vec")
    loop = next(n for n in walk(kernel.body) if isinstance(n, For) and n.before is not None and not n.once)
    counted, outermost = Counted.of(loop), ("", 0, 1)
    assert counted.distance == 2
    assert counted.iterations(Trips((2,)), 0, outermost) == 4
    assert counted.iterations(Trips((0,)), 0, outermost) == 2
    assert counted.iterations(Trips((2,), early=True), 0, outermost) == 0


def test_a_loop_over_the_rows_behind_the_first_may_have_no_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only its iterations order is not in order where a block has one row."""
    program = from_spec(load_source(Source("scans.yaml", ROWS)))
    without: list[InstrKernel] = []
    with monkeypatch.context() as patch:
        patch.setattr(synchronise_module, "trip_counts", lambda k: [t for t in trip_counts(k) if not t.single])
        without += generate(program, "a2a3").instructions
    for kernels, fine in ((without, False), (generate(program, "a2a3").instructions, True)):
        (kernel,) = kernels
        walks = [trips for trips in trip_counts(kernel) if trips.single]
        assert walks
        assert all(is_in_order(kernel, trips, KernelEffects(kernel)) == fine for trips in walks)


def test_loops_in_a_row_have_the_same_tokens() -> None:
    """Seven loops with tokens for all copies, set once before them all; one dropped or set once more is seen."""
    parts = ", ".join(f"x[:, {at}:{at + 12}:3]" for at in range(7))
    text = f"""\
pyptogen: 1
operator: joined
dims: {{t: {{min: 1, max: 4096}}}}
inputs: {{x: "fp32[t, 64]"}}
outputs: {{y: "fp32[t, 28]"}}
graph: {{y: "concat({parts}, axis=-1)"}}
tiling: [{{t: 16}}]
"""
    kernel = generate(program_of(text), "a2a3").instructions[-1]
    loops = [node for node in kernel.body if isinstance(node, For)]
    assert len(loops) >= 7
    assert full_barriers(kernel) == 0
    copies = {loop.slots for loop in loops if loop.slot is not None}
    assert {event for src, dst, event in pairs(kernel) if (src, dst) == ("V", "MTE2")} == {*range(max(copies))}
    tokens = list(places(kernel.body, lambda node: isinstance(node, SetFlag | WaitFlag)))
    for path in (path for path in tokens if len(path) == 1):
        assert prove(dropped(kernel, path)), "a token of several loops can go"
        assert prove(replace(kernel, body=edit(kernel.body, path, lambda node: (node, node)))), "it may be there twice"


def full_barriers(kernel: InstrKernel) -> int:
    return sum(isinstance(node, Barrier) and node.pipe == "ALL" for node in walk(kernel.body))


def copies_in_a_row(*windows: str) -> InstrKernel:
    """A kernel that copies a window of each of its inputs, one after the other; the places in UB are the same."""
    names = [f"x{at}" for at in range(len(windows))]
    parts = ", ".join(
        f"reshape({name}[:, {window}], [1, rows, 256])" for name, window in zip(names, windows, strict=True)
    )
    text = f"""\
pyptogen: 1
operator: copies
dims: {{rows: {{min: 1, max: 4096}}}}
inputs: {{{", ".join(f'{name}: "fp32[rows, 512]"' for name in names)}}}
outputs: {{y: "fp32[{len(windows)}, rows, 256]"}}
graph: {{y: "concat({parts}, axis=0)"}}
"""
    (kernel,) = generate(program_of(text), "a2a3").instructions
    return kernel


def test_what_follows_from_shared_tokens_has_no_flag_between_loops() -> None:
    """Ten loops over two copies of one buffer and of one result: each comes after the one before by tokens alone."""
    kernel = copies_in_a_row(*["::2"] * 10)
    at = [i for i, node in enumerate(kernel.body) if isinstance(node, For)]
    assert at == list(range(at[0], at[0] + 10))
    assert full_barriers(kernel) == 0
    tokens = {flag for flag in pairs(kernel) if flag[:2] in (("V", "MTE2"), ("MTE3", "V"))}
    assert tokens == {("V", "MTE2", 0), ("V", "MTE2", 1), ("MTE3", "V", 0), ("MTE3", "V", 1)}


def test_orders_between_loops_share_ids() -> None:
    """Loops of two kinds in turn, ten orders from either kind to the other. Their ids are used again, once the orders
    that had them are known to be through; also where no loop has a round."""
    kernel = copies_in_a_row(*[":256", "::2"] * 10)
    assert full_barriers(kernel) == 0
    between = [flag for flag in kernel.body if isinstance(flag, SetFlag) and not flag.note]
    assert len(between) > 2 * EVENT_IDS
    for path in (path for path in places(kernel.body, lambda node: node in between) if len(path) == 1):
        assert prove(dropped(kernel, path)), "a flag between loops can go"


def test_parts_of_an_iteration_that_share_no_bytes_share_no_tokens() -> None:
    """Keys, values and weights have two buffers each, and lie in one round: loads of one never wait for another's."""
    cube = kernel_of("flash_attention", "flash_attention_cube")
    assert {event for src, dst, event in pairs(cube) if (src, dst) == ("MTE1", "MTE2")} == {0, 1, 2, 3, 4, 5}


def test_products_one_after_the_other_have_one_place_and_one_token() -> None:
    """Gate and up take turns in L0A and L0B, which are full: no flag but the tokens of their loops orders them."""
    text = """\
pyptogen: 1
operator: pair
dims: {t: {min: 1, max: 64}, k: 1024, n: 128}
inputs: {x: "bf16[t, k]", w: "bf16[k, n]", v: "bf16[k, n]"}
outputs: {gate: "fp32[t, n]", up: "fp32[t, n]"}
graph: {gate: "matmul(x, w, dtype=fp32)", up: "matmul(x, v, dtype=fp32)"}
tiling: [{t: 64, n: 128, k: {l1: 512, l0: 256}}]
"""
    (products,) = generate(program_of(text), "a2a3").instructions
    assert {flag for flag in pairs(products) if flag[:2] == ("M", "MTE1")} == {("M", "MTE1", 0)}


def test_two_orders_of_a_body_become_one_where_ids_are_used_up() -> None:
    """Six results of two copies each want twelve ids of V and MTE3, either way."""
    casts = kernel_of("casts", "casts")
    assert sum(n.name == "TSTORE" for n in walk(casts.body) if isinstance(n, Instr)) == 6
    assert full_barriers(casts) == 0
    for pipes in (("V", "MTE3"), ("MTE3", "V")):
        assert {event for *between, event in pairs(casts) if tuple(between) == pipes} >= {0, 2, 4, 6}


def test_a_barrier_is_the_last_resort() -> None:
    kernel = kernel_of("casts", "casts")
    bare = replace(kernel, body=without_sync(kernel.body))
    flags = Flags(bare, join=False)
    settle(Trips((3,)), flags, KernelEffects(bare))
    assert any(isinstance(sync, Barrier) and sync.pipe == "ALL" for syncs in flags.places.values() for sync in syncs)


def test_a_plan_that_has_what_is_asked_for_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where joined orders leave a fault that asks for them again, the next walk would tell the same."""
    kernel = kernel_of("softmax", "softmax")
    bare, walks = replace(kernel, body=without_sync(kernel.body)), list[Trips]()

    def counted(kernel: InstrKernel, trips: Trips, *args: object, **named: object) -> Replay:
        walks.append(trips)
        return Replay(kernel, trips, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(synchronise_module, "Replay", counted)
    monkeypatch.setattr(Flags, "add", lambda self, order: None)
    assert not settle(Trips((3,)), Flags(bare), KernelEffects(bare))
    assert len(walks) == 2  # barriers come of the first


def test_what_an_index_names_is_ordered_in_gm() -> None:
    """The next slice may be added to the same place: it is read after the last one is stored, with no barrier."""
    kernel = kernel_of("index_add", "index_add")
    assert full_barriers(kernel) == 0
    assert ("MTE3", "MTE2") in [(n.src, n.dst) for n in next_loop(kernel, "added0").body if isinstance(n, SetFlag)]
    assert any("GM y" in finding.text for finding in prove(without_wait(kernel)))


def next_loop(kernel: InstrKernel, var: str) -> For:
    return next(node for node in walk(kernel.body) if isinstance(node, For) and node.var == var)


def without_wait(kernel: InstrKernel) -> InstrKernel:
    """The kernel without what its second loop waits for before it reads the result."""
    wanted = next_loop(kernel, "added0")
    path = next(
        path
        for path in places(kernel.body, lambda n: isinstance(n, WaitFlag) and (n.src, n.dst) == ("MTE3", "MTE2"))
        if len(path) > 1 and kernel.body[path[0]] is wanted
    )
    return dropped(kernel, path)


def test_stores_of_one_pipe_to_places_that_an_index_says_are_apart_by_a_barrier() -> None:
    """They leave in order; that they arrive so, nobody says. Without the barrier the replay tells: of elements that
    `scatter` puts in one place, the last one counts."""
    spec = """pyptogen: 1
operator: put
dims: {rows: {min: 1, max: 4096}, added: {min: 1, max: 4096}, cols: 256}
inputs: {x: "fp32[rows, cols]", index: "int32[added, cols]", src: "fp32[added, cols]"}
outputs: {y: "fp32[rows, cols]"}
graph: {y: "scatter(x, 0, index, src)"}
"""
    (kernel,) = generate(program_of(spec), "a2a3").instructions
    barriers = list(places(kernel.body, lambda node: isinstance(node, Barrier) and node.pipe == "MTE3"))
    assert barriers
    assert prove(kernel) == []
    for path in barriers:
        found = prove(dropped(kernel, path))
        assert {finding.kind for finding in found} == {"hazard"}
        assert "may arrive before" in found[0].text


def test_rows_of_one_update_may_arrive_in_any_order() -> None:
    """Of rows for one place, any may be there in the end (`scatter_update`)."""
    kernel = next(k for k in lowered("moe_dispatch", "a2a3").instructions if k.name == "inverse_vec3")
    assert any(isinstance(node, Instr) and node.name == "TSTORE" for node in walk(kernel.body))
    assert not any(isinstance(node, Barrier) and node.pipe == "MTE3" for node in walk(kernel.body))


def test_stores_to_other_places_of_one_tensor_need_no_barrier() -> None:
    (kernel,) = generate(elementwise("y: x + x"), "a2a3").instructions
    assert not any(isinstance(node, Barrier) and node.pipe == "MTE3" for node in walk(kernel.body))
