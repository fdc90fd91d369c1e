"""Where the names of a contract are declared: marks for the lines about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pyptogen.lower.origins import Origin
from pyptogen.templates.environment import Marks

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program


def declared(program: Program, marks: Marks, spelling: Mapping[str, str] | None = None) -> Callable[[str], str]:
    """The mark of a dim, attr, input or output by its name, in the template's ``spelling`` where that differs; no mark
    for a name that the compiler made."""
    spans = {dim.name: dim.span for dim in program.dims} | {attr.name: attr.span for attr in program.attrs}
    spans |= {value.name: value.span for value in program.inputs}
    spans |= {name: program.declared.get(name, value.span) for name, value in program.outputs}
    known = {(spelling or {}).get(name, name): marks(Origin(span=span, value=name)) for name, span in spans.items()}
    return lambda name: known.get(name, "")
