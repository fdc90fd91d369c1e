"""Random specs of the language, by Hypothesis: vector graphs with broadcasts, reductions, casts and slices, and a
matmul with a prologue and an epilogue.

A graph is a list of definitions over values of known form: full [rows, cols], column [rows, 1] and row [cols]. Values
are kept in a range where no operation meets its singularities, so that tolerances stay meaningful.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

FULL, COLUMN, ROW = "full", "column", "row"


@dataclass(frozen=True)
class Known:
    """A value that later definitions may use. ``bounded``: its magnitude stays near 1; ``positive``: above 0.1."""

    name: str
    form: str
    dtype: str
    positive: bool


@st.composite
def vector_specs(draw: st.DrawFn) -> tuple[str, dict[str, int]]:
    """(spec text, dims to run it with)."""
    cols = draw(st.sampled_from([8, 16, 40, 64, 128, 200]))
    tile = draw(st.sampled_from([1, 4, 8, 16, 24]))
    known = [Known("x", FULL, "fp32", False), Known("g", ROW, "fp32", False)]
    lines: list[str] = []
    for number in range(draw(st.integers(1, 12))):
        text, made = draw(definition(known, f"v{number}"))
        lines.append(f"  {made.name}: {text}")
        known.append(made)
    last = draw(st.sampled_from([k for k in known[2:] if k.form != ROW] or known[:1]))
    shape = "rows, cols" if last.form == FULL else "rows, 1"
    lines.append(f"  y: {last.name} * 1.0")
    dtype = last.dtype
    text = "\n".join(
        [
            "pyptogen: 1",
            "operator: random_vector",
            "dims:",
            "  rows: {min: 1, max: 4096}",
            f"  cols: {cols}",
            "inputs:",
            "  x: fp32[rows, cols]",
            "  g: fp32[cols]",
            "outputs:",
            f"  y: {dtype}[{shape}]",
            "graph:",
            *lines,
            "tiling:",
            f"  - {{rows: {tile}}}",
            "",
        ]
    )
    return text, {"rows": draw(st.integers(1, 70))}


@st.composite
def definition(draw: st.DrawFn, known: list[Known], name: str) -> tuple[str, Known]:
    """One definition over what is known."""
    kind = draw(st.sampled_from(["unary", "binary", "scalar", "reduce", "binary", "round", "divide"]))
    fulls = [k for k in known if k.form == FULL and k.dtype == "fp32"]
    a = draw(st.sampled_from([k for k in known if k.dtype == "fp32"]))
    if kind == "unary":
        op = draw(
            st.sampled_from(["abs({0})", "neg({0})", "relu({0})", "exp(minimum({0}, 1.0))", "sqrt(abs({0}) + 0.5)"])
        )
        return op.format(a.name), Known(name, a.form, "fp32", op.startswith(("exp", "sqrt")))
    if kind == "scalar":
        op = draw(
            st.sampled_from(
                [
                    "{0} * 0.5",
                    "{0} + 0.25",
                    "0.75 - {0}",
                    "maximum({0}, -0.5)",
                    "minimum({0}, 0.75)",
                    "2 / (abs({0}) + 1)",
                ]
            )
        )
        return op.format(a.name), Known(name, a.form, "fp32", op.startswith("2 /"))
    if kind == "reduce":
        f = draw(st.sampled_from(fulls))
        op = draw(
            st.sampled_from(
                [
                    "amax({0}, axis=-1, keepdim=true)",
                    "amin({0}, axis=-1, keepdim=true)",
                    "sum({0} * 0.0078125, axis=-1, keepdim=true)",
                ]
            )
        )
        return op.format(f.name), Known(name, COLUMN, "fp32", False)
    if kind == "round":
        return f"cast(cast({a.name}, {draw(st.sampled_from(['bf16', 'fp16']))}), fp32)", Known(
            name, a.form, "fp32", a.positive
        )
    if kind == "divide":
        positive = [k for k in known if k.positive and k.dtype == "fp32"]
        if positive:
            below = draw(st.sampled_from(positive))
            return f"{a.name} / {below.name}", Known(name, _joined(a.form, below.form), "fp32", False)
    other = draw(st.sampled_from([k for k in known if k.dtype == "fp32"]))
    op = draw(
        st.sampled_from(
            [
                "({0} + {1}) * 0.5",
                "({0} - {1}) * 0.5",
                "{0} * {1} * 0.5",
                "maximum({0}, {1})",
                "minimum({0}, {1})",
            ]
        )
    )
    return op.format(a.name, other.name), Known(name, _joined(a.form, other.form), "fp32", False)


def _joined(a: str, b: str) -> str:
    """The form of two operands together: a column and a row make a full tile."""
    return a if a == b else FULL


@st.composite
def matmul_specs(draw: st.DrawFn) -> tuple[str, dict[str, int]]:
    """(spec text, dims): a product with random sizes, dtypes, tiles, layout and epilogue, in one or two stages."""
    dtype = draw(st.sampled_from(["fp32", "bf16", "int8"]))
    k, n = draw(st.sampled_from([32, 64, 96, 128, 256])), draw(st.sampled_from([32, 64, 96, 160]))
    # 64 bytes at least: whole fractals of packed weights
    k_tile = draw(st.sampled_from([None, 64, "{l1: 64, l0: 32}"]))
    n_tile = draw(st.sampled_from([None, 32]))
    m_tile = draw(st.sampled_from([16, 32, 48]))
    layout = draw(st.sampled_from(["", " @ nz"]))
    depth = draw(st.sampled_from([None, 1, 3]))  # copies of buffers; None: as the compiler likes
    acc = "int32" if dtype == "int8" else "fp32"
    epilogue = draw(st.booleans())
    out = "fp32" if epilogue else acc
    graph = ["  product:", f"    p: matmul(a, b, dtype={acc})"]
    if epilogue:
        wide = "cast(p, fp32)" if acc == "int32" else "p * 1.0"
        graph += [
            "  after:",
            f"    w: {wide}",
            f"    y: {draw(st.sampled_from(['w * s', 'maximum(w * s, 0.0)', 'w * s + w']))}",
        ]
    tiles = [f"m: {m_tile}", *([f"k: {k_tile}"] if k_tile else []), *([f"n: {n_tile}"] if n_tile else [])]
    fuse = "\n    fuse: [[product, after]]" if epilogue and draw(st.booleans()) else ""
    text = "\n".join(
        [
            "pyptogen: 1",
            "operator: random_matmul",
            "dims:",
            "  m: {min: 1, max: 1024}",
            f"  k: {k}",
            f"  n: {n}",
            "inputs:",
            f"  a: {dtype}[m, k]",
            f"  b: {dtype}[k, n]{layout}",
            *(["  s: fp32[m, 1]"] if epilogue else []),
            "outputs:",
            f"  {'y' if epilogue else 'p'}: {out}[m, n]",
            "graph:",
            *graph,
            *([f"schedule: {{buffers: {{product: {depth}}}}}"] if depth else []),
            "tiling:",
            *(
                f"  - {tiles[0]}\n    " + "\n    ".join(tiles[1:]) + fuse if tiles[1:] else f"  - {tiles[0]}{fuse}"
                for _ in (0,)
            ),
            "",
        ]
    )
    return text, {"m": draw(st.integers(1, 80))}


@st.composite
def loop_specs(draw: st.DrawFn) -> tuple[str, dict[str, int]]:
    """(spec text, dims): a loop over blocks of a run-time dim that carries columns and a matrix, read by each other
    before or after they are replaced, with products or without."""
    peak, total = "maximum(a, amax(e, axis=-1, keepdim=true))", "b * 0.5 + sum(e * 0.03125, axis=-1, keepdim=true)"
    block, rows = draw(st.sampled_from([16, 32, 48])), draw(st.sampled_from([8, 16]))
    body = ["      e: exp(minimum(x[:, n], 1.0)) * 0.25"]
    columns = {
        "a": draw(st.sampled_from([peak, "a * 0.5 + c", "c", "c * 0.25 + b * 0.5"])),
        "b": draw(st.sampled_from([total, "a", "minimum(b, a) + c * 0.5"])),
    }  # fmt: skip
    body.append(draw(st.sampled_from(["      c: amax(e, axis=-1, keepdim=true)", "      c: (a + b) * 0.5"])))
    carry = ["      a: z * 1.0", "      b: full([t, 1], 0.5, fp32)"]
    following = [f"      {name}: {value}" for name, value in columns.items()]
    product = draw(st.booleans())
    if product:
        left = draw(st.sampled_from(["x[:, n]", "e", "x[:, n] * 0.5"]))
        body.append(f"      p: matmul({left}, w[n])")
        carry.append("      s: full([t, d], 0, fp32)")
        sums = draw(st.sampled_from(["s * 0.5 + p * 0.125", "s * c * 0.25 + p * 0.125", "p + c"]))
        following.append(f"      s: {sums}")
    outputs = {"a": "t, 1", "b": "t, 1", **({"s": "t, d"} if product else {})}
    text = "\n".join(
        [
            "pyptogen: 1",
            "operator: random_loop",
            "dims:",
            "  t: {min: 1, max: 1024}",
            "  n: {min: 1, max: 4096}",
            "  d: 32",
            "inputs:",
            "  x: fp32[t, n]",
            "  w: fp32[n, d]",
            "  z: fp32[t, 1]",
            "outputs:",
            *(f"  {name}: fp32[{shape}]" for name, shape in outputs.items()),
            "graph:",
            "  rounds:",
            f"    loop: {{over: n, tile: {block}}}",
            "    carry:",
            *carry,
            "    body:",
            *body,
            "    next:",
            *following,
            "tiling:",
            "  - when: {target: cpu}",
            f"    t: {{tile: 16, vector: {rows}}}",
            "  - {t: 16}",
            "",
        ]
    )
    return text, {"t": draw(st.integers(1, 40)), "n": draw(st.integers(1, 130))}
