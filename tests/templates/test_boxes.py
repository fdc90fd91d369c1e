"""A GlobalTensor `@ nz` has boxes of 16 rows and 32 bytes of columns: its extents count boxes, also at run time."""

from __future__ import annotations

from pathlib import Path

import pytest
from lower.small_programs import program_of

from pyptogen.codegen import generate
from pyptogen.sanitize import sanitize

SPEC = """\
pyptogen: 1
operator: boxes
dims: {{m: {{min: 1, max: 512}}, k: {k}, n: {n}}}
inputs: {{x: "{dtype}[m, k]", w: "{dtype}[k, n] @ nz"}}
outputs: {{y: "{result}[m, n]"}}
graph: {{y: "matmul(x, w, dtype={result})"}}
tiling: [{{m: 64, k: 256, n: 64}}]
"""


@pytest.mark.parametrize(
    ("k", "n", "dtype", "extents"),
    [
        pytest.param(640, 128, "bf16", "{(k0_valid + 15) / 16}", id="a part of the depth"),
        pytest.param(512, 160, "bf16", "{(n0_valid + 15) / 16}", id="a part of the columns"),
        pytest.param(512, 160, "int8", "{(n0_valid + 31) / 32}", id="columns of one byte"),
        pytest.param(640, 160, "bf16", "{(n0_valid + 15) / 16, (k0_valid + 15) / 16}", id="parts of both"),
    ],
)
def test_extents_are_those_of_the_tile(k: int, n: int, dtype: str, extents: str, tmp_path: Path) -> None:
    """In the order of the axes of the shape; the sanitizer compares them with the tile's."""
    result = "int32" if dtype == "int8" else "fp32"
    (kernel,) = generate(program_of(SPEC.format(k=k, n=n, dtype=dtype, result=result)), "a2a3").kernels
    (line,) = [line for line in kernel.text.splitlines() if "WGm w_in(" in line]
    assert line.strip().endswith(f", {extents});")
    file = tmp_path / "boxes.cpp"
    file.write_text(kernel.text)
    (report,) = sanitize(file)
    assert report.findings == ()
