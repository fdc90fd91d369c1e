"""A pass of the Instruction level as C++: TPASS with one line for each instruction that it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import GmWindow, Imm, Instr, Pass
from pyptogen.lower.instruction.passes.ahead import SLOW
from pyptogen.lower.instruction.passes.roles import INTEGERS
from pyptogen.records import dataclass
from pyptogen.templates.cpp_names import C_TYPES

INFIX = {"ADD": "+", "SUB": "-", "MUL": "*", "DIV": "/"}
CALLS = {"MAX": "at.max", "MIN": "at.min"}
UNARY = {
    "TNEG": "-{}", "TABS": "at.abs({})", "TEXP": "at.exp({})", "TLOG": "at.log({})", "TSQRT": "at.sqrt({})",
    "TRSQRT": "1.0f / at.sqrt({})", "TRECIP": "1.0f / {}", "TRELU": "at.relu({})",
}  # fmt: skip
RESULTS = {
    "TROWSUM": ("RowSum", "sum"), "TROWMAX": ("RowMax", "max"), "TROWMIN": ("RowMin", "min"),
    "TCOLSUM": ("ColSum", "sum"), "TCOLMAX": ("ColMax", "max"), "TCOLMIN": ("ColMin", "min"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Carried:
    """Rows of global memory that only move."""

    to: GmWindow
    source: GmWindow


def carried_rows(node: Pass) -> Carried | None:
    """What a pass that is a load and the store of all that was loaded moves."""
    if node.kept or [m.name for m in node.members] != ["TLOAD", "TSTORE"]:
        return None
    (loaded, source), (to, stored) = (m.operands for m in node.members)
    if loaded != stored or not isinstance(source, GmWindow) or not isinstance(to, GmWindow):
        return None
    return Carried(to, source) if source.dtype == to.dtype else None


class PassText:
    """Writes the body of one pass. ``gm_name`` names the GlobalTensors of loads and stores; ``ahead`` are those that it
    asks for so many rows further on; stores to the tensors ``far`` may go around the cache; ``left`` are the left
    operands of the matrix unit; ``fixed`` are names of the kernel around, arguments and loop variables."""

    def __init__(
        self,
        node: Pass,
        gm_name: Callable[[Instr, GmWindow], str],
        ahead: Sequence[tuple[str, Poly]],
        far: frozenset[str],
        left: frozenset[str],
        fixed: frozenset[str],
    ) -> None:
        self.node, self.gm_name, self.ahead, self.far, self.left = node, gm_name, ahead, far, left
        self.dtypes = dict(node.dtypes)
        self.values: dict[str, str] = {}
        """The name of each tile's values so far."""
        self.operands: dict[str, str] = {}
        """Operands of the pass that have a state of their own: parameter name → object."""
        self.lines: list[tuple[Instr, str]] = []
        objects = [gm_name(m, o) for m in node.members for o in m.operands if isinstance(o, GmWindow)]
        self.taken = dict.fromkeys(("at", "far", *node.tiles, *objects, *fixed), 1)
        self.last_writer = {str(m.operands[0]): m for m in node.members}
        self.read_again: set[str] = set()
        """Tiles with whose values something is computed, in this pass, also by way of a copy."""
        for m in reversed(node.members):
            copies = m.name == "TMOV" and m.operands[0] not in self.read_again
            if not copies and m.name not in ("TSTORE", "TLOAD"):
                self.read_again |= {n for n in m.operands[1:] if isinstance(n, str)}

    def write(self) -> None:
        """Fill ``lines`` (with the instruction that each serves) and ``operands``."""
        ask = "ask_for" if any(member.name in SLOW for member in self.node.members) else "ask_between"
        for name, rows in self.ahead:
            self.put(self.node.members[0], f"at.{ask}({name}, {rows.c()});  // the next iteration's")
        for member in self.node.members:
            self.member(member)

    def member(self, instr: Instr) -> None:
        if instr.name == "TSTORE":
            window, tile = instr.operands
            assert isinstance(window, GmWindow) and isinstance(tile, str)
            value, far = self.value(instr, tile), ", far" if window.tensor in self.far else ""
            self.put(instr, f"at.store({self.gm_name(instr, window)}, {value}{far});")
            return
        result = instr.operands[0]
        assert isinstance(result, str)
        if instr.name in RESULTS:
            kind, word = RESULTS[instr.name]
            parameter = self.unused(f"{result}_{word}")
            self.operands[parameter] = f"{kind}({result})"
            self.put(instr, f"{parameter}.take(at, {self.value(instr, str(instr.operands[1]))});")
            return
        expression = self.expression(instr)
        if expression.isidentifier():  # another name for the same values
            self.values[result] = expression
        else:
            name = self.unused(f"{result}_v" if result in self.node.tiles else result)
            self.values[result] = name
            self.put(instr, f"const auto {name} = {expression};")
        if result in self.node.kept and instr is self.last_writer[result]:
            self.keep(instr, result)

    def keep(self, instr: Instr, tile: str) -> None:
        """Values to the tile that has memory; a left operand of the matrix unit is an operand of the pass."""
        if tile in self.left:
            parameter = self.unused(f"{tile}_rows")
            self.operands[parameter] = f"LeftRows({tile})"
            self.put(instr, f"{parameter}.take(at, {self.values[tile]});")
        else:
            self.put(instr, f"at.store({tile}, {self.values[tile]});")

    def unused(self, name: str) -> str:
        """A name for values that none has yet: a tile may be written twice."""
        self.taken[name] = self.taken.get(name, 0) + 1
        return name if self.taken[name] == 1 else self.unused(f"{name}_{self.taken[name]}")

    def put(self, instr: Instr, text: str) -> None:
        self.lines.append((instr, text))

    def value(self, instr: Instr, tile: str) -> str:
        """The name of a tile's values, loaded before their first use."""
        if tile not in self.values:
            self.values[tile] = self.unused(f"{tile}_v")
            self.put(instr, f"const auto {self.values[tile]} = at.load({tile});")
        return self.values[tile]

    def expression(self, instr: Instr) -> str:
        """What an instruction computes, in terms of values."""
        name, operands = instr.name, instr.operands
        if name == "TLOAD":
            window = operands[1]
            assert isinstance(window, GmWindow)
            return f"at.load({self.gm_name(instr, window)})"
        if name == "TEXTRACT":
            return f"at.extract({operands[1]}, {operands[2]})"
        if name == "TCVT":
            return self.cast(instr)
        if name == "TMOV":
            return self.value(instr, str(operands[1]))
        if name in UNARY:
            return UNARY[name].format(self.value(instr, str(operands[1])))
        if name == "TEXPANDS":
            assert isinstance(operands[1], Imm)
            return f"at.all({operands[1].text})"
        if name in ("TROWEXPAND", "TCOLEXPAND"):
            return self.broadcast(name, str(operands[1]))
        return self.binary(instr)

    def binary(self, instr: Instr) -> str:
        name, (_, a, b) = instr.name, instr.operands
        stem = name.removeprefix("TROWEXPAND").removeprefix("TCOLEXPAND").removeprefix("T")
        if name.startswith(("TROWEXPAND", "TCOLEXPAND")):
            left = self.value(instr, str(a))
            if name == "TROWEXPANDDIV":
                return f"{left} / {self.divisor(str(b))}"
            right = self.broadcast(name, str(b))
        else:
            left, right = (_text(o) if isinstance(o, Imm) else self.value(instr, str(o)) for o in (a, b))
            stem = stem.removesuffix("S") if isinstance(a, Imm) or isinstance(b, Imm) else stem
        text = f"{left} {INFIX[stem]} {right}" if stem in INFIX else f"{CALLS[stem]}({left}, {right})"
        return self.in_dtype(str(instr.operands[0]), text)

    def in_dtype(self, result: str, text: str) -> str:
        """Values as a tile of the result's dtype would have them; a store by itself rounds, and does not wrap."""
        dtype = self.dtypes[result]
        if dtype in ("int8", "int16"):
            return f"at.template wrapped<{C_TYPES[dtype]}>({text})"
        narrow = dtype in ("bf16", "fp16") and result in self.read_again
        return f"at.template rounded<{C_TYPES[dtype]}>({text})" if narrow else text

    def divisor(self, column: str) -> str:
        """The operand that divides by a column, one for all its uses."""
        made = f"Divisor({column})"
        known = [name for name, text in self.operands.items() if text == made]
        name = known[0] if known else self.unused(f"{column}_divisor")
        self.operands[name] = made
        return name

    @staticmethod
    def broadcast(name: str, tile: str) -> str:
        return f"at.column({tile})" if name.startswith("TROW") else f"at.row({tile})"

    def cast(self, instr: Instr) -> str:
        result, source = (str(o) for o in instr.operands[:2])
        value, to = self.value(instr, source), self.dtypes[result]
        if to == "fp32":
            return f"at.to_float({value})" if self.dtypes[source] in INTEGERS else value
        # A store rounds: only values that are computed with are rounded here.
        return f"at.template rounded<{C_TYPES[to]}>({value})" if result in self.read_again else value


def _text(operand: object) -> str:
    """A scalar operand; what is more than a number is made a vector, whatever its type is."""
    assert isinstance(operand, Imm)
    number = operand.text.lstrip("-").replace(".", "", 1).replace("e-", "").replace("e+", "").removesuffix("f")
    return operand.text if number.isdigit() else f"at.all({operand.text})"
