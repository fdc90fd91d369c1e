"""The loop nest of one kernel while it is being built.

Grid loops nest one in another; the innermost holds reduce loops and sub-loops in order. Operations that need fewer
loops are placed further out, ahead of the loop that uses them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import Poly
from pyptogen.lower.tensor.program_names import loop_variable
from pyptogen.lower.tile.ir import Condition, Extent, Loop, LoopRole, Node, TileOp


@dataclass(slots=True)
class Scope:
    """A loop under construction (``var`` is empty for the kernel itself)."""

    var: str
    dim: str
    start: Poly
    stop: Poly
    tile: int
    valid: str | None
    role: LoopRole
    span: Span
    parent: Scope | None
    depth: int
    early: list[TileOp] = field(default_factory=list)
    """Loads and what follows from them alone; emitted before everything else of this scope."""
    items: list[Scope | TileOp] = field(default_factory=list)
    parallel: bool = False
    after: Poly | None = None
    before: Poly | None = None
    only: Condition | None = None
    every: int = 1

    def extent(self) -> Extent:
        """Rows (or columns) of one tile of this loop."""
        return Extent(self.tile, Poly.of(self.valid) if self.valid else None)

    def loop_of(self, dim: str | None) -> Scope | None:
        """The loop over a dim around what stands in this one, innermost first."""
        at: Scope | None = self
        while at is not None and dim is not None:
            if at.dim == dim:
                return at
            at = at.parent
        return None

    def freeze(self) -> tuple[Node, ...]:
        nodes: list[Node] = list(self.early)
        # The next grid loop comes last: what stands beside it serves its tiles, and takes nothing from them.
        for item in sorted(self.items, key=lambda item: isinstance(item, Scope) and item.role == "grid"):
            if isinstance(item, TileOp):
                nodes.append(item)
            elif item.early or item.items:
                body = item.freeze()
                nodes.append(
                    Loop(
                        item.var,
                        item.dim.split(".")[0],
                        item.start,
                        item.stop,
                        item.tile,
                        item.valid,
                        item.role,
                        item.parallel,
                        body,
                        item.span,
                        after=item.after,
                        before=item.before,
                        only=item.only,
                        every=item.every,
                    )
                )
        return tuple(nodes)


class Nest:
    """Scopes of one kernel. Loops get no name that is ``taken``."""

    def __init__(self, span: Span, taken: frozenset[str]) -> None:
        self.taken = taken
        self.top = Scope("", "", Poly(), Poly(), 1, None, "grid", span, None, 0)
        self.inner = self.top

    def band(self, dim: str, start: Poly, stop: Poly, size: int, whole_bands: bool, span: Span) -> Scope:
        """Add a loop over bands of a dim inside the innermost one; the loop over the tiles of a band comes later."""
        self.inner = self._open(self.inner, f"{dim}_band", f"{dim}.band", start, stop, size, whole_bands, "grid", span)
        return self.inner

    def grid(self, dim: str, start: Poly, stop: Poly, tile: int, whole_tiles: bool, span: Span) -> Scope:
        """Add a grid loop inside the innermost one."""
        self.inner = self._open(self.inner, f"{dim}0", dim, start, stop, tile, whole_tiles, "grid", span)
        return self.inner

    def child(
        self,
        parent: Scope,
        dim: str,
        start: Poly,
        stop: Poly,
        tile: int,
        whole_tiles: bool,
        role: LoopRole,
        span: Span,
    ) -> Scope:
        """Add a reduce loop, a sub-loop or the loop of iterations as the next item of ``parent``."""
        name = dim.split(".")[0]
        var = f"{name}{1 if role == 'sub' else 0}"
        if any(scope.var == var for scope in self._around(parent)):
            var = f"{name}2"
        return self._open(parent, var, dim, start, stop, tile, whole_tiles, role, span)

    @staticmethod
    def _around(scope: Scope) -> Iterator[Scope]:
        at: Scope | None = scope
        while at is not None:
            yield at
            at = at.parent

    def _open(
        self,
        parent: Scope,
        wanted: str,
        dim: str,
        start: Poly,
        stop: Poly,
        tile: int,
        whole_tiles: bool,
        role: LoopRole,
        span: Span,
    ) -> Scope:
        var = loop_variable(wanted, self.taken)
        valid = None if whole_tiles else f"{var}_valid"
        scope = Scope(var, dim, start, stop, tile, valid, role, span, parent, parent.depth + 1)
        parent.items.append(scope)
        return scope
