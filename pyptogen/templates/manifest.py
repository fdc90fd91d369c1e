"""``manifest.json``: what a generated folder is, and what the compiler decided.

A manifest is data for programs and a diff for reviewers: keys are sorted, and there is no time, no absolute
path and nothing that depends on the machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from pyptogen.simulate.device.cases import in_manifest
from pyptogen.templates.contract_view import ContractView, TensorView, contract_view

if TYPE_CHECKING:
    from pyptogen.codegen import Generated
    from pyptogen.lower.tensor.ir import Program

FORMAT = 3


def render(
    program: Program,
    lowered: Mapping[str, Generated],
    files: Mapping[str, str],
    call: Mapping[str, Any],
    cases: Sequence[Mapping[str, int]] = (),
) -> str:
    """The text of a manifest.

    ``lowered`` by target, as built; ``files`` SHA-256 by relative path of what was written; ``call`` is what a call is
    checked by (`pyptogen.runtime.operator.call`); ``cases``: those of the spec, of which the last one is timed by the
    model of the device. By which generator is
    nothing to review: that stands in the lock file of the library. Raises ``TypeError`` when a report holds something
    that has no plain form.
    """
    content = {
        "call": call,
        "contract": _contract(contract_view(program)),
        "files": dict(files),
        "format": FORMAT,
        "operator": program.name,
        "platforms": {target: _platform(result, cases) for target, result in lowered.items()},
        "targets": {"built": sorted(lowered), "declared": sorted(program.targets)},
    }
    return json.dumps(_plain(content), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _contract(contract: ContractView) -> dict[str, Any]:
    return {
        "attrs": [{"default": attr.default, "dtype": attr.dtype, "name": attr.name} for attr in contract.attrs],
        "dims": [{"dynamic": dim.dynamic, "meaning": dim.meaning, "name": dim.name} for dim in contract.dims],
        "doc": contract.doc,
        "inputs": [_tensor(tensor) for tensor in contract.inputs],
        "outputs": [_tensor(tensor) for tensor in contract.outputs],
    }


def _tensor(tensor: TensorView) -> dict[str, Any]:
    entry = {"name": tensor.name, "type": tensor.type}
    if tensor.updates:
        entry["updates"] = tensor.updates
    return entry


def _platform(result: Generated, cases: Sequence[Mapping[str, int]]) -> dict[str, Any]:
    """What the compiler decided, per kernel and for the whole operator; see ``Generated.report``."""
    decided = result.report.get("kernels", {})
    kernels = {
        kernel.name: {**decided.get(kernel.name, {}), "core": kernel.core, "lines": kernel.lines}
        for kernel in result.kernels
    }
    return {**result.report, "kernels": kernels, **in_manifest(result.lowered, cases)}


def _plain(value: Any) -> Any:
    """Mappings, sequences, dataclasses and numbers as JSON has them; sets sorted. Anything else is a mistake
    of ours."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(entry) for entry in value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, PurePath)):
        return [_plain(entry) for entry in value]
    raise TypeError(f"a report may hold plain data only, not {type(value).__name__}")
