"""The pages tell the truth: commands and programs run, links lead somewhere, tables are fresh."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from warm_commands import commands

from docs.blocks import EXEMPT, NEEDS, PAGES, ROOT, SHOWN, blocks

RUNNING = [page for page in PAGES if any(block.runs for block in blocks(page))]
STARTED = ("docs/trust.md",)
"""Pages whose commands each are a new interpreter, as for a reader; those of the others are forks of one."""
COPIED = ("specs", "generated", "docs", "examples", "benchmarks", "tests", "pyproject.toml", "README.md", "Makefile")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the project in which a page may build and write; `pyptogen` stays the installed one."""
    subprocess.run(["cp", "-r", *(ROOT / name for name in COPIED), tmp_path], check=True)  # thousands of small files
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", RUNNING)
def test_blocks_of_a_page_run_in_order(page: str, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every sh and python block, in one directory as a reader would; sh blocks stop at the first failure.

    The lines of an output block are among those that the block before it printed.
    """
    if page in NEEDS:
        pytest.importorskip(NEEDS[page], reason=f"the page needs {NEEDS[page]}")
    path, python = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]), sys.executable
    if page not in STARTED:
        path, python = commands().path(), str(commands().folder / "python")
    environment = {name: value for name, value in os.environ.items() if name != "PTO_ISA_ROOT"}
    # What `pyptogen cache` says must not depend on this machine; what the other blocks compile may be there already.
    own_cache = {"PYPTOGEN_CACHE_DIR": str(tmp_path_factory.mktemp("cache"))}
    said = ""
    for block in blocks(page):
        if block.language == "output":
            missing = [line for line in block.text.splitlines() if line not in said]
            assert not missing, f"{page}:{block.line}: the block before it printed\n{said}"
        if not block.runs:
            continue
        shell = ["bash", "-euo", "pipefail", "-c", block.text]
        command = shell if block.language == "sh" else [python, "-c", block.text]
        done = subprocess.run(
            command,
            cwd=checkout,
            env={**environment, "PATH": path, **(own_cache if "pyptogen cache" in block.text else {})},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{page}:{block.line}\n{block.text}\n{done.stdout}\n{done.stderr}"
        said = done.stdout + done.stderr
    commands().note_seconds()


@pytest.mark.parametrize("page", PAGES)
def test_blocks_are_either_run_or_shown(page: str) -> None:
    """A language that is neither run nor known as shown would be a command that nobody checks."""
    for block in blocks(page):
        assert block.runs or block.exempt or block.language in SHOWN, f"{page}:{block.line}: {block.language}"
        commands = [line for line in block.text.splitlines() if line.strip() and not line.startswith("#")]
        if block.exempt:
            assert len(block.exempt) == len(commands), f"{page}:{block.line}: not all of it is exempt"
        if not block.runs and not block.exempt:
            hidden = [c for c in commands if re.match(r"(\$ |pyptogen |make |python3? |pip )", c)]
            assert not hidden, f"{page}:{block.line}: a command in a block that is not run: {hidden}"


def test_exemptions_are_in_use() -> None:
    used = {line for page in PAGES for block in blocks(page) for line in block.exempt}
    assert used == set(EXEMPT)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    """Relative links name files of the project, `#anchors` headings of the page that they name."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / page).parent / name if name else ROOT / page
        assert target.exists(), f"{page}: {link}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.M)
            anchors = {re.sub(r"[^\w -]", "", h.lower()).strip().replace(" ", "-") for h in headings}
            assert anchor in anchors, f"{page}: {link}"


@pytest.mark.parametrize(
    ("writer", "page"),
    [
        ("write_diagnostics", "diagnostics.md"),
        ("write_instructions", "isa/instructions.md"),
        ("write_passes", "passes.md"),
    ],
)
def test_written_tables_are_fresh(writer: str, page: str) -> None:
    """`make docs` writes them; this asks for the text that it would write."""
    spec = importlib.util.spec_from_file_location(writer, ROOT / "docs" / f"{writer}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / page).read_text(encoding="utf-8") == module.page()


def test_code_blocks_of_the_language_page_are_whole_specs(tmp_path: Path) -> None:
    """A yaml block of docs/spec-language.md that begins with `pyptogen:` is a spec, and must load."""
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_spec

    whole = [b for b in blocks("docs/spec-language.md") if b.language == "yaml" and b.text.startswith("pyptogen:")]
    assert whole, "the page shows no whole spec"
    for block in whole:
        path = tmp_path / f"line{block.line}.yaml"
        path.write_text(block.text, encoding="utf-8")
        from_spec(load_spec(path))


def test_readme_shows_how_to_run_and_to_test_first() -> None:
    first = next(block for block in blocks("README.md") if block.language == "sh")
    assert [line.split("  #")[0].strip() for line in first.text.strip().splitlines()] == [
        "make run",
        "make test",
    ]


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip().endswith("make test")
