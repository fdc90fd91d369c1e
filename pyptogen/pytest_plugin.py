"""What generated tests ask of pytest: their marks, and `--snapshot DIR`. pytest loads it wherever pyptogen is
installed, so it imports nothing until a test needs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyptogen.verify.snapshot import Snapshot

_WRITTEN: pytest.StashKey[list[str]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--snapshot DIR``."""
    parser.getgroup("pyptogen", "tests that pyptogen generated").addoption(
        "--snapshot",
        metavar="DIR",
        default=None,
        help="compare the outputs of generated operators bit by bit with those that an earlier run kept in DIR; "
        "what is not there is kept",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marks: `pyptogen`, and `target_cpu` … for each platform."""
    from pyptogen.lower.platforms import PLATFORMS

    config.stash[_WRITTEN] = []
    config.addinivalue_line("markers", "pyptogen: a test that pyptogen generated")
    for name in PLATFORMS:
        config.addinivalue_line("markers", f"target_{name}: runs the kernels for {name}")


@pytest.fixture
def pyptogen_snapshot(request: pytest.FixtureRequest) -> Iterator[Snapshot]:
    """Keeps the outputs of an operator, and compares them with those that were kept; nothing without ``--snapshot``."""
    from pyptogen.verify.snapshot import Snapshot

    given = request.config.getoption("--snapshot")
    snapshot = Snapshot(None if given is None else Path(given))
    yield snapshot
    request.config.stash[_WRITTEN] += snapshot.written


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """How many outputs were kept for the first time."""
    written = config.stash[_WRITTEN]
    if written:
        terminalreporter.write_line(f"pyptogen: {len(written)} snapshots written to {config.getoption('--snapshot')}")
