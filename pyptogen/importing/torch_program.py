"""A program of PyTorch: found by name, and traced by ``torch.export``."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.fx.proxy import TracerBase

from pyptogen.diagnostics import DiagnosticError, Span, did_you_mean, fault
from pyptogen.importing.faults import span_of
from pyptogen.importing.torch_example import Examples, TensorExample
from pyptogen.importing.torch_site import COMPLEX_DTYPE, DTYPES

HOME = os.path.dirname(torch.__file__) + os.sep
CALLER = __file__
"""What calls a program while it is traced: the lines that led there are not the program's."""
_TORCH = {name: dtype for dtype, name in DTYPES.items()} | {COMPLEX_DTYPE: torch.complex64}


@dataclass(frozen=True, slots=True)
class Traced:
    """A traced program: what ``torch.export`` made of it, the names of its arguments in order, and the examples."""

    name: str
    doc: str
    exported: Any
    arguments: Mapping[str, Any]
    examples: Examples
    code: Any
    """The function that was traced."""


def find_program(named: str) -> Any:
    """What ``MODULE:FUNCTION`` names; ``MODULE`` is a module, or the path of a file. Raises PTG801."""
    where, _, name = named.partition(":")
    if not where or not name:
        raise fault("PTG801", f"`{named}` names no function", None, expected="MODULE:FUNCTION, such as model:block")
    module = _module(where)
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            known = [one for one in dir(value) if not one.startswith("_")]
            raise fault("PTG801", f"there is no `{part}` in `{where}`", None, fix=did_you_mean(part, known))
        value = getattr(value, part)
    return value


def _module(where: str) -> Any:
    try:
        if where.endswith(".py"):
            path = Path(where)
            if not path.is_file():
                raise fault("PTG801", f"there is no file `{where}`", None)
            sys.path.insert(0, str(path.parent.absolute()))
            return importlib.import_module(path.stem)
        sys.path.insert(0, os.getcwd())
        return importlib.import_module(where)
    except DiagnosticError:
        raise
    except Exception as error:  # the user's code, which may raise anything
        raise _said(f"`{where}` cannot be imported", error) from None
    finally:
        if sys.path and sys.path[0] in (os.getcwd(), str(Path(where).parent.absolute())):
            del sys.path[0]


def trace(program: Any, examples: Examples, name: str = "") -> Traced:
    """Trace a function, a module, or a class of modules that takes no arguments. Raises PTG801 and PTG803."""
    if isinstance(program, type) and issubclass(program, torch.nn.Module):
        try:
            program = program()
        except Exception as error:  # as above
            raise _said(f"`{program.__name__}()` fails", error, "name an instance, or a function") from None
    if not callable(program):
        raise fault("PTG801", f"a {type(program).__name__} is no program", None, expected="a function or a module")
    is_module = isinstance(program, torch.nn.Module)
    code = program.forward if is_module else program
    arguments = _bound(code, examples)
    tensors = {key: value for key, value in arguments.items() if isinstance(value, TensorExample)}
    module = _Called(program, arguments)
    given = tuple(_tensor(example, examples) for example in tensors.values())
    dynamic = _dynamic(tensors, examples)
    module.eval()
    try:
        with _whole_stacks(), torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of torch about itself
            exported = torch.export.export(module, given, dynamic_shapes=dynamic, strict=False)
            exported = _in_known_words(exported.run_decompositions({}))
    except Exception as error:  # as above, and torch's own
        bounds = _bounds_said(str(error))
        if bounds:
            raise fault(
                "PTG801",
                "PyTorch computes it in another way for other sizes than " + " and ".join(bounds),
                _place_of(code),
                fix="give these ranges in the examples, or write what it shall be for all sizes in the program",
            ) from None
        raise _said(
            "PyTorch cannot export it",
            error,
            "torch.export takes no control flow over data, and none over sizes that vary",
        ) from None
    doc = (
        (inspect.getdoc(program) or inspect.getdoc(code) or "").strip().split("\n\n")[0] if _documented(program) else ""
    )
    return Traced(name or getattr(program, "__name__", type(program).__name__), doc, exported, tensors, examples, code)


def _documented(program: Any) -> bool:
    """Whether the documentation is the program's own, and not that of ``torch.nn.Module``."""
    return not isinstance(program, torch.nn.Module) or bool(type(program).__dict__.get("__doc__"))


class _Called(torch.nn.Module):
    """A program with its numbers filled in, as a module whose arguments are the tensors."""

    def __init__(self, program: Any, arguments: Mapping[str, Any]) -> None:
        super().__init__()
        self.program = program
        self._arguments = arguments

    def forward(self, *tensors: Any) -> Any:
        given = iter(tensors)
        named = {
            key: next(given) if isinstance(value, TensorExample) else value for key, value in self._arguments.items()
        }
        return self.program(**named)


def _bound(code: Callable[..., Any], examples: Examples) -> dict[str, Any]:
    """The examples by the names of parameters. Raises PTG803."""
    signature = inspect.signature(code)
    if any(one.kind in (one.VAR_POSITIONAL, one.POSITIONAL_ONLY) for one in signature.parameters.values()):
        raise fault("PTG801", "it takes arguments without names", None, fix="wrap it in a function with named ones")
    twice = [name for name in signature.parameters if name in examples.dims]
    if twice:
        raise fault("PTG803", f"`{twice[0]}` is a dim and an argument", None, fix="give the dim another name")
    try:
        return dict(signature.bind(*examples.positional, **examples.named).arguments)
    except TypeError as error:
        names = ", ".join(signature.parameters)
        raise fault("PTG803", f"the examples do not fit: {error}", None, expected=f"one for each of {names}") from None


def _tensor(example: TensorExample, examples: Examples) -> Any:
    shape, dtype = [examples.size(axis) for axis in example.axes], _TORCH[example.dtype]
    return torch.zeros(shape, dtype=dtype)


def _dynamic(tensors: Mapping[str, TensorExample], examples: Examples) -> Any:
    dims = {
        name: torch.export.Dim(name, min=max(dim.least, 1), max=dim.most)
        for name, dim in examples.dims.items()
        if dim.value is None
    }
    still = torch.export.Dim.STATIC
    shapes = tuple({i: dims.get(axis, still) for i, axis in enumerate(example.axes)} for example in tensors.values())
    return {"tensors": shapes}


def _in_known_words(exported: Any) -> Any:
    """Operations that the table does not have in those that PyTorch says they consist of, where it says so."""
    from torch._decomp import get_decompositions

    from pyptogen.importing.torch_translation import translation

    for _ in range(4):
        operations = {node.target for node in exported.graph.nodes if node.op == "call_function"}
        unknown = [one for one in operations if isinstance(one, torch._ops.OpOverload) and translation(one) is None]
        # The first keeps what the second knows, which has references in Python beside torch's own compositions: that of
        # a smoothed cross entropy gives a sum where it is asked for each row (2.13).
        composed = torch.export.default_decompositions()
        table = get_decompositions(unknown) | {one: composed[one] for one in unknown if one in composed}
        if not table:
            return exported
        found = _decomposed(exported, table)
        if found is None:
            return exported
        exported = found
    return exported


def _decomposed(exported: Any, table: Mapping[Any, Any]) -> Any:
    """A program with the operations of a table in other words. One that PyTorch fails to write so stays as it is, for
    who reads the graph to name it; None where that is all of them."""
    try:
        return exported.run_decompositions(table)
    except Exception:  # torch's own, of any kind
        found = None
    for operation, parts in table.items() if len(table) > 1 else ():
        made = _decomposed(found or exported, {operation: parts})
        found = made or found
    return found


@contextmanager
def _whole_stacks() -> Iterator[None]:
    """Traces keep all lines that led to an operation: export itself keeps those in functions called ``forward``."""
    before = TracerBase._filter_traceback_frames

    def keep(_: Any, summary: Any) -> Any:
        return traceback.StackSummary.from_list([one for one in summary if not one.filename.startswith(HOME)])

    TracerBase._filter_traceback_frames = keep
    try:
        yield
    finally:
        TracerBase._filter_traceback_frames = before


def _said(what: str, error: Exception, fix: str = "") -> DiagnosticError:
    """PTG801 at the user's line that an exception came through last."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if _is_users(one.filename)]
    place = (frames[-1].filename, frames[-1].lineno or 1) if frames else None
    lines = [line for line in str(error).splitlines() if line.strip()]
    says = next((line.strip(" -") for line in lines if not line.startswith("Constraints violated")), "")
    message = f"{what}: {type(error).__name__}: {says}"
    return fault("PTG801", message, None if place is None else span_of(place), fix=fix)


def _place_of(code: Any) -> Span | None:
    """Where a function or a method begins; None for what has no lines."""
    lines = getattr(code, "__code__", None)
    return None if lines is None else span_of((lines.co_filename, lines.co_firstlineno))


def _bounds_said(error: str) -> list[str]:
    """The sizes for which alone ``torch.export`` could trace a program, as examples have them: its suggested fixes."""
    _, suggests, after = error.partition("Suggested fixes:\n")
    found = []
    for line in after.splitlines() if suggests else []:
        fixed = re.match(r"\s*(\w+) = (\d+)$", line)
        ranged = re.match(r"\s*(\w+) = Dim\('\w+'(?:, min=(\d+))?(?:, max=(\d+))?\)$", line)
        if fixed:
            found.append(f"`{fixed[1]}` = {fixed[2]}")
        elif ranged:
            words = (f"from {ranged[2]}" if ranged[2] else "", f"to {ranged[3]}" if ranged[3] else "")
            found.append(f"`{ranged[1]}` {' '.join(word for word in words if word)}")
    return found


def _is_users(file: str) -> bool:
    own = os.path.dirname(os.path.dirname(__file__))
    return not file.startswith((HOME, own, os.path.dirname(importlib.__file__), "<"))
