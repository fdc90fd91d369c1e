"""The operators that library.py times: sizes, what PyTorch and ONNX Runtime call the same, and the work in them."""

from __future__ import annotations

from library_cases.attention import ATTENTION
from library_cases.case import Case, Tensors
from library_cases.convolutions import CONVOLUTIONS
from library_cases.experts import EXPERTS
from library_cases.low_bits import LOW_BITS
from library_cases.places import PLACES
from library_cases.products import PRODUCTS
from library_cases.prologs import PROLOGS
from library_cases.rows import ROWS

__all__ = ["CASES", "Case", "Tensors"]

CASES: tuple[Case, ...] = (
    *ROWS,
    *PLACES,
    *PRODUCTS,
    *CONVOLUTIONS,
    *LOW_BITS,
    *ATTENTION,
    *EXPERTS,
    *PROLOGS,
)
