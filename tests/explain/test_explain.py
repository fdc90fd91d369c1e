"""`pyptogen explain`: texts for people. What it says of each operation is judged in `test_every_operation`."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner

from pyptogen.cli.app import app
from pyptogen.diagnostics import CODES
from pyptogen.explain import explain_code, list_operations
from pyptogen.lower.tensor.building.registry import operations


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["explain", *words])


@pytest.mark.parametrize("name", ["softmax", "rope", "topk", "quant_per_token", "matmul"])
def test_an_operation(name: str, snapshot: SnapshotAssertion) -> None:
    result = run("op", name)
    assert result.exit_code == 0
    assert result.output == snapshot


def test_the_list_holds_every_operation() -> None:
    words = list_operations().replace(",", " ").split()
    assert [name for name in operations() if name not in words] == []
    assert run("op").output == list_operations()


def test_a_code() -> None:
    result = run("ptg301")
    assert result.output == explain_code("PTG301")
    assert result.output.startswith(f"PTG301: {CODES['PTG301'].title}\n\n")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("op", "sofmax"), "did you mean `softmax`?"),
        (("op", "scatter_"), "write `scatter(…)`"),
        (("op", "assemble"), "write `concat(a, b, axis=0)`"),
        (("PTG3O1",), "neither"),
        (("softmax",), "neither"),
    ],
)
def test_what_does_not_exist(words: tuple[str, ...], hint: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert hint in " ".join(result.output.replace("│", " ").split())
