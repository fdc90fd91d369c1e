"""A picture of library.py's figures: how many times as long as ours each peer takes, a panel for each thread count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

COLOURS = ("#4c78a8", "#72b7b2", "#f58518", "#9d755d")


def draw(rows: Sequence[Mapping[str, Any]], peers: Sequence[str], file: Path) -> None:
    """Write the picture; the ending of the name decides its format."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "pyptogen"  # the same figures give the same bytes
    from matplotlib import pyplot

    threads = sorted({row["threads"] for row in rows})
    names = list(dict.fromkeys(row["case"] for row in rows))
    figure, panels = pyplot.subplots(
        1, len(threads), figsize=(6.5 * len(threads), 1.2 + 0.42 * len(names)), sharey=True, squeeze=False
    )
    for panel, count in zip(panels[0], threads, strict=True):
        for row in (row for row in rows if row["threads"] == count):
            place = names.index(row["case"])
            for i, peer in enumerate(peers):
                if peer in row["ratios"]:
                    panel.barh(place + 0.2 * (i - 1.5), row["ratios"][peer], height=0.18, color=COLOURS[i], label=peer)
        panel.axvline(1.0, color="black", linewidth=0.8)
        panel.set_xscale("log")
        panel.set_title(f"{count} thread{'s' if count > 1 else ''}: time of the peer / ours")
        panel.set_yticks(range(len(names)), names)
        panel.grid(axis="x", which="both", linewidth=0.3)
    panels[0][0].invert_yaxis()
    handles = {label: handle for p in panels[0] for handle, label in zip(*p.get_legend_handles_labels(), strict=True)}
    panels[0][-1].legend(handles.values(), handles.keys(), loc="lower right")
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
