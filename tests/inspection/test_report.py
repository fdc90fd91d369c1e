"""Reports, pictures and pages of small operators; swimlanes of schedules worked out by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pyptogen.cli.app import app
from pyptogen.diagnostics import DiagnosticError
from pyptogen.inspect import chrome_trace, gallery, report, swimlane
from pyptogen.inspect.gallery import files, read_times
from pyptogen.inspect.picture import graph_picture, launch_picture

SPECS = Path(__file__).resolve().parents[2] / "specs"

TWO_STAGES = """\
pyptogen: 1
operator: two_stages
doc: A product, then a scale | with a bar.
dims:
  t: {min: 1, max: 4096}
  k: 64
  n: 128
attrs:
  gain: {type: fp32, default: 2.0}
inputs:
  x: bf16[t, k]
  w: bf16[k, n]
outputs:
  y: fp32[t, n]
graph:
  product:
    acc: matmul(x, w, dtype=fp32)
  scale:
    y: acc * gain
tiling:
  - {t: 32}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "two_stages.yaml"
    path.write_text(TWO_STAGES)
    return path


def test_a_report_says_what_the_manifest_says() -> None:
    manifest = json.loads((SPECS.parent / "generated" / "softmax" / "manifest.json").read_text())
    found = report(SPECS / "softmax.yaml")
    assert sorted(platform.target for platform in found.platforms) == manifest["targets"]["built"]
    for platform in found.platforms:
        written = manifest["platforms"][platform.target]["kernels"]
        assert [kernel.name for kernel in platform.kernels] == list(written)
        for kernel in platform.kernels:
            entry = written[kernel.name]
            assert {use.memory: use.used for use in kernel.memory} == entry["memory"]
            assert (kernel.sets, kernel.waits, kernel.barriers) == tuple(
                entry["sync"][word] for word in ("sets", "waits", "barriers")
            )
            assert all(0 < use.share <= 1 for use in kernel.memory)


def test_a_graph_shows_every_operation_once_and_only_known_nodes(spec: Path) -> None:
    picture = graph_picture(report(spec, ["cpu"]).program)
    nodes = re.findall(r"^ *(n_\w+)(?:\[|\(\[)", picture, re.M)
    assert nodes == ["n_x", "n_w", "n_op_acc", "n_op_y", "n_out_y"]
    edges = re.findall(r"^ *(n_\w+) --> (n_\w+)$", picture, re.M)
    assert edges == [("n_x", "n_op_acc"), ("n_w", "n_op_acc"), ("n_op_acc", "n_op_y"), ("n_op_y", "n_out_y")]


def test_a_large_graph_shows_stages() -> None:
    picture = graph_picture(report(SPECS / "indexer_prolog.yaml", ["cpu"]).program)
    assert "n_stage_query_linear --> n_stage_query_rope" in picture
    assert "n_op_" not in picture


def test_launches_wait_as_in_the_execution_graph(spec: Path) -> None:
    lowered = report(spec, ["a2a3"]).lowered["a2a3"]
    first, second = lowered.execution.plans[0]
    assert f"n_p0_{first.kernel} --> n_p0_{second.kernel}" in launch_picture(lowered.execution)


def test_pages_of_a_gallery(spec: Path, tmp_path: Path) -> None:
    times = tmp_path / "times.json"
    case = {
        "case": "two_stages 32",
        "operator": "two_stages",
        "threads": 1,
        "median_ms": {"pyptogen": 2.0, "eager": 7.0, "compile": 5.0},
        "ratios": {"eager": 3.5, "compile": 2.5},
        "of_limit": 0.625,
    }
    times.write_text(json.dumps({"rows": [case]}))
    made = gallery([report(spec)], read_times(times))
    page = made.pages["two_stages.md"]
    assert "| two_stages 32 | 1 | 2.000 | 3.50 | 2.50 | 62% |" in page
    assert "| attr | `gain` | fp32, default 2.0 |" in page
    assert "## Kernels for a2a3" in page
    assert "## Kernels for cpu" in page
    index = made.pages["index.md"]
    assert "[two_stages](two_stages.md) | A product, then a scale \\| with a bar. |" in index
    assert index.rstrip().endswith("| 2.5× |")
    assert set(json.loads(files(made)["manifest.json"])["files"]) == {"index.md", "two_stages.md"}


def test_the_command_writes_pages_and_tells_which_are_stale(spec: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    write = ["report", str(spec), "--gallery", str(folder)]
    missing = CliRunner().invoke(app, [*write, "--check"])
    assert missing.exit_code == 1
    assert not folder.exists()
    assert CliRunner().invoke(app, write).exit_code == 0
    assert CliRunner().invoke(app, [*write, "--check"]).exit_code == 0
    (folder / "two_stages.md").write_text("another page")
    stale = CliRunner().invoke(app, [*write, "--check"])
    assert stale.exit_code == 1
    assert "two_stages.md" in stale.output
    assert (folder / "two_stages.md").read_text() == "another page"


def test_a_page_shows_texts_of_a_stranger_as_they_are(tmp_path: Path) -> None:
    """HTML, links and bars of a doc, backticks in a file's name."""
    hostile = "<img src=x onerror=alert(1)> [here](javascript:1) a | b `c"
    path = tmp_path / "`<b>.yaml"
    path.write_text(TWO_STAGES.replace("A product, then a scale | with a bar.", f"'{hostile}'"))
    pages = gallery([report(path, ["cpu"])]).pages
    assert pages["two_stages.md"].splitlines()[2] == (
        "&lt;img src=x onerror=alert(1)&gt; \\[here\\](javascript:1) a \\| b \\`c"
    )
    assert "Spec: ``specs/`<b>.yaml``." in pages["two_stages.md"]
    assert "| &lt;img src=x onerror=alert(1)&gt; \\[here\\](javascript:1) a \\| b \\`c | 2 cpu |" in pages["index.md"]


def test_a_swimlane_keeps_order_and_cores_apart(spec: Path) -> None:
    lowered = report(spec, ["a2a3"]).lowered["a2a3"]
    lane = swimlane(lowered, {"t": 300})
    product, scale = (launch.kernel for launch in lowered.execution.plans[0])
    # 300 rows in tiles of 32: ten tiles, so ten cores of each kind, and the scale waits for the whole product.
    for kernel, kind in ((product, "cube"), (scale, "vector")):
        cores = {bar.core for bar in lane.bars if bar.kernel == kernel}
        assert len(cores) == 10
        assert all(core.startswith(kind) for core in cores)
    assert min(b.start for b in lane.bars if b.kernel == scale) == max(b.end for b in lane.bars if b.kernel == product)
    by_core: dict[str, float] = {}
    for bar in lane.bars:
        assert bar.start >= by_core.get(bar.core, 0.0)
        by_core[bar.core] = bar.end
    events = json.loads(chrome_trace(lane))["traceEvents"]
    assert sum(event["ph"] == "X" for event in events) == len(lane.bars) == 20
    assert max(event["ts"] + event["dur"] for event in events if event["ph"] == "X") == pytest.approx(
        lane.end, abs=2e-3
    )


def test_a_swimlane_needs_figures_and_sizes(spec: Path) -> None:
    lowered = report(spec).lowered
    with pytest.raises(DiagnosticError, match="no size for the dim `t`"):
        swimlane(lowered["a2a3"], {})
