"""A small decoder by operators of the library and by PyTorch, on one thread: milliseconds a call.

    python benchmarks/decoder.py

``examples/decoder.py`` has both. t = 512 is a prompt; t = 1 is one token behind 128 others. The least of several
rounds, taken in turn, and the ratio.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

from decoder import Config, Decoder, Operators, Plain


def least(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The least milliseconds of each, all in turn."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            best[name] = min(best[name], time.perf_counter() - begin)
    return {name: 1e3 * seconds for name, seconds in best.items()}


def main() -> None:
    torch.set_num_threads(1)
    config = Config()
    models = {"pyptogen": Decoder(config, Operators(config)), "PyTorch": Decoder(config, Plain())}
    prompt = torch.arange(512) % config.vocabulary
    with torch.no_grad():
        caches = {name: model(prompt[:128])[1] for name, model in models.items()}
        long = least({name: lambda m=model: m(prompt) for name, model in models.items()}, 30)
        calls = {name: lambda m=model, c=caches[name]: m(prompt[:1], c) for name, model in models.items()}
        short = least(calls, 300)
    for t, found in ((512, long), (1, short)):
        ours, theirs = found["pyptogen"], found["PyTorch"]
        print(f"t = {t:<4} pyptogen {ours:7.3f} ms   PyTorch {theirs:7.3f} ms   {theirs / ours:.2f} times as fast")


if __name__ == "__main__":
    main()
