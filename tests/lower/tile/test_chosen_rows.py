"""What the compiler says that it chose for `- {}` gives the same kernels when the author writes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lower.small_programs import TARGETS, program_of
from pyptogen.cli.app import app
from pyptogen.codegen import generate
from pyptogen.lower.tile.sizes.sizes import SLOTS

SPECS = Path(__file__).parents[3] / "specs"
ONE_KERNEL = ("softmax", "rms_norm", "swiglu", "matmul_bf16", "layer_norm", "flash_attention")
TILING = re.compile(r"^tiling:.*?(?=^\w|\Z)", re.MULTILINE | re.DOTALL)


def with_row(name: str, row: str) -> str:
    text, count = TILING.subn(f"tiling:\n  - {row}\n", (SPECS / f"{name}.yaml").read_text())
    assert count == 1
    return text


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ONE_KERNEL)
def test_the_row_gives_the_same_kernels(name: str, target: str) -> None:
    chosen = generate(program_of(with_row(name, "{}")), target)
    (note,) = (note for note in chosen.notes if "chosen tiles" in note)
    row = note.partition("chosen tiles ")[2]
    if any("fifo" in note for note in chosen.notes):
        row = f"{row[:-1]}, fifo: {SLOTS}}}"
    written = generate(program_of(with_row(name, row)), target)
    assert [kernel.text for kernel in written.kernels] == [kernel.text for kernel in chosen.kernels]
    assert not any("chosen tiles" in note for note in written.notes)


def test_check_and_build_print_it(tmp_path: Path) -> None:
    spec = tmp_path / "softmax.yaml"
    spec.write_text(with_row("softmax", "{}"))
    said = r"note: softmax, a2a3: chosen tiles \{rows: \d+\}"
    assert re.search(said, CliRunner().invoke(app, ["check", str(spec)]).output)
    build = ["build", str(spec), "-o", str(tmp_path / "out")]
    assert re.search(said, CliRunner().invoke(app, build).output)
    assert "note" not in CliRunner().invoke(app, build).output, "nothing was chosen anew"
