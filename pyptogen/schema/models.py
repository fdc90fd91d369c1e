"""Pydantic models of the mappings in a spec: which keys there are and what kind of value each holds.

Values that are expressions stay text here; ``pyptogen.schema.spec`` holds what comes out after they are
parsed.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """Base of all models: no unknown keys, no silent conversion between kinds."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SpecModel(Section):
    """The top level of a spec."""

    pyptogen: int
    operator: str
    doc: str = ""
    include: Any = None
    dims: dict[str, Any] = Field(default_factory=dict)
    attrs: dict[str, Any] = Field(default_factory=dict)
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    requires: list[Any] = Field(default_factory=list)
    functions: dict[str, Any] = Field(default_factory=dict)
    graph: dict[str, Any] = Field(default_factory=dict)
    tiling: list[Any] | dict[str, Any] = Field(default_factory=list)
    schedule: dict[str, Any] = Field(default_factory=dict)
    kernels: dict[str, Any] = Field(default_factory=dict)
    backward: str | None = None
    verify: dict[str, Any] = Field(default_factory=dict)
    targets: list[str] | None = None


class IncludedModel(Section):
    """A file that others include: dims, functions and tiling count; a whole spec may be included as well."""

    pyptogen: int = 1
    operator: str = ""
    doc: str = ""
    include: Any = None
    dims: dict[str, Any] = Field(default_factory=dict)
    attrs: Any = None
    inputs: Any = None
    outputs: Any = None
    requires: Any = None
    functions: dict[str, Any] = Field(default_factory=dict)
    graph: Any = None
    tiling: list[Any] | dict[str, Any] = Field(default_factory=list)
    schedule: Any = None
    kernels: Any = None
    backward: Any = None
    verify: Any = None
    targets: Any = None


class TilingFileModel(Section):
    """``tiling: {file: …}``: the table stands in a file of its own."""

    file: str


class TableFileModel(Section):
    """The mapping form of such a file; TOML has no other."""

    pyptogen: int = 1
    doc: str = ""
    tiling: list[Any]


GREATEST_SIZE = 2**31 - 1
"""Of a dim."""


class DynamicDimModel(Section):
    """``{min, max, multiple_of}``: a size known only at run time."""

    min: int = Field(default=1, ge=1)
    max: int = Field(ge=1, le=GREATEST_SIZE)
    multiple_of: int = Field(default=1, ge=1, le=GREATEST_SIZE)
    doc: str = ""


class AttrModel(Section):
    """``{type, default}``: a run-time scalar."""

    type: Literal["fp32", "int32", "int64"]
    default: float | int | None = None
    doc: str = ""


class TensorModel(Section):
    """The long form of a tensor type."""

    shape: Any
    dtype: str
    layout: str = "nd"
    strides: Any = None
    init: Any = None
    doc: str = ""


class InPlaceModel(Section):
    """An output that updates an input: ``{inplace: true}`` or ``{inplace: other_name}``."""

    inplace: bool | str
    doc: str = ""


class LoopModel(Section):
    """The head of a loop: the dim whose blocks its iterations see, how long a block is, and which iterations take
    place."""

    over: str
    tile: int = Field(ge=1)
    only: Any = Field(default=None, alias="if")


class KernelModel(Section):
    """A stage by hand; which keys go with which level, ``kernels_section`` knows."""

    level: Literal["tile", "block", "instruction", "source"]
    doc: str = ""
    core: Literal["aiv", "aic", "mix", "vector", "cube", "mixed"] | None = None
    targets: list[str] | None = None
    grid: dict[str, Any] = Field(default_factory=dict)
    buffers: dict[str, Any] = Field(default_factory=dict)
    sync: Literal["auto", "hand"] | None = None
    before: Any = None
    body: Any = None
    after: Any = None
    reads: list[str] = Field(default_factory=list)
    writes: list[str] | dict[str, Any] = Field(default_factory=list)
    file: str | None = None
    entry: str | None = None
    arguments: list[str] | None = None
    blocks: Any = None
    range: str | None = None


class BufferModel(Section):
    """A tile at a fixed place."""

    memory: Literal["ub", "l1", "l0a", "l0b", "l0c"]
    address: int = Field(ge=0)
    shape: Any
    dtype: str
    valid: Any = None


class ToleranceModel(Section):
    """How far an output may be from the reference; ``outliers`` is the fraction of elements that may be
    further, ``reason`` why that is more than usual."""

    rtol: float = Field(default=0.0, ge=0)
    atol: float = Field(default=0.0, ge=0)
    outliers: float = Field(default=0.0, ge=0, le=1)
    reason: str = ""


class VerifyModel(Section):
    """How the operator is verified."""

    generate: dict[str, Any] = Field(default_factory=dict)
    cases: list[dict[str, int]] = Field(default_factory=list)
    tolerance: dict[str, Any] = Field(default_factory=dict)
    golden: Any = None


class GoldenModel(Section):
    """``golden: {file, function}``."""

    file: str
    function: str | None = None


class ScheduleModel(Section):
    """Hints about order and placement."""

    cores: int | None = Field(default=None, ge=1)
    policy: Literal["critical_path", "breadth", "depth"] | None = None
    priority: dict[str, int] = Field(default_factory=dict)
    l1_reuse: dict[str, int] = Field(default_factory=dict)
    merge: dict[str, int] = Field(default_factory=dict)
    buffers: dict[str, int] = Field(default_factory=dict)


class SizeModel(Section):
    """The mapping form of one tile size."""

    tile: int | None = Field(default=None, ge=1)
    tail: Literal["mask"] | None = None
    unroll: list[int] | None = Field(default=None, min_length=1)
    l1: int | None = Field(default=None, ge=1)
    l0: int | None = Field(default=None, ge=1)
    vector: int | None = Field(default=None, ge=1)
    rows: int | None = Field(default=None, ge=1)
    band: int | None = Field(default=None, ge=1)
