"""The fenced blocks of the project's pages, and which commands in them a test does not run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "benchmarks/README.md", *sorted(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")))
RUN = ("sh", "python")
SHOWN = ("", "text", "output", "yaml", "cpp", "json", "toml", "make", "lua", "mermaid")

EXEMPT = {
    "make run": "makes an environment and downloads; the page's other blocks run the same commands",
    "make test": "it is what runs this test",
    "make bench": "downloads PyTorch and takes minutes; the page's next block runs the script without it",
    "python benchmarks/library.py --json library.json --picture library.svg": "needs PyTorch and takes many minutes",
    "python benchmarks/regress.py --against HEAD~20 --only flash_attention,layer_norm": "needs history, takes minutes",
    "python benchmarks/lowering.py --runs 3 -o benchmarks/results/lowering.json": "builds the whole library anew",
    "pyptogen calibrate": "takes minutes; tests/runtime/calibration and tests/cli/test_calibrate.py look at its parts",
    "python benchmarks/processor.py --json processor.json": "needs PyTorch and takes many minutes",
}
"""Command line -> why no test runs it. Compared without a trailing comment."""

NEEDS = {"docs/pytorch.md": "torch", "docs/import.md": "torch"}
"""Page -> the package, no part of a usual installation, without which its blocks are not run."""

FENCE = re.compile(r"^(?P<ticks>`{3,})(?P<language>[\w-]*)[^\n]*\n(?P<body>.*?)^(?P=ticks)[ \t]*$", re.M | re.S)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the page, the line of its fence, its language and its text."""

    page: str
    line: int
    language: str
    text: str

    @property
    def exempt(self) -> tuple[str, ...]:
        """Those of its lines that no test runs."""
        lines = (line.split("  #")[0].strip() for line in self.text.splitlines())
        return tuple(line for line in lines if self.language == "sh" and line in EXEMPT)

    @property
    def runs(self) -> bool:
        """Whether a test runs it. A block is run whole or not at all."""
        return self.language in RUN and not self.exempt


def blocks(page: str) -> list[Block]:
    """All fenced blocks of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, match.start()) + 1, match["language"], match["body"])
        for match in FENCE.finditer(text)
    ]
