"""What the tool says to a user about a fault in the input: codes, findings, renderers."""

from pyptogen.diagnostics.codes import CODES, Code
from pyptogen.diagnostics.diagnostic import Diagnostic, DiagnosticError, Note, fault
from pyptogen.diagnostics.gather import (
    attempted,
    gathering,
    is_sound,
    keep,
    kept,
    lose,
    poison,
    require_sound,
    stop_if_faulty,
)
from pyptogen.diagnostics.render import read_source, render_excerpt, render_json, render_text
from pyptogen.diagnostics.span import Span
from pyptogen.diagnostics.suggest import Suggestion, did_you_mean, nearest

__all__ = [
    "CODES",
    "Code",
    "Diagnostic",
    "DiagnosticError",
    "Note",
    "Span",
    "Suggestion",
    "attempted",
    "did_you_mean",
    "fault",
    "gathering",
    "is_sound",
    "keep",
    "kept",
    "lose",
    "nearest",
    "poison",
    "read_source",
    "render_excerpt",
    "render_json",
    "render_text",
    "require_sound",
    "stop_if_faulty",
]
