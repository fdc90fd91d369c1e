"""embedding_bag: the Python entry. Made by pyptogen from embedding_bag.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class EmbeddingBagOutputs(NamedTuple):
    """What ``embedding_bag`` returns, in contract order."""

    y: npt.NDArray[Any]
    """bf16[t, h]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def embedding_bag(
    table: npt.NDArray[Any],
    token: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> EmbeddingBagOutputs:
    """Sums of the rows of a table that each bag of tokens names, as of several hashed or categorical features
    (Naumov et al., "Deep Learning Recommendation Model for Personalization and Recommendation Systems");
    -1 fills bags that are shorter. Rows are added where they lie, one place of all bags of a tile after
    the other.

    Sizes: t 1 to 65536; bag 1 to 4096; vocabulary 1 to 1048576; h = 128.

    Args:
        table: bf16[vocabulary, h]
        token: int32[t, bag]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        table=table,
        token=token,
        out=out,
    )
    return EmbeddingBagOutputs(*results)
