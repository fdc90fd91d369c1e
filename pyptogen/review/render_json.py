"""A review for programs."""

from __future__ import annotations

import json
from typing import Any

from pyptogen.review.changes import Change, Review

FORMAT = 1


def render_json(review: Review) -> str:
    """One JSON object: ``format`` 1, ``against`` and ``operators``, each with its
    changes; unchanged ones are counted. Keys in a fixed order."""
    changed = [one for one in review.operators if one.state != "unchanged"]
    content = {
        "format": FORMAT,
        "against": review.against,
        "unchanged": review.counted("unchanged"),
        "operators": [
            {
                "name": one.name,
                "state": one.state,
                "level": one.level.value,
                "changes": [_change(change) for change in one.changes],
            }
            for one in changed
        ],
    }
    text = json.dumps(content, indent=2, ensure_ascii=False)
    return text.encode(errors="backslashreplace").decode()


def _change(change: Change) -> dict[str, Any]:
    span = change.span
    return {
        "section": change.section,
        "target": change.target,
        "subject": change.subject,
        "word": change.word,
        "before": change.before,
        "after": change.after,
        "level": change.level.value,
        "code": change.code,
        "share": change.share,
        "place": None if span is None else {"file": span.file, "line": span.line, "col": span.col},
    }
