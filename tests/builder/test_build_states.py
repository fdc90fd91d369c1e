"""What `build --check` tells apart, what a build refuses to overwrite, and which folders it deletes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from builder.toy_library import Library
from pyptogen.builder import BuildReport, build
from pyptogen.builder.depfile import depfile
from pyptogen.builder.differences import differences, summary
from pyptogen.builder.findings import findings
from pyptogen.builder.lock import read_lock
from pyptogen.diagnostics import DiagnosticError


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    return Library(tmp_path, monkeypatch)


def check(library: Library) -> BuildReport:
    before = library.tree()
    report = build(library.specs, library.out, check=True)
    assert library.tree() == before
    return report


def found(library: Library) -> list[tuple[str, str]]:
    """Code and message of each finding, without the folder's place."""
    report = check(library)
    return [(one.code, one.message.replace(f"{library.out}/", "")) for one in findings(report.operators)]


def test_nothing_is_found_after_a_build(library: Library) -> None:
    library.write("one")
    build(library.specs, library.out)
    assert not check(library).changed
    assert found(library) == []


def test_a_changed_spec(library: Library) -> None:
    library.write("one")
    build(library.specs, library.out)
    library.write("one", "first third")
    assert found(library) == [("PTG511", "one: 5 files changed")]
    build(library.specs, library.out)
    assert found(library) == []
    assert "one/cpu/kernels/second.cpp" not in library.tree()


def test_a_file_that_is_gone_and_an_operator_that_was_never_built(library: Library) -> None:
    library.write("one")
    build(library.specs, library.out)
    library.write("two")
    (library.out / "one/cpu/kernels/first.cpp").unlink()
    assert found(library) == [("PTG512", "one: 1 file missing"), ("PTG512", "two: 5 files missing")]
    build(library.specs, library.out)
    assert found(library) == []


@pytest.mark.parametrize("left", ["gone", "renamed"])
def test_an_operator_without_a_spec(library: Library, left: str) -> None:
    path = library.write("one")
    library.write("two")
    build(library.specs, library.out)
    if left == "gone":
        path.unlink()
    else:
        library.write("other", file="one")
    assert ("PTG513", "one: orphan of 5 files") in found(library)
    fixes = [one.fix for one in findings(check(library).operators) if one.code == "PTG513"]
    mends = library.specs if left == "gone" else path
    assert fixes == [f"`pyptogen build {mends} -o {library.out}`, and review the difference"]
    build(library.specs, library.out)
    assert not (library.out / "one").exists()
    assert (library.out / "two").exists()
    assert sorted(read_lock(library.out).operators) == (["two"] if left == "gone" else ["other", "two"])
    assert found(library) == []


def test_what_nobody_built_stays_in_the_folder_of_an_orphan(library: Library) -> None:
    path = library.write("one")
    library.write("two")
    build(library.specs, library.out)
    path.unlink()
    (library.out / "one/notes.md").write_text("mine")
    (library.out / "one/cpu/kernels/first.cpp").write_text("edited")
    assert found(library) == [("PTG513", "one: orphan of 4 files"), ("PTG514", "one: 1 file edited by hand")]
    with pytest.raises(DiagnosticError, match="PTG514"):
        build(library.specs, library.out)
    build(library.specs, library.out, force=True)
    assert sorted((library.out / "one").rglob("*")) == [library.out / "one/notes.md"]


def test_a_build_of_one_spec_or_of_another_folder_deletes_no_other_operator(library: Library) -> None:
    path = library.write("one")
    two = library.write("two")
    build(library.specs, library.out)
    path.unlink()
    build(two, library.out)
    elsewhere = library.specs.parent / "more"
    elsewhere.mkdir()
    two.rename(elsewhere / "two.yaml")
    build(elsewhere, library.out)
    assert (library.out / "one").exists()


def test_an_edit_by_hand_is_kept_until_force(library: Library) -> None:
    library.write("one")
    library.write("two")
    build(library.specs, library.out)
    kernel = library.out / "one/cpu/kernels/first.cpp"
    kernel.write_text("// faster\n")
    assert found(library) == [("PTG514", "one: 1 file edited by hand")]
    library.write("two", "first")
    before = library.tree()
    with pytest.raises(DiagnosticError) as raised:
        build(library.specs, library.out)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "PTG514"
    assert diagnostic.notes == ((f"would overwrite {kernel}", None),)
    assert "--force" in diagnostic.fix
    assert library.tree() == before, "neither folder is written"
    build(library.specs, library.out, force=True)
    assert kernel.read_text() == "// 1 first\n"
    assert found(library) == []


def test_an_edit_that_a_build_would_make_is_none(library: Library) -> None:
    """A kernel that was edited to what the changed spec makes: nothing is lost by writing the rest."""
    library.write("one", "first")
    build(library.specs, library.out)
    library.version = "2"
    (library.out / "one/cpu/kernels/first.cpp").write_text("// 2 first\n")
    build(library.specs, library.out)
    assert found(library) == []


def test_another_generator_is_found_only_where_it_makes_other_text(library: Library) -> None:
    library.write("one")
    library.write("two", "")
    build(library.specs, library.out)
    reviewed = library.tree()
    library.version = "2"
    assert found(library) == [("PTG515", "one: 3 files made by another generator version")]
    build(library.specs, library.out)
    assert {path for path, text in library.tree().items() if reviewed[path] != text} == {
        "one/cpu/kernels/first.cpp",
        "one/cpu/kernels/second.cpp",
        "one/manifest.json",
    }
    assert read_lock(library.out).operators["two"].generator == "generator 2"


def test_without_a_lock_nothing_is_lost_but_the_reason(library: Library) -> None:
    library.write("one")
    build(library.specs, library.out)
    (library.out / "pyptogen.lock").unlink()
    assert found(library) == []
    library.version = "2"
    assert [code for code, _ in found(library)] == ["PTG511"]
    build(library.specs, library.out)
    assert list(read_lock(library.out).operators) == ["one"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"operators": 3}', '{"operators": {"one": {"spec": 1}}}'])
def test_a_damaged_lock_is_only_a_reason_to_build(library: Library, text: str) -> None:
    library.write("one")
    build(library.specs, library.out)
    good = (library.out / "pyptogen.lock").read_bytes()
    (library.out / "pyptogen.lock").write_text(text)
    build(library.specs, library.out)
    assert (library.out / "pyptogen.lock").read_bytes() == good


def test_the_lock_does_not_say_where_the_build_was_started(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.write("one")
    build(library.specs, library.out)
    lock = (library.out / "pyptogen.lock").read_text()
    assert str(tmp_path) not in lock
    assert json.loads(lock)["operators"]["one"]["spec"]["file"] == "../specs/one.yaml"
    monkeypatch.chdir(library.specs)
    assert build(".", "../out").operators[0].quick
    assert (library.out / "pyptogen.lock").read_text() == lock


def test_the_difference_is_a_patch_with_kernels_first(library: Library) -> None:
    library.write("one", "first second")
    build(library.specs, library.out)
    library.write("one", "first third")
    report = check(library)
    lines = list(differences(report.operators))
    headers = [line.rpartition("/")[2] for line in lines if line.startswith(("--- a", "+++ b"))]
    assert headers == [
        *("second.cpp", "third.cpp"),
        *("orchestration.cpp", "orchestration.cpp"),
        *("manifest.json", "manifest.json"),
        *("one.yaml", "one.yaml"),
    ]
    assert "+// 1 third" in lines
    assert list(summary(report.operators)) == [
        f"{library.out}/one: kernels 1 added, 1 removed; +4 -4 lines in all files"
    ]


def test_a_depfile_names_the_spec_and_what_it_includes(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.write("one")
    odd = library.write("two", file="a $pec")
    report = build(library.specs, library.out)
    rules = depfile(report.operators, library.out).splitlines()
    escaped = str(odd).replace("$", "$$").replace(" ", "\\ ")
    assert rules == [
        f"{library.out}/two/manifest.json: {escaped}",
        f"{library.out}/one/manifest.json: {library.specs}/one.yaml",
        f"{escaped}:",
        f"{library.specs}/one.yaml:",
    ]
    again = build(library.specs, library.out)
    assert depfile(again.operators, library.out).splitlines() == rules


@pytest.mark.parametrize("tool", ["make", "ninja"])
def test_a_build_system_builds_when_a_spec_changes_comes_or_goes(
    library: Library, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    monkeypatch.chdir(library.specs.parent)
    paths = Path("specs"), Path("out")
    Path("Makefile").write_text("stamp:\n\techo ran && touch stamp\n-include stamp.d\n")
    Path("build.ninja").write_text(
        "rule build\n  command = echo ran && touch stamp\n  depfile = stamp.d\nbuild stamp: build\n"
    )

    def ran() -> bool:
        said = subprocess.run([tool], capture_output=True, text=True, check=True).stdout
        report = build(*paths)
        Path("stamp.d").write_text(depfile(report.operators, paths[1], "stamp", [paths[0]]))
        later = time.time_ns() + 10**9
        os.utime("stamp", ns=(later, later))
        return "ran\n" in said

    library.write("one", file="a b")
    assert ran()
    assert not ran()
    future = time.time_ns() + 10**10
    os.utime("specs/a b.yaml", ns=(future, future))
    assert ran()
    os.utime("specs/a b.yaml", ns=(1, 1))
    assert not ran()
    os.unlink("specs/a b.yaml")
    library.write("two")
    os.utime("specs", ns=(future, future))
    assert ran()
