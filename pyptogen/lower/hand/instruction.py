"""A kernel at instruction level: PTO instructions, one a line, operands in the order of the C++ API.

before: TLOAD(xt, x[8*i:8*i+8, :]); set_flag(MTE2, V, 0); wait_flag(MTE2, V, 0); TMULS(yt, xt, 2.0)
after:  the same as structured instructions: forms, dtypes and alignment checked against the ISA table, flags proved
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from pyptogen.diagnostics import DiagnosticError, did_you_mean, fault
from pyptogen.lower.expr import Poly
from pyptogen.lower.hand.expressions import ROUND_MODES, note
from pyptogen.lower.hand.finished import Finished
from pyptogen.lower.hand.fixed import FixedBody, cast_pipe
from pyptogen.lower.hand.scope import Scope
from pyptogen.lower.hand.windows import Tensor, window
from pyptogen.lower.instruction.ir import Declare, GmWindow, Instr, Mode, Operand, TileType
from pyptogen.lower.instruction.select.elementwise import imm
from pyptogen.lower.instruction.select.selector import LOCS, WORDS
from pyptogen.lower.instruction.select.transfers import window as gm_window
from pyptogen.lower.isa import pipe_of
from pyptogen.lower.isa.fractals import needs_compact
from pyptogen.lower.isa.table import INSTRUCTIONS, NARROWING
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import GmTensor, ScalarArg
from pyptogen.lower.tile.ops import Load
from pyptogen.records import dataclass, replace
from pyptogen.schema.hand import HandKernel, HandLine

_INDEXED = frozenset({"TEXTRACT", "TINSERT"})
"""Instructions whose `row` and `col` are numbers."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What an operand is, and how a form of the table spells it."""

    word: str
    spellings: frozenset[str]


_GM = _Kind("a window of a tensor", frozenset({"gm"}))
_MODE = _Kind("a round mode", frozenset({"mode"}))
_SCALAR = _Kind("a number", frozenset({"scalar", "value", "start", "diagonal", "offset", "word"}))
_INDEX = _Kind("an index", frozenset({"row", "col"}))


class _Lines:
    """Instructions on buffers."""

    def __init__(self, body: FixedBody, tensors: Mapping[str, Tensor]) -> None:
        self.body, self.tensors = body, tensors
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.declared = {name: self._declare(name) for name in body.buffers}

    def _declare(self, name: str) -> Declare:
        buffer, tile = self.body.buffers[name], self.body.vals[name]
        loc = LOCS[buffer.memory]
        fixed = [None if e.valid is not None else e.size for e in (tile.rows, tile.cols)]
        col_major = loc == "Vec" and tile.form == "col" and buffer.rows > 1
        shape, valid = (buffer.rows, buffer.pitch), (fixed[0], fixed[1])
        compact = needs_compact(self.body.platform.name, loc, DTYPES[buffer.dtype], shape, valid)
        kind = TileType(loc, buffer.dtype, *shape, *valid, col_major, compact=compact)
        same = (b.name for b in self.body.buffers.values() if (b.memory, b.address) == (buffer.memory, buffer.address))
        at = f"{WORDS[buffer.memory]} 0x{buffer.address:05x}..0x{buffer.address + buffer.size:05x}"
        return Declare(
            name, kind, tile.rows, tile.cols, Poly.of(buffer.address), buffer.size, at, buffer.span, next(same)
        )

    def read(self, line: HandLine) -> None:
        """One instruction. Raises PTG104, PTG2xx."""
        node = line.value.node
        if line.target is not None or not isinstance(node, ast.Call) or line.call is None or node.keywords:
            raise fault("PTG104", "this is no instruction", line.span, expected="such as `TADD(dst, a, b)`")
        if line.call not in INSTRUCTIONS:
            raise fault(
                "PTG202",
                f"there is no instruction `{line.call}` that can be emitted",
                line.value.span_of(node.func),
                expected="a PTO instruction of the table in docs/isa",
                fix=did_you_mean(line.call, INSTRUCTIONS),
            )
        kinds, operands = zip(*(self._operand(line, a) for a in node.args), strict=True) if node.args else ((), ())
        self._check_form(line, list(kinds))
        locs = [self.declared[o].type.loc for o in operands if isinstance(o, str)]
        pipe = pipe_of(line.call, locs[-1] if locs else "Vec", locs[0] if locs else "Vec")
        if line.call == "TCVT" and not self.body.platform.unified:
            operands = tuple(self._stated(operands, o) if isinstance(o, Mode) else o for o in operands)
        self._check_extents(line, operands)
        self.body.nodes.append(Instr(line.call, tuple(operands), cast_pipe(pipe), self.body.kernel.name, line.span))

    def _stated(self, operands: Sequence[Operand], mode: Mode) -> Mode:
        """A round mode of TCVT with what the instruction does about numbers out of range, in words."""
        to, source = (self.declared[str(o)].type.dtype for o in operands[:2])
        return replace(mode, saturate=(source, to) not in NARROWING)

    def _operand(self, line: HandLine, node: ast.expr) -> tuple[_Kind | None, Operand]:
        if isinstance(node, ast.Name) and node.id in self.body.buffers:
            return None, node.id
        base = node.value if isinstance(node, ast.Subscript) else node
        if isinstance(base, ast.Name) and base.id in self.tensors:
            found = window(line.value, node, self.tensors, self.body.scope)
            note(self.writes if line.call == "TSTORE" else self.reads, found.tensor.gm)
            op = Load(None, (), line.span, self.body.kernel.name, found.ref)
            return _GM, gm_window(self.body.selector, found.ref, op)
        if isinstance(node, ast.Name) and node.id in ROUND_MODES:
            return _MODE, Mode(node.id)
        if line.call in _INDEXED:
            return _INDEX, self.body.scope.index(line.value, node)
        scalar = ScalarArg(self.body.scope.scalar(line.value, node), line.value.span_of(node))
        first = line.value.node.args[0] if isinstance(line.value.node, ast.Call) else node
        dst = self.body.buffers.get(first.id) if isinstance(first, ast.Name) else None
        return _SCALAR, imm(scalar, dst.dtype if dst else "fp32")

    def _check_form(self, line: HandLine, kinds: list[_Kind | None]) -> None:
        forms = INSTRUCTIONS[str(line.call)].forms
        if not any(self._fits(form, kinds, line.call in _INDEXED) for form in forms):
            shown = " or ".join(f"{line.call}({', '.join(form)})" for form in forms)
            given = ", ".join("a tile" if kind is None else kind.word for kind in kinds)
            raise fault("PTG203", f"{line.call} does not take {given or 'nothing'}", line.span, expected=shown)

    @staticmethod
    def _fits(form: tuple[str, ...], kinds: list[_Kind | None], indexed: bool) -> bool:
        if len(form) != len(kinds):
            return False
        special = _GM.spellings | _MODE.spellings | _SCALAR.spellings | (_INDEX.spellings if indexed else frozenset())
        return all(
            word not in special if kind is None else word in kind.spellings
            for word, kind in zip(form, kinds, strict=True)
        )

    def _check_extents(self, line: HandLine, operands: tuple[Operand, ...]) -> None:
        """A window and the tile that it fills or empties are equally large."""
        tile = next((self.declared[o] for o in operands if isinstance(o, str)), None)
        found = next((o for o in operands if isinstance(o, GmWindow)), None)
        if tile is None or found is None or (tile.rows, tile.cols) == (found.rows, found.cols):
            return
        raise self._extents_differ(line, tile, found)

    def _extents_differ(self, line: HandLine, tile: Declare, found: GmWindow) -> DiagnosticError:
        loops = {loop.valid: name for name, loop in self.body.every.items() if loop.valid}
        sizes = [loops.get(str(e.valid), str(e.size)) for e in (found.rows, found.cols)]
        return fault(
            "PTG205",
            f"tile `{tile.name}` has {tile.rows.poly()} x {tile.cols.poly()} valid elements, the window of"
            f" `{found.tensor}` {found.rows.poly()} x {found.cols.poly()}",
            line.span,
            expected="equal extents",
            fix=f"`valid: [{', '.join(sizes)}]` in the buffer",
        )


def run(
    kernel: HandKernel, scope: Scope, tensors: Mapping[str, Tensor], gm: Mapping[str, GmTensor], platform: Platform
) -> Finished:
    """Read one kernel. Raises PTG1xx, PTG2xx, PTG301 to PTG305."""
    body = FixedBody(kernel, scope, gm, platform)
    lines = _Lines(body, tensors)
    body.read(lines.read)
    return body.finish(lines.reads, lines.writes, lines.declared)
