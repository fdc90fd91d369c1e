"""Building without lowering: what is written, left alone, deleted, and answered from hashes alone.

Rendering is replaced by a function that turns a spec's text into two kernels, so that each test decides what
comes out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from pyptogen.builder import build, render
from pyptogen.builder.dump import dump_to
from pyptogen.builder.fingerprint import generator_hash, sha256
from pyptogen.builder.rendered import Rendered
from pyptogen.diagnostics import DiagnosticError, fault

SPEC = "pyptogen: 1\noperator: {name}\n# {note}\n"


class Renderer:
    """Stands in for rendering; counts how often it is asked. ``kernels`` are the names of those that it
    makes."""

    def __init__(self) -> None:
        self.calls = 0
        self.kernels: tuple[str, ...] = ("first", "second")

    def __call__(
        self,
        path: Path,
        targets: Collection[str] | None = None,
        dump_ir: Path | None = None,
        verify_each: bool = False,
        lenient: bool = False,
    ) -> Rendered:
        self.calls += 1
        text = path.read_text()
        if "broken" in text:
            raise fault("PTG101", f"{path.name} is broken", None)
        name = text.split("operator: ")[1].split()[0]
        built = sorted(targets or ("a2a3", "cpu"))
        files = {f"{t}/kernels/{k}.cpp": f"// {t} {k}\n".encode() for t in built for k in self.kernels}
        files |= {f"{t}/orchestration.cpp": text.encode() for t in built}
        manifest = {
            "files": {p: sha256(data) for p, data in files.items()},
            "targets": {"built": built, "declared": ["a2a3", "cpu"]},
        }
        return Rendered(name, {**files, "manifest.json": json.dumps(manifest).encode()})


@pytest.fixture
def renderer(monkeypatch: pytest.MonkeyPatch) -> Renderer:
    stand_in = Renderer()
    monkeypatch.setattr(render, "render_operator", stand_in)
    return stand_in


@pytest.fixture
def spec(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str = "toy", note: str = "as it was") -> Path:
        path = tmp_path / "specs" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(SPEC.format(name=name, note=note))
        return path

    return write


def tree(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def age(folder: Path) -> dict[Path, int]:
    """Put every file's time into the past, so that any later write shows."""
    for path in folder.rglob("*"):
        os.utime(path, ns=(10**18, 10**18))
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def touched(before: dict[Path, int]) -> set[str]:
    return {path.name for path, time in before.items() if not path.exists() or path.stat().st_mtime_ns != time}


def test_a_first_build_writes_everything(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    report = build(spec(), tmp_path / "out")
    assert report.changed
    assert sorted(tree(tmp_path / "out" / "toy")) == [
        "a2a3/kernels/first.cpp",
        "a2a3/kernels/second.cpp",
        "a2a3/orchestration.cpp",
        "cpu/kernels/first.cpp",
        "cpu/kernels/second.cpp",
        "cpu/orchestration.cpp",
        "manifest.json",
    ]
    assert list(report.operators[0].written) == sorted(tree(tmp_path / "out" / "toy"))
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["pyptogen.lock", "toy"], "nothing staged is left"


def test_nothing_changed_is_answered_from_hashes_and_touches_nothing(
    renderer: Renderer, spec: Any, tmp_path: Path
) -> None:
    path = spec()
    build(path, tmp_path / "out")
    before = age(tmp_path / "out")
    report = build(path, tmp_path / "out")
    assert (renderer.calls, report.changed, report.operators[0].quick) == (1, False, True)
    assert touched(before) == set()


def test_only_what_differs_is_written(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    build(spec(), tmp_path / "out")
    before = age(tmp_path / "out")
    report = build(spec(note="changed"), tmp_path / "out")
    assert report.operators[0].written == ("a2a3/orchestration.cpp", "cpu/orchestration.cpp", "manifest.json")
    assert touched(before) == {"orchestration.cpp", "manifest.json", "pyptogen.lock"}


def test_a_deleted_output_is_made_again(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    path = spec()
    build(path, tmp_path / "out")
    good = tree(tmp_path / "out")
    (tmp_path / "out/toy/cpu/kernels/second.cpp").unlink()
    report = build(path, tmp_path / "out")
    assert report.operators[0].written == ("cpu/kernels/second.cpp",)
    assert tree(tmp_path / "out") == good


def test_kernels_that_no_longer_exist_are_deleted(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    build(spec(), tmp_path / "out")
    (tmp_path / "out/toy/notes.md").write_text("mine")
    renderer.kernels = ("first",)
    report = build(spec(note="changed"), tmp_path / "out")
    assert report.operators[0].removed == ("a2a3/kernels/second.cpp", "cpu/kernels/second.cpp")
    assert not (tmp_path / "out/toy/cpu/kernels/second.cpp").exists()
    assert (tmp_path / "out/toy/notes.md").read_text() == "mine", "what no build made is not deleted"


def test_a_kernel_without_a_build_is_found_and_deleted_by_force(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    path = spec()
    build(path, tmp_path / "out")
    stray = tmp_path / "out/toy/cpu/kernels/old.cpp"
    stray.write_text("left by a merge")
    with pytest.raises(DiagnosticError, match="PTG514"):
        build(path, tmp_path / "out")
    assert build(path, tmp_path / "out", force=True).operators[0].removed == ("cpu/kernels/old.cpp",)
    assert not stray.exists()


def test_fewer_targets_leave_no_folder_of_the_others(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    path = spec()
    build(path, tmp_path / "out")
    build(path, tmp_path / "out", targets=["cpu"])
    assert not (tmp_path / "out/toy/a2a3").exists()
    build(path, tmp_path / "out")
    assert (tmp_path / "out/toy/a2a3/orchestration.cpp").exists()


def test_a_manifest_cannot_lead_out_of_its_folder(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    path = spec()
    build(path, tmp_path / "out")
    victim = tmp_path / "out" / "victim.txt"
    victim.write_text("not ours")
    manifest = tmp_path / "out/toy/manifest.json"
    content = json.loads(manifest.read_text())
    content["files"] |= {"../victim.txt": "0", str(victim): "0"}
    manifest.write_text(json.dumps(content))
    build(path, tmp_path / "out")
    assert victim.read_text() == "not ours"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'"x"', b'{"inputs": 3}', b'{"files": [1], "inputs": {}}', b"\xff"]
)
def test_a_damaged_manifest_is_only_a_reason_to_build(
    renderer: Renderer, spec: Any, tmp_path: Path, content: bytes
) -> None:
    path = spec()
    build(path, tmp_path / "out")
    good = tree(tmp_path / "out")
    (tmp_path / "out/toy/manifest.json").write_bytes(content)
    assert build(path, tmp_path / "out").operators[0].written == ("manifest.json",)
    assert tree(tmp_path / "out") == good


def test_check_writes_nothing_and_lists_what_is_stale(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    build(spec(), tmp_path / "out")
    assert not build(spec(), tmp_path / "out", check=True).changed
    good = tree(tmp_path / "out")
    before = age(tmp_path / "out")
    renderer.kernels = ("first", "third")
    report = build(spec(), tmp_path / "out", check=True)
    assert "cpu/kernels/third.cpp" in report.operators[0].written
    assert "cpu/kernels/second.cpp" in report.operators[0].removed
    assert tree(tmp_path / "out") == good
    assert touched(before) == set()


def test_check_of_a_folder_that_is_not_there_makes_none(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    assert build(spec(), tmp_path / "out", check=True).changed
    assert not (tmp_path / "out").exists()


def test_one_bad_spec_and_nothing_is_written(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    spec("good")
    spec("bad", note="broken")
    spec("worse", note="broken")
    with pytest.raises(DiagnosticError) as caught:
        build(tmp_path / "specs", tmp_path / "out")
    assert [d.message for d in caught.value.diagnostics] == ["bad.yaml is broken", "worse.yaml is broken"]
    assert not (tmp_path / "out").exists()


def test_a_folder_means_its_specs_in_order_and_not_its_tables(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    spec("two")
    spec("one")
    (tmp_path / "specs/tiling").mkdir()
    (tmp_path / "specs/tiling/one.yaml").write_text("broken")
    (tmp_path / "specs/README.md").write_text("broken")
    report = build(tmp_path / "specs", tmp_path / "out")
    assert [operator.name for operator in report.operators] == ["one", "two"]


def test_a_folder_without_specs_is_a_finding(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError) as caught:
        build(tmp_path, tmp_path / "out")
    assert caught.value.diagnostics[0].code == "PTG110"


def test_two_specs_of_one_operator_are_a_finding(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    (tmp_path / "copy.yaml").write_text(spec("toy").read_text())
    with pytest.raises(DiagnosticError) as caught:
        build([spec("toy"), tmp_path / "copy.yaml"], tmp_path / "out")
    assert caught.value.diagnostics[0].code == "PTG208"


def test_a_folder_that_cannot_be_written_is_a_finding(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(DiagnosticError) as caught:
        build(spec(), tmp_path / "out")
    assert caught.value.diagnostics[0].code == "PTG504"


def test_another_generator_is_a_reason_to_build(
    renderer: Renderer, spec: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = spec()
    build(path, tmp_path / "out")
    monkeypatch.setattr("pyptogen.builder.run.generator_hash", lambda: "another")
    build(path, tmp_path / "out")
    assert renderer.calls == 2


def test_the_generator_hash_sees_what_generates_and_nothing_else(tmp_path: Path) -> None:
    for name in ("lower/pass.py", "templates/kernel.j2", "runtime/chip.py", "lower/__pycache__/pass.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    first = generator_hash(tmp_path)
    (tmp_path / "runtime/chip.py").write_text("y")
    (tmp_path / "lower/__pycache__/pass.pyc").write_text("y")
    assert generator_hash(tmp_path) == first
    (tmp_path / "templates/kernel.j2").write_text("y")
    second = generator_hash(tmp_path)
    assert second != first
    (tmp_path / "lower/pass.py").rename(tmp_path / "lower/other.py")
    assert generator_hash(tmp_path) not in {first, second}


def test_the_quick_answer_imports_nothing_heavy(renderer: Renderer, spec: Any, tmp_path: Path) -> None:
    path = spec()
    build(path, tmp_path / "out")
    program = (
        "import sys\nfrom pyptogen.builder import build\n"
        f"report = build({str(path)!r}, {str(tmp_path / 'out')!r})\n"
        "assert report.operators[0].quick\n"
        "print(sorted({'sympy', 'numpy', 'jinja2', 'pydantic', 'ruamel'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("[]\n", "")


def test_the_command_that_gives_the_quick_answer_imports_nothing_heavy(
    renderer: Renderer, spec: Any, tmp_path: Path
) -> None:
    """The command line too: typer 0.29 reads it with pydantic, so an older one is asked for."""
    path = spec()
    build(path, tmp_path / "out")
    program = (
        "import sys\nfrom pyptogen.cli.app import app\n"
        f"app(['build', {str(path)!r}, '-o', {str(tmp_path / 'out')!r}], standalone_mode=False)\n"
        "print(sorted({'sympy', 'numpy', 'jinja2', 'pydantic', 'ruamel', 'rich'} & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == (f"{tmp_path / 'out' / 'toy'}: up to date\n[]\n", "")


def test_levels_cannot_be_dumped_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DiagnosticError, match=r"PTG504: cannot write .*file/toy"):
        dump_to(tmp_path / "file" / "toy")
    dump = dump_to(tmp_path / "toy")
    (tmp_path / "toy" / "20-block.txt").mkdir()
    with pytest.raises(DiagnosticError, match=r"PTG504: cannot write .*20-block\.txt"):
        dump("20-block", "text")
