"""A compiled operator in the checked mode of the bundled headers, which ends the process where it finds a fault: so it
runs in one of its own.

    python -m properties.checked_run SPEC TARGET SEED DIM=SIZE…        with tests/ on PYTHONPATH
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

DEVICE = {"cpu": (), "a2a3": ("-DPTO_CHECKED_A2A3",)}


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
    """Compile the spec's kernels with checks, and run them once on example inputs."""
    from pyptogen.lower.pipeline import lower
    from pyptogen.lower.tensor import from_spec
    from pyptogen.runtime.operator.compiled import CompiledOperator, entry_name
    from pyptogen.runtime.toolchain.build import make_toolchain
    from pyptogen.schema import load_spec
    from pyptogen.templates import wrapper_hpp

    spec = load_spec(path)
    program = from_spec(spec)
    lowered = lower(program, target)
    sources = {f"{target}/kernels/{kernel.name}.cpp": kernel.text for kernel in lowered.kernels}
    sources[f"{target}/orchestration.cpp"] = lowered.orchestration
    sources["wrapper.hpp"] = wrapper_hpp.render(program, program.targets, path.name)
    plain = make_toolchain()
    toolchain = replace(plain, flags=(*plain.flags, "-O1", "-DPTO_CHECKED", *DEVICE[target]))
    library = toolchain.shared_object(program.name, sources, [entry_name(program.name, target)])
    operator = CompiledOperator(spec, program, target, library, 2)
    operator(**operator.example_inputs(seed=seed, **dims))


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), {n: int(s) for n, s in (d.split("=") for d in sys.argv[4:])})
