"""What is said of a line of a kernel points to the spec: by a compiler, by the checked mode, by a kernel that met a
wrong index."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NoReturn

import pytest
from compiling import compiled_as_for_users

import pyptogen
from pyptogen.builder import build
from pyptogen.codegen import Generated, generate
from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.runtime import load_generated
from pyptogen.runtime.operator import sources
from pyptogen.runtime.operator.traced_sources import in_spec, place_of_message
from pyptogen.runtime.toolchain.cxx_errors import compile_fault
from pyptogen.schema import load_spec

SPEC = """\
pyptogen: 1
operator: picked
dims:
  n: {min: 1, max: 64}
inputs:
  x: fp32[n, 32]
  i: int32[n]
outputs:
  y: fp32[n, 32]
  z: fp32[n, 32]
graph:
  places: cumsum(i, axis=0)
  y: index_select(x, 0, places)
  z: exp(index_select(x, 0, places * 2))
"""
KERNEL = "cpu/kernels/picked.cpp"


@pytest.fixture(scope="module")
def lowered(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    spec = tmp_path_factory.mktemp("spec") / "picked.yaml"
    spec.write_text(SPEC)
    return generate(from_spec(load_spec(spec)), "cpu")


def line_of(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


def kernel_with(lowered: Generated, words: str) -> tuple[str, str]:
    """Path and text of the kernel in which words stand."""
    return next((f"cpu/kernels/{k.name}.cpp", k.text) for k in lowered.kernels if words in k.text)


def test_the_kernels_number_their_indices(lowered: Generated) -> None:
    texts = "".join(kernel.text for kernel in lowered.kernels)
    numbers = set(lowered.program.sites.values())
    assert numbers == {1, 2}
    assert all(f", {number});" in texts for number in numbers)
    assert "yaml" not in texts


def test_the_checked_mode_names_a_line(lowered: Generated) -> None:
    path, text = kernel_with(lowered, "at.exp(")
    said = f"some warning\n{path}:{line_of(text, 'at.exp(')}: pto check: block 0.0: a race\n"
    place = place_of_message(said, lowered)
    assert place is not None
    assert (place.line, place.col) == (14, 6)


def test_a_wrong_index_names_an_operation(lowered: Generated) -> None:
    def line(site: int) -> Any:
        place = place_of_message(f"{KERNEL}:3: pto check: wrong index: 9 of 5, site {site}\n", lowered)
        return place and place.line

    assert [line(1), line(2), line(0), line(3)] == [13, 14, None, None]


@pytest.mark.parametrize("said", ["", "x.cpp:3: pto check", f"{KERNEL}:0: x", f"{KERNEL}:99999: x", "terminated"])
def test_other_messages_name_nothing(lowered: Generated, said: str) -> None:
    assert place_of_message(said, lowered) is None


def test_a_compiler_that_refuses_an_edited_kernel_leads_to_the_spec(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines above were added: the map of what was built has others."""
    (tmp_path / "picked.yaml").write_text(SPEC)
    build(tmp_path / "picked.yaml", tmp_path, ["cpu"])
    folder = tmp_path / "picked"
    path = next(path for path in folder.glob("cpu/kernels/*.cpp") if "at.exp(" in path.read_text())
    path.write_text("// mine\n// mine, too\n" + path.read_text().replace("at.exp(", "at.epx("))
    name, line = path.relative_to(folder).as_posix(), line_of(path.read_text(), "at.epx(")

    class Refuses:
        def shared_object(self, operator: str, sources: dict[str, str], exports: list[str]) -> NoReturn:
            raise compile_fault(name, sources[name], f"{name}:{line}:9: error: no `epx`\n", "g++")

    monkeypatch.setattr(sources, "make_toolchain", lambda **options: Refuses())
    with pytest.raises(DiagnosticError) as raised:
        load_generated(folder, "cpu")
    (found,) = raised.value.diagnostics
    assert found.code == "PTG502"
    assert str(found.span) == f"{folder / 'picked.yaml'}:14:6"
    assert found.notes[0][0].startswith(f"{name}:{line}: ")


def test_a_fault_without_a_place_stays_as_it_is(lowered: Generated) -> None:
    found = Diagnostic("PTG502", "does not link", None)
    assert in_spec(found, {}) is found


@pytest.mark.parametrize("line", ["  return nowhere;", "\treturn nowhere;", "  /* é */ return nowhere;"])
def test_an_error_in_cxx_of_an_author_is_at_its_column(line: str, tmp_path: Path) -> None:
    """The compiler's own: tabs and letters of two bytes are one column each."""
    library = Path(__file__).parents[3] / "specs"
    spec = (library / "transpose_copy.yaml").read_text()
    (tmp_path / "transpose_copy.yaml").write_text(spec)
    shutil.copytree(library / "kernels", tmp_path / "kernels")
    (source,) = (path for path in (tmp_path / "kernels").rglob("*.cpp") if path.name in spec)
    lines = source.read_text().splitlines()
    at = next(number for number, text in enumerate(lines) if text.rstrip().endswith("{")) + 1
    source.write_text("\n".join([*lines[:at], line, *lines[at:]]) + "\n")
    with compiled_as_for_users(), pytest.raises(DiagnosticError) as raised:
        pyptogen.compile(tmp_path / "transpose_copy.yaml", target="cpu")
    (found,) = raised.value.diagnostics
    assert found.code == "PTG502"
    assert str(found.span) == f"{source}:{at + 1}:{line.index('nowhere') + 1}"
