"""Specs: models, the loader with source spans, expressions."""

from pyptogen.schema.expression import Expr
from pyptogen.schema.loader import load_source, load_spec
from pyptogen.schema.source import Source
from pyptogen.schema.spec import (
    Assign,
    AttrSpec,
    DimSpec,
    FunctionSpec,
    LoopSpec,
    Spec,
    StageSpec,
    TensorSpec,
    TilingRowSpec,
    Tolerance,
    VerifySpec,
)

__all__ = [
    "Assign",
    "AttrSpec",
    "DimSpec",
    "Expr",
    "FunctionSpec",
    "LoopSpec",
    "Source",
    "Spec",
    "StageSpec",
    "TensorSpec",
    "TilingRowSpec",
    "Tolerance",
    "VerifySpec",
    "load_source",
    "load_spec",
]
