"""The library as pages: an index, and per operator its contract, its graph, its kernels and its measured time.

Everything but the times is made from the specs, so the pages are checked like `generated/`; the times come from the
file that `benchmarks/library.py` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyptogen.builder.fingerprint import MANIFEST, sha256
from pyptogen.inspect.markdown import cell, code, prose
from pyptogen.inspect.picture import graph_picture, launch_picture

if TYPE_CHECKING:
    from pyptogen.inspect.report import KernelReport, OperatorReport, PlatformReport

Times = Mapping[str, Sequence[Mapping[str, Any]]]
"""Measured cases by operator, as `read_times` gives them."""


@dataclass(frozen=True, slots=True)
class Gallery:
    """Pages by file name, ``index.md`` among them."""

    pages: Mapping[str, str]


def gallery(reports: Sequence[OperatorReport], times: Times | None = None) -> Gallery:
    """The pages of a library, in the order of ``reports``."""
    measured = times or {}
    pages = {f"{entry.name}.md": _page(entry, measured.get(entry.name, ())) for entry in reports}
    return Gallery({"index.md": _index(reports, measured), **pages})


def files(pages: Gallery) -> dict[str, bytes]:
    """The pages as files, with a manifest from which the next writing sees which pages are gone."""
    content = {name: text.encode() for name, text in pages.pages.items()}
    listed = {"files": {name: sha256(data) for name, data in content.items()}}
    return {**content, MANIFEST: (json.dumps(listed, indent=2, sort_keys=True) + "\n").encode()}


def read_times(path: Path) -> Times:
    """Measured cases by operator from the JSON that `benchmarks/library.py` writes.

    Raises:
        OSError, ValueError: the file cannot be read, or is no such JSON.
    """
    by_operator: dict[str, list[Mapping[str, Any]]] = {}
    for entry in json.loads(path.read_text(encoding="utf-8"))["rows"]:
        by_operator.setdefault(entry["operator"], []).append(entry)
    return by_operator


def _index(reports: Sequence[OperatorReport], times: Times) -> str:
    lines = [
        "# The operator library",
        "",
        "One page an operator: contract, graph, kernels with memory and synchronisation, measured time. Written by",
        "`pyptogen report specs/ --gallery docs/gallery`.",
        "",
        "| operator | what it does | kernels | against torch.compile |",
        "|---|---|---|---|",
    ]
    for entry in reports:
        kernels = ", ".join(f"{len(platform.kernels)} {platform.target}" for platform in entry.platforms)
        doc = _first_sentence(entry.contract.doc)
        lines.append(f"| [{entry.name}]({entry.name}.md) | {doc} | {kernels} | {_gain(times.get(entry.name, ()))} |")
    return "\n".join(lines) + "\n"


def _first_sentence(doc: str) -> str:
    sentence, dot, _ = doc.partition(". ")
    return cell(sentence + ("." if dot and not sentence.endswith(".") else ""))


def _gain(cases: Sequence[Mapping[str, Any]]) -> str:
    """The range of times that torch.compile takes to ours."""
    gains = [case["ratios"]["compile"] for case in cases if "compile" in case["ratios"]]
    if not gains:
        return ""
    low, high = min(gains), max(gains)
    return f"{low:.1f}×" if f"{low:.1f}" == f"{high:.1f}" else f"{low:.1f}–{high:.1f}×"


def _page(entry: OperatorReport, cases: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"# {entry.name}", "", prose(entry.contract.doc), "", f"Spec: {code(f'specs/{entry.spec.name}')}.", ""]
    lines += _contract(entry)
    lines += ["## Graph", "", "```mermaid", graph_picture(entry.program).rstrip(), "```", ""]
    for platform in entry.platforms:
        lines += _platform(platform)
        if len(platform.kernels) > 1:
            picture = launch_picture(entry.lowered[platform.target].execution)
            lines += ["```mermaid", picture.rstrip(), "```", ""]
    lines += _measured(cases)
    return "\n".join(lines).rstrip() + "\n"


def _contract(entry: OperatorReport) -> list[str]:
    contract = entry.contract
    lines = ["## Contract", "", "| | name | type |", "|---|---|---|"]
    lines += [f"| dim | `{dim.name}` | {dim.meaning} |" for dim in contract.dims]
    lines += [f"| attr | `{attr.name}` | {attr.dtype}, default {attr.default} |" for attr in contract.attrs]
    lines += [f"| input | `{tensor.name}` | `{tensor.type}` |" for tensor in contract.inputs]
    for tensor in contract.outputs:
        note = f", updates `{tensor.updates}` in place" if tensor.updates else ""
        lines.append(f"| output | `{tensor.name}` | `{tensor.type}`{note} |")
    return [*lines, ""]


def _platform(platform: PlatformReport) -> list[str]:
    lines = [
        f"## Kernels for {platform.target}",
        "",
        "| kernel | core | tiles | memory | set / wait / barrier | lines | cycles, busiest pipe |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [_kernel(kernel) for kernel in platform.kernels]
    if platform.workspaces:
        shown = ", ".join(f"`{name}: {kind}`" for name, kind in platform.workspaces)
        lines += ["", f"Workspace: {shown}."]
    return [*lines, ""]


def _kernel(kernel: KernelReport) -> str:
    tiles = ", ".join(f"{dim} {'/'.join(map(str, sizes))}" for dim, sizes in sorted(kernel.tiles.items()))
    memory = ", ".join(f"{use.memory} {use.used / 1024:.0f} K ({use.share:.0%})" for use in kernel.memory)
    sync = f"{kernel.sets} / {kernel.waits} / {kernel.barriers}"
    return f"| `{kernel.name}` | {kernel.core} | {tiles} | {memory} | {sync} | {kernel.lines} | {_cycles(kernel)} |"


def _cycles(kernel: KernelReport) -> str:
    if not kernel.cycles:
        return ""
    pipe = max(sorted(kernel.cycles), key=lambda name: kernel.cycles[name])
    return f"{kernel.cycles[pipe]} ({pipe}, {kernel.rows} rows)"


def _measured(cases: Sequence[Mapping[str, Any]]) -> list[str]:
    """One table over all cases; how many times as long as ours each peer takes."""
    if not cases:
        return []
    peers = list(dict.fromkeys(name for case in cases for name in case["ratios"]))
    lines = [
        "## Measured on the CPU",
        "",
        "Medians of runs in turn (`benchmarks/library.py`). A peer: how many times as long it takes; the limit is",
        "the time that memory and arithmetic units of the machine need at the least.",
        "",
        f"| case | threads | ms | {' | '.join(map(cell, peers))} | of the limit |",
        f"|---|---|---|{'---|' * len(peers)}---|",
    ]
    for case in cases:
        ratios = [f"{case['ratios'][peer]:.2f}" if peer in case["ratios"] else "" for peer in peers]
        cells = (cell(str(case["case"])), str(case["threads"]), f"{case['median_ms']['pyptogen']:.3f}", *ratios)
        lines.append(f"| {' | '.join(cells)} | {case['of_limit']:.0%} |")
    return [*lines, ""]
