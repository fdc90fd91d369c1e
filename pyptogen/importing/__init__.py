"""Programs of other libraries as specs: exported graphs of PyTorch, models of ONNX.

Each front end (``torch_graph``, ``onnx_graph``) reads a graph and says of each of its operations what the language has
for it; ``writing`` decides which values get a line of their own and which stand where they are used, and ``spec_text``
writes the file. What cannot be taken is gathered, with the place in the code that asks for it (PTG802).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["from_onnx", "from_torch"]


def from_torch(program: Any, examples: Sequence[str], name: str = "") -> str:
    """The text of a spec that computes what a function or a module of PyTorch does.

    Args:
        program: a function of tensors, a module, or a class of modules.
        examples: its arguments, as ``--example`` has them: ``"x=bf16[rows=1..65536, cols=4096]"``.
        name: of the operator; without it, that of the program.

    Raises ``DiagnosticError``: PTG506 without PyTorch, PTG801 for a program that is none or cannot be exported, PTG802
    for each operation that is not taken, PTG803 for an example, and what is wrong with the spec.
    """
    from pyptogen.torch.required import require_torch

    require_torch()
    from pyptogen.importing.names import operator_name
    from pyptogen.importing.spec_text import spec_text
    from pyptogen.importing.torch_example import parse_examples
    from pyptogen.importing.torch_graph import imported
    from pyptogen.importing.torch_program import trace

    traced = trace(program, parse_examples(examples), name)
    spec = imported(traced, operator_name(name) if name else "")
    return spec_text(spec, f"{spec.operator}.yaml")


def from_onnx(path: str, name: str = "") -> str:
    """The text of a spec that computes what a model of ONNX does. Its weights become inputs.

    Args:
        path: of the model.
        name: of the operator; without it, that of the file.

    Raises ``DiagnosticError``: PTG506 without the package onnx, PTG801 for a file that is no model, PTG802 for each
    operator that is not taken.
    """
    from importlib.util import find_spec

    from pyptogen.diagnostics import fault

    if find_spec("onnx") is None:
        raise fault("PTG506", "ONNX is not installed", None, fix="pip install 'pyptogen[onnx]'")
    from pyptogen.importing.onnx_graph import imported
    from pyptogen.importing.spec_text import spec_text

    spec = imported(path, name)
    return spec_text(spec, f"{spec.operator}.yaml")
