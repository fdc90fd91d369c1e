"""`gated_delta_rule` against its recurrence by hand, token after token: heads in groups or not, a state or none."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties.checked_run import said_by_checked_mode
from properties.test_random_specs import examples

import pyptogen
from pyptogen.builder.checking import check_specs
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec, verify
from pyptogen.schema import Source, Spec, load_source, load_spec
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret
from pyptogen.simulate.tile import interpret as run_tiles
from pyptogen.verify import example_inputs

from .conftest import SPECS

Array = np.ndarray[Any, Any]

HEAD = """\
pyptogen: 1
operator: forgetting
dims: {b: 2, t: %s, h: 2, n: 3, dk: 32, dv: 48}
"""
# name: inputs and results, the call, the size of t
FORMS = {
    "groups": (
        "q: {0}[b, t, h, dk]\n  k: {0}[b, t, h, dk]\n  v: {0}[b, t, h, n, dv]\n  g: fp32[b, t, h, n]\n"
        "  beta: fp32[b, t, h, n]\n  state: fp32[b, h, n, dk, dv]",
        "o: {0}[b, t, h, n, dv]\n  last: fp32[b, h, n, dk, dv]",
        "gated_delta_rule(q, k, v, g, beta, state, scale=0.25)",
    ),
    "heads": (
        "q: {0}[t, h, dk]\n  k: {0}[t, h, dk]\n  v: {0}[t, h, dv]\n  g: fp32[t, h]\n  beta: fp32[t, h]",
        "o: {0}[t, h, dv]\n  last: fp32[h, dk, dv]",
        "gated_delta_rule(q, k, v, g, beta)",
    ),
    "one_head": (
        "q: {0}[t, 1, dk]\n  k: {0}[t, 1, dk]\n  v: {0}[t, 1, dv]\n  g: fp32[t, 1]\n  beta: fp32[t, 1]\n"
        "  state: fp32[1, dk, dv]",
        "o: {0}[t, 1, dv]",
        "gated_delta_rule(q, k, v, g, beta, initial_state=state)",
    ),
}
ANY = "{min: 1, max: 4096}"
LENGTHS = (1, 63, 64, 65, 200)

# Of values near 1. In fp32 the logarithm of a decay that forgets all, -104, stands in sums of a chunk.
ALLOWED = {"fp32": 1e-4, "fp16": 2e-3, "bf16": 1.5e-2}


def text(form: str, dtype: str, t: str = ANY) -> str:
    given, made, call = FORMS[form]
    names = "o" if "last" not in made else "o, last"
    graph = f"  {names}: {call}\n" if "last" in made else f"  o, unread: {call}\n"
    return (
        f"{HEAD % t}inputs:\n  {given.format(dtype)}\noutputs:\n  {made.format(dtype)}\ngraph:\n{graph}tiling: [{{}}]\n"
    )


def inputs(spec: Spec, seed: int, **dims: int) -> dict[str, Array]:
    """Rows of q and k of length 1, as a layer normalises them; some tokens forget all, some change nothing."""
    rng = np.random.default_rng(seed)
    arrays: dict[str, Array] = example_inputs(spec, dims, seed=seed)
    for name, array in arrays.items():
        values = rng.normal(size=array.shape)
        if name in "qk":
            values /= np.linalg.norm(values, axis=-1, keepdims=True)
        if name == "g":
            values = np.where(rng.random(array.shape) < 0.03, -np.inf, -0.3 * rng.random(array.shape))
        if name == "beta":
            values = np.where(rng.random(array.shape) < 0.1, 0, rng.random(array.shape))
        arrays[name] = values.astype(array.dtype)
    return arrays


def recurrence(arrays: dict[str, Array], scale: float) -> dict[str, Array]:
    """Yang et al., "Gated Delta Networks", equation (10), in float64: a state [dk, dv] for each value head."""
    a = {name: array.astype(np.float64) for name, array in arrays.items()}
    q, k, v, tokens = a["q"], a["k"], a["v"], a["q"].ndim - 3
    if v.ndim > q.ndim:
        q, k = q[..., None, :], k[..., None, :]
    q, k, v, g, beta = (np.moveaxis(x, tokens, 0) for x in (q, k, v, a["g"], a["beta"]))
    shape = (*v.shape[1:-1], k.shape[-1], v.shape[-1])
    state = np.broadcast_to(a.get("state", 0.0), shape)
    read = []
    for i in range(len(v)):
        state = state * np.exp(g[i])[..., None, None]
        known = np.einsum("...k,...kv->...v", np.broadcast_to(k[i], shape[:-1]), state)
        state = state + k[i][..., None] * ((v[i] - known) * beta[i][..., None])[..., None, :]
        read.append(scale * np.einsum("...k,...kv->...v", np.broadcast_to(q[i], shape[:-1]), state))
    return {"o": np.moveaxis(np.array(read), 0, tokens), "last": state}


def agree(got: dict[str, Any], form: str, dtype: str, arrays: dict[str, Array]) -> None:
    for name, want in recurrence(arrays, 0.25 if form == "groups" else arrays["k"].shape[-1] ** -0.5).items():
        if name in got:
            values = np.asarray(got[name]).astype(np.float64)
            np.testing.assert_allclose(values, want, rtol=ALLOWED[dtype], atol=ALLOWED[dtype], err_msg=name)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """`compiled(form, dtype, target)`: the operator."""
    folder = tmp_path_factory.mktemp("delta")

    @cache
    def made(form: str, dtype: str, target: str) -> Any:
        path = folder / f"{form}.yaml"
        path.write_text(text(form, dtype))
        return pyptogen.compile(path, target=target, threads=2)

    return made


@pytest.mark.parametrize(("form", "dtype", "target"), [("groups", "bf16", "cpu"), ("heads", "fp32", "a2a3")])
@pytest.mark.parametrize("t", LENGTHS)
def test_compiled(compiled: Any, form: str, dtype: str, target: str, t: int) -> None:
    operator = compiled(form, dtype, target)
    arrays = inputs(operator.spec, t, t=t)
    agree(operator(**{name: array.copy() for name, array in arrays.items()})._asdict(), form, dtype, arrays)
    agree(operator.golden(**arrays)._asdict(), form, dtype, arrays)


def test_no_tokens_are_refused(compiled: Any) -> None:
    operator = compiled("groups", "bf16", "cpu")
    arrays = inputs(operator.spec, 0, t=1)
    none = {name: array if name == "state" else array[:, :0] for name, array in arrays.items()}
    with pytest.raises(DiagnosticError, match="PTG401: dim `t` is 0"):
        operator(**none)


@pytest.mark.parametrize(
    ("form", "dtype", "t", "target"),
    [
        ("groups", "fp32", ANY, "cpu"), ("groups", "fp32", ANY, "a2a3"), ("groups", "fp32", ANY, "a5"),
        ("heads", "fp16", ANY, "a2a3"), ("one_head", "bf16", ANY, "cpu"), ("one_head", "bf16", ANY, "a2a3"),
        ("groups", "bf16", "1", "cpu"), ("groups", "bf16", "1", "a2a3"), ("heads", "fp32", "1", "a2a3"),
        ("one_head", "fp32", "2", "cpu"),
        ("heads", "fp32", "37", "a2a3"), ("groups", "fp16", "100", "cpu"),
    ],
)  # fmt: skip
def test_levels(form: str, dtype: str, t: str, target: str) -> None:
    """Each level as numpy, with a length that only a call knows or that is known now, on one block and on several."""
    spec = load_source(Source("forgetting.yaml", text(form, dtype, t)))
    program = from_spec(spec)
    verify(program)
    arrays = inputs(spec, 5, **({"t": 70} if t == ANY else {}))
    agree(interpret(program, arrays), form, dtype, arrays)
    made = lower(program, target)
    agree(run_tiles(made, arrays, level="tile"), form, dtype, arrays)
    agree(run_tiles(made, arrays, level="block", blocks=3), form, dtype, arrays)
    agree(run_instructions(made, arrays, blocks=2), form, dtype, arrays)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_the_word_is_what_stages_of_the_language_say(target: str) -> None:
    """The operator of the library, for smaller heads, and the same with each loop written out."""
    by_stages = load_spec(Path(__file__).with_name("delta_by_stages.yaml"))
    library = (SPECS / "gated_delta_rule.yaml").read_text().replace("heads: 16", "heads: 2")
    library = library.replace("dk: 128", "dk: 64").replace("dv: 128", "dv: 64")
    by_word = load_source(Source("gated_delta_rule.yaml", library))
    arrays = example_inputs(by_word, {"b": 2, "s": 70}, seed=3)
    want = interpret(from_spec(by_word), arrays)
    got = run_instructions(lower(from_spec(by_stages), target), arrays)
    for name, expected in want.items():
        np.testing.assert_allclose(
            got[name].astype(np.float64), expected.astype(np.float64), rtol=2**-6, atol=2**-7, err_msg=name
        )


@given(data=st.data())
@examples(3, nightly=25)
def test_levels_of_random_sizes(data: st.DataObject) -> None:
    """Heads, widths, lengths and tiles as they come, on both targets; the recurrence is the judge."""
    form, dtype = data.draw(st.sampled_from(sorted(FORMS))), data.draw(st.sampled_from(sorted(ALLOWED)))
    known, t = data.draw(st.booleans()), data.draw(st.integers(1, 150))
    table = data.draw(st.sampled_from(["{}", "{b: 1, h: 1, n: 1}", "{b: 1, h: 1, n: 1, fifo: 2}"]))
    drawn = text(form, dtype, str(t) if known else ANY).replace("tiling: [{}]", f"tiling: [{table}]")
    for name, most in (("h: 2", 3), ("n: 3", 3)):
        drawn = drawn.replace(name, f"{name[0]}: {data.draw(st.integers(1, most))}")
    for name in ("dk: 32", "dv: 48"):
        drawn = drawn.replace(name, f"{name[:2]}: {data.draw(st.sampled_from([16, 32, 48, 64, 80]))}")
    spec = load_source(Source("forgetting.yaml", drawn))
    arrays = inputs(spec, len(drawn), **({} if known else {"t": t}))
    agree(interpret(from_spec(spec), arrays), form, dtype, arrays)
    for target in ("cpu", "a2a3"):
        made = lower(from_spec(spec), target)
        agree(run_tiles(made, arrays, level="block", blocks=3), form, dtype, arrays)
        agree(run_instructions(made, arrays, blocks=2), form, dtype, arrays)


def test_fifos_of_one_stage_where_there_are_enough() -> None:
    """With `fifo` two of the four loops are mixed kernels; the one that inverts shares more values than fifos can."""
    spec = text("heads", "bf16").replace("tiling: [{}]", "tiling: [{t: 64, fifo: 2}]")
    (plan,) = lower(from_spec(load_source(Source("forgetting.yaml", spec))), "a2a3").execution.plans
    assert sum(launch.core == "mixed" for launch in plan) == 2
    assert any(launch.core == "cube" for launch in plan)


def test_checked_mode_is_silent(tmp_path: Path) -> None:
    path = tmp_path / "forgetting.yaml"
    path.write_text(text("one_head", "bf16"))
    assert said_by_checked_mode(path, "a2a3", {"t": 65}, 3) == ""


@pytest.mark.parametrize("factor", [1.0, -1.0], ids=["grows", "forgets"])
def test_decays_of_both_signs(factor: float) -> None:
    """The rule is that of the paper where the logarithm is above 0, too; the same key again and again cancels much."""
    program = from_spec(load_source(Source("forgetting.yaml", text("heads", "fp32"))))
    arrays = inputs(load_source(Source("forgetting.yaml", text("heads", "fp32"))), 8, t=130)
    arrays["g"][:] = factor * 0.05
    arrays["k"][:] = arrays["k"][:1]
    arrays["beta"][:] = 1
    for name, want in recurrence(arrays, 32**-0.5).items():
        np.testing.assert_allclose(interpret(program, arrays)[name], want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        ("gated_delta_rule(q[:, :, 0], k, v, g, beta)", "PTG204", ("q [b, t, dk] and [b, t, h, n, dv] as v", "dv] or")),
        ("gated_delta_rule(q, k[:, :, 0], v, g, beta)", "PTG204", ("`k`", "bf16[b, t, h, dk]")),
        ("gated_delta_rule(q, k, v, g[..., 0], beta)", "PTG204", ("`g`", "fp32[b, t, h, n]")),
        ("gated_delta_rule(q, k, v, g, beta, state[0])", "PTG204", ("`state`", "fp32[b, h, n, dk, dv]")),
        ("gated_delta_rule(q, k[..., :16], v, g, beta)", "PTG205", ("`k`", "[b, t, h, 16]")),
        ("gated_delta_rule(q, k, v[:, :, :1], g, beta)", "PTG205", ("`v`", "bf16[b, t, h, n, dv]")),
        ("gated_delta_rule(q, k, v, g, beta, transpose(state, -2, -1))", "PTG205", ("`state`", "[b, h, n, dv, dk]")),
        ("gated_delta_rule(q, cast(k, fp16), v, g, beta)", "PTG206", ("`k`", "cast it: `cast(…, bf16)`")),
        ("gated_delta_rule(q, k, v, cast(g, bf16), beta)", "PTG206", ("`g`", "cast it: `cast(…, fp32)`")),
        ("gated_delta_rule(q, k, v, g, beta, cast(state, bf16))", "PTG206", ("`state`", "cast it: `cast(…, fp32)`")),
        ("gated_delta_rule(cast(q, int32), k, v, g, beta)", "PTG206", ("needs a float", "int32")),
        ("gated_delta_rule(q, k, v, g, beta, chunk_size=64)", "PTG203", ("`chunk_size`", "state = None")),
    ],
)  # fmt: skip
def test_faults(tmp_path: Path, call: str, code: str, words: tuple[str, ...]) -> None:
    path = tmp_path / "forgetting.yaml"
    path.write_text(text("groups", "bf16").replace(FORMS["groups"][2], call))
    with pytest.raises(DiagnosticError) as caught:
        check_specs(path)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert (found.span.line, found.span.col) == (15, 12 if code != "PTG203" else 47)
    for word in words:
        assert word in f"{found.message} {found.expected} {found.fix}"


def test_one_result_is_not_enough(tmp_path: Path) -> None:
    path = tmp_path / "forgetting.yaml"
    path.write_text(text("one_head", "bf16").replace("o, unread:", "o:"))
    with pytest.raises(DiagnosticError, match="1 name for 2 values"):
        check_specs(path)
