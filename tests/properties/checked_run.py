"""A compiled operator in the checked mode of the bundled headers, which ends the process where it finds a fault: so it
runs in one of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from compiling import compile_quickly
from forked_runs import server

SPECS = Path(__file__).parents[2] / "specs"


def said_by_checked_mode(path: Path, target: str, dims: Mapping[str, int], seed: int) -> str:
    """What the run of a spec on its example inputs said on standard error, empty where all was fine."""
    given = [f"{name}={size}" for name, size in dims.items()]
    done = server(__name__).run([str(path), target, str(seed), *given])
    return done.stderr or ("" if done.returncode == 0 else f"exit {done.returncode}")


def warm_up() -> None:
    """What the server of these runs does once: imports, and templates and tables that are made when they are used."""
    import pyptogen.runtime.operator.loading  # noqa: F401
    from pyptogen.codegen import generate
    from pyptogen.inputs.example import example_inputs
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_spec

    compile_quickly()
    spec = load_spec(SPECS / "linear_gelu.yaml")
    example_inputs(spec, {"t": 1}, seed=0)
    generate(from_spec(spec), "a2a3")


def main(arguments: Sequence[str]) -> None:
    """SPEC TARGET SEED DIM=SIZE…: compile the spec's kernels with checks, and run them once on example inputs."""
    import pyptogen

    path, target, seed, *dims = arguments
    operator = pyptogen.compile(path, target=target, threads=2, checked=True)
    given = {name: int(size) for name, _, size in (text.partition("=") for text in dims)}
    operator(**operator.example_inputs(seed=int(seed), **given))
