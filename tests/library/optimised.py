"""Which operators of the library are compiled with the flags of users: all for the processor, whose kernels they run;
for the devices, whose kernels only tests and trials run here, so many that each instruction is among them with each
combination of its operands' memories, types and layouts. An instruction is the same function of the bundled headers in
all kernels that call it so. Nightly all are.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path

from compiling import NIGHTLY, flags_of_users

HERE = Path(__file__).parent
GENERATED = HERE.parents[1] / "generated"
_TILE = re.compile(r"^using (\w+) = Tile<TileType::(\w+), (\w+), \w+, \w+((?:, [A-Z]Layout::\w+)*)", re.MULTILINE)
_VARIABLE = re.compile(r"\b(\w+) (\w+)[;({]")
_CALL = re.compile(r"\b(T[A-Z][A-Z0-9_]+|M(?:GATHER|SCATTER))(?:<[^;()]*>)?\(([^;]*)\)")
Use = tuple[str, ...]


def flags_for(name: str, target: str) -> AbstractContextManager[None]:
    """The flags of users, where an operator is compiled with them, or those of the tests."""
    return flags_of_users() if NIGHTLY or target == "cpu" or (name, target) in cover() else nullcontext()


@cache
def cover() -> frozenset[tuple[str, str]]:
    """The operators, each with its device: always the one that adds most for its length."""
    kernels = kernels_for_devices()
    uses = {key: uses_of(text) for key, text in kernels.items()}
    left = set().union(*uses.values())
    chosen = set()
    while left:
        best = max(uses, key=lambda key: len(uses[key] & left) / len(kernels[key]))
        chosen.add(best)
        left -= uses[best]
    return frozenset(chosen)


def kernels_for_devices() -> dict[tuple[str, str], str]:
    """The generated kernels of operators that tests here name, by operator and device, one text each."""
    named = {word for path in HERE.glob("*.py") for word in re.findall(r"\w+", path.read_text())}
    return {
        (folder.parent.name, folder.name): "\n".join(path.read_text() for path in sorted(folder.rglob("*.cpp")))
        for target in ("a2a3", "a5")
        for folder in sorted(GENERATED.glob(f"*/{target}"))
        if folder.parent.name in named
    }


def uses_of(text: str) -> set[Use]:
    """The instructions that kernels call, each with what its operands are."""
    tiles = {name: "".join(rest) for name, *rest in _TILE.findall(text)}
    operands = {name: tiles[kind] for kind, name in _VARIABLE.findall(text) if kind in tiles}
    return {
        (instruction, *(operands.get(operand.strip(), "") for operand in given.split(",")))
        for instruction, given in _CALL.findall(text)
        if instruction != "TASSIGN"
    }
