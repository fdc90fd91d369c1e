"""``generated/`` is the snapshot of what the specs of the library give: committed, and reviewed as code."""

from __future__ import annotations

import difflib
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from pyptogen import templates
from pyptogen.builder.render import render_operator
from pyptogen.builder.rendered import Rendered
from pyptogen.builder.source_map import SOURCE_MAP, read_map
from pyptogen.diagnostics import Span

ROOT = Path(__file__).resolve().parents[2]
SPECS = sorted((ROOT / "specs").glob("*.yaml"))
MANIFEST = "manifest.json"

pytestmark = pytest.mark.filterwarnings("error")


@cache
def rendered(spec: Path) -> Rendered:
    return render_operator(spec)


@pytest.fixture(scope="module", params=SPECS, ids=lambda path: path.stem)
def operator(request: pytest.FixtureRequest) -> Rendered:
    return rendered(request.param)


def test_the_library_has_the_operators_of_the_language_page() -> None:
    names = {path.stem for path in SPECS}
    assert {"softmax", "rms_norm", "matmul_fp32", "matmul_bf16", "matmul_int8", "indexer_prolog"} <= names


def test_what_is_committed_is_what_comes_out(operator: Rendered) -> None:
    folder = ROOT / "generated" / operator.name
    on_disk = {
        p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts
    }
    assert on_disk == set(operator.files), "run `pyptogen build specs/` and review the difference"
    differences = []
    for path, data in operator.files.items():
        committed = (folder / path).read_bytes()
        if committed != data:
            differences += difflib.unified_diff(
                committed.decode().splitlines(),
                data.decode().splitlines(),
                f"committed/{path}",
                f"now/{path}",
                lineterm="",
            )
    assert not differences, "\n".join(differences)


def declared(operator: Rendered) -> list[str]:
    """The targets that a spec is made for: both, where it does not say which."""
    named = re.search(rb"^targets: \[(.*)\]", operator.files[f"{operator.name}.yaml"], re.MULTILINE)
    return ["cpu", "a2a3"] if named is None else named[1].decode().split(", ")


def test_every_file_of_the_layout_is_there(operator: Rendered) -> None:
    for target in declared(operator):
        assert f"{target}/orchestration.cpp" in operator.files
        assert any(re.fullmatch(rf"{target}/kernels/\w+\.cpp", path) for path in operator.files)
    assert {
        MANIFEST,
        "wrapper.py",
        "wrapper.hpp",
        f"test_{operator.name}.py",
        f"{operator.name}.yaml",
    } <= set(operator.files)


def test_the_manifest_tells_files_kernels_and_decisions(operator: Rendered) -> None:
    manifest = json.loads(operator.files[MANIFEST])
    assert set(manifest["files"]) == set(operator.files) - {MANIFEST}
    assert manifest["operator"] == operator.name
    assert set(manifest["platforms"]) == set(declared(operator))
    for target in declared(operator):
        kernels = manifest["platforms"][target]["kernels"]
        sources = {
            Path(path).stem: operator.files[path] for path in operator.files if path.startswith(f"{target}/kernels/")
        }
        assert {name: k["lines"] for name, k in kernels.items()} == {n: s.count(b"\n") for n, s in sources.items()}
        for kernel in kernels.values():
            assert kernel["memory"] or kernel.get("by_hand") == "source"
            assert kernel["core"] in {"cube", "vector", "mixed"}


GENERATED = re.compile(r"\w+/(kernels/\w+|orchestration)\.cpp|pto/.+\.pto|wrapper\.(py|hpp)|test_\w+\.py")
ROOM = Path(templates.__file__).parent


def test_every_line_has_its_place_in_the_source_map(operator: Rendered) -> None:
    found = read_map(operator.files[SOURCE_MAP])
    copies = {path.name for path in operator.includes}
    assert set(found.files) == {path for path in operator.files if GENERATED.fullmatch(path)} - copies
    for path, origins in found.files.items():
        assert len(origins) == len(operator.files[path].splitlines()), path
        for origin in set(origins):
            template, _, section = origin.part.partition(": ")
            written = origin.part == "as written"
            assert written or (section and ((ROOM / template).is_file() or (ROOM / f"{template}.py").is_file())), path
            if origin.span is not None:
                check_place(origin.span, operator)
        kernels = "/kernels/" in path or path.startswith("pto/")
        assert not kernels or any(origin.span is not None for origin in origins), path


def check_place(span: Span, operator: Rendered) -> None:
    """It is a stretch of characters in a file of the folder."""
    lines = operator.files[span.file].decode().splitlines()
    assert (1, 1) <= (span.line, span.col) <= (span.end_line, span.end_col), span
    assert span.end_line <= len(lines), span
    assert span.end_col <= len(lines[span.end_line - 1]) + 1, span


def test_nothing_of_this_machine_is_in_it(operator: Rendered) -> None:
    for path, data in operator.files.items():
        text = data.decode()
        assert str(ROOT) not in text, path
        assert not re.search(r"\b20\d\d-\d\d-\d\d\b", text), path
        assert text.endswith("\n"), path
        assert not re.search(r"[ \t]+$", text, re.MULTILINE), path


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_the_centrepiece_stays_reviewable(target: str) -> None:
    files = rendered(ROOT / "specs" / "indexer_prolog.yaml").files
    kernels = [data for path, data in files.items() if path.startswith(f"{target}/kernels/")]
    assert len(kernels) <= 12
    assert sum(data.count(b"\n") for data in kernels) <= 1200


@pytest.mark.parametrize(
    ("names", "most"),
    [
        (r"softmax|log_softmax|layer_norm|\w*matmul(_\w+)?", 130),
        (
            r"(layer|rms)_norm(?!_backward|_channels)(_\w+)?",
            150,
        ),  # halves of long rows are joined, twice
        (r"(flash|paged|sparse|block_sparse)_attention\w*", 230),  # a column is spread by a product by one
    ],
)
def test_kernels_that_everybody_reads_stay_short(names: str, most: int) -> None:
    specs = [spec for spec in SPECS if re.fullmatch(names, spec.stem)]
    assert len(specs) >= 6
    long = {
        f"{spec.stem}/{path}": lines
        for spec in specs
        for path, data in rendered(spec).files.items()
        if "/kernels/" in path and (lines := data.count(b"\n")) > most
    }
    assert long == {}


def test_the_same_bytes_from_another_folder_and_hash_order(tmp_path: Path) -> None:
    spec = ROOT / "specs" / "indexer_prolog.yaml"
    (tmp_path / spec.name).write_bytes(spec.read_bytes())
    program = f"from pathlib import Path\nfrom pyptogen.builder import build\nbuild('{spec.name}', 'out')\n"
    subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        check=True,
    )
    folder = tmp_path / "out" / "indexer_prolog"
    for path, data in rendered(spec).files.items():
        assert (folder / path).read_bytes() == data, path
