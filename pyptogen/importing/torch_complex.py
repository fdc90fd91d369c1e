"""Complex numbers of PyTorch, which programs use to turn pairs of elements: their two parts, each a value.

What is done to a complex tensor as it is (its shape changed, a part taken) is done to both parts; the language has no
complex numbers, so inputs and outputs of a program have none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pyptogen.importing import vocabulary as v
from pyptogen.importing.expression import new_axis
from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.torch_site import Site
from pyptogen.importing.torch_table import Translation, takes
from pyptogen.importing.vocabulary import Operand
from pyptogen.importing.writing import Value


@dataclass(frozen=True, slots=True)
class Complex:
    """A complex tensor: two of fp32."""

    real: Value
    imaginary: Value

    def each(self, of: Callable[[Value, str], Value]) -> Complex:
        """Both parts, made into others; told by a word."""
        return Complex(of(self.real, "real"), of(self.imaginary, "imag"))


COMPLEX: dict[str, Translation] = {}
"""What is done to complex operands otherwise than to others."""
_VIEWS = frozenset(
    {"view", "reshape", "_unsafe_view", "flatten", "unflatten", "squeeze", "unsqueeze", "view_copy", "expand"}
    | {"permute", "transpose", "slice", "select", "narrow", "clone", "contiguous", "alias", "detach"}
)


def of_complex(name: str, found: Translation | None) -> Translation:
    """The translation of an operation of complex operands, ``found`` being that of others."""
    if name in COMPLEX:
        return COMPLEX[name]
    if name not in _VIEWS or found is None:
        raise NotTakenError(f"`{name}` of complex numbers", "compute with their two parts")
    return lambda at, x, *given, **options: x.each(lambda part, _: found(at, part, *given, **options))


@takes("view_as_complex")
def _view_as_complex(at: Site, x: Value) -> Complex:
    x, last = at.named(x), x.rank - 1
    return Complex(*(v.select(x, last, str(i), at.shape) for i in range(2)))


@takes("polar")
def _polar(at: Site, size: Value, angle: Value) -> Complex:
    at.are_angles(angle)
    angle = at.named(angle)
    rotation = (v.unary(word, angle, "fp32", at.shape) for word in ("cos", "sin"))
    if size.expression.text.startswith("ones("):
        return Complex(*rotation)
    size = at.named(size)
    return Complex(*(v.binary(size, "*", one, "fp32", at.shape, "part") for one in rotation))


@takes("complex")
def _complex(at: Site, real: Value, imaginary: Value) -> Complex:
    return Complex(real, imaginary)


def _view_as_real(at: Site, x: Complex) -> Value:
    parts = [
        replace(one, expression=new_axis(one.expression, one.rank), shape=(*one.shape, "1"))
        for one in at.apart([x.real, x.imaginary])
    ]
    return v.concat(parts, -1, "fp32", at.shape)


def _conj(at: Site, x: Complex) -> Complex:
    return Complex(x.real, replace(v.negative(x.imaginary, "fp32"), shape=x.imaginary.shape))


def _product(at: Site, a: Operand | Complex, b: Operand | Complex) -> Complex:
    def times(x: Operand, y: Operand) -> Value:
        return v.binary(x, "*", y, "fp32", at.shape, "product")

    if not isinstance(a, Complex):
        a, b = b, a
    assert isinstance(a, Complex)
    if not isinstance(b, Complex):
        factor = at.named(b) if isinstance(b, Value) else b
        return a.each(lambda part, _: times(part, factor))
    a, b = (one.each(lambda part, _: at.named(part)) for one in (a, b))
    real = v.binary(times(a.real, b.real), "-", times(a.imaginary, b.imaginary), "fp32", at.shape, "real")
    imaginary = v.binary(times(a.real, b.imaginary), "+", times(a.imaginary, b.real), "fp32", at.shape, "imag")
    return Complex(real, imaginary)


def _of_sum(sign: str) -> Translation:
    def translate(at: Site, a: Operand | Complex, b: Operand | Complex) -> Complex:
        a, b = (one if isinstance(one, Complex) else Complex(one, 0) for one in (a, b))  # type: ignore[arg-type]
        parts = ((a.real, b.real), (a.imaginary, b.imaginary))
        return Complex(*(v.binary(one, sign, other, "fp32", at.shape, "part") for one, other in parts))

    return translate


COMPLEX |= {
    "view_as_real": _view_as_real,
    "real": lambda at, x: x.real,
    "imag": lambda at, x: x.imaginary,
    "conj": _conj,
    "_conj": _conj,
    "conj_physical": _conj,
    "resolve_conj": lambda at, x: x,
    "mul": _product,
    "add": _of_sum("+"),
    "sub": _of_sum("-"),
}
