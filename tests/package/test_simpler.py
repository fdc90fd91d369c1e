"""Scenes of the simpler runtime: run on this project's own chip, which reads that form; and what is refused.

On a checkout of the simpler runtime, a scene runs by `python test_<operator>.py -p a2a3sim`.
"""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiling import NIGHTLY

from package.standing_in import CONDITIONS, SPECS
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.numpy_dtypes import numpy_dtype
from pyptogen.package.arguments import arguments_of
from pyptogen.package.folder import build_package
from pyptogen.package.golden import golden_case
from pyptogen.runtime.arg import Arg
from pyptogen.runtime.runtime import Runtime
from pyptogen.schema import load_spec

UPDATED_AFTER_READ = """\
pyptogen: 1
operator: updated_after_read
dims:
  rows: {min: 1, max: 4096}
  cols: 2048
inputs:
  x: fp32[rows, cols]
  cache: fp32[rows, cols]
outputs:
  y: fp32[rows, cols]
  cache: {inplace: true}
graph:
  read:
    y: exp(x) * cache
  update:
    cache: cache * 2
tiling:
  - {}
verify:
  cases: [{rows: 40}]
targets: [a2a3]
"""


@pytest.fixture(scope="module")
def chip() -> Iterator[Any]:
    with Runtime(level="chip", platform="cpu", cores=3) as runtime:
        yield runtime


def run(chip: Any, spec_file: Path, folder: Path) -> None:
    """Package a spec, run its scene on this project's chip, and compare with the golden data of the scene."""
    build_package([spec_file], "a2a3", folder, "simpler")
    spec = load_spec(spec_file)
    program = from_spec(spec)
    case = golden_case(spec, program, "a2a3")
    scene = folder / spec.name
    listed = _incores(scene / f"test_{spec.name}.py")
    chip.register(spec.name, orch=scene / f"kernels/orchestration/{spec.name}.cpp", kernels=[scene / k for k in listed])
    given: list[Any] = []
    arrays: dict[str, Any] = {}
    for one in arguments_of(program):
        if one.kind == "size":
            given.append(case.dims[one.name])
        elif one.kind == "scalar":
            value = case.attrs[one.name]
            given.append(struct.unpack("=q", struct.pack("=d", value))[0] if one.ctype == "double" else value)
        elif one.kind == "output":
            arrays[one.name] = np.full(len(case.files[f"{one.name}.golden.bin"]), 0xA5, np.uint8)
            given.append(Arg.inout(arrays[one.name]))
        else:
            arrays[one.name] = np.frombuffer(case.files[f"{one.name}.bin"], np.uint8).copy()
            given.append((Arg.inout if one.kind == "updated" else Arg.input)(arrays[one.name]))
    chip.run(spec.name, given)
    for output in case.outputs:
        dtype = numpy_dtype(output.dtype)
        got = arrays[output.inplace or output.name].view(dtype).astype(np.float64)
        wanted = np.frombuffer(case.files[f"{output.name}.golden.bin"], dtype).astype(np.float64)
        allowed = np.frombuffer(case.files[f"{output.name}.allowed.bin"], np.float32)
        outside = np.count_nonzero(~((got == wanted) | (np.abs(got - wanted) <= allowed)))
        assert outside <= output.beyond, (output.name, outside)


def _incores(scene: Path) -> list[str]:
    """The kernels that a scene lists, by their numbers."""
    for node in ast.walk(ast.parse(scene.read_text())):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CALLABLE":
            text = ast.unparse(node.value)
            numbers, sources = re.findall(r"'func_id': (\d+)", text), re.findall(r"'source': '([^']*)'", text)
            assert list(map(int, numbers)) == list(range(len(numbers)))
            return sources[1:]  # the first is the orchestration
    raise AssertionError("no kernels")


_MIXED = ["flash_attention"]
"""A cube core and two vector cores hand tiles over in fifos."""
_MORE = ["rms_norm", "indexer_prolog", "paged_attention", "linear_gelu", "linear_w4a16"] if NIGHTLY else []


@pytest.mark.parametrize("name", ["linear_int8", "rope_cache", *_MIXED, *_MORE])
def test_scenes_agree_with_their_golden(chip: Any, tmp_path: Path, name: str) -> None:
    run(chip, SPECS / f"{name}.yaml", tmp_path / "p")


def test_kernels_that_a_call_leaves_out(chip: Any, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(CONDITIONS + "verify:\n  cases: [{t: 40}]\n")
    run(chip, tmp_path / "s.yaml", tmp_path / "p")


def test_what_is_overwritten_waits_for_its_readers(chip: Any, tmp_path: Path) -> None:
    """The simpler runtime does not order a write behind reads by itself."""
    (tmp_path / "s.yaml").write_text(UPDATED_AFTER_READ)
    run(chip, tmp_path / "s.yaml", tmp_path / "p")
    text = (tmp_path / "p/updated_after_read/kernels/orchestration/updated_after_read.cpp").read_text()
    writer = text[text.index("update_blocks > 0") :]
    assert "task_.add_inout(cache);" in writer
    assert "{read_done}" in writer.partition("update_done = ")[0]
    assert "task_.add_input(cache);" in text.partition("update_blocks > 0")[0]


def test_an_orchestration_says_how_many_arguments_it_reads(tmp_path: Path) -> None:
    """Each by its own place; and no launch gets blocks without a tile."""
    build_package([SPECS / "flash_attention.yaml"], "a2a3", tmp_path, "simpler")
    text = (tmp_path / "flash_attention/kernels/orchestration/flash_attention.cpp").read_text()
    places = [int(place) for place in re.findall(r"args\.(?:tensor|scalar)\((\d+)\)", text)]
    tensors, numbers = re.findall(r"// Tensors: (.*?)\. Numbers: (.*?);", text)[0]
    named = [*tensors.split(", "), *(name for name in numbers.split(", ") if name != "none")]
    assert len(places) == len(named)
    assert f".expected_arg_count = {len(named)}}}" in text
    assert "return tiles < blocks ? static_cast<int32_t>(tiles) : blocks;" in text


def test_fifos_are_told_the_vector_core(tmp_path: Path) -> None:
    """This runtime knows it; what the device says without being told is stale under it."""
    build_package([SPECS / "flash_attention.yaml"], "a2a3", tmp_path, "simpler")
    (kernel,) = tmp_path.glob("flash_attention/kernels/aiv/*.cpp")
    (cube,) = tmp_path.glob("flash_attention/kernels/aic/*.cpp")
    text = kernel.read_text()
    assert re.search(r"TPUSH<\w+, \w+, TileSplitAxis::TILE_UP_DOWN>\(\w+, \w+, subblock\)", text)
    assert not re.search(r"TILE_UP_DOWN>\(\w+, \w+\)", text)
    scene = (tmp_path / "flash_attention/test_flash_attention.py").read_text()
    assert '"platforms": ["a2a3"]' in scene, "the simulator has no such fifos"
    assert "get_sub_block_id(args));" in text
    assert "get_subblockid" not in text + cube.read_text()
    orchestration = (tmp_path / "flash_attention/kernels/orchestration/flash_attention.cpp").read_text()
    shared = re.search(r"// The arguments: .*", text)
    assert shared is not None
    assert shared[0] in cube.read_text(), "both are called with the same arguments"
    added = re.findall(r"task_\.add_(?:input|inout|output)\((\w+)\)", orchestration)
    assert f"arguments: {', '.join(added)};" in shared[0]


def refused(spec_file: Path, folder: Path) -> str:
    with pytest.raises(DiagnosticError) as caught:
        build_package([spec_file], "a2a3", folder, "simpler")
    return str(caught.value.diagnostics[0].code)


def test_what_this_runtime_does_not_run_is_refused(tmp_path: Path) -> None:
    one_core = (SPECS / "flash_attention.yaml").read_text().replace("fifo: 4", "fifo: 4, vector_cores: 1")
    (tmp_path / "one_core.yaml").write_text(one_core)
    with pytest.raises(DiagnosticError) as caught:
        build_package([tmp_path / "one_core.yaml", SPECS / "transpose_copy.yaml"], "a2a3", tmp_path, "simpler")
    assert [str(one.code) for one in caught.value.diagnostics] == ["PTG711", "PTG711"], "of each"
    many = "".join(f"  x{i}: fp32[rows, 64]\n" for i in range(33))
    (tmp_path / "s.yaml").write_text(
        "pyptogen: 1\noperator: many\ndims:\n  rows: {min: 1, max: 64}\ninputs:\n"
        f"{many}outputs:\n  y: fp32[rows, 64]\ngraph:\n  y: {' + '.join(f'x{i}' for i in range(33))}\n"
        "tiling:\n  - {}\ntargets: [a2a3]\n"
    )
    assert refused(tmp_path / "s.yaml", tmp_path / "p") == "PTG712"


def test_values_between_kernels_fit_a_ring(tmp_path: Path) -> None:
    between = UPDATED_AFTER_READ.replace("  read:\n", "  before:\n    h: exp(x)\n  read:\n").replace(
        "y: exp(x) *", "y: h *"
    )
    between = between.replace("  - {}", "  - {rows: 2}")  # whoever names sizes gets a kernel a stage
    (tmp_path / "s.yaml").write_text(between.replace("max: 4096", "max: 65536").replace("rows: 40", "rows: 65536"))
    assert refused(tmp_path / "s.yaml", tmp_path / "p") == "PTG712"
    (tmp_path / "s.yaml").write_text(between)
    assert build_package([tmp_path / "s.yaml"], "a2a3", tmp_path / "p", "simpler").written
