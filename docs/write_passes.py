"""Write docs/passes.md from the list of passes: `make docs`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from pyptogen.lower.passes import ON_TEXT, PASSES, Pass
from pyptogen.lower.passes.block import STEPS
from pyptogen.lower.platforms import PLATFORMS

PAGE = Path(__file__).parent / "passes.md"
HEAD = """\
# The passes

Written by `make docs` from the list in `pyptogen/lower/passes/`: what lowering runs, in this order.
`build --dump-ir DIR` writes the text of the level after each pass that changed it, under the title given here. `opt` in
the last column: `pyptogen opt` runs only this pass, on the text of a kernel. What each one does, and why, stands in
[lowering.md](lowering.md).
"""
TABLE = "| pass | what it does | target | `opt` |\n|---|---|---|---|"


def _row(one: Pass) -> str:
    targets = [name for name, platform in PLATFORMS.items() if one.applies(platform)]
    where = "" if len(targets) == len(PLATFORMS) else ", ".join(targets)
    return f"| `{one.title}` | {one.doc} | {where} | {'opt' if one.name in ON_TEXT else ''} |"


def page() -> str:
    """The whole page."""
    lines = [HEAD, "```mermaid", "flowchart LR"]
    groups = [(level, list(found)) for level, found in groupby(PASSES, key=lambda one: one.level)]
    for number, (level, found) in enumerate(groups):
        lines.append(f'    p{number}["{level}<br/>{"<br/>".join(one.name for one in found)}"]')
    lines += [f"    p{number} --> p{number + 1}" for number in range(len(groups) - 1)]
    lines += ["```", ""]
    for level, found in groups:
        lines += [f"## {level.capitalize()}", "", TABLE, *map(_row, found)]
        lines += list(map(_row, STEPS)) if level == "block" else []
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
