"""A compiled operator in the checked mode of the bundled headers, which ends the process where it finds a fault: so it
runs in one of its own.

    python -m properties.checked_run SPEC TARGET SEED DIM=SIZE…        with tests/ on PYTHONPATH
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def said_by_checked_mode(path: Path, target: str, dims: Mapping[str, int], seed: int) -> str:
    """What the run of a spec on its example inputs said on standard error, empty where all was fine."""
    given = [f"{name}={size}" for name, size in dims.items()]
    places = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "properties.checked_run", str(path), target, str(seed), *given],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))},
    )
    return done.stderr or ("" if done.returncode == 0 else f"exit {done.returncode}")


def run(path: Path, target: str, seed: int, dims: Mapping[str, int]) -> None:
    """Compile the spec's kernels with checks, and run them once on example inputs. They are small and run once: to
    optimise them would take longer than all the rest."""
    import pyptogen
    from pyptogen.runtime.toolchain import build

    build._CHECKED = tuple("-O0" if flag.startswith("-O") else flag for flag in build._CHECKED)

    operator = pyptogen.compile(path, target=target, threads=2, checked=True)
    operator(**operator.example_inputs(seed=seed, **dims))


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), {n: int(s) for n, s in (d.split("=") for d in sys.argv[4:])})
