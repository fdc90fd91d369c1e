"""Breaking changes that somebody approved: a committed file, read with places like a spec.

```yaml
pyptogen: 1
approved:
  - {operator: rms_norm, code: PTG608, of: rows, reason: nobody has longer ones (ticket 812), until: 2027-03-31}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import Field

from pyptogen.diagnostics import CODES, Diagnostic, Span, did_you_mean, fault
from pyptogen.review.changes import Change, Level, OperatorReview
from pyptogen.schema.models import Section
from pyptogen.schema.source import read
from pyptogen.schema.tree import Mapping, Node, Scalar
from pyptogen.schema.validate import need_list, need_mapping, validate
from pyptogen.schema.yaml_reader import read_yaml

USUAL_FILE = Path("approved-breaks.yaml")
"""Where approvals are looked for unless said otherwise, in the working directory."""


class _FileModel(Section):
    pyptogen: int
    approved: list[Any] = Field(default_factory=list)


class _ApprovalModel(Section):
    operator: str
    code: str
    of: str = ""
    reason: str = Field(min_length=1)
    until: str


@dataclass(frozen=True, slots=True)
class Approval:
    """Changes with a code, of one operator, are accepted up to and including the day ``until``; with ``of`` only those
    whose subject names that. Stands at ``span``."""

    operator: str
    code: str
    of: str
    reason: str
    until: date
    span: Span

    def covers(self, operator: str, change: Change) -> bool:
        """Whether it speaks of a change, expired or not."""
        named = not self.of or f"`{self.of}`" in change.subject
        return (operator, change.code) == (self.operator, self.code) and named


def read_approvals(path: Path) -> tuple[Approval, ...]:
    """The approvals in a file. Raises ``DiagnosticError``: PTG101 to PTG105 and PTG110, with places in it; PTG621 for
    one that approves nothing that can be approved."""
    root = need_mapping(read_yaml(read(str(path))), "a file of approvals")
    model = validate(_FileModel, root, "a file of approvals")
    version, listed = root.get("pyptogen"), root.get("approved")
    if model.pyptogen != 1 and version is not None:
        raise fault("PTG112", f"format version {model.pyptogen} is unknown", version.span, expected="`pyptogen: 1`")
    return () if listed is None else tuple(_approval(node) for node in need_list(listed, "`approved`").items)


def _approval(node: Node) -> Approval:
    entry = need_mapping(node, "an approval")
    model = validate(_ApprovalModel, entry, "an approval")
    code, until = entry.get("code"), entry.get("until")
    assert code is not None and until is not None
    if model.code not in CODES or not model.code.startswith("PTG6"):
        known = [one for one in CODES if one.startswith("PTG6")]
        raise fault(
            "PTG621",
            f"`{model.code}` is no code of a breaking change",
            code.span,
            expected="a code that `pyptogen breaking` reports",
            fix=did_you_mean(model.code, known),
        )
    return Approval(model.operator, model.code, model.of, model.reason.strip(), _day(until), _first(entry))


def _first(entry: Mapping) -> Span:
    return entry.entries[0][0].span


def _day(node: Node) -> date:
    text = node.text if isinstance(node, Scalar) else ""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise fault(
            "PTG621", f"`{text}` is no day", node.span, expected="a day such as 2027-03-31, the last on which it holds"
        ) from None


def judge(
    operators: Iterable[OperatorReview], approvals: Sequence[Approval], today: date
) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """What is wrong, and what is only to be told: breaking changes that nobody approved, or no longer; then warnings,
    and approvals that are not needed."""
    errors: list[Diagnostic] = []
    warnings: list[Diagnostic] = []
    used: set[Approval] = set()
    for operator in operators:
        for change in operator.changes:
            if change.level is Level.COMPATIBLE:
                continue
            mine = [one for one in approvals if one.covers(operator.name, change)]
            used.update(mine)
            if any(today <= one.until for one in mine):
                continue
            found = diagnostic(operator.name, change, [one for one in mine if one.until < today])
            (errors if change.level is Level.BREAKING else warnings).append(found)
    unused = (one for one in approvals if one not in used)
    return tuple(errors), (*warnings, *(_unused(one) for one in unused))


def diagnostic(operator: str, change: Change, expired: Sequence[Approval] = ()) -> Diagnostic:
    """A change as a finding, with the approvals of it that have expired."""
    breaking = change.level is Level.BREAKING
    notes = tuple((f"was approved until {one.until}: {one.reason}", one.span) for one in expired)
    return Diagnostic(
        change.code,
        f"{operator}: {change.subject}: {change.word}{said(change)}",
        change.span,
        fix="keep what callers rely on, or approve it with a reason (docs/workflow.md)" if breaking else "",
        notes=notes,
        severity="error" if breaking else "warning",
    )


def said(change: Change) -> str:
    """What was and what is, as `` (64 → 32)``; empty where there is nothing to say."""
    if change.before and change.after:
        return f" ({change.before} → {change.after})"
    return f" ({change.before or change.after})" if change.before or change.after else ""


def _unused(one: Approval) -> Diagnostic:
    subject = f" of `{one.of}`" if one.of else ""
    return Diagnostic(
        "PTG622",
        f"{one.operator}: nothing here needs the approval of {one.code}{subject}",
        one.span,
        fix="delete it once the change is in what you compare with",
        severity="warning",
    )
