"""The manifest of a toy operator, against what its reader expects."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from verify import toy

from pyptogen.templates import manifest


def lowered(report: Any = None) -> Any:
    kernels = (SimpleNamespace(name="project", core="mixed", lines=41),)
    lowered = SimpleNamespace(target="cpu")  # of which no model tells the time
    report = report or {"kernels": {"project": {"memory": {"ub": 4096}}}}
    return SimpleNamespace(kernels=kernels, report=report, lowered=lowered)


def render(**targets: Any) -> str:
    return manifest.render(toy.program(), targets, {"wrapper.py": "bb"}, {})


def test_the_contract_and_what_was_decided() -> None:
    content = json.loads(render(cpu=lowered()))
    assert content["contract"] == {
        "attrs": [
            {"default": 1e-6, "dtype": "fp32", "name": "eps"},
            {"default": None, "dtype": "int64", "name": "count"},
        ],
        "dims": [
            {"dynamic": True, "meaning": "1 to 64", "name": "t"},
            {"dynamic": True, "meaning": "2 to 16, a multiple of 2", "name": "blocks"},
            {"dynamic": False, "meaning": "= 32", "name": "k"},
            {"dynamic": False, "meaning": "= 16", "name": "n"},
            {"dynamic": False, "meaning": "= 8", "name": "size"},
            {"dynamic": False, "meaning": "= blocks * size", "name": "slots"},
        ],
        "doc": "Projects rows and notes them in a cache.",
        "inputs": [
            {"name": "x", "type": "bf16[t, k]"},
            {"name": "w", "type": "bf16[k, 2 * n] @ nz"},
            {"name": "cache", "type": "fp32[blocks * size, 2 * n]"},
            {"name": "index", "type": "int64[t]"},
        ],
        "outputs": [
            {"name": "cache", "type": "fp32[blocks * size, 2 * n]", "updates": "cache"},
            {"name": "y", "type": "fp16[t, 2 * n]"},
        ],
    }
    assert content["platforms"] == {
        "cpu": {"kernels": {"project": {"core": "mixed", "lines": 41, "memory": {"ub": 4096}}}}
    }
    assert content["targets"] == {"built": ["cpu"], "declared": ["a2a3", "cpu"]}
    assert (content["operator"], content["files"]) == ("toy", {"wrapper.py": "bb"})


def test_keys_are_sorted_whatever_the_order_they_came_in() -> None:
    forward = {"b": 1, "a": {"y": {2, 1}, "x": (1, 2)}}
    backward = {"a": MappingProxyType({"x": [1, 2], "y": frozenset({1, 2})}), "b": 1}
    assert render(cpu=lowered(forward)) == render(cpu=lowered(backward))


def test_what_has_no_plain_form_is_refused() -> None:
    for alien in (toy.T, Path("/somewhere"), object(), b"bytes"):
        with pytest.raises(TypeError, match="plain data"):
            render(cpu=lowered({"odd": alien}))
