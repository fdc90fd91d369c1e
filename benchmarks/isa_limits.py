"""Instructions of the bundled headers against the limits of the machine, which are measured in the same rounds."""

from __future__ import annotations

import ctypes
import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pyptogen.runtime.toolchain.build import make_toolchain

SOURCES = Path(__file__).with_name("isa")
GROUPS = ("machine", "loops", "resident", "products", "streams")
_TURN = 2e-3
"""Seconds of one measurement; what takes longer is run once."""

_TRANSCENDENTAL = r"^(TEXP|TLOG|TSQRT|TRSQRT|TRECIP|TPOWS?|TDIV|TROWEXPANDDIV|TFMOD|TREM) "
AIMS = (
    (r"^stream ", 0.80),
    (r"^TMATMUL(_ACC)? (bfloat16_t|int8_t) 128x128x256$", 0.65),
    (r"^TMATMUL(_ACC)? (bfloat16_t 256x256x512|int8_t 256x256x1024)$", 0.78),  # 256 KB an operand
    (r"^TMATMUL(_ACC)? float ", 0.80),
    (r"^(TMATMUL|GEMM)", None),
    (_TRANSCENDENTAL, None),
    (r"^T", 0.50),
)
"""What fraction of its limit a case should reach: the first pattern that matches counts. None: no promise was made."""

LOOPS = (
    (r"^T(ADD|MUL) bfloat16_t$", "loop bf16 add"),
    (r"^T(ADDS|MULS|ROWEXPANDMUL|COLEXPANDMUL) bfloat16_t$", "loop bf16 scale"),
    (r"^T(ROW|COL)SUM bfloat16_t$", "loop bf16 sum"),
    (r"^T(ADD|MUL|COLEXPANDMUL) half$", "loop fp16 add"),
    (r"^T(ADDS|ROWEXPANDMUL) half$", "loop fp16 scale"),
    (r"^TCMP half$", "loop fp16 compare"),
    (r"^T(ROW|COL)SUM half$", "loop fp16 sum"),
    (r"^TROWMAX (half|bfloat16_t)$", "loop fp16 max"),
    (r"^TCVT float to bfloat16_t$", "loop fp32 to bf16"),
    (r"^TCVT float to int16_t$", "loop fp32 to int16"),
    (r"^TCVT float to int8_t$", "loop fp32 to int8"),
    (r"^TCVT half to int8_t$", "loop fp16 to int8"),
    (r"^TCVT half to bfloat16_t$", "loop fp16 to bf16"),
    (r"^stream TADD ", "memory 2:1 in turns"),
    (r"^stream T(ABS|RELU|EXP) ", "memory 1:1 in turns"),
)
"""A second measure: the best loop by hand where the limit is out of reach."""

COPY = "memory 1:1 streaming"
"""What the aim of streams speaks of, by bytes a second."""

RATE_AIMS = {"TEXP float": 9e9}
"""Elements a second."""


class _Case(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("limit", ctypes.c_char_p),
        ("elements", ctypes.c_double),
        ("bytes_read", ctypes.c_double),
        ("bytes_written", ctypes.c_double),
        ("operations", ctypes.c_double),
        ("run", ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)),
    )


@dataclass
class Case:
    """One row of the table: what a repeat of it does, and the seconds of a repeat in each round."""

    name: str
    limit: str
    elements: float
    moved: float
    operations: float
    native: _Case
    repeats: int = 1
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Seconds of one repeat."""
        return statistics.median(self.seconds)

    def work(self) -> float:
        """Operations, or bytes where those are the bound."""
        return self.operations or self.moved

    def calibrate(self) -> None:
        """Finds how many repeats fill a turn."""
        while (spent := self.native.run(self.repeats)) < _TURN / 4 and self.repeats < 1 << 26:
            self.repeats *= 4
        self.repeats = max(1, int(self.repeats * _TURN / max(spent, 1e-9)))

    def measure(self) -> None:
        """One round."""
        self.seconds.append(self.native.run(self.repeats) / self.repeats)


def load_cases() -> list[Case]:
    """Compiles the sources with the flags that operators get, and reads the tables that they export."""
    sources = {path.name: path.read_text() for path in (SOURCES / "cases.hpp", *(SOURCES / f"{g}.cpp" for g in GROUPS))}
    exports = [f"{group}_{what}" for group in GROUPS for what in ("count", "cases")]
    library = ctypes.CDLL(str(make_toolchain().shared_object("isa_benchmark", sources, exports)))
    cases = []
    for group in GROUPS:
        table = getattr(library, f"{group}_cases")
        table.restype = ctypes.POINTER(_Case)
        for index in range(getattr(library, f"{group}_count")()):
            case = table()[index]
            moved = case.bytes_read + case.bytes_written
            cases.append(Case(case.name.decode(), case.limit.decode(), case.elements, moved, case.operations, case))
    return cases


def fraction(case: Case, limit: Case) -> float:
    """How much of its limit a case reaches: the median of the rounds."""
    rounds = zip(case.seconds, limit.seconds, strict=True)
    return statistics.median((case.work() / mine) / (limit.work() / bound) for mine, bound in rounds)


def against_loop(case: Case, loop: Case) -> float:
    """The speed of a case in elements (bytes for a copy) a second over that of a loop: the median of the rounds."""
    by_elements = loop.elements > 0
    mine_done, done = (case.elements, loop.elements) if by_elements else (case.moved, loop.moved)
    rounds = zip(case.seconds, loop.seconds, strict=True)
    return statistics.median((mine_done / mine) / (done / theirs) for mine, theirs in rounds)


def is_stream(case: Case) -> bool:
    """Whether a case goes through memory."""
    return case.name.startswith("stream ")


def loop_of(name: str) -> str | None:
    """The loop that a case is compared with, beside its limit."""
    return next((loop for pattern, loop in LOOPS if re.search(pattern, name)), None)


def aim_of(name: str) -> float | None:
    """The fraction of its limit that a case should reach."""
    return next(aim for pattern, aim in AIMS if re.search(pattern, name))


def measure_limits(match: str, runs: int) -> list[dict[str, object]]:
    """Measures the cases whose names match, and the limits they need, in turns. One record a case, limits first."""
    cases = load_cases()
    known = {case.name for case in cases if not case.limit}  # without a matrix unit there is no limit of its tiles
    chosen = [case for case in cases if case.limit in known and re.search(match, case.name)]
    needed = {case.limit for case in chosen} | {loop_of(case.name) for case in chosen}
    if any(is_stream(case) for case in chosen):
        needed.add(COPY)
    limits = {case.name: case for case in cases if not case.limit and case.name in needed}
    for case in (*limits.values(), *chosen):
        case.calibrate()
    for _ in range(runs):
        for name, limit in limits.items():
            limit.measure()
            for case in chosen:
                if case.limit == name:
                    case.measure()
    return [_record(limit, None, None, None) for limit in limits.values()] + [
        _record(
            case,
            limits[case.limit],
            limits.get(loop_of(case.name) or ""),
            limits[COPY] if is_stream(case) else None,
        )
        for case in chosen
    ]


def _record(case: Case, limit: Case | None, loop: Case | None, copy: Case | None) -> dict[str, object]:
    rate_aim = RATE_AIMS.get(case.name)
    reached = fraction(case, limit) if limit is not None else None
    aim = aim_of(case.name) if limit is not None else None
    of_loop = against_loop(case, loop) if loop is not None else None
    of_copy = against_loop(case, copy) if copy is not None else None
    # What is promised of streams is a part of a copy's bytes a second.
    reached_aim = max(reached, of_copy) if reached is not None and of_copy is not None else reached
    kept = (aim is None or reached_aim is None or reached_aim >= aim) and (
        rate_aim is None or case.elements / case.median >= rate_aim
    )
    return {
        "case": case.name,
        "limit": case.limit,
        "microseconds": case.median * 1e6,
        "elements/s": case.elements / case.median,
        "bytes/s": case.moved / case.median,
        "operations/s": case.operations / case.median,
        "fraction": reached,
        "loop": loop.name if loop is not None else None,
        "of loop": of_loop,
        "of copy": of_copy,
        "aim": aim,
        "rate aim": rate_aim,
        "kept": kept,
    }


def table_of_limits(records: Iterable[dict[str, object]]) -> list[str]:
    """The records as lines of text."""
    lines = [f"{'':34} {'us':>10} {'Gelem/s':>8} {'GB/s':>7} {'Gop/s':>7}  of its limit"]
    for record in records:
        figures = (float(str(record[key])) / 1e9 for key in ("elements/s", "bytes/s", "operations/s"))
        cells = " ".join(
            f"{value:{width}.1f}" if value else " " * width for value, width in zip(figures, (8, 7, 7), strict=True)
        )
        line = f"{record['case']:34} {float(str(record['microseconds'])):10.3f} {cells}"
        if record["fraction"] is not None:
            line += f"  {100 * float(str(record['fraction'])):5.1f} % of {record['limit']}"
            line += "" if record["kept"] else "  MISSED"
        if record["of loop"] is not None:
            line += f"  ({100 * float(str(record['of loop'])):.0f} % of {record['loop']})"
        if record["of copy"] is not None:
            line += f"  ({100 * float(str(record['of copy'])):.0f} % of {COPY})"
        lines.append(line)
    return lines
