"""Specs: models, the loader with source spans, expressions."""

from pyptogen.schema.contract import AttrSpec, DimSpec, TensorSpec
from pyptogen.schema.expression import Expr
from pyptogen.schema.loader import load_source, load_spec
from pyptogen.schema.source import Source
from pyptogen.schema.spec import (
    Assign,
    FunctionSpec,
    LoopSpec,
    Spec,
    StageSpec,
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
