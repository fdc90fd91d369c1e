"""No function and no class of the headers has two texts: algorithms ask traits of the machine, and what a machine alone
has stands in a function of its own, chosen as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .conftest import INCLUDE

_SILENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\n])*"', re.DOTALL)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)(?:[^\n\\]|\\\n?)*")
_OUTER = re.compile(r"namespace\b[^;{}]*$|extern\s*$")


def conditionals_inside(text: str) -> Iterator[int]:
    """The lines of ``#if`` that stand between the braces of something that is no namespace."""
    code = _SILENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    opened: list[bool] = []
    before_branch: list[list[bool]] = []
    said, at = "", 0
    while at < len(code):
        directive = _DIRECTIVE.match(code, at) if code[max(at - 1, 0)] == "\n" or at == 0 else None
        if directive is not None:
            word = directive[1]
            if word in ("if", "ifdef", "ifndef"):
                before_branch.append(list(opened))
                if any(opened):
                    yield code.count("\n", 0, at) + 1
            elif word in ("else", "elif"):
                opened = list(before_branch[-1])
            elif word == "endif":
                before_branch.pop()
            at, said = directive.end(), ""
            continue
        letter = code[at]
        if letter == "{":
            opened.append(_OUTER.search(said) is None)
        elif letter == "}":
            opened.pop()
        said = "" if letter in "{};" else said + letter
        at += 1


def test_a_function_has_one_text() -> None:
    found = {path.relative_to(INCLUDE).as_posix(): path.read_text() for path in sorted(INCLUDE.rglob("*.h*"))}
    assert len(found) > 150
    inside = {file: lines for file, text in found.items() if (lines := list(conditionals_inside(text)))}
    assert inside == {}


def test_what_is_inside() -> None:
    text = """\
#if A
namespace one::two {
#if B
void f() {}
#else
void f() {
#if C  // {
#endif
}
#endif
struct S {
#ifdef D
    int a = '{';
#endif
};
}
#endif
"""
    assert list(conditionals_inside(text.replace("'{'", '"{"'))) == [7, 12]
