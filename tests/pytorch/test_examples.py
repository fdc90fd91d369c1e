"""The examples for PyTorch compute what plain PyTorch does."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="pip install 'pyptogen[torch]'")

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_a_decoder_gives_the_logits_of_plain_pytorch() -> None:
    assert example("decoder").difference() < 0.03


def test_attention_of_deepseek_v32_agrees_with_plain_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)
    off, same = example("deepseek_attention").compared()
    assert off < 0.03  # int8 queries, and a cache in bf16
    assert same > 0.95
