"""Specs that are saved while they are rendered: a folder is what its lock entry and its kept rendering say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pyptogen.builder import build
from pyptogen.builder import render as rendering
from pyptogen.diagnostics import DiagnosticError

SPEC = """\
pyptogen: 1
operator: scaled
include: sizes.yaml
dims: {n: {min: 1, max: 64}}
inputs: {x: "fp32[n, d]"}
outputs: {y: "fp32[n, d]"}
graph: {y: x * 2}
targets: [cpu]
"""
SIZES = "dims: {d: 64}\n"
Saved = Callable[[Iterator[Callable[[], object]]], list[int]]


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/sizes.yaml").write_text(SIZES)
    path = tmp_path / "specs/scaled.yaml"
    path.write_text(SPEC)
    return path


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> Saved:
    """Takes what somebody saves: a call for each rendering, after the spec was lowered and before its text is read
    again. Gives a list to which each rendering adds its number."""

    def during(saves: Iterator[Callable[[], object]]) -> list[int]:
        lower, numbers = rendering.lower_targets, list[int]()

        def lower_and_save(*arguments: object) -> object:
            made = lower(*arguments)  # type: ignore[arg-type]
            numbers.append(len(numbers) + 1)
            next(saves, lambda: None)()
            return made

        monkeypatch.setattr(rendering, "lower_targets", lower_and_save)
        return numbers

    return during


def kernel(spec: Path) -> str:
    return (spec.parents[1] / "out/scaled/cpu/kernels/scaled.cpp").read_text()


def test_a_spec_that_is_saved_meanwhile_is_rendered_again(spec: Path, saved: Saved) -> None:
    out = spec.parents[1] / "out"
    renderings = saved(iter([lambda: spec.write_text(SPEC.replace("x * 2", "x * 3"))]))
    build(spec, out, reuse=True)
    assert renderings == [1, 2]
    assert "* 3.0f" in kernel(spec)
    assert not build(spec, out, check=True).changed
    spec.write_text(SPEC)
    build(spec, out, reuse=True)
    assert "* 2.0f" in kernel(spec)
    spec.write_text(SPEC.replace("x * 2", "x * 3"))
    build(spec, out, reuse=True)
    assert renderings == [1, 2, 3, 4]  # one of the check, one of the spec as it was; the last one was kept
    assert "* 3.0f" in kernel(spec)


def test_an_included_file_too(spec: Path, saved: Saved) -> None:
    out = spec.parents[1] / "out"
    renderings = saved(iter([lambda: (spec.parent / "sizes.yaml").write_text("dims: {d: 128}\n")]))
    build(spec, out, reuse=True)
    assert renderings == [1, 2]
    assert "128" in kernel(spec)
    assert not build(spec, out, check=True).changed
    (spec.parent / "sizes.yaml").write_text(SIZES)
    build(spec, out, reuse=True)
    assert "128" not in kernel(spec)


def test_a_change_that_is_taken_back_is_seen(spec: Path, saved: Saved) -> None:
    def there_and_back() -> None:
        spec.write_text(SPEC.replace("x * 2", "x * 3"))
        spec.write_text(SPEC)

    renderings = saved(iter([there_and_back]))
    build(spec, spec.parents[1] / "out")
    assert renderings == [1, 2]


def test_a_spec_that_never_rests_is_refused(spec: Path, saved: Saved) -> None:
    count = iter(range(100))
    renderings = saved(iter(lambda: lambda: spec.write_text(f"# {next(count)}\n{SPEC}"), None))
    with pytest.raises(DiagnosticError, match="changes while it is read"):
        build(spec, spec.parents[1] / "out")
    assert len(renderings) == 5
    assert not (spec.parents[1] / "out").exists()
