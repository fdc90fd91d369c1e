"""Text of the Instruction level, which `parser` reads back: the same kernel, but for its places in the spec.

    kernel scale (vector) on a2a3 stages scale
      tensor x: fp32[t, 64] nd
      tensor y: fp32[t, 64] nd
      reads x; writes y
      arguments y, x, t
      dims t
      memory ub 2048
      for t0 in 0..t step 8 (t0_valid valid) parallel
        tile x_t: Vec fp32[8, 64] holds ? x 64, valid 8(t0_valid) x 64 at 0, 2048 bytes of x_t
        TLOAD x_t, x[64 * t0; 8(t0_valid) x 64, strides 64, 1] ND fp32  ; MTE2
        set MTE2 -> V #0
        wait MTE2 -> V #0
        TMULS x_t, x_t, `2.0f` = 2.0  ; V

`holds ? x 64`: which valid extents the type says, and which only run time knows. A scalar is its C++ text, and what it
means. Notes, which become comments of the C++, stand behind `--`. `TMATMUL<Final at the end of 2>`: a phase, which is
final in the last iteration of the two loops around.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import (
    Barrier,
    Choose,
    Compare,
    Declare,
    FifoRef,
    For,
    GmWindow,
    Imm,
    Instr,
    InstrKernel,
    Mode,
    Node,
    Operand,
    Pass,
    Pattern,
    Phase,
    ReadIndex,
    Relu,
    SetFlag,
    SkipIfNegative,
    TileType,
    WaitFlag,
    walk,
)
from pyptogen.lower.tile.ir import GmTensor
from pyptogen.lower.tile.printer import extent, fifo_text, number_text, tensor_text


def operand_text(operand: Operand) -> str:
    """An operand: a tile or the name of a number, a window, a scalar with its C++, a mode, a polynomial in brackets."""
    match operand:
        case GmWindow():
            return window_text(operand)
        case Imm():
            return f"`{operand.text}` = {number_text(operand.expr)}"
        case Mode():
            return f"mode {operand.name}" + {None: "", True: " saturate", False: " wrap"}[operand.saturate]
        case Compare():
            return f"relation {operand.name}"
        case Pattern():
            return f"pattern {operand.name}"
        case FifoRef():
            return f"fifo {operand.name}"
        case Relu():
            return "with relu"
        case Poly():
            return f"[{operand}]"
    return operand


def window_text(w: GmWindow) -> str:
    """A window of GM."""
    return (
        f"{w.tensor}[{w.offset}; {extent(w.rows)} x {extent(w.cols)}, strides {w.row_stride}, {w.col_stride}]"
        f" {w.layout} {w.dtype}{' unordered' if w.unordered else ''}"
    )


def type_text(t: TileType) -> str:
    """The type of a tile: memory, element, capacity, and what of it is valid where the type says so."""
    known = ("?" if size is None else str(size) for size in (t.valid_rows, t.valid_cols))
    words = [f"{t.loc} {t.dtype}[{t.rows}, {t.cols}] holds {' x '.join(known)}"]
    words += [name for name in FLAGS if getattr(t, name)]
    words += [f"pad {t.pad}"] if t.pad else []
    return " ".join(words)


FLAGS = ("col_major", "across", "compact", "k_aligned")
"""What a type has or has not."""


class _Lines:
    """Of a kernel whose first stage is ``stage``."""

    def __init__(self, stage: str) -> None:
        self.stage = stage

    def instr(self, node: Instr) -> str:
        operands = ", ".join(map(operand_text, node.operands))
        own = f" @ {node.stage}" if node.stage != self.stage else ""
        return f"{node.name}{_phase(node.phase)}{' ' if operands else ''}{operands}  ; {node.pipe}{own}"

    def body(self, nodes: Sequence[Node], depth: int) -> list[str]:
        lines: list[str] = []
        pad = "  " * depth
        for node in nodes:
            if isinstance(node, For):
                lines += [pad + _loop(node), *self.body(node.body, depth + 1)]
            elif isinstance(node, Pass):
                lines.append(pad + _pass(node))
                lines += [f"{pad}  ahead by {rows}: {window_text(window)}" for window, rows in node.ahead]
                lines += self.body(node.members, depth + 1)
            elif isinstance(node, Choose):
                lines.append(f"{pad}first where {node.zero} is 0")
                lines += self.body((node.then, node.other), depth + 1)
            else:
                lines.append(pad + (self.instr(node) if isinstance(node, Instr) else _leaf(node)))
        return lines


def _phase(phase: Phase | None) -> str:
    if phase is None:
        return ""
    return f"<{phase.name}{f' at the end of {phase.loops}' if phase.loops else ''}>"


def _loop(node: For) -> str:
    words = [f"for {node.var} in {node.start}..{node.stop} step {node.step}"]
    words += [f"every {node.every}"] if node.every > 1 else []
    words += [f"({node.valid} valid)"] if node.valid else []
    words += [f"after {node.after}"] if node.after is not None else []
    words += [f"before {node.before}"] if node.before is not None else []
    words += ["once"] if node.once else []
    words += [f"if ({node.only})"] if node.only is not None else []
    words += [f"half {', '.join(node.half)}"] if node.half else []
    words += [f"index_set {node.index_set}"] if node.index_set else []
    words += [f"buffer {node.slot} of {node.slots}"] if node.slot else []
    words += ["parallel"] if node.parallel else []
    return _noted(" ".join(words), node.note)


def _pass(node: Pass) -> str:
    dtypes = ", ".join(f"{name} {dtype}" for name, dtype in node.dtypes)
    interleaved = ", four vectors at a time" if node.interleaved else ""
    return (
        f"pass over {extent(node.rows)} x {extent(node.cols)}, keeps ({', '.join(node.kept)}),"
        f" tiles ({', '.join(node.tiles)}), of ({dtypes}){interleaved}"
    )


def _leaf(node: Declare | ReadIndex | SkipIfNegative | Barrier | SetFlag | WaitFlag) -> str:
    match node:
        case Declare():
            valid = f"valid {extent(node.rows)} x {extent(node.cols)}"
            whole = f", {node.whole} in all" if node.whole else ""
            text = f"tile {node.name}: {type_text(node.type)}, {valid} at {node.address}, {node.size} bytes"
            return _noted(f"{text} of {node.owner}{whole}", node.note)
        case ReadIndex():
            below = f" below {node.bound}" if node.bound is not None else ""
            tiles = f" plus {node.plus} per {node.per}" if node.per is not None else ""
            skips = " or skip" if node.skips else ""
            return f"{node.name} = read {node.tensor}[{node.offset}]{tiles}{below}{skips}"
        case SkipIfNegative():
            return _noted(f"continue if {node.name} < 0", node.note)
        case Barrier():
            return f"barrier {node.pipe}"
    word = "set" if isinstance(node, SetFlag) else "wait"
    return _noted(f"{word} {node.src} -> {node.dst} #{node.event}{f' + {node.slot}' if node.slot else ''}", node.note)


def _noted(text: str, note: str) -> str:
    return f"{text} -- {note}" if note else text


def print_kernel(kernel: InstrKernel) -> str:
    """One kernel."""
    lines = [f"kernel {kernel.name} ({kernel.core}) on {kernel.platform} stages {', '.join(kernel.stages)}"]
    lines += [f"  tensor {tensor_text(tensor)}" for tensor in kernel.tensors]
    lines.append(f"  reads {_names(kernel.reads)}; writes {_names(kernel.writes)}")
    lines += [f"  arguments {', '.join(kernel.arguments)}"] if kernel.arguments else []
    lines += [f"  scalars {', '.join(map(' '.join, kernel.scalars))}"] if kernel.scalars else []
    lines += [f"  dims {', '.join(kernel.dims)}"] if kernel.dims else []
    lines += [f"  launch_dim {kernel.launch_dim}"] if kernel.launch_dim else []
    lines += [f"  memory {', '.join(f'{m} {used}' for m, used in kernel.occupancy)}"] if kernel.occupancy else []
    lines += [f"  fifo {fifo_text(fifo)}" for fifo in kernel.fifos]
    lines += [f"  on two vector cores, {kernel.subblock} is the number of each"] if kernel.subblock else []
    lines += ["  counts in int64"] if kernel.wide else []
    return "\n".join([*lines, *_Lines(next(iter(kernel.stages), "")).body(kernel.body, 1)]) + "\n"


def _names(tensors: Sequence[GmTensor]) -> str:
    return ", ".join(tensor.name for tensor in tensors)


def print_kernels(kernels: Sequence[InstrKernel]) -> str:
    """All kernels of an operator."""
    return "\n".join(print_kernel(k) for k in kernels)


def sync_counts(kernel: InstrKernel) -> dict[str, int]:
    """How many flags are set and waited for, and how many barriers stand in the text."""
    nodes = list(walk(kernel.body))
    return {
        "barriers": sum(isinstance(n, Barrier) for n in nodes),
        "sets": sum(isinstance(n, SetFlag) for n in nodes),
        "waits": sum(isinstance(n, WaitFlag) for n in nodes),
    }
