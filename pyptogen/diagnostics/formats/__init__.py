"""Findings in the forms that people, editors and CI systems read: what `--output-format` names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from pyptogen.diagnostics.diagnostic import Diagnostic
from pyptogen.diagnostics.formats.ci import render_github, render_gitlab
from pyptogen.diagnostics.formats.junit import render_junit
from pyptogen.diagnostics.formats.rdjson import render_rdjson
from pyptogen.diagnostics.formats.sarif import render_sarif
from pyptogen.diagnostics.formats.sentences import headline
from pyptogen.diagnostics.render import render_json, render_text

Format = str
"""The name of one: of `RENDERERS`, or of a plug-in."""

FOR_PEOPLE: tuple[Format, ...] = ("full", "concise")
"""Those that are no documents: they go to standard error, between other lines."""


def _full(diagnostics: Sequence[Diagnostic]) -> str:
    return "\n\n".join(render_text(one) for one in diagnostics)


def _concise(diagnostics: Sequence[Diagnostic]) -> str:
    return "\n".join(headline(one) for one in diagnostics)


RENDERERS: Mapping[Format, Callable[[Sequence[Diagnostic]], str]] = MappingProxyType(
    {
        "full": _full,
        "concise": _concise,
        "json": render_json,
        "github": render_github,
        "gitlab": render_gitlab,
        "sarif": render_sarif,
        "junit": render_junit,
        "rdjson": render_rdjson,
    }
)
"""By name, from findings to a text without a newline at its end. A document of no findings is a document, too."""


@cache
def renderers() -> Mapping[Format, Callable[[Sequence[Diagnostic]], str]]:
    """All of them, those of plug-ins as well. Raises PTG518 and PTG519."""
    from pyptogen import plugins

    return {**RENDERERS, **plugins.load("renderers", RENDERERS)}
