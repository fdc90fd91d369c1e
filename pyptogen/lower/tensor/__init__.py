"""The Tensor level: SSA over whole tensors with symbolic shapes, target independent."""

from pyptogen.lower.tensor.from_spec import from_spec
from pyptogen.lower.tensor.printer import print_program

__all__ = ["from_spec", "print_program"]
