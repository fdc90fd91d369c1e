"""JUnit XML, as Jenkins, GitLab and GitHub actions read it: a suite for each file, a case for each finding or test.

There is no standard; the elements are those that the readers have in common: `testsuites`, `testsuite` with `tests`
and `failures`, `testcase` with `name`, `classname` and `time`, `failure` with `message` and text.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from pyptogen.diagnostics.diagnostic import Diagnostic
from pyptogen.diagnostics.formats.documents import TOOL, relative
from pyptogen.diagnostics.formats.sentences import headline, paragraph
from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """A case of the suite of a file: what was found, None where it passed; ``seconds`` where it was run."""

    file: str
    name: str
    found: Diagnostic | None = None
    seconds: float | None = None

    @property
    def failed(self) -> bool:
        return self.found is not None and self.found.severity == "error"


def render_junit(diagnostics: Sequence[Diagnostic]) -> str:
    """Errors are failures; of warnings and notes the text is the output of a case that passed. Without findings one
    case that passed, for an empty report is an error in some readers."""
    return render_cases([_of_finding(one) for one in diagnostics] or [Case(TOOL, "no findings")])


def _of_finding(one: Diagnostic) -> Case:
    place = f":{one.span.line}:{one.span.col}" if one.span else ""
    return Case(one.path or TOOL, f"{one.code}{place}", one)


def render_cases(cases: Sequence[Case]) -> str:
    """Cases as they are, in suites by file."""
    root = ElementTree.Element("testsuites", {"name": TOOL, **_counts(cases)})
    by_file: dict[str, list[Case]] = {}
    for case in cases:
        by_file.setdefault(relative(case.file), []).append(case)
    for file, found in by_file.items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": file, **_counts(found)})
        for case in found:
            _case(suite, file, case)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    return {"tests": str(len(cases)), "failures": str(sum(case.failed for case in cases)), "errors": "0"}


def _case(suite: ElementTree.Element, file: str, case: Case) -> None:
    time = {} if case.seconds is None else {"time": f"{case.seconds:.6f}"}
    element = ElementTree.SubElement(suite, "testcase", {"name": case.name, "classname": file, **time})
    one = case.found
    if one is not None and case.failed:
        failure = ElementTree.SubElement(element, "failure", message=headline(one), type=one.code)
        failure.text = paragraph(one)
    elif one is not None:
        ElementTree.SubElement(element, "system-out").text = f"{one.severity}: {paragraph(one)}"
