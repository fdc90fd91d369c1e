"""What was rendered before is kept: it is taken where every byte that it was made from is the same, and only there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import pytest

from pyptogen.builder import build, render
from pyptogen.builder.fingerprint import sha256
from pyptogen.builder.rendered import Packed, Rendered
from pyptogen.builder.report import BuildReport


class Rendering:
    """Renders a spec as a file with its bytes, and with those of the files that it names in lines ``include NAME``, and
    that these name; counts how often."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.specs, self.cache, self.generator, self.rendered = root / "specs", root / "cache", "1", 0
        self.specs.mkdir()
        self.outs = iter(root / f"out{number}" for number in range(99))
        monkeypatch.setattr(render, "render_operator", self._render)
        monkeypatch.setattr("pyptogen.builder.run.generator_hash", lambda: self.generator)
        monkeypatch.setenv("PYPTOGEN_CACHE_DIR", str(self.cache))

    def write(self, name: str, text: str) -> None:
        (self.specs / name).write_text(text)

    def build(self, out: Path | None = None, *, check: bool = False, verify_each: bool = False) -> BuildReport:
        """All specs, into a folder that was not there before unless one is given."""
        out = out or next(self.outs)
        return build(self.specs, out, None, check, None, verify_each, 1, reuse=True)

    def times(self, **options: bool) -> int:
        """How many specs a build renders."""
        before = self.rendered
        self.build(**options)
        return self.rendered - before

    def _render(
        self,
        path: Path,
        targets: Collection[str] | None = None,
        dump_ir: Path | None = None,
        verify_each: bool = False,
        lenient: bool = False,
    ) -> Rendered:
        self.rendered += 1
        includes: list[Path] = []
        text = self._with_includes(path, includes)
        files = {"cpu/kernels/all.cpp": f"{self.generator} {text}".encode(), "empty.txt": b""}
        listed = {file: sha256(data) for file, data in files.items()}
        manifest = {"files": listed, "targets": {"built": ["cpu"], "declared": ["cpu"]}}
        files["manifest.json"] = json.dumps(manifest).encode()
        return Rendered(path.stem, files, ("a note",), tuple(dict.fromkeys(includes)))

    def _with_includes(self, path: Path, includes: list[Path]) -> str:
        text = path.read_text()
        for word in text.split():
            if word.endswith(".part"):
                includes.append(path.parent / word)
                text += self._with_includes(path.parent / word, includes)
        return text


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rendering:
    made = Rendering(tmp_path, monkeypatch)
    made.write("one.yaml", "plain")
    made.write("two.yaml", "with a.part")
    made.write("a.part", "the text of b.part")
    made.write("b.part", "b")
    return made


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_the_same_specs_are_rendered_once(library: Rendering, tmp_path: Path) -> None:
    first, second = library.build(), library.build()
    assert library.rendered == 2
    assert contents(tmp_path / "out0") == contents(tmp_path / "out1")
    assert [operator.notes for operator in second.operators] == [operator.notes for operator in first.operators]


@pytest.mark.parametrize(
    ("file", "text", "rendered"),
    [
        ("one.yaml", "other", 1),
        ("two.yaml", "with a.part and more", 1),
        ("a.part", "another text of b.part", 1),
        ("b.part", "c", 1),
        ("a.part", "nothing included", 1),
        ("unrelated.part", "x", 0),
    ],
)
def test_a_changed_byte_is_rendered_anew(library: Rendering, file: str, text: str, rendered: int) -> None:
    library.build()
    before = (library.specs / file).read_text() if (library.specs / file).exists() else ""
    library.write(file, text)
    assert (library.times(), library.times()) == (rendered, 0)
    library.write(file, before)
    assert library.times() == 0


def test_an_included_file_that_includes_more_is_followed(library: Rendering) -> None:
    library.build()
    library.write("c.part", "c")
    library.write("b.part", "b c.part")
    assert (library.times(), library.times()) == (1, 0)
    library.write("c.part", "d")
    assert (library.times(), library.times()) == (1, 0)


def test_another_generator_renders_anew(library: Rendering) -> None:
    library.build()
    library.generator = "2"
    assert library.times() == 2


def test_other_packages_render_anew(library: Rendering, monkeypatch: pytest.MonkeyPatch) -> None:
    library.build()
    monkeypatch.setattr("pyptogen.builder.kept._environment", lambda: "sympy=1.0")
    assert library.times() == 2


def test_a_look_at_every_pass_renders_anew(library: Rendering) -> None:
    library.build()
    assert library.times(verify_each=True) == 2


def test_a_check_compares_with_what_was_kept(library: Rendering, tmp_path: Path) -> None:
    library.build()
    kernel = tmp_path / "out0" / "one" / "cpu" / "kernels" / "all.cpp"
    kernel.write_text("edited")
    report = library.build(tmp_path / "out0", check=True)
    assert library.rendered == 2
    assert [operator.written for operator in report.operators] == [("cpu/kernels/all.cpp",), ()]
    assert report.operators[0].new["cpu/kernels/all.cpp"] == b"1 plain"


@pytest.mark.parametrize("damage", [b"", b"{}", b'{"name": "one"}\n', b"\xff\xfe"])
def test_a_damaged_entry_is_rendered_anew(library: Rendering, damage: bytes) -> None:
    library.build()
    for path in library.cache.rglob("*.zz"):
        path.write_bytes(damage)
    assert (library.times(), library.times()) == (2, 0)


def test_a_build_goes_on_without_a_store(library: Rendering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PYPTOGEN_CACHE_DIR", str(tmp_path / "file"))
    assert (library.times(), library.times()) == (2, 2)


def test_packed_files_are_the_same_files() -> None:
    files = {"b": b"second" * 99, "a": b"", "c/d": bytes(range(256))}
    packed = Packed.of(files)
    assert dict(packed) == files
    assert list(packed) == list(files)
    assert len(packed.data) < sum(map(len, files.values()))


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_ends_all_processes(tmp_path: Path, jobs: int) -> None:
    code = f"""
        import signal, sys, time
        from pathlib import Path
        from pyptogen.builder import render

        def slow(path, *rest):
            Path({str(tmp_path)!r}, path.stem + ".started").touch()
            time.sleep(600)

        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        render.render_operator = slow
        from pyptogen.cli.app import main
        sys.argv = ["pyptogen", "build", {str(tmp_path / "specs")!r}, "-o", {str(tmp_path / "out")!r}, "--no-cache"]
        sys.argv += ["--jobs", "{jobs}"]
        main()
    """
    (tmp_path / "specs").mkdir()
    for name in ("one", "two"):
        (tmp_path / "specs" / f"{name}.yaml").write_text("")
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], start_new_session=True, stderr=subprocess.PIPE
    )
    try:
        end = time.monotonic() + 120
        while len(list(tmp_path.glob("*.started"))) < jobs:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert (process.returncode, said) == (130, b"")
        with pytest.raises(ProcessLookupError):  # nobody of the group is left
            os.killpg(process.pid, 0)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert not (tmp_path / "out").exists()
