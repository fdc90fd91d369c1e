"""Plug-ins: what an installed package adds, and what happens where two want one name.

The example package is put on the path with the metadata that an installation would write; no package index is asked.
"""

from __future__ import annotations

import configparser
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pyptogen import plugins
from pyptogen.cli.app import app
from pyptogen.diagnostics import DiagnosticError
from pyptogen.diagnostics.formats import renderers
from pyptogen.lower.tensor.building import registry
from pyptogen.templates.environment import _environment
from pyptogen.templates.given import given

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXAMPLE = Path(__file__).with_name("example")
SPEC = """\
pyptogen: 1
operator: halved
dims: {rows: {min: 1, max: 64}}
inputs: {x: 'fp32[rows]'}
outputs: {y: 'fp32[rows]'}
graph: {y: half_of(x)}
targets: [cpu]
"""


def install(folder: Path, name: str = "", **entry_points: str) -> None:
    """What `pip install --target` of the example leaves; with a ``name``, of a package of these entry points alone."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    groups = project["entry-points"]
    if name:
        groups = {f"pyptogen.{kind}": dict([value.split(" = ")]) for kind, value in entry_points.items()}
    else:
        name = project["name"]
        shutil.copytree(EXAMPLE / "pyptogen_example", folder / "pyptogen_example")
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    written = configparser.ConfigParser()
    written.read_dict(groups)
    with (info / "entry_points.txt").open("w") as file:
        written.write(file)


def _forget() -> None:
    importlib.invalidate_caches()
    for kept in (plugins.installed, renderers, registry.operations, given, _environment):
        kept.cache_clear()
    for name in [name for name, one in registry._OPERATIONS.items() if one.group == registry.PLUG_INS]:
        del registry._OPERATIONS[name]
    for name in [
        name for name in sys.modules if name.startswith(("pyptogen_example", "pyptogen_other", "pyptogen_relu"))
    ]:
        del sys.modules[name]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory, with a spec; packages in `site` are installed. Nothing of them is left afterwards."""
    (tmp_path / "halved.yaml").write_text(SPEC)
    (tmp_path / "site").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    registry.operations()
    _forget()
    yield tmp_path
    _forget()


def pyptogen(*words: str) -> Result:
    """A command, in this process; packages may have been installed since the last."""
    _forget()
    return CliRunner().invoke(app, words)


def codes(result: Result) -> set[str]:
    """The codes of the findings that a command ended with."""
    found = result.exception.diagnostics if isinstance(result.exception, DiagnosticError) else ()
    return {one.code for one in found} | set(re.findall(r"PTG\d+", result.output))


def test_what_a_package_adds(work: Path) -> None:
    assert codes(pyptogen("check", "halved.yaml")) == {"PTG202"}
    install(work / "site")
    built = pyptogen("build", "halved.yaml", "-o", "out")
    assert built.exit_code == 0, built.output + str(built.exception)
    assert (work / "out/halved/summary.txt").read_text() == "halved: cpu\n"
    assert "note: 1 operations" in pyptogen("check", "halved.yaml").output
    assert pyptogen("check", "halved.yaml", "--output-format", "count").output.endswith("\n0 findings\n")
    assert pyptogen("build", "halved.yaml", "-o", "out", "--check").exit_code == 0
    assert "half_of" in pyptogen("explain", "op").output


@pytest.mark.parametrize(
    ("kind", "entry", "code", "words"),
    [
        ("operations", "again = pyptogen_other", "PTG518", "`half_of` is given twice among operations"),
        ("operations", "relu = pyptogen_relu", "PTG518", "and pyptogen itself"),
        ("passes", "noted = pyptogen_example.passes:noted", "PTG518", "`noted` is given twice among passes"),
        ("files", "more = pyptogen_example.files:summary", "PTG518", "`summary.txt` is given twice"),
        ("passes", "gone = pyptogen_example.passes:gone", "PTG519", "AttributeError"),
        ("operations", "gone = nowhere_at_all", "PTG519", "install another version of other"),
    ],
)
def test_a_clash(kind: str, entry: str, code: str, words: str, work: Path) -> None:
    install(work / "site")
    install(work / "site", "other", **{kind: entry})
    source = (EXAMPLE / "pyptogen_example/operations.py").read_text()
    (work / "site/pyptogen_other.py").write_text(source)
    (work / "site/pyptogen_relu.py").write_text(source.replace("half_of", "relu"))
    found = pyptogen("build", "halved.yaml", "-o", "out", "--no-cache")
    assert codes(found) == {code}, (found.exception, found.output)
    assert words in found.output + str(found.exception)
    assert not (work / "out/halved").exists()


RULE = "// The house rules: ask the kernels team before you change an entry.\n"


def header(work: Path) -> str:
    """The C++ header that a build writes, anew where anything that it is made from changed."""
    assert pyptogen("build", "halved.yaml", "-o", "out").exit_code == 0
    return (work / "out/halved/wrapper.hpp").read_text()


def test_templates_of_a_package(work: Path) -> None:
    """They take the place of the generator's, and a project's own take theirs; each change is rendered anew."""
    (work / "pyptogen.toml").write_text("")
    install(work / "site", "plain", operations="half = pyptogen_plain")
    source = (EXAMPLE / "pyptogen_example/operations.py").read_text()
    (work / "site/pyptogen_plain.py").write_text(source)
    plain = header(work)
    assert "built in          wrapper_hpp.j2\n" in pyptogen("template", "status").output
    shutil.rmtree(work / "site/plain-1.0.dist-info")
    install(work / "site")
    assert header(work) == RULE + plain
    assert "of a plug-in      wrapper_hpp.j2 (pyptogen-example)\n" in pyptogen("template", "status").output
    where = work / "out/halved/source_map.json"
    assert "wrapper_hpp.j2" in where.read_text()
    template = work / "site/pyptogen_example/house/wrapper_hpp.j2"
    template.write_text(template.read_text().replace("ask", "ask first"))
    assert header(work) == RULE.replace("ask", "ask first") + plain

    assert pyptogen("template", "eject", "wrapper_hpp.j2").exit_code == 0
    own = work / "pyptogen-templates/wrapper_hpp.j2"
    assert own.read_bytes() == template.read_bytes()
    assert "as the original   wrapper_hpp.j2 (pyptogen-example)\n" in pyptogen("template", "status").output
    own.write_text(own.read_text().replace("ask first", "never"))
    assert header(work) == RULE.replace("ask", "never") + plain
    assert "changed           wrapper_hpp.j2" in pyptogen("template", "status").output
    template.write_text(template.read_text() + "\n")
    assert "original changed  wrapper_hpp.j2" in pyptogen("template", "status").output
    assert header(work) == RULE.replace("ask", "never") + plain


@pytest.mark.parametrize(
    ("entry", "files", "code", "words"),
    [
        ("mine = pyptogen_mine", ["wrapper_hpp.j2"], "PTG518", "`wrapper_hpp.j2` is given twice among templates"),
        ("mine = pyptogen_mine", ["wrapper_h.j2"], "PTG519", "which nothing is made from"),
        ("mine = pyptogen_nowhere", [], "PTG519", "there is no package `pyptogen_nowhere`"),
        ("mine = pyptogen_example.files", [], "PTG519", "there is no package `pyptogen_example.files`"),
        ("mine = pyptogen_example.files.more", [], "PTG519", "there is no package `pyptogen_example.files.more`"),
    ],
)
def test_templates_that_cannot_be(entry: str, files: list[str], code: str, words: str, work: Path) -> None:
    install(work / "site")
    install(work / "site", "other", templates=entry)
    (work / "site/pyptogen_mine").mkdir()
    (work / "site/pyptogen_mine/__init__.py").write_text("")
    for name in files:
        (work / "site/pyptogen_mine" / name).write_text("text\n")
    for command_ in (["build", "halved.yaml", "-o", "out"], ["template", "status"]):
        found = pyptogen(*command_)
        assert codes(found) == {code}, (found.exception, found.output)
        assert words in found.output + str(found.exception)
    assert not (work / "out/halved").exists()


PLATFORM_SPEC = """\
pyptogen: 1
operator: scores
dims: {m: {min: 1, max: 512}}
inputs: {x: 'bf16[m, 256]', w: 'bf16[256, 64]', z: 'fp32[m, 6144]'}
outputs: {y: 'fp32[m, 64]', e: 'fp32[m, 6144]'}
graph:
  product: {y: "exp(matmul(x, w, dtype=fp32))"}
  large: {e: "exp(z) * z"}
"""


def command(work: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, as platforms are read where pyptogen is imported."""
    return python(work, "-m", "pyptogen", *words)


def python(work: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=work,
        env={**os.environ, "PYTHONPATH": str(work / "site")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_platform_of_a_package(work: Path) -> None:
    (work / "scores.yaml").write_text(PLATFORM_SPEC)
    words = ("build", "scores.yaml", "-o", "out", "--target", "compact", "-q")
    refused = command(work, *words)
    assert (refused.returncode, "PTG218" in refused.stderr) == (1, True)
    install(work / "site")
    built = command(work, *words)
    assert (built.returncode, built.stderr) == (0, "")
    assert {path.name for path in (work / "out/scores/compact/kernels").iterdir()} > {"large.cpp"}
    assert json.loads((work / "out/scores/manifest.json").read_text())["targets"]["built"] == ["compact"]
    (work / "scores.yaml").write_text(PLATFORM_SPEC + "tiling: [{large: {m: 3}}]\n")  # 72 KB of the 64 KB
    assert command(work, "build", "scores.yaml", "-o", "a2a3", "--target", "a2a3", "-q").returncode == 0
    small = command(work, *words)
    assert (small.returncode, "PTG301" in small.stderr, "on compact" in small.stderr) == (1, True, True)


def test_a_platform_has_all_rules_of_the_one_that_it_is_like(work: Path) -> None:
    install(work / "site")
    source = """
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.isa import INSTRUCTIONS, device_rules, fractals, table
tables = [device_rules.RULES, fractals.STRIDE_AXIS, table.CASTS, table.PRODUCTS]
tables += [row.dtypes for row in INSTRUCTIONS.values()]
assert all(rows["compact"] is rows["a2a3"] for rows in tables), tables
assert len(tables) > 100
"""
    done = python(work, "-c", source)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("entry", "code", "words"),
    [
        ("a2a3 = pyptogen_example.platforms:COMPACT", "PTG518", "`a2a3` is given twice among platforms"),
        ("compact = pyptogen_example.platforms:COMPACT", "PTG518", "`compact` is given twice among platforms"),
        ("other = pyptogen_example.platforms:COMPACT", "PTG519", "an `AddedPlatform` called `other`"),
        ("other = pyptogen_example.renderers:count", "PTG519", "names no platform"),
        ("other = pyptogen_example.gone:GONE", "PTG519", "ModuleNotFoundError"),
    ],
)
def test_what_is_no_platform(entry: str, code: str, words: str, work: Path) -> None:
    install(work / "site")
    install(work / "site", "other", platforms=entry)
    done = command(work, "check", "halved.yaml")
    assert done.returncode == 1
    assert f"error {code}" in done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_form(work: Path) -> None:
    found = pyptogen("check", "halved.yaml", "--output-format", "cuont")
    assert found.exit_code == 2
    assert "is not one of" in found.output


def test_templates_of_the_project(work: Path) -> None:
    (work / "halved.yaml").write_text(SPEC.replace("half_of(x)", "x * 0.5"))
    (work / ".git").mkdir()
    assert pyptogen("build", "halved.yaml", "-o", "out").exit_code == 0
    assert "built in          wrapper_py.j2" in pyptogen("template", "status").output
    assert pyptogen("template", "eject", "wrapper_py.j2").exit_code == 0
    copy = work / "pyptogen-templates/wrapper_py.j2"
    assert "as the original   wrapper_py.j2" in pyptogen("template", "status").output
    assert pyptogen("build", "halved.yaml", "-o", "out", "--check").exit_code == 0
    copy.write_text("{#: head #}\n# Ours.\n" + copy.read_text())
    assert codes(pyptogen("template", "eject", "wrapper_py.j2")) == {"PTG520"}
    assert codes(pyptogen("build", "halved.yaml", "-o", "out", "--check")) == {"PTG515"}
    assert pyptogen("build", "halved.yaml", "-o", "out").exit_code == 0
    assert (work / "out/halved/wrapper.py").read_text().startswith("# Ours.\n")
    copy.write_text("{{ ''.__class__.__mro__ }}\n" + copy.read_text())
    refused = pyptogen("build", "halved.yaml", "-o", "out")
    assert "access to attribute '__class__'" in str(refused.exception)
    (work / "pyptogen-templates/ejected.json").write_text('{"wrapper_py.j2": "0"}')
    assert "original changed  wrapper_py.j2" in pyptogen("template", "status").output
