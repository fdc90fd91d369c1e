"""One pass at a time, on ten lines of text: the files beside this one.

Each begins with `// RUN: pyptogen opt %s --pass NAME --target TARGET`; what follows are cases, `// -----` between them.
`filecheck` compares what the pass makes of a case with its `// CHECK` lines; `// FAILS: TEXT` says what one is refused
with.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from filecheck.matcher import Matcher
from filecheck.options import Options

from pyptogen.cli.opt import run
from pyptogen.diagnostics import DiagnosticError

FILES = sorted(Path(__file__).parent.glob("*.tile"))
CASES = [(file, number) for file in FILES for number in range(len(file.read_text().split("// -----\n")))]


@pytest.mark.parametrize(("file", "number"), CASES, ids=lambda part: part.stem if isinstance(part, Path) else str(part))
def test_case(file: Path, number: int, tmp_path: Path) -> None:
    text = file.read_text()
    command = re.search(r"// RUN: pyptogen opt %s (.*)", text)
    assert command is not None, f"{file.name} says nothing to run"
    words = shlex.split(command[1])
    passes = [words[at + 1] for at, word in enumerate(words) if word == "--pass"]
    case = tmp_path / "case.tile"
    case.write_text(text.split("// -----\n")[number])
    target = words[words.index("--target") + 1]
    refused = re.search(r"// FAILS: (.*)", case.read_text())
    if refused is not None:
        with pytest.raises(DiagnosticError, match=re.escape(refused[1])):
            run(case, passes, target)
        return
    made = tmp_path / "made.tile"
    made.write_text(run(case, passes, target))
    assert "CHECK" in case.read_text(), "nothing is checked"
    assert Matcher.from_opts(Options(str(case), str(made))).run() == 0, made.read_text()


def test_every_pass_has_cases() -> None:
    from pyptogen.lower.passes import ON_TEXT

    named = {word for file in FILES for word in re.findall(r"--pass (\S+)", file.read_text())}
    assert set(ON_TEXT) == named
