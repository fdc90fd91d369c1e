"""docs/twin.md says what the model says today, as far as no public sources are needed for it."""

import importlib.util
import sys
from types import ModuleType

import pytest

from docs.blocks import ROOT
from pyptogen.lower.platforms import PLATFORMS


@pytest.fixture
def twin(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    spec = importlib.util.spec_from_file_location("twin_benchmark", ROOT / "benchmarks" / "twin.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "twin_benchmark", module)
    spec.loader.exec_module(module)
    return module


def test_judged_rows_are_those_of_the_page(twin: ModuleType) -> None:
    platform = PLATFORMS["a2a3"]
    page = (ROOT / "docs" / "twin.md").read_text(encoding="utf-8")
    found = [
        twin.judge(row, platform.timing, platform.frequency_ghz) for row in twin.rows(None) if "32768" not in row.name
    ]
    stale = [line for line in twin.judged_table(found).splitlines()[2:] if line not in page]
    assert not stale, "run `python benchmarks/twin.py --sources DIR --docs`"
    assert all(one.within for one in found if one.set == "F" and "attention 2048" not in one.name)


def test_generated_kernels_are_as_far_from_published_ones_as_the_page_says(twin: ModuleType) -> None:
    """Those of attention, which needs no public sources."""
    page = (ROOT / "docs" / "twin.md").read_text(encoding="utf-8")
    theirs = {"flash attention 1024": (21, 24.1), "flash attention 2048": (32.5, 31.2)}
    ours = list(twin.beside(theirs))
    assert len(ours) == 4  # without tiles and with some
    stale = [line for line in twin.table_of_peers(ours).splitlines()[2:] if line not in page]
    assert not stale, "run `python benchmarks/twin.py --sources DIR --docs`"
