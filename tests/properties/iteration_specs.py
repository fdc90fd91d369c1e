"""Random specs of loops: what rounds collect and what is made of it, recurrences step by step, rounds that are left
out, rows that rounds put into a tensor; and outputs that begin with a number everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from properties.random_specs import Case

Sections = dict[str, Sequence[str]]


@st.composite
def iteration_specs(draw: st.DrawFn) -> Case:
    """(spec text, dims): a loop of one of the forms below."""
    return draw(st.sampled_from([_blocks, _steps, _stacked, _conditional, _updates]))(draw)


def _text(sections: Sections, after: Sequence[str] = ()) -> str:
    lines = ["pyptogen: 1", "operator: random_rounds"]
    for name, entries in sections.items():
        lines += [f"{name}:", *(f"  {entry}" for entry in entries)] if entries else []
    return "\n".join([*lines, *after, ""])


def _tiling(draw: st.DrawFn, *rows: str) -> list[str]:
    chosen = draw(st.sampled_from(["", *rows]))
    return [f"  - {{{chosen}}}"] if chosen else ["  - {}"]


def _blocks(draw: st.DrawFn) -> Case:
    """Blocks of rows or of columns: what each makes is put together, beside sums that are carried or not."""
    by_rows = draw(st.booleans())
    dtype, tile = draw(st.sampled_from(["fp32", "bf16"])), draw(st.sampled_from([8, 16, 32]))
    over, block = ("r", "x[r]") if by_rows else ("n", "x[:, n]")
    wide = block if dtype == "fp32" else f"cast({block}, fp32)"
    shape, one = ("r, d", "[1, d]") if by_rows else ("d, n", "[d, 1]")
    axis = 0 if by_rows else -1
    carried = draw(st.booleans())
    made = draw(
        st.sampled_from(
            ["e * 0.5", "abs(e) + 1", "e.T", "e - amax(e, axis=-1, keepdim=true)", "amin(e, axis=1)", "c",
             "cumsum(e * 0.125, axis=0)", "cumsum(e * 0.125, axis=1)", "cumprod(e, axis=0)"]
        )
    )  # fmt: skip
    if made == "c" and not carried:
        made = "e"
    made = f"{made} + c" if carried and made in ("e * 0.5", "abs(e) + 1") else made
    turned = ", ".join(reversed(shape.split(", ")))
    gives = {"e.T": turned, "amin(e, axis=1)": over if by_rows else None, "c": None}.get(made, shape)
    if gives is None:  # it has no axis of the block
        made, gives = "e", shape
    head = [f"loop: {{over: {over}, tile: {tile}}}"]
    carry = ["carry:", f"  c: full({one}, 0.5, fp32)"] if carried else []
    total = f"sum(e * 0.03125, axis={axis}, keepdim=true)"
    following = ["next:", f"  c: {draw(st.sampled_from([f'c * 0.5 + {total}', f'maximum(c, {total})']))}"]
    body = ["body:", f"  e: exp(minimum({wide}, 1.0))"]
    stage = [*head, *carry, *body, *(following if carried else []), "collect:", f"  y: {made}"]
    outputs = [f"y: fp32[{gives}]", *([f"c: fp32{one}".replace("fp32[1, d]", "fp32[1, d]")] if carried else [])]
    sections: Sections = {
        "dims": [f"{over}: {{min: 1, max: 4096}}", f"d: {draw(st.sampled_from([7, 16, 33, 64]))}"],
        "inputs": [f"x: {dtype}[{shape}]"],
        "outputs": outputs,
        "graph": ["rounds:", *(f"  {line}" for line in stage)],
        "tiling": _tiling(draw, f"{over}: {tile}", *([] if by_rows and "axis" in made else ["d: 8"])),
    }
    return _text(sections), {over: draw(st.integers(1, 80))}


def _steps(draw: st.DrawFn) -> Case:
    """A recurrence, one step after another, of a row or of a matrix; the rounds of what has no axis of the block lie
    along a new one."""
    matrix = draw(st.booleans())
    d, e = draw(st.sampled_from([8, 16, 40])), draw(st.sampled_from([8, 24]))
    head = ["loop: {over: r, tile: 1}", "carry:"]
    if matrix:
        stage = [
            *head, "  s: s0 * 1", "body:", "  k: reshape(x[r], [d, 1])", "  v: z[r]", "next:",
            f"  s: {draw(st.sampled_from(['s * 0.5 + k * v', 's * w + k * v * 0.25', 's - k * (s * 0.25 - v)']))}",
            "collect:",
            f"  y: {draw(st.sampled_from(['amax(s * k, axis=0)', 'sum(s * k * 0.0625, axis=0)']))}",
        ]  # fmt: skip
        inputs = ["x: fp32[r, d]", "z: fp32[r, e]", "s0: fp32[d, e]", "w: fp32[d, e]"]
        outputs = ["s: fp32[d, e]", "y: fp32[r, e]"]
    else:
        kept = draw(st.sampled_from(["a * 0.75 + x[r] * 0.25", "maximum(a, x[r]) * 0.5", "n"]))
        stage = [
            *head, "  a: s0 * 1", "body:", "  n: a * w[0:1, :] + x[r]", "next:", f"  a: {kept}", "collect:",
            f"  y: {draw(st.sampled_from(['n', 'a + n', 'reshape(n, [d])']))}",
        ]  # fmt: skip
        inputs = ["x: fp32[r, d]", "s0: fp32[1, d]", "w: fp32[e, d]"]
        outputs = ["a: fp32[1, d]", "y: fp32[r, d]"]
    sections: Sections = {
        "dims": ["r: {min: 1, max: 4096}", f"d: {d}", f"e: {e}"],
        "inputs": inputs,
        "outputs": outputs,
        "graph": ["rounds:", *(f"  {line}" for line in stage)],
        "verify": ['generate: {w: "uniform(0, 0.9)"}'],
    }
    return _text(sections), {"r": draw(st.integers(1, 12))}


def _stacked(draw: st.DrawFn) -> Case:
    """Rounds side by side along a new axis, some made of parts, and what whole tensors are read for afterwards."""
    wide = draw(st.sampled_from([4, 8, 24]))
    parts = {
        "m * 0.5 + e": wide, "concat(m, e, axis=1)": 2 * wide, "concat(m, top, axis=1)": wide + 1,
        "concat(top, e, axis=1)": wide + 1, "concat(top, sum(e * 0.125, axis=1, keepdim=true), axis=1)": 2,
    }  # fmt: skip
    made = draw(st.sampled_from(sorted(parts)))
    d = parts[made]
    uses = {
        "permute(h, [1, 0, 2])": "r, t, d", "permute(h, [2, 0, 1])": "d, t, r", "sum(h * 0.03125, axis=0)": "r, d",
        "cumsum(h * 0.03125, axis=0)": "t, r, d", "amax(h, axis=1)": "t, d", "matmul(h, w, dtype=fp32)": "t, r, 16",
        "concat(x[:, :, 0:1], h, axis=2)": "t, r, d + 1", "reshape(h, [t * r, d])": "t * r, d", "softmax(h)": "t, r, d",
        "h[:, :, ::2] * 2": f"t, r, {-(-d // 2)}",
    }  # fmt: skip
    chosen = draw(st.lists(st.sampled_from(sorted(uses)), min_size=1, max_size=3, unique=True))
    next_values = ["maximum(m, e)", "m * 0.5 + e", "concat(m[:, 1:], top, axis=1)", "e - m[:, 2:3]"]
    following = draw(st.sampled_from(next_values))
    stage = [
        "loop: {over: t, tile: 1}", "carry:", "  m: full([r, k], 0.25, fp32)", "body:", "  e: reshape(x[t], [r, k])",
        "  top: amax(e, axis=1, keepdim=true)", "next:", f"  m: {following}", "collect:", f"  h: {made}",
    ]  # fmt: skip
    out = [f"  y{at}: {use}" for at, use in enumerate(chosen)]
    sections: Sections = {
        "dims": ["t: {min: 1, max: 4096}", "r: {min: 1, max: 4096}", f"k: {wide}", f"d: {d}"],
        "inputs": ["x: fp32[t, r, k]", "w: fp32[d, 16]"],
        "outputs": [f"y{at}: fp32[{uses[use]}]" for at, use in enumerate(chosen)],
        "graph": ["rounds:", *(f"  {line}" for line in stage), "out:", *out],
        "tiling": ["  - {}"],
    }
    return _text(sections), {"t": draw(st.integers(1, 9)), "r": draw(st.integers(1, 70))}


def _conditional(draw: st.DrawFn) -> Case:
    """Rounds that only some rows of the carried values take part in."""
    tile = draw(st.sampled_from([8, 16, 48]))
    condition = draw(st.sampled_from(["n.start < lengths[:, None]", "n.start < lengths[:, None] + m and n.start < 40"]))
    following = draw(st.sampled_from(["maximum(a, amax(e, axis=-1, keepdim=true))", "a * 0.5 + b"]))
    stage = [
        "loop:", "  over: n", f"  tile: {tile}", f"  if: {condition}", "carry:", "  a: full([r, 1], 0, fp32)", "body:",
        "  e: x[:, n] * k", "  b: sum(e * 0.0625, axis=-1, keepdim=true)", "next:", f"  a: {following}",
    ]  # fmt: skip
    sections: Sections = {
        "dims": ["r: {min: 1, max: 4096}", "n: {min: 1, max: 4096}"],
        "attrs": ["k: {type: fp32, default: 1.5}", "m: {type: int32, default: 9}"],
        "inputs": ["x: fp32[r, n]", "lengths: int32[r]"],
        "outputs": ["y: fp32[r, 1]"],
        "graph": ["rounds:", *(f"  {line}" for line in stage), "out:", "  y: a * 2 + 1"],
        "tiling": ["  - {r: 1}".strip()],
        "verify": ['generate: {lengths: "integers(0, 70)"}'],
    }
    return _text(sections), {"r": draw(st.integers(1, 9)), "n": draw(st.integers(1, 80))}


def _updates(draw: st.DrawFn) -> Case:
    """Rows that go into a tensor, at once or round by round, or add up in one that begins with a number."""
    start = draw(st.sampled_from(["0", "-1", "0.5", "k", "2 * d"]))
    dtype = draw(st.sampled_from(["fp32", "bf16", "fp16"]))
    how = draw(st.sampled_from(["update", "rounds", "index_add", "scatter"]))
    d = draw(st.sampled_from([8, 16, 40]))
    value = draw(st.sampled_from(["x * 0.5", "abs(x) + 1", "x"]))
    if how == "rounds":
        block = value.replace("x", "x[r]")
        graph = [
            "rounds:", "  loop: {over: r, tile: 16}", "  carry:", "    u: t", "  body:", f"    e: {block}", "  next:",
            "    u: scatter_update(u, at[r], e, dim=0)", "out:", "  t: u",
        ]  # fmt: skip
    elif how == "scatter":
        graph = [f"t: scatter(t, 0, expand_clone(at[:, None], [r, d]), {value}, reduce=add)"]
    else:
        call = "scatter_update(t, at, v, dim=0)" if how == "update" else "index_add(t, 0, at, v)"
        graph = [f"v: {value}", f"t: {call}"]
    index = '"skip(permutation(n), -1, 0.2)"' if how in ("update", "rounds") else '"integers(0, n - 1)"'
    target = f"t: {{shape: [n, d], dtype: {dtype}, init: {start}}}"
    inputs = [f"x: {dtype}[r, d]", "at: int32[r]"]
    if how == "rounds" or draw(st.booleans()):
        apart = f"t: {{shape: [n, d], dtype: {dtype}, strides: [d + {draw(st.sampled_from([5, 16]))}, 1]}}"
        given = draw(st.sampled_from([f"t: {dtype}[n, d]", apart]))
        inputs, target = [*inputs, given], "t: {inplace: true}"
    sections: Sections = {
        "dims": ["r: {min: 1, max: 4096}", f"n: {draw(st.integers(41, 64))}", f"d: {d}"],
        "attrs": ["k: {type: fp32, default: 1.5}"],
        "inputs": inputs,
        "outputs": [target],
        "graph": graph,
        "verify": [f"generate: {{at: {index}}}"],
    }
    return _text(sections), {"r": draw(st.integers(1, 40))}
