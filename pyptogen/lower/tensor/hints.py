"""Hints that this version reads and does not act on: said aloud, so that nobody tunes in vain."""

from __future__ import annotations

from collections.abc import Iterator

from pyptogen.schema import Spec

WITHOUT_EFFECT = ("cores", "l1_reuse", "merge")


def notes(spec: Spec) -> Iterator[str]:
    """A note for each such hint of the schedule and of the tiling rows."""
    for key in spec.schedule:
        if key in WITHOUT_EFFECT:
            yield f"{spec.span}: the schedule's `{key}` has no effect in this version"
    for row in spec.tiling:
        for (stage, key), span in row.spans.items():
            if stage and key in WITHOUT_EFFECT:
                yield f"{span}: `{key}` of stage `{stage}` has no effect in this version"
