"""Specs that nobody would write: random bytes in good ones, random trees, random expressions."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from pyptogen.lower.tensor.building.registry import Parameter, operations

LIBRARY = Path(__file__).parents[2] / "specs"

BASE = """\
pyptogen: 1
operator: draft
dims:
  rows: {{min: 1, max: 64}}
  keys: {{min: 1, max: 256, multiple_of: 16}}
  cols: 16
{dims}attrs:
  eps: {{type: fp32, default: 0.5}}
  n: {{type: int32, default: 2}}
inputs:
  x: fp32[rows, cols]
  z: fp32[rows, cols]
  w: bf16[cols, 32]
  k: bf16[keys, cols]
  ids: int32[rows]
  one: int32[1]
outputs:
  y: fp32[rows, cols]
{sections}functions:
  twice(a): {{return: a + a}}
  both(a, b): {{c: a * b, return: 'c, a - c'}}
graph:
{graph}"""

NAMES = (
    "x",
    "z",
    "w",
    "k",
    "ids",
    "one",
    "rows",
    "keys",
    "cols",
    "eps",
    "n",
    "inf",
    "pi",
    "twice",
    "y",
    "None",
    "eps.T",
)
NUMBERS = (
    "0", "1", "-1", "2", "3", "16", "64", "0.5", "-0.5", "1e-3", "1e30", "1e-40", "1e400", "2147483647", "2147483648",
    "-2147483649", "9223372036854775808", "1e308", "0.1", "7", "31", "33", "100000000000000000000", "1j", "'a'", "True",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", "and", "or")
DTYPES = ("fp32", "fp16", "bf16", "int8", "int32", "int64", "uint8", "bool", "fp8_e4m3", "int4", "hif8", "fp4_e2m1")

leaves = st.one_of(st.sampled_from(NAMES), st.sampled_from(NUMBERS))


def _argument(parameter: Parameter, inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """An argument of the right kind, mostly."""
    kinds: dict[str, st.SearchStrategy[str]] = {
        "tensor": st.one_of(st.sampled_from(("x", "z", "w", "k", "ids", "x[:, :1]", "x.T")), inner),
        "dtype": st.sampled_from(DTYPES),
        "flag": st.sampled_from(("true", "false")),
        "int": st.sampled_from(("-1", "0", "1", "-2", "2", "7", "rows", "cols")),
        "ints": st.sampled_from(("[0, 1]", "[1, 0]", "[0]", "[-1, -2]", "[]", "[2, 2]", "1")),
        "shape": st.sampled_from(("[rows, cols]", "[rows * cols]", "[cols, rows]", "[1]", "[]", "[rows, 4, 4]", "[0]")),
        "mode": st.sampled_from(("rint", "floor", "none", "up")),
        "reduction": st.sampled_from(("none", "add")),
        "form": st.sampled_from(("none", "tanh")),
    }
    return st.one_of(kinds.get(parameter.kind, inner), kinds.get(parameter.kind, inner), inner)


@st.composite
def _calls(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    operation = operations()[draw(st.sampled_from(sorted(operations())))]
    parts = []
    for parameter in operation.parameters:
        if type(parameter.default) is not object and not parameter.variadic and draw(st.booleans()):
            continue
        text = draw(_argument(parameter, inner))
        named = parts and parts[-1].startswith(f"{parameter.name}=")
        by_name = named or (type(parameter.default) is not object and draw(st.booleans()))
        parts.append(f"{parameter.name}={text}" if by_name else text)
    if draw(st.integers(0, 9)) == 0 and parts:
        parts.pop(draw(st.integers(0, len(parts) - 1)))
    return f"{operation.name}({', '.join(parts)})"


def _more(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    functions = st.sampled_from(
        ("min", "max", "ceil", "floor", "sqrt", "abs", "exp", "log", "twice", "both", "nothing")
    )
    bounds = st.one_of(st.just(""), inner)
    return st.one_of(
        st.builds("{} {} {}".format, inner, st.sampled_from(OPERATORS), inner),
        st.builds("({} {} {})".format, inner, st.sampled_from(OPERATORS), inner),
        st.builds("{}({})".format, functions, inner),
        st.builds("{}({}, {})".format, functions, inner, inner),
        st.builds("{}{}".format, st.sampled_from(("-", "+", "~", "not ", "*", "lambda: ")), inner),
        st.builds("{}[{}:{}]".format, inner, bounds, bounds),
        st.builds("{}[{}, {}:{}:{}]".format, inner, inner, bounds, bounds, bounds),
        st.builds("{}[..., {}, None]".format, inner, inner),
        _calls(inner),
        _calls(inner),
        _calls(inner),
    )


expressions = st.recursive(leaves, _more, max_leaves=8)
numbers = st.recursive(
    st.one_of(st.sampled_from(("rows", "keys", "cols", "n", "eps", "inf", "pi", "one")), st.sampled_from(NUMBERS)),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(OPERATORS), inner),
        st.builds("-{}".format, inner),
        st.builds("{}({}, {})".format, st.sampled_from(("min", "max", "minimum", "log", "exp")), inner, inner),
        st.builds("{}({})".format, st.sampled_from(("ceil", "floor", "sqrt", "abs", "exp", "log", "min")), inner),
    ),
    max_leaves=8,
)
"""Of dims and numbers."""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@st.composite
def graphs(draw: st.DrawFn) -> str:
    """A spec in order but for the expressions of its graph."""
    lines = [f"  v{at}: {_quoted(draw(expressions))}\n" for at in range(draw(st.integers(0, 2)))]
    lines.append(f"  y: {_quoted(draw(expressions))}\n")
    return BASE.format(dims="", sections="", graph="".join(lines))


@st.composite
def sizes(draw: st.DrawFn) -> str:
    """A spec in order but for what is computed from sizes: dims, shapes, conditions, slices."""
    number = _quoted(draw(numbers))
    other = _quoted(draw(numbers))
    where = draw(st.integers(0, 7))
    dims, sections, graph = "", "", "  y: x * 2\n"
    if where == 0:
        dims = f"  a: {number}\n  b: {other}\n"
        graph = "  y: x * a + b\n"
    elif where == 1:
        sections = f"  u:\n    shape: [{number}, cols]\n    dtype: fp32\n"
        graph = "  u: full([1, cols], 0, fp32)\n  y: x\n"
    elif where == 2:
        sections = f"requires: [{_quoted(f'{number[1:-1]} < {other[1:-1]}')}]\n"
    elif where == 3:
        test = _quoted(f"{number[1:-1]} >= {other[1:-1]}")
        graph = f"  s1: {{if: {test}, y: x}}\n  s2: {{if: {_quoted('not ' + test[1:-1])}, y: z}}\n"
    elif where == 4:
        test = _quoted(f"{number[1:-1]} == {other[1:-1]}")
        graph = f"  s1: {{when: {test}, y: x}}\n  s2: {{when: '1 > 2', y: z}}\n"
    elif where == 5:
        graph = f"  y: {_quoted(f'x * ({number[1:-1]}) + {other[1:-1]}')}\n"
    elif where == 6:
        graph = f"  v: {_quoted(f'x[:{number[1:-1]}, {other[1:-1]}:]')}\n  y: x\n"
    else:
        graph = f"  y: {_quoted(f'full([rows, cols], {number[1:-1]}, fp32) + reshape(x, [{other[1:-1]}, cols])')}\n"
    return BASE.format(dims=dims, sections=sections, graph=graph)


KEYS = (
    "pyptogen", "operator", "doc", "include", "dims", "attrs", "inputs", "outputs", "requires", "functions", "graph",
    "tiling", "schedule", "kernels", "verify", "targets", "rows", "cols", "x", "y", "min", "max", "multiple_of",
    "shape", "dtype", "layout", "strides", "init", "inplace", "type", "default", "loop", "over", "tile", "carry",
    "body", "next",
    "collect", "if", "when", "return", "f(a)", "fuse", "cases", "generate", "tolerance", "golden", "file", "function",
    "rtol", "level", "grid", "buffers", "sync", "for", "entry", "core", "writes", "reads", "blocks", "range", "target",
    "cores", "policy", "priority", "buffers", "draft", "address", "memory", "valid", "before", "after", "arguments",
)  # fmt: skip
SCALARS = (
    "1", "0", "-1", "16", "2.5", "true", "null", "x", "y", "rows", "x * 2", "fp32[rows, cols]", "fp32[rows", "fp32",
    "bf16[cols, rows] @ nz", "source", "tile", "block", "instruction", "aiv", "cpu", "a2a3", "[x]", "normal(0, 1)",
    "store(x, y)", "load(x[rows])", "'<= 4'", "critical_path", "ub", "int32", "other.yaml", "../up.yaml", "''", "~",
    "1e999", "9" * 400, ".nan", "-.inf", "0x7f", "draft", "f(x)", "{", "&a", "*a", "!tag", "#", "uniform(1)",
)  # fmt: skip
trees = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(st.tuples(st.sampled_from(KEYS), inner), max_size=4).map(
            lambda items: "{" + ", ".join(f"{key}: {value}" for key, value in items) + "}"
        ),
    ),
    max_leaves=10,
)


@st.composite
def forms(draw: st.DrawFn) -> str:
    """A spec of which one entry, somewhere, is another tree."""
    lines = BASE.format(dims="", sections="", graph="  y: x * 2\n").splitlines()
    lines += ["tiling: [{rows: 8}]", "verify: {cases: [{rows: 1, keys: 16}]}", "schedule: {cores: 2}"]
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(lines) - 1))
        head, colon, _ = lines[at].partition(":")
        if draw(st.integers(0, 3)):
            lines[at] = f"{head}{colon} {draw(trees)}"
        else:
            lines.insert(at, f"{draw(st.sampled_from(KEYS))}: {draw(trees)}")
    return "\n".join(lines) + "\n"


@cache
def _library() -> tuple[str, ...]:
    """The shorter specs of the library: what changes in them is read sooner."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(LIBRARY.glob("*.yaml"))]
    return tuple(text for text in texts if len(text) < 1500)


PIECES = (
    "\n", " ", "  ", ":", "-", "[", "]", "{", "}", ",", "'", '"', "#", "\t", "&a ", "*a", "|", ">", "0", "9", "-1",
    "()", "\u00e9", "\ufb01", "\u2028", "\x00", "\x1b", "rows", "x", "1e9", "**", "//", "@", "nz", "%", "\\", "? ",
    "---\n",
)  # fmt: skip


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A spec of the library with some of its characters gone, doubled, or others."""
    text = draw(st.sampled_from(_library()))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.integers(0, 12)))
        kind = draw(st.integers(0, 4))
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + draw(st.sampled_from(PIECES)) + text[end:]
        elif kind == 2:
            text = text[:at] + draw(st.text(max_size=3)) + text[at:]
        elif kind == 3:
            lines = text.split("\n")
            one, two = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
            lines[one], lines[two] = lines[two], lines[one]
            text = "\n".join(lines)
        else:
            words = [word for word in text.split() if word.isidentifier()] or ["x"]
            text = text.replace(draw(st.sampled_from(words)), draw(st.sampled_from(words)), 1)
    return text


DRAFTS: dict[str, Any] = {"graphs": graphs(), "sizes": sizes(), "forms": forms(), "texts": texts()}
