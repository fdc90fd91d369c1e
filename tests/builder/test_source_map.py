"""Source maps: what they hold, what they survive, and that nothing else changes with the lines of a spec."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pyptogen.builder.render import Rendered, render_operator
from pyptogen.builder.source_map import SOURCE_MAP, read_map, render_map
from pyptogen.diagnostics import Span
from pyptogen.lower.origins import Origin, Traced, as_written, carried_over

SPECS = Path(__file__).resolve().parents[2] / "specs"
A, B, C = (Origin(f"t.j2: {name}") for name in "abc")


def sources(operator: Rendered) -> Mapping[str, bytes]:
    """What a build writes but for the map, the manifest and the copies of what it read."""
    return {path: operator.files[path] for path in read_map(operator.files[SOURCE_MAP]).files}


@pytest.mark.parametrize("name", ["softmax", "cross_entropy", "grouped_matmul"])
def test_a_comment_on_top_changes_the_places_in_the_map_alone(name: str, tmp_path: Path) -> None:
    shutil.copytree(SPECS, tmp_path / "specs")
    path = tmp_path / "specs" / f"{name}.yaml"
    before = render_operator(path)
    path.write_text("# a comment\n# of two lines\n" + path.read_text())
    after = render_operator(path)
    assert sources(before) == sources(after)
    old, new = (read_map(operator.files[SOURCE_MAP]) for operator in (before, after))
    assert old.files != new.files
    assert {
        file: tuple(two_lines_down(o, path.name) for o in origins) for file, origins in old.files.items()
    } == new.files


def two_lines_down(origin: Origin, spec: str) -> Origin:
    span = origin.span
    if span is None or span.file != spec:
        return origin
    return replace(origin, span=replace(span, line=span.line + 2, end_line=span.end_line + 2))


def test_a_map_comes_back_as_it_was(tmp_path: Path) -> None:
    spec = tmp_path / "o.yaml"
    spans = [Span(str(spec), 3, 1, 4, 9), Span(str(tmp_path / "sub: 1" / "f.yaml"), 1, 2, 1, 3)]
    mine = [Origin("t.j2: a", span, "s", "v", "p") for span in spans]
    files = {"b.cpp": Traced("1\n2\n3\n4\n", [A, A, *mine]), "a.cpp": Traced("1\n2\n", [mine[0], B])}
    text = render_map("o", spec, files)
    found = read_map(text.encode())
    here = [
        replace(mine[0], span=replace(spans[0], file="o.yaml")),
        replace(mine[1], span=replace(spans[1], file="sub: 1/f.yaml")),
    ]
    assert found.files == {"a.cpp": (here[0], B), "b.cpp": (A, A, *here)}
    assert '"b.cpp": "2*2 0 3"' in text
    assert list(found.ranges("o.yaml", 4)) == [("a.cpp", ((1, 1),)), ("b.cpp", ((3, 3),))]
    assert list(found.ranges("o.yaml", 5)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2}, {"files": {"a.cpp": "9"}}, {"files": {"a.cpp": "x"}}, {"files": []},
        {"origins": [[0, 0, 0, ""]]}, {"origins": [[0, 7, 0, "", 0]]}, {"spans": ["o.yaml:1"]}, {"templates": None},
    ],
)  # fmt: skip
def test_what_is_no_map_is_refused(change: Mapping[str, object], tmp_path: Path) -> None:
    text = render_map("o", tmp_path / "o.yaml", {"a.cpp": Traced("1\n", [A])})
    read_map(text.encode())
    with pytest.raises(ValueError):  # noqa: PT011  (any: the caller shows it)
        read_map(json.dumps(json.loads(text) | change).encode())


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("1\n2\n3\n", [A, B, C]),
        ("1\n2\nnew\n3\n", [A, B, B, C]),
        ("new\n1\n2\n3\n", [A, A, B, C]),
        ("1\nother\n3\n", [A, B, C]),
        ("1\n3\n", [A, C]),
        ("1\n2\n3\nnew\nnew\n", [A, B, C, C, C]),
    ],
)
def test_an_edit_keeps_the_origins_of_other_lines(text: str, origins: list[Origin]) -> None:
    found = carried_over(Traced("1\n2\n3\n", [A, B, C]), text)
    assert (found, list(found.origins)) == (text, origins)


def test_what_an_author_wrote_is_its_own_origin() -> None:
    found = as_written("int x;\n\n", "k.cpp", "stage")
    assert [origin.span for origin in found.origins] == [Span("k.cpp", 1, 1, 1, 7), Span("k.cpp", 2, 1, 2, 1)]
