"""Write docs/diagnostics.md from the registry of codes: `make docs`."""

from __future__ import annotations

from pathlib import Path

from pyptogen.diagnostics import CODES, Code

PAGE = Path(__file__).with_name("diagnostics.md")
GROUPS = {
    "1": "Form of a spec",
    "2": "Names, shapes and types",
    "3": "Tiling, memory and lowering",
    "4": "Run time",
    "5": "Toolchain",
    "6": "Changes of a contract",
    "7": "Packages",
    "8": "Imports of other programs",
}
HEAD = """# Diagnostics

Every fault of a user is reported with one of these codes, the place in the spec (file:line:col), what was
expected and what to do. A code keeps its number and its meaning. The command line ends with exit code 1 and
writes nothing; in Python the same findings come as `pyptogen.diagnostics.DiagnosticError`, whose
`.diagnostics` lists them; its text says of each what was expected and how to mend it.

`check`, `build`, `test` and `breaking` take `--output-format`: `full` (with the source), `concise` (a line each), and
documents on standard output for programs, beside which all other lines go to standard error: `json`, `github`
(workflow commands), `gitlab` (code quality), `sarif` (2.1.0), `junit` (of `test` the cases, passed ones too) and
`rdjson` (reviewdog). Each finding is shown once. SARIF has no `informationUri`: the tool has no home page. With
`--strict`, `check` and `breaking` end with exit code 1 for warnings as well. `NO_COLOR` and `FORCE_COLOR` decide about
colours before the terminal does.

Written by `docs/write_diagnostics.py` from `pyptogen/diagnostics/codes.py`; change it there.
"""


def rows(codes: list[Code]) -> str:
    """One line of the table per code."""
    lines = ["| code | what | why, and what to do |", "|---|---|---|"]
    for code in codes:
        explanation = code.explanation.replace("|", "\\|").replace("\n", " ")
        lines.append(f"| {code.code} | {code.title} | {explanation} |")
    return "\n".join(lines)


def page() -> str:
    """The whole page, codes in order of their numbers, grouped by their first digit."""
    codes = sorted(CODES.values(), key=lambda code: code.code)
    parts = [HEAD]
    for digit, title in GROUPS.items():
        found = [code for code in codes if code.code.removeprefix("PTG").startswith(digit)]
        if found:
            parts.append(f"## {digit}xx: {title}\n\n{rows(found)}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
