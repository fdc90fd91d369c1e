"""Which wrong results of the library's operators verification tells from right ones, and why it does not tell others.

`docs/write_verification.py` writes what is found here into `docs/verification.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from library.wrong_results import MUTATIONS, Wrong, wrong_results
from pyptogen.inputs.example import example_inputs
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import load_spec
from pyptogen.simulate.tensor import interpret
from pyptogen.verify.compare import compare
from pyptogen.verify.last_place import FLOATS
from pyptogen.verify.neighbourhoods import as_float64
from pyptogen.verify.spread import spreads
from pyptogen.verify.tolerance import Derived, tolerances

SPECS = Path(__file__).parents[2] / "specs"
OPERATORS = tuple(sorted(path.stem for path in SPECS.glob("*.yaml")))
SLOW = frozenset({"block_sparse_attention", "gated_delta_rule", "lightning_indexer"})
"""Operators whose goldens take seconds: nightly."""

REASONS: Mapping[str, str] = {
    "same": "no number of the outputs changes: levels and quotients are the same without it, or nothing is rounded",
    "sum": "roundings of terms that all have one sign average out: as far as a sum in fp32 in another order may be",
    "eps": "beside the mean of the squares it is less than a sum in fp32 in another order may be off",
    "cancels": "what is left of it is divided by the same factor again: only later roundings differ",
    "guard": "it only keeps a row of zeros from 0 / 0, and is itself as good as 0",
    "order": "one key of 2048: keys that score alike but for roundings change places, and the scores beside tell it",
    "contract": "the contract rounds the same numbers to bf16 for the product beside the sum",
}
"""Why a wrong result may pass, by a word for it."""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one kind of fault in one operator. ``missed`` are those that passed: output, place, the share of
    elements that differ, the root mean square of the differences relative to that of the numbers."""

    operator: str
    mutation: str
    made: int
    missed: tuple[Missed, ...]

    @property
    def caught(self) -> int:
        return self.made - len(self.missed)


@dataclass(frozen=True, slots=True)
class Missed:
    """One wrong result that passes for a right one."""

    output: str
    place: str
    share: float
    apart: float
    reason: str


def counted(operator: str) -> tuple[Row, ...]:
    """All wrong results of an operator on the data of its first case with more than one of everything, judged as
    `pyptogen test` judges. A fault that changes nothing in an output is none of that output's."""
    spec = load_spec(SPECS / f"{operator}.yaml")
    program, cases = from_spec(spec), spec.verify.cases
    dims = next((case for case in cases if min(case.values(), default=1) > 1), cases[-1])
    inputs = example_inputs(spec, dims, program=program)
    attrs = {attr.name: attr.default for attr in program.attrs if attr.definition is None}
    golden = interpret(program, inputs, attrs)
    found = spreads(program, inputs, attrs, golden)
    allowed = {
        name: replace(one, spread=found[name]) if isinstance(one, Derived) else one
        for name, one in tolerances(spec, program).items()
    }
    made: dict[str, int] = dict.fromkeys(MUTATIONS, 0)
    missed: dict[str, list[Missed]] = {mutation: [] for mutation in MUTATIONS}
    for wrong in wrong_results(program, inputs, attrs, golden, dims):
        changed = [name for name, result in wrong.outputs.items() if result.tobytes() != golden[name].tobytes()]
        if not changed:
            made[wrong.mutation] += 1
            missed[wrong.mutation].append(Missed("", wrong.place, 0.0, 0.0, "same"))
        for name in changed:
            made[wrong.mutation] += 1
            result = {name: wrong.outputs[name]}
            if compare(result, {name: golden[name]}, allowed)[0].passed:
                missed[wrong.mutation].append(_missed(wrong, name, golden[name], program))
    return tuple(Row(operator, mutation, made[mutation], tuple(missed[mutation])) for mutation in MUTATIONS)


def _missed(wrong: Wrong, name: str, golden: Any, program: Program) -> Missed:
    apart = np.abs(as_float64(wrong.outputs[name]) - as_float64(golden))
    size = float(np.sqrt(np.mean(np.square(as_float64(golden)))))
    dtype = dict(program.outputs)[name].dtype
    relative = float(np.sqrt(np.mean(np.square(apart)))) / (size or 1.0)
    return Missed(name, wrong.place, float(np.mean(apart != 0)), relative, _reason(wrong, program, relative, dtype))


def _reason(wrong: Wrong, program: Program, apart: float, dtype: str) -> str:
    op = next((op for op in program.ops if op.result.name == wrong.place), None)
    if wrong.mutation == "bf16" and op is not None and op.kind == "sum":
        return "contract" if op.loop else "sum"
    if wrong.mutation == "key" and dtype not in FLOATS:
        return "order"
    if wrong.mutation == "part of a sum" and op is not None and op.kind == "sum" and apart < 1e-3:
        return "cancels"
    if wrong.mutation == "bias or eps" and op is not None:
        return "guard" if op.kind == "maximum" else "eps"
    return ""


def page(rows: Sequence[Row]) -> str:
    """`docs/verification.md`."""
    lines = [HEAD, "| fault | made | caught | not caught |", "|---|--:|--:|--:|"]
    for mutation, words in MUTATIONS.items():
        of = [row for row in rows if row.mutation == mutation]
        made, caught = sum(row.made for row in of), sum(row.caught for row in of)
        lines.append(f"| **{mutation}**: {words} | {made} | {caught} | {made - caught} |")
    lines += ["", "## By operator", "", "Caught of made; nothing where an operator has no place for a fault.", ""]
    lines += ["| operator | " + " | ".join(MUTATIONS) + " |", "|---|" + "--:|" * len(MUTATIONS)]
    lines += [line_of([row for row in rows if row.operator == name]) for name in OPERATORS]
    lines += [
        "",
        "## Not caught",
        "",
        "| operator | fault | at | output | elements that differ | rms of the differences |",
    ]
    lines += ["|---|---|---|---|--:|--:|"]
    for word, reason in REASONS.items():
        some = [(row, one) for row in rows for one in row.missed if one.reason == word]
        lines += [f"| *{reason}* | | | | | |"] if some else []
        lines += [
            f"| {row.operator} | {row.mutation} | `{one.place}` | {f'`{one.output}`' if one.output else 'all'} "
            f"| {_figure(one.share)} | {_figure(one.apart)} |"
            for row, one in some
        ]
    return "\n".join(lines) + "\n"


def line_of(rows: Sequence[Row]) -> str:
    """The line of one operator in the table by operators."""
    cells = [f"{row.caught} of {row.made}" if row.made else "" for row in rows]
    return f"| {rows[0].operator} | " + " | ".join(cells) + " |"


def _figure(number: float) -> str:
    return "0" if not number else f"{number:.0e}"


HEAD = """\
# What verification sees

`pyptogen run` and `pyptogen test` judge a kernel by the golden and by how far sound kernels are apart on the same data
([how](spec-language.md#verify)). What that is worth is counted here: for every operator of the library, results that
kernels with common faults would give are made of the golden, and judged. No kernel runs for this. Each fault counts
once for every output that it changes.

Written by `docs/write_verification.py` (`make docs`); `tests/library/test_wrong_results.py` makes sure that it is so,
and that nothing passes without a reason.
"""
