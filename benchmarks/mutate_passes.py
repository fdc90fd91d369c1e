"""Whether the cases of `tests/lower/passes` find faults of the passes: small changes to their code, one at a time.

A comparison is flipped, a number is off by one, a condition is dropped, negated or never true, a sum is a difference, a
statement is left out. A change is found where a case of the pass fails. Which ones nothing finds is printed, with the
line: some change nothing (a loop that ends one round earlier, a diagnostic's place).

    python benchmarks/mutate_passes.py [PASS …] [--every N] [--least PERCENT]
    python benchmarks/mutate_passes.py [PASS …] --listed

``--listed`` tries the changes in `mutations.txt` alone: each turns a case of its pass red, within `SECONDS`.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import io
import os
import re
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
LISTED = Path(__file__).with_name("mutations.txt")
SECONDS = 30
"""Of a processor, many times what the cases of one pass take: a change may make a loop endless, which is found then."""
MODULES = {
    "distribute": ("tile.loops.distribute",),
    "forward-copies": ("tile.loops.forward_copies",),
    "split-index-sets": ("tile.loops.split_index_sets",),
    "conditional-masks": ("tile.loops.conditional_masks",),
    "hoist-loads": ("tile.loops.hoist_loads",),
    "fission": ("tile.loops.fission", "tile.loops.fifo_stages"),
    "pipeline": ("tile.loops.pipeline",),
    "legalise": tuple(
        f"tile.{name}"
        for name in (
            *("legalise", "strided_loads", "interleaved_stores", "running", "gapless", "added_tiles", "folded"),
            *("multiplied_columns", "sorted_rows"),
        )
    ),
    "split-cores": ("tile.kernels.split_cores",),
    "split-rows": ("tile.kernels.split_rows",),
    "place": ("block.place",),
    "memory": ("block.memory", "block.rotate", "block.plan", "block.liveness", "tile.pitches"),
    "unit-flags": ("instruction.unit_flags",),
    "synchronise": ("instruction.synchronise", "instruction.event_ids"),
    "passes": tuple(
        f"instruction.passes{name}"
        for name in ("", ".ahead", ".footprint", ".form", ".interleave", ".recompute", ".replan", ".roles", ".windows")
    ),
    "select": tuple(
        f"instruction.select.{name}"
        for name in ("elementwise", "fifos", "packed", "products", "selector", "sorting", "transfers")
    ),
    "in-place": ("instruction.in_place",),
}
"""The code of each pass, in `pyptogen.lower`."""
FLIPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed module."""

    module: str
    line: int
    what: str
    tree: ast.Module


def mutants(name: str, source: str, every: int = 1, only: str | None = None) -> Iterator[Mutant]:
    """Each ``every``-th small change to a module, or those that are called ``only``."""
    tree = ast.parse(source)
    untouched = _untouched(tree)
    sites = [node for node in ast.walk(tree) if id(node) not in untouched]
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    for site, what, change in [(s, *c) for s in sites for c in _changes(s)][::every]:
        if only is not None and " ".join(what.split()) != only:
            continue
        changed = copy.deepcopy(tree)
        twin = next(node for number, node in enumerate(ast.walk(changed)) if number == numbers[id(site)])
        new = change(twin)
        if new is not twin:
            _Swap(twin, new).visit(changed)
        yield Mutant(name, getattr(site, "lineno", 0), what, ast.fix_missing_locations(changed))


def _untouched(tree: ast.Module) -> set[int]:
    """What says nothing about what a pass makes: annotations, assertions, texts of refusals, declarations of fields."""
    found: set[int] = set()
    for node in ast.walk(tree):
        skipped: list[ast.AST] = []
        if isinstance(node, ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
            skipped = [node]
        elif isinstance(node, ast.AnnAssign):
            skipped = [node.annotation]
        elif isinstance(node, ast.FunctionDef):
            skipped = [*ast.walk(node.args), *([node.returns] if node.returns else []), *node.decorator_list]
        elif isinstance(node, ast.ClassDef):
            skipped = [*(n for n in node.body if isinstance(n, ast.AnnAssign)), *node.decorator_list]
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            skipped = [node]
        for inner in skipped:
            found |= {id(n) for n in ast.walk(inner)}
    return found


class _Swap(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else self.generic_visit(node)


def _changes(site: ast.AST) -> Iterator[tuple[str, Any]]:
    """What can be changed at a node: words for it, and the function that changes the node or gives another."""
    match site:
        case ast.Compare(ops=[op]) if type(op) in FLIPS:
            yield f"flip {ast.unparse(site)}", lambda n: _set(n, "ops", [FLIPS[type(n.ops[0])]()])
        case ast.Constant(value=bool()):
            yield f"{site.value!r} is {not site.value}", lambda n: _set(n, "value", not n.value)
        case ast.Constant(value=int()):
            yield f"{site.value!r} + 1", lambda n: _set(n, "value", n.value + 1)
        case ast.BoolOp(values=values):
            for i, value in enumerate(values):
                yield f"drop {ast.unparse(value)}", lambda n, i=i: _set(n, "values", n.values[:i] + n.values[i + 1 :])
        case ast.UnaryOp(op=ast.Not()):
            yield f"drop not of {ast.unparse(site.operand)}", lambda n: n.operand
        case ast.BinOp(op=ast.Add() | ast.Sub()) if not isinstance(site.left, ast.Constant | ast.JoinedStr):
            other = ast.Sub if isinstance(site.op, ast.Add) else ast.Add
            yield f"{ast.unparse(site)} with {other.__name__}", lambda n: _set(n, "op", other())
        case ast.If():
            yield f"never if {ast.unparse(site.test)}", lambda n: _set(n, "test", ast.Constant(False))
        case ast.IfExp():
            yield f"always {ast.unparse(site.body)}", lambda n: n.body
            yield f"always {ast.unparse(site.orelse)}", lambda n: n.orelse
        case ast.comprehension(ifs=[_, *_]):
            target = ast.unparse(site.target).strip("()")  # Python 3.10 writes `for (a, b) in`
            tests = "".join(f" if {ast.unparse(test)}" for test in site.ifs)
            yield f"all of  for {target} in {ast.unparse(site.iter)}{tests}", lambda n: _set(n, "ifs", [])
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield f"without {ast.unparse(site)}", lambda n: ast.Pass()
    if isinstance(site, ast.Call) and isinstance(site.func, ast.Name) and site.func.id in ("min", "max", "any", "all"):
        name = {"min": "max", "max": "min", "any": "all", "all": "any"}[site.func.id]
        yield f"{name} for {ast.unparse(site)}", lambda n: _set(n, "func", ast.Name(name, ast.Load()))


def _set(node: ast.AST, field: str, value: object) -> ast.AST:
    setattr(node, field, value)
    return node


def install(module: ModuleType, mutant: Mutant) -> None:
    """Give the functions of a module, wherever they are imported, the code of the mutant; set its constants."""
    code = compile(mutant.tree, str(module.__file__), "exec")
    _install_codes(code, vars(module))
    for node in mutant.tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            (target,) = node.targets if isinstance(node, ast.Assign) else (node.target,)
            if isinstance(target, ast.Name) and target.id.isupper():
                value = eval(compile(ast.Expression(node.value), "<mutant>", "eval"), vars(module))
                setattr(module, target.id, value)


def _install_codes(code: CodeType, names: dict[str, Any]) -> None:
    for inner in (c for c in code.co_consts if isinstance(c, CodeType)):
        found = names.get(inner.co_name)
        if isinstance(found, type):
            _install_codes(inner, dict(vars(found)))
        function = getattr(found, "fget", None) or getattr(found, "__func__", None) or found
        if isinstance(function, FunctionType) and len(function.__code__.co_freevars) == len(inner.co_freevars):
            function.__code__ = inner


def is_found(mutant: Mutant, cases: list[Any]) -> bool:
    """Whether a case fails, in a process of its own."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    from tests.lower.passes.test_files import test_case

    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    status = 1
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            install(importlib.import_module(f"pyptogen.lower.{mutant.module}"), mutant)
            with tempfile.TemporaryDirectory() as folder:
                for file, number in cases:
                    test_case(file, number, Path(folder))
            status = 0
        except BaseException:
            status = 1
    os._exit(status)


def listed() -> list[tuple[str, str, str]]:
    """The pass, the module and the change of each line of `mutations.txt`."""
    lines = (line for line in LISTED.read_text().splitlines() if line and not line.startswith("#"))
    found = []
    for line in lines:
        name, module, what = line.split(maxsplit=2)
        found.append((name, module, what))
    return found


def mutant_of(module: str, what: str) -> Mutant | None:
    """The first place in a module where a change can be made; None where there is none."""
    source = Path(str(importlib.import_module(f"pyptogen.lower.{module}").__file__)).read_text()
    return next(mutants(module, source, only=" ".join(what.split())), None)


def _cases_of(name: str) -> list[Any]:
    from tests.lower.passes.test_files import CASES

    return [case for case in CASES if re.search(rf"--pass {re.escape(name)}\b(?!-)", case[0].read_text())]


def try_listed(passes: Sequence[str]) -> int:
    """Print what became of the listed mutations; how many no case finds, or have no place in the code any more."""
    missed = tried = 0
    longest = 0.0
    for name, module, what in listed():
        if passes and name not in passes:
            continue
        tried += 1
        mutant = mutant_of(module, what)
        begin = _used_by_children()
        found = mutant is not None and is_found(mutant, _cases_of(name))
        longest = max(longest, _used_by_children() - begin)
        if not found:
            missed += 1
            print(f"  {'not found' if mutant else 'no such place'}: {name}: {module}: {what}", flush=True)
    print(
        f"{tried - missed} of {tried} listed mutations turn a case red, the slowest in {longest:.1f} s of a processor"
    )
    return missed


def _used_by_children() -> float:
    """Seconds of processors that the processes waited for so far took."""
    return sum(os.times()[2:4])


def main() -> int:
    """Print what no case finds; 1 where less than ``--least`` percent are found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passes", nargs="*", metavar="PASS")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th change only")
    parser.add_argument("--least", type=float, default=0, metavar="PERCENT")
    parser.add_argument("--listed", action="store_true", help="the mutations of `mutations.txt`, no others")
    asked = parser.parse_args()
    if asked.listed:
        return int(try_listed(asked.passes) > 0)
    every = found = 0
    for name in asked.passes or MODULES:
        own = _cases_of(name)
        tried = caught = 0
        for module in MODULES[name]:
            path = Path(str(importlib.import_module(f"pyptogen.lower.{module}").__file__))
            for mutant in mutants(module, path.read_text(), asked.every):
                tried += 1
                if is_found(mutant, own):
                    caught += 1
                else:
                    print(f"  not found: {path.relative_to(ROOT)}:{mutant.line}: {mutant.what}", flush=True)
        print(f"{name}: {caught} of {tried} found by {len(own)} cases", flush=True)
        every, found = every + tried, found + caught
    share = 100 * found / every
    print(f"all: {found} of {every} found, {share:.1f} %")
    return int(share < float(asked.least))


if __name__ == "__main__":
    sys.exit(main())
