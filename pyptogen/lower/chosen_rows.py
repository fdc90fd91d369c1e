"""The tiles that the compiler chose, as a row that the author may write in the place of `- {}`.

before: - {}
after:  a line of what `check` and `build` print: `softmax, a2a3: chosen tiles {rows: 16}`

Kernels of one operator may have tiles of their own, each with a row. What only the compiler names, such as the places
of a permutation, is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.sizes.sizes import Selected


def notes(
    program: Program, target: str, rows: Sequence[Selected], kernels: Mapping[str, Mapping[str, Sequence[int]]]
) -> tuple[str, ...]:
    """A line, or none where a row names tiles or no kernel has any.

    Args:
        program: the operator, as it was written.
        target: the platform.
        rows: the rows of the table that may apply.
        kernels: of each kernel the tiles of its loops by dim, outer before inner.
    """
    dims = {dim.name: dim.value for dim in program.dims}
    if any(dims.keys() & sizes.keys() for row in rows for sizes in row.row.sizes.values()):
        return ()
    found = {name: text for name, tiles in kernels.items() if (text := _row(tiles, dims))}
    if not found:
        return ()
    texts = set(found.values())
    shown = texts.pop() if len(texts) == 1 else "; ".join(f"{name} {text}" for name, text in found.items())
    return (f"{program.name}, {target}: chosen tiles {shown}",)


def _row(tiles: Mapping[str, Sequence[int]], dims: Mapping[str, int | None]) -> str:
    """``{sq: {tile: 1024, rows: 128}, k: {l1: 512, l0: 64}}``: a dim is cut again for the rows that an iteration takes
    at a time; `k.l0` is what is left to cut of `k` at L0."""
    sizes: dict[str, Any] = {}
    for dim, cut in tiles.items():
        whole = dim.removesuffix(".l0")
        if dim in dims:
            sizes[dim] = cut[0] if len(cut) == 1 else f"{{tile: {cut[0]}, rows: {cut[-1]}}}"
        elif whole != dim and whole in dims and (outer := tiles.get(whole, (dims[whole],))[0]) is not None:
            sizes[whole] = f"{{l1: {outer}, l0: {cut[-1]}}}"
    return f"{{{', '.join(f'{dim}: {size}' for dim, size in sizes.items())}}}" if sizes else ""
