"""Feeds ``harness.j2``: the pytest file that judges a generated folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyptogen.lower.origins import Traced
from pyptogen.templates.contract_view import contract_view
from pyptogen.templates.environment import docstring
from pyptogen.templates.environment import render as render_template

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program


def render(program: Program, cases: Sequence[Mapping[str, int]], targets: Sequence[str], spec_file: str) -> Traced:
    """The text of ``test_<operator>.py``: one test per target and per case of the spec's ``verify`` section.

    ``cases`` give sizes of the dynamic dims by name. Without any, the smallest legal sizes are the one case.
    """
    smallest = {dim.name: max(dim.min, dim.multiple_of) for dim in program.dims if dim.dynamic}
    return render_template(
        "harness.j2",
        cases=[_as_python(case) for case in cases or [smallest]],
        contract=contract_view(program),
        spec_file=docstring(spec_file),
        targets=tuple(targets),
    )


def _as_python(case: Mapping[str, int]) -> str:
    return "{" + ", ".join(f'"{name}": {size}' for name, size in case.items()) + "}"
