"""``generated/`` and ``docs/gallery`` as the commands that write them have them with ``--check``: no file is missing,
stale or left over, and the lock says what the folders were made from. What is lowered for it, other tests use too."""

from __future__ import annotations

from pathlib import Path

from pyptogen.builder import build
from pyptogen.builder.compare import compare
from pyptogen.builder.rendered import Rendered
from pyptogen.inspect import gallery, report
from pyptogen.inspect.gallery import files, read_times

ROOT = Path(__file__).resolve().parents[2]
SPECS = ROOT / "specs"
TIMES = ROOT / "benchmarks" / "results" / "library.json"


def test_generated_is_up_to_date() -> None:
    made = build(SPECS, ROOT / "generated", check=True)
    stale = [str(path) for operator in made.operators for path in (*operator.written, *operator.removed)]
    assert stale == [], "run `pyptogen build specs/`, and review what it changes"
    assert not made.changed


def test_the_gallery_is_up_to_date() -> None:
    """`pyptogen report specs/ --gallery docs/gallery --times benchmarks/results/library.json --check`."""
    pages = gallery([report(spec) for spec in sorted(SPECS.glob("*.yaml"))], read_times(TIMES))
    done = compare(Rendered("gallery", files(pages)), ROOT / "docs" / "gallery", None, None)
    assert [*done.written, *done.removed] == [], "run `make docs`"
