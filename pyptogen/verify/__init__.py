"""Verification: example inputs from the generators of a spec, tolerances, and a verdict per output."""

from __future__ import annotations

from pyptogen.inputs.example import example_inputs
from pyptogen.inputs.sizes import case_dims
from pyptogen.verify.cases import CaseResult, verify_case
from pyptogen.verify.compare import Verdict, compare
from pyptogen.verify.tolerance import Tolerance, tolerances

__all__ = [
    "CaseResult",
    "Tolerance",
    "Verdict",
    "case_dims",
    "compare",
    "example_inputs",
    "tolerances",
    "verify_case",
]
