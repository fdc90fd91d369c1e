"""Times of microbenchmarks of a machine that does not exist: round numbers, so that what is made of them can be
told."""

from __future__ import annotations

from pyptogen.runtime.calibration import instruction_cases, memory_cases, pass_cases, product_cases

NANO = 1e-9


def times() -> dict[str, float]:
    """Seconds by name. An element takes a hundredth of a nanosecond, a byte more the further away it lies, a product as
    many as its size says."""
    found: dict[str, float] = {}
    for case in (*instruction_cases.cases(), *pass_cases.cases(), *product_cases.cases(), *memory_cases.cases()):
        found[case.name] = NANO * _nanoseconds(case.name)
    return found | {"call": 4e-6, "launch": 1e-8, "together": 1.5}


def _nanoseconds(name: str) -> float:
    key, _, extents = name.partition("@")
    sizes = [int(part) for part in extents.split("x")] if extents else []
    if key.startswith("pass ") and key.endswith("divided"):
        return 2048 * (0.2 if key.endswith("undivided") else 0.2 + 0.03)  # of 0.05 ns of the divider 0.02 are hidden
    if key.startswith("pass ") and len(sizes) < 2:
        count = int(key.partition("*")[2] or 1)
        return 2048 * 0.01 * (2 + count * (5 if any(word in key for word in ("exp", "divide", "sqrt")) else 1))
    if key.startswith("product"):
        m, n, k = sizes
        return 50 + 1e-3 * m * n * k + 0.01 * m * n
    if key.startswith("bound"):
        _, dtype, rows = key.split()
        size = {"fp32": 4, "bf16": 2}.get(dtype, 1)
        computing, memory = 1e-3 * int(rows) * sizes[0] / size, sizes[0] * (0.02 + 0.02 * _far(sizes[0]))
        return computing + memory - 0.5 * min(computing, memory)
    if key.startswith("turns"):
        return sizes[0] * (0.01 if "alone" in key else 0.02 + 0.15 * _far(sizes[0]))
    if key.startswith(("read", "write", "worked", "copy")):
        each = 0.005 + 0.05 * _far(sizes[0]) * (2 if key == "write" else 1) + 0.07 * (key == "worked")
        return sizes[0] * each
    if key.startswith("jump"):
        row = int(key.split()[2])
        return 1024 * (row * (0.005 + 0.05 * _far(sizes[0]) * (2 if "write" in key else 1)) + row**0.5 * _far(sizes[0]))
    if key.startswith("gather"):
        return 1024 * (10 + 50 * _far(sizes[0]))
    if key in ("TTOPK", "TBOTTOMK"):
        return 100 + sizes[1] + 2 * sizes[0] * sizes[0].bit_length()
    return 2 + sizes[0] * 0.5 + sizes[0] * sizes[1] * 0.01


def _far(size: int) -> float:
    """0 in the nearest cache, 1 in memory."""
    return min(1.0, max(0.0, (size.bit_length() - 16) / 12))
