"""What the sanitizer knows of numbers that hang on the call, but lie within bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pyptogen.sanitize import sanitize
from pyptogen.sanitize.arithmetic import combine
from pyptogen.sanitize.values import UNKNOWN, Within

ROOT = Path(__file__).parents[2]
LEFT: Any = Within(1, 8)
NOWHERE: Any = None


@pytest.mark.parametrize(
    ("op", "left", "right", "found"),
    [
        ("-", LEFT, 1, Within(0, 7)),
        ("*", 256, LEFT, Within(256, 2048)),
        ("+", LEFT, Within(2, 3), Within(3, 11)),
        ("<", 8, LEFT, False),
        ("<", 0, LEFT, True),
        ("<", 3, LEFT, UNKNOWN),
        (">=", LEFT, 1, True),
        ("/", LEFT, 2, UNKNOWN),
        ("+", LEFT, UNKNOWN, UNKNOWN),
    ],
)
def test_arithmetic(op: str, left: Any, right: Any, found: Any) -> None:
    assert combine(op, left, right, NOWHERE) == found


def test_rows_of_a_tile_are_no_more_than_it_has(tmp_path: Path) -> None:
    """The rows of tiles of two: a third one would be the next copy's. One that is not waited for is told."""
    kernel = ROOT / "generated" / "scatter_update" / "a2a3" / "kernels" / "scatter_update.cpp"
    (report,) = sanitize(kernel)
    assert report.findings == ()
    text = kernel.read_text()
    wait = "        wait_flag(PIPE_MTE3, PIPE_V, event_t(tokens0_buffer));  // free again\n"
    assert wait in text
    broken = tmp_path / kernel.name
    broken.write_text(text.replace(wait, ""))
    (report,) = sanitize(broken)
    assert report.findings
