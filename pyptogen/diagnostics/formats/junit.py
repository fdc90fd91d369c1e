"""JUnit XML, as Jenkins, GitLab and GitHub actions read it: a suite for each file, a case for each finding.

There is no standard; the elements are those that the readers have in common: `testsuites`, `testsuite` with `tests`
and `failures`, `testcase` with `name` and `classname`, `failure` with `message` and text.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from pyptogen.diagnostics.diagnostic import Diagnostic
from pyptogen.diagnostics.formats.documents import TOOL, relative
from pyptogen.diagnostics.formats.sentences import headline, paragraph


def render_junit(diagnostics: Sequence[Diagnostic]) -> str:
    """Errors are failures; of warnings and notes the text is the output of a case that passed. Without findings one
    case that passed, for an empty report is an error in some readers."""
    errors = sum(one.severity == "error" for one in diagnostics)
    root = ElementTree.Element(
        "testsuites", name=TOOL, tests=str(max(1, len(diagnostics))), failures=str(errors), errors="0"
    )
    by_file: dict[str, list[Diagnostic]] = {}
    for one in diagnostics:
        by_file.setdefault(relative(one.span.file) if one.span else TOOL, []).append(one)
    for file, found in by_file.items():
        failed = sum(one.severity == "error" for one in found)
        suite = ElementTree.SubElement(
            root, "testsuite", name=file, tests=str(len(found)), failures=str(failed), errors="0"
        )
        for one in found:
            _case(suite, file, one)
    if not diagnostics:
        suite = ElementTree.SubElement(root, "testsuite", name=TOOL, tests="1", failures="0", errors="0")
        ElementTree.SubElement(suite, "testcase", name="no findings", classname=TOOL)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _case(suite: ElementTree.Element, file: str, one: Diagnostic) -> None:
    place = f":{one.span.line}:{one.span.col}" if one.span else ""
    case = ElementTree.SubElement(suite, "testcase", name=f"{one.code}{place}", classname=file)
    if one.severity == "error":
        failure = ElementTree.SubElement(case, "failure", message=headline(one), type=one.code)
        failure.text = paragraph(one)
    else:
        ElementTree.SubElement(case, "system-out").text = f"{one.severity}: {paragraph(one)}"
