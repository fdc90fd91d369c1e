"""Reads a stage that is a loop with carried or collected values: `loop`, `carry`, `body`, `next`, `collect`."""

from __future__ import annotations

from pyptogen.diagnostics import Span, fault, is_sound
from pyptogen.schema.assignments import check_not_cut, read_assigns
from pyptogen.schema.conditions import read_conditions
from pyptogen.schema.models import LoopModel
from pyptogen.schema.spec import Assign, LoopSpec
from pyptogen.schema.tree import Mapping
from pyptogen.schema.validate import need_mapping, validate

_KEYS = ("loop", "carry", "body", "next", "collect")


def is_loop(stage: Mapping) -> bool:
    """Whether a stage is a loop: it says over what, or has one of a loop's sections."""
    return any(key.text in _KEYS and (key.text == "loop" or isinstance(value, Mapping)) for key, value in stage)


def read_loop(stage: Mapping, name: str, span: Span) -> LoopSpec:
    """The loop of the stage ``name``. Raises PTG103, PTG104, PTG105, PTG230."""
    for key, _ in stage:
        if key.text not in (*_KEYS, "when", "if"):
            raise fault(
                "PTG103",
                f"`{key.text}` stands beside the sections of the loop `{name}`",
                key.span,
                expected="one of " + ", ".join(_KEYS),
                fix="a value of each iteration goes into `body`; what comes before or after the loop is another stage",
            )
    head = stage.get("loop")
    if head is None:
        raise fault("PTG105", f"the loop `{name}` lacks the key `loop`", span, fix="add `loop: {over: dim, tile: 128}`")
    head = need_mapping(head, f"`loop` of stage `{name}`")
    model = validate(LoopModel, head, f"`loop` of stage `{name}`")
    over = head.get("over")
    assert over is not None
    carry, body, following, collect = (_section(stage, key, name) for key in _KEYS[1:])
    for section, what in (("carry", "starts"), ("next", "goes on")):
        given = stage.get(section)
        if (given is None or not need_mapping(given, section).entries) and (carry or following or not collect):
            raise fault("PTG105", f"the loop `{name}` does not say how it {what}", span, fix=f"add `{section}: {{…}}`")
    _check_next(name, carry, following)
    run_if = read_conditions("if", head.get("if"))
    if run_if and collect:
        raise fault(
            "PTG230",
            f"the loop `{name}` collects a value of every iteration, and `if` leaves iterations out",
            collect[0].targets[0][1],
            expected="carried values alone beside `if`",
            fix="carry the value, or collect `where(condition, …, 0)` without `if`",
        )
    return LoopSpec(model.over, over.span, model.tile, carry, body, following, collect, head.span, run_if)


def _section(stage: Mapping, key: str, name: str) -> tuple[Assign, ...]:
    node = stage.get(key)
    if node is None:
        return ()
    mapping = need_mapping(node, f"`{key}` of the loop `{name}`")
    check_not_cut(mapping)
    return tuple(read_assigns(mapping))


def _check_next(name: str, carry: tuple[Assign, ...], following: tuple[Assign, ...]) -> None:
    """`next` gives each carried value once, and nothing else."""
    carried = {target: span for assign in carry for target, span in assign.targets}
    given: dict[str, Span] = {}
    for assign in following:
        for target, span in assign.targets:
            if target not in carried and not is_sound(target):
                continue
            if target not in carried:
                raise fault(
                    "PTG230",
                    f"`next` of the loop `{name}` gives `{target}`, which is not carried",
                    span,
                    expected="one of " + ", ".join(carried),
                    fix="start it under `carry`, or define it under `body`",
                )
            if target in given:
                raise fault(
                    "PTG208", f"`{target}` is defined twice in `next`", span, notes=(("first here", given[target]),)
                )
            given[target] = span
    missing = [target for target in carried if target not in given and is_sound(target)]
    if missing:
        raise fault(
            "PTG230",
            f"`next` of the loop `{name}` does not give `{missing[0]}`",
            carried[missing[0]],
            expected="a next value for everything under `carry`",
            fix=f"add `{missing[0]}: …` under `next`",
        )
