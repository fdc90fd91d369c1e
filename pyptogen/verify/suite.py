"""All verify cases of some specs, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pyptogen.verify.cases import CaseResult, verify_case

if TYPE_CHECKING:
    from pyptogen.runtime import CompiledOperator


def run_suite(
    paths: Iterable[Path], targets: Sequence[str] | None = None, seed: int = 7
) -> Iterator[tuple[CompiledOperator, CaseResult]]:
    """Compile each spec for each target and run its cases as they are asked for; a spec without cases has
    one, of the sizes that the spec fixes.

    ``targets`` None means all that each spec declares; targets that a spec does not have are left out where a folder
    led to it. Raises ``DiagnosticError`` when a spec or a compilation fails.
    """
    import pyptogen
    from pyptogen.builder.run import find_specs, given_paths
    from pyptogen.lower.tensor import from_spec
    from pyptogen.lower.tensor.targets import chosen_targets

    given = given_paths(paths)
    for path in find_specs(given):
        spec = pyptogen.load(path)
        for target in chosen_targets(from_spec(spec), targets, path not in given):
            operator = pyptogen.compile(spec, target=target)
            for dims in spec.verify.cases or ({},):
                yield operator, verify_case(operator, dims, seed)
