"""A pto dialect for xDSL: what this project's `.pto` text may say, checked. See docs/pto-text.md."""

from templates.pto.instructions import INSTRUCTIONS
from templates.pto.structure import Pto, parse

__all__ = ["INSTRUCTIONS", "Pto", "parse"]
