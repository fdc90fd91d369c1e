"""Random specs of a given form: a product with its epilogue, a loop with carried values, attention."""

from __future__ import annotations

from hypothesis import strategies as st

from properties.random_specs import Case


@st.composite
def matmul_specs(draw: st.DrawFn) -> Case:
    """(spec text, dims): a product with random sizes, dtypes, tiles, layout and epilogue, in one or two stages."""
    dtype = draw(st.sampled_from(["fp32", "bf16", "int8"]))
    layout = draw(st.sampled_from(["", " @ nz"]))
    # A packed weight is whole fractals, of 64 bytes at least; another one has any size.
    k, n = draw(st.sampled_from([32, 64, 96, 128, 256])), draw(st.sampled_from([32, 64, 96, 160]))
    if not layout:
        k, n = draw(st.sampled_from([k, 33, 100])), draw(st.integers(1, 160))
    k_tile = draw(st.sampled_from([None, 64, "{l1: 64, l0: 32}"]))
    n_tile = draw(st.sampled_from([None, 32]))
    m_tile = draw(st.sampled_from([16, 32, 48]))
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
    boxed = draw(st.booleans())  # rows of whole boxes, of 64 bytes at the most
    rows, stored = ("{min: 64, max: 1024, multiple_of: 64}", " @ nz") if boxed else ("{min: 1, max: 1024}", "")
    tiles = [f"m: {m_tile}", *([f"k: {k_tile}"] if k_tile else []), *([f"n: {n_tile}"] if n_tile else [])]
    fuse = "\n    fuse: [[product, after]]" if epilogue and draw(st.booleans()) else ""
    text = "\n".join(
        [
            "pyptogen: 1",
            "operator: random_matmul",
            "dims:",
            f"  m: {rows}",
            f"  k: {k}",
            f"  n: {n}",
            "inputs:",
            f"  a: {dtype}[m, k]",
            f"  b: {dtype}[k, n]{layout}",
            *(["  s: fp32[m, 1]"] if epilogue else []),
            "outputs:",
            f"  {'y' if epilogue else 'p'}: {out}[m, n]{stored}",
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
    return text, {"m": draw(st.sampled_from([64, 128]) if boxed else st.integers(1, 80))}


@st.composite
def loop_specs(draw: st.DrawFn) -> Case:
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


@st.composite
def attention_specs(draw: st.DrawFn) -> Case:
    """(spec text, dims): attention, causal or not, of grouped heads or not, with all in fifos or through GM."""
    dtype = draw(st.sampled_from(["fp32", "bf16", "fp16"]))
    heads, d = draw(st.integers(1, 3)), draw(st.sampled_from([16, 32, 64]))
    causal, biased = draw(st.sampled_from([(False, False), (True, False), (False, True)]))
    grouped = draw(st.sampled_from([False, False, True]))
    e = draw(st.sampled_from([d, 48]))
    fifo = draw(st.sampled_from(["", "", ", fifo: 1", ", fifo: 2", ", fifo: 3", ", fifo: 4", ", fifo: 8"]))
    rows = draw(st.sampled_from([16, 32, 48]))
    block = draw(st.sampled_from([16, 32, 64]))
    cut = draw(st.sampled_from(["", f", rows: {rows // 2}" if rows % 32 == 0 else ""]))
    how = (", causal=true" if causal else "") + (", bias=b" if biased else "")
    after = draw(st.sampled_from(["", " * 0.5", " + 0.25"]))
    lead = "heads, group" if grouped else "heads"
    group = ", group: 1" if grouped else ""
    sq, kv = draw(st.integers(1, 70)), draw(st.integers(1, 90))
    text = f"""pyptogen: 1
operator: random_attention
dims:
  heads: {heads}
{"  group: 2" if grouped else "  unused: 1"}
  sq: {{min: 1, max: 4096}}
  kv: {{min: 1, max: 4096}}
  d: {d}
  e: {e}
inputs:
  q: {dtype}[{lead}, sq, d]
  k: {dtype}[heads, kv, d]
  v: {dtype}[heads, kv, e]
{"  b: fp32[sq, kv]" if biased else ""}
outputs:
  o: {dtype}[{lead}, sq, e]
graph:
  o: attention(q, k, v{how}){after}
tiling:
  - when: {{target: cpu}}
    heads: 1{group.replace(", ", chr(10) + "    ")}
    sq: {{tile: {rows}{cut}}}
    kv: {block}
  - {{heads: 1{group}, sq: {rows}, kv: {block}{fifo}}}
"""
    return text, {"sq": min(sq, kv) if causal else sq, "kv": kv}
