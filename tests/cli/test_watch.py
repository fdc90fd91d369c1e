"""`pyptogen watch`: what a change reaches is built, tested and told; what is wrong ends nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pyptogen.cli import watch as watch_module
from pyptogen.cli.watch import watch
from pyptogen.editor.watching import Watched, reached_kernels

SPEC = """\
pyptogen: 1
operator: {name}
include: parts/part.yaml
dims: {{n: {{min: 1, max: 64}}, d: 64}}
inputs: {{x: "fp32[n, d]"}}
outputs: {{y: "fp32[n, d]"}}
graph: {{y: scaled(x)}}
tiling: [{{n: 8}}]
verify: {{cases: [{{n: 9}}]}}
targets: [cpu]
"""
PART = "functions:\n  scaled(v):\n    w: v * 2\n    return: w\n"


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "specs"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts/part.yaml").write_text(PART)
    (folder / "one.yaml").write_text(SPEC.format(name="one"))
    (folder / "two.yaml").write_text(
        SPEC.format(name="two").replace("include: parts/part.yaml\n", "").replace("scaled(x)", "x + 1")
    )
    return Path("specs")


def rounds(*changes: Callable[[], object]) -> Callable[[], bool]:
    """A wait in which files change, one change a round."""
    left = list(changes)

    def wait() -> bool:
        if not left:
            return False
        left.pop(0)()
        return True

    return wait


def test_a_change_reaches_the_specs_that_name_the_file(specs: Path) -> None:
    watched = Watched((specs,))
    assert [path.stem for path in watched.changed()] == ["one", "two"]
    assert watched.changed() == ()
    (specs / "parts/part.yaml").write_text(PART.replace("2", "3"))
    assert [path.stem for path in watched.changed()] == ["one"]
    (specs / "parts/part.yaml").write_text("functions: [\n")
    assert [path.stem for path in watched.changed()] == ["one"]
    (specs / "parts/part.yaml").write_text(PART)
    assert [path.stem for path in watched.changed()] == ["one"]
    (specs / "two.yaml").unlink()
    assert watched.changed() == ()
    (specs / "one.yaml").unlink()
    assert watched.changed() == ()


def test_it_builds_tests_and_tells(
    specs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tested: list[Path] = []
    monkeypatch.setattr(watch_module, "_test", lambda spec, targets: tested.append(spec))
    one = specs / "one.yaml"

    def slip() -> None:
        one.write_text(one.read_text().replace("scaled(x)", "scald(x)"))

    def mend() -> None:
        one.write_text(one.read_text().replace("scald(x)", "scaled(x)"))
        (specs / "parts/part.yaml").write_text(PART.replace("* 2", "* 3"))

    def comment() -> None:
        one.write_text("# new\n" + one.read_text())

    watch([one], Path("generated"), wait=rounds(slip, mend, comment))
    out, err = capsys.readouterr()
    told = [line.split(" ", 1)[1] if line[2:3] == ":" else line for line in out.splitlines()]
    assert told[0].startswith("one: cpu/one; ")
    assert told[1:3] == ["watching specs/one.yaml; Ctrl-C ends", "specs/one.yaml: not built"]
    assert "PTG202" in err
    assert told[3].startswith("one: cpu/one; ")
    assert told[4].startswith("one: no kernel; ")
    assert len(told) == 5
    assert tested == [one, one]


def test_cases_are_run(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watch_module._test(specs / "two.yaml", ["cpu"])
    assert capsys.readouterr().out == "  1 of 1 cases agree\n"


def test_kernels_are_named_by_target() -> None:
    new = ("cpu/kernels/a.cpp", "manifest.json", "a2a3/kernels/b.cpp")
    assert reached_kernels(new, ("cpu/kernels/c.cpp",)) == ("cpu/a", "a2a3/b", "-cpu/c")
