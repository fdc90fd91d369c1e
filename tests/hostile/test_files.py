"""Files that are no specs: what cannot be read to its end, has no text, or has a name that nobody can read."""

from __future__ import annotations

import ast
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from hostile.ending import ends
from pyptogen.builder import build
from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span, render_json, render_text
from pyptogen.regular_files import MOST_BYTES
from pyptogen.schema import Source, load_source, load_spec

SPEC = """\
pyptogen: 1
operator: scale
doc: A line.
dims: {rows: {min: 1, max: 64}}
inputs:
  x: fp32[rows, 8]
outputs:
  y: fp32[rows, 8]
graph:
  y: x * 2
"""


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(str(path))


def _folder(path: Path) -> None:
    path.mkdir()


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _huge(path: Path) -> None:
    """Terabytes that no disk holds."""
    with path.open("wb") as stream:
        stream.truncate(1 << 42)


def _no_text(path: Path) -> None:
    path.write_bytes(b"pyptogen: 1\n\xff\xfe")


MAKERS = {
    "fifo": (_fifo, "not a regular file"),
    "socket": (_socket, "not a regular file"),
    "folder": (_folder, "not a regular file"),
    "device": (_device, "not a regular file"),
    "loop": (_loop, "symbolic links"),
    "huge": (_huge, f"larger than {MOST_BYTES >> 10} KiB"),
    "no_text": (_no_text, "not UTF-8"),
}
Maker = Callable[[Path], None]


def _said(path: Path) -> Diagnostic:
    """What is said about a spec."""
    with ends(), pytest.raises(DiagnosticError) as raised:
        load_spec(path)
    return raised.value.diagnostics[0]


@pytest.mark.parametrize(("make", "reason"), [pytest.param(*made, id=kind) for kind, made in MAKERS.items()])
def test_specs_are_regular_files_of_bounded_size(tmp_path: Path, make: Maker, reason: str) -> None:
    make(tmp_path / "spec.yaml")

    found = _said(tmp_path / "spec.yaml")

    assert (found.code, found.span) == ("PTG110", None)
    assert reason in found.message


@pytest.mark.parametrize("kind", sorted(MAKERS.keys() - {"device"}))  # a device is no file below the spec's folder
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("include: other.yaml", "other.yaml"),
        ("tiling: {file: other.yaml}", "other.yaml"),
        ("verify: {golden: {file: other.py}}", "other.py"),
        ("kernels: {scale: {level: source, file: other.cpp, entry: e, core: vector, writes: [y]}}", "other.cpp"),
    ],
    ids=["include", "tiling", "golden", "kernel"],
)
def test_so_are_the_files_that_they_name(tmp_path: Path, kind: str, line: str, name: str) -> None:
    make, reason = MAKERS[kind]
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC.replace("doc: A line.", line))
    make(tmp_path / name)

    found = _said(spec)

    assert found.code == "PTG110"
    assert found.span is not None
    assert found.span.line == 3
    assert reason in found.message


@pytest.mark.parametrize("name", ["a\\0b.yaml", "\\ud800.yaml"], ids=["nul", "half_a_character"])
def test_names_that_no_file_system_takes(tmp_path: Path, name: str) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC.replace("doc: A line.", f'include: "{name}"'))

    found = _said(spec)

    assert found.code == "PTG101"
    assert found.span is not None
    assert found.span.line == 3


@pytest.mark.parametrize(
    "name",
    [b"two\nlines.yaml", b"tab\t.yaml", b"escape\x1b[31m.yaml", b"right\xe2\x80\xaeleft.yaml", b"half\xff.yaml"],
    ids=["line_feed", "tab", "escape", "turned", "no_utf8"],
)
def test_names_that_cannot_be_shown(tmp_path: Path, name: bytes) -> None:
    path = os.path.join(os.fsencode(tmp_path), name)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(SPEC)

    with pytest.raises(DiagnosticError) as raised:
        load_spec(os.fsdecode(path))

    found = raised.value.diagnostics[0]
    assert found.code == "PTG110"
    assert "\\" in found.message
    assert found.message.isprintable()


@pytest.mark.parametrize("char", ["\x1b", "\x85", "\u2028", "\u202e", "\x7f"], ids=lambda char: f"{ord(char):x}")
@pytest.mark.parametrize("file", ["spec.yaml", "spec.toml"])
def test_text_that_cannot_be_shown(file: str, char: str) -> None:
    line = f"doc: a{char}b" if file == "spec.yaml" else f"doc = 'a{char}b'"
    text = f"# first\n{line}\n"

    with pytest.raises(DiagnosticError) as raised:
        load_source(Source(file, text))

    found = raised.value.diagnostics[0]
    assert found.code == "PTG101"
    assert found.span is not None
    assert (found.span.line, found.span.col) == (2, line.index(char) + 1)
    assert char not in render_text(found, lambda _: text)


@pytest.mark.parametrize(
    ("file", "line"),
    [("spec.yaml", 'doc: "a\\u202eb"'), ("spec.yaml", '"\\e": 1'), ("spec.toml", 'doc = "a\\u001bb"')],
    ids=["yaml", "key", "toml"],
)
def test_escapes_do_not_bring_it_in(file: str, line: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        load_source(Source(file, f"{line}\n"))

    found = raised.value.diagnostics[0]
    assert found.code == "PTG101"
    assert found.span is not None
    assert found.span.line == 1


def test_messages_obey_no_terminal() -> None:
    odd = Diagnostic(
        "PTG101",
        "a\x1b[2Jb",
        Span("c\x1b\nd\udcff", 1, 1, 1, 2),
        "e\x07",
        "f\x00",
        (("g\x1b", Span("h\r", 1, 1, 1, 2)),),
    )

    text = render_text(odd, lambda _: "\x1b[31mred")

    assert text.replace("\n", "").isprintable()
    assert text.encode()
    assert "c\\x1b\\nd\\udcff:1:1" in text
    assert render_json([odd]).encode()


NAMES = (
    'quotes"""+print("x")+""".yaml',
    'ends"".yaml',
    "back\\slash\\.yaml",
    "comment*/ int x; /*.yaml",
    "{{ 7 * 7 }}{% raw %}.yaml",
    "<script>alert(1)</script>.yaml".replace("/", "-"),
    "percent%s`tick`|bar.yaml",
)


@pytest.mark.parametrize("name", [name.replace("/", "-") for name in NAMES])
def test_names_are_text_in_what_is_generated(tmp_path: Path, name: str) -> None:
    """A spec's name is part of comments and docstrings, and of nothing else."""
    (tmp_path / name).write_text(SPEC)

    build(tmp_path / name, tmp_path / "out", ["cpu"])

    folder = tmp_path / "out" / "scale"
    for path in [folder / "wrapper.py", folder / "test_scale.py"]:
        tree = ast.parse(path.read_text())
        doc = ast.get_docstring(tree)
        assert doc is not None
        assert name in doc
        assert len(tree.body) == len(ast.parse(_built_as(tmp_path, "plain.yaml", path.name)).body)
        rest = ast.dump(ast.Module(tree.body[1:], []))
        assert name not in rest.replace("\\\\", "\\")
    for path in [folder / "wrapper.hpp", *folder.glob("cpu/*.cpp"), *folder.glob("cpu/kernels/*.cpp")]:
        assert all(
            line.lstrip().startswith("//") or "//" in line.split(name)[0] for line in _lines(path) if name in line
        )


def _lines(path: Path) -> list[str]:
    return path.read_text().split("\n")


def _built_as(tmp_path: Path, name: str, file: str) -> str:
    """The text of a generated file of the same spec under an everyday name."""
    (tmp_path / name).write_text(SPEC)
    build(tmp_path / name, tmp_path / "plain", ["cpu"])
    return (tmp_path / "plain" / "scale" / file).read_text()


def test_files_beside_a_spec_do_not_replace_generated_ones(tmp_path: Path) -> None:
    (tmp_path / "wrapper.py").write_text("def scale(x):\n    return x * 2\n")
    (tmp_path / "scale.yaml").write_text(SPEC.replace("doc: A line.", "verify: {golden: {file: wrapper.py}}"))

    with pytest.raises(DiagnosticError) as raised:
        build(tmp_path / "scale.yaml", tmp_path / "out", ["cpu"])

    found = raised.value.diagnostics[0]
    assert found.code == "PTG113"
    assert "wrapper.py" in found.message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("entry", ["../../x", "f() {} int g", "f\\ng", "1f", "é"])
def test_entries_of_kernels_are_identifiers(tmp_path: Path, entry: str) -> None:
    (tmp_path / "k.cpp").write_text("")
    kernels = f'{{scale: {{level: source, file: k.cpp, entry: "{entry}", core: vector, writes: [y]}}}}'
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC.replace("doc: A line.", f"kernels: {kernels}"))

    with pytest.raises(DiagnosticError) as raised:
        load_spec(spec)

    assert raised.value.diagnostics[0].code == "PTG213"


def test_a_docstring_is_text(tmp_path: Path) -> None:
    doc = r'''ends in \ and """ + print("x") + """ and */ and "'''
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC.replace("doc: A line.", f"doc: '{doc}'"))

    build(spec, tmp_path / "out", ["cpu"])

    tree = ast.parse((tmp_path / "out" / "scale" / "wrapper.py").read_text())
    function = next(part for part in tree.body if isinstance(part, ast.FunctionDef) and part.name == "scale")
    assert doc in " ".join((ast.get_docstring(function) or "").split())
