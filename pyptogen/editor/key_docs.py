"""What each key of a spec means, in a line: for JSON Schema, hover and completion."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.schema import models
from pyptogen.schema.models import Section
from pyptogen.schema.tiling_section import STAGE_OPTIONS

KEY_DOCS: Mapping[type[Section], Mapping[str, str]] = {
    models.SpecModel: {
        "pyptogen": "Version of the spec language: 1.",
        "operator": "Name of the operator in lower case; names files and functions.",
        "doc": "What the operator computes, for readers.",
        "include": "Other files whose dims, functions and tiling count here; paths relative to this file.",
        "dims": "Sizes by name: a number, an expression of other dims, or a range `{min, max}` known only at run time.",
        "attrs": "Run-time scalars: `eps: {type: fp32, default: 1.0e-6}`.",
        "inputs": "Tensors that a call is given: `x: bf16[t, h]`, `w: int8[k, n] @ nz`.",
        "outputs": "Tensors that a call gives; `{inplace: true}` updates the input of that name.",
        "requires": "Comparisons of dims and attrs that every call must meet: `[s % 16 == 0]`.",
        "functions": "Sub-graphs with arguments, written into their callers: `name(x): {…, return: …}`.",
        "graph": "What is computed: `name: expression`, all directly here, or all in stages.",
        "tiling": "Rows of tile sizes; the first whose `when` holds is used. `- {}` leaves them to the compiler.",
        "schedule": "Hints about order and cores.",
        "kernels": "Stages by hand at tile, block, instruction or source level.",
        "backward": "The operator beside this one that computes gradients: of `d_y` of an output, `d_x` of an input.",
        "verify": "How results are checked: generators of inputs, cases, tolerances, a golden.",
        "targets": "Platforms to build for; all usual ones without it.",
    },
    models.DynamicDimModel: {
        "min": "Smallest size (1 without it).",
        "max": "Largest size.",
        "multiple_of": "Every size is a multiple of this.",
        "doc": "What the size counts.",
    },
    models.AttrModel: {
        "type": "fp32, int32 or int64.",
        "default": "The value where a call gives none; without it every call gives one.",
        "doc": "What the scalar means.",
    },
    models.TensorModel: {
        "shape": "The axes, as expressions of dims.",
        "dtype": "The type of the elements.",
        "layout": "How elements lie in memory: nd (row-major), dn, nz (packed for products).",
        "strides": "Elements from one index of each axis to the next; the last is 1.",
        "init": "Of an output: the number that all elements begin with.",
        "doc": "What the tensor holds.",
    },
    models.InPlaceModel: {
        "inplace": "true, or the name of the input that this output updates.",
        "doc": "What the output holds.",
    },
    models.LoopModel: {
        "over": "The dim whose blocks the iterations see.",
        "tile": "Elements of the dim in a block.",
        "if": "Iterations where this comparison does not hold are left out.",
    },
    models.KernelModel: {
        "level": "tile, block, instruction or source.",
        "doc": "What the kernel does.",
        "core": "The core that it runs on: vector (aiv), cube (aic) or mixed (mix).",
        "targets": "Platforms that this kernel is for.",
        "grid": "Loops that are distributed to the cores: `{i: ceil(t / 64)}`.",
        "buffers": "Tiles at fixed places.",
        "sync": "auto (flags are placed by the tool) or hand.",
        "before": "Lines that come before the loops.",
        "body": "Lines of an iteration: `name: call`, plain calls, `for`.",
        "after": "Lines that come after the loops.",
        "reads": "Tensors that the C++ reads.",
        "writes": "Tensors that the kernel writes; with types where they are new.",
        "file": "The C++ file, relative to this spec.",
        "entry": "The function in the file.",
        "arguments": "What the function is called with, in order.",
        "blocks": "Blocks of a launch.",
        "range": "The dim whose range a launch covers.",
    },
    models.BufferModel: {
        "memory": "ub, l1, l0a, l0b or l0c.",
        "address": "Bytes from the beginning of the memory.",
        "shape": "[rows, columns].",
        "dtype": "The type of the elements.",
        "valid": "[rows, columns] that are filled, if fewer.",
    },
    models.ToleranceModel: {
        "rtol": "Relative error that is allowed.",
        "atol": "Absolute error that is allowed.",
        "outliers": "Part of the elements that may be further off.",
        "reason": "Why more than usual is allowed; without it the caps hold.",
    },
    models.VerifyModel: {
        "generate": "Input generators by input: `x: uniform(-1, 1)`.",
        "cases": "Sizes of the run-time dims to test with: `[{t: 1}, {t: 37}]`.",
        "tolerance": "Allowed differences by output, where the derived ones do not fit.",
        "golden": "A reference in Python: `{file: golden.py, function: name}`.",
    },
    models.GoldenModel: {
        "file": "A Python file, relative to this spec.",
        "function": "The function in it; without this, the one named as the operator.",
    },
    models.ScheduleModel: {
        "cores": "No launch has more blocks than this.",
        "policy": "Which ready launches start first: critical_path, breadth or depth.",
        "priority": "By stage; larger first.",
        "l1_reuse": "By stage with products: tiles that share what is in L1.",
        "merge": "By stage with vector work: tiles that a block takes at least.",
        "buffers": "By stage: copies of its buffers.",
    },
    models.SizeModel: {
        "tile": "Elements in a tile.",
        "tail": "mask: the last tile may be shorter.",
        "unroll": "Sizes in falling order: as many of the first as fit, then of the next.",
        "l1": "Elements of the depth of a product that are loaded to L1 at a time.",
        "l0": "Elements of the depth of a product that are multiplied at a time.",
        "vector": "Rows that the vector work of an iteration takes at a time.",
        "rows": "Rows that all work of an iteration takes at a time.",
        "band": "Elements that are done for all other tiles before the next are begun (order of the grid, for L2).",
    },
    models.TilingFileModel: {"file": "A file with the rows, relative to this spec."},
    models.TableFileModel: {
        "pyptogen": "Version of the spec language: 1.",
        "doc": "What the table is for.",
        "tiling": "The rows.",
    },
}
"""By model, then by key as it is written."""

ROW_DOCS: Mapping[str, str] = {
    "when": 'The row counts where all of this holds: `{target: cpu, t: "<= 32"}`.',
    "fuse": "Lists of neighbouring stages that become one kernel.",
    "fifo": "Mixed kernels, whose cores hand tiles to each other through fifos of so many tiles.",
    "vector_cores": "Vector cores beside a cube core of a mixed kernel: 1 or 2.",
    "l1_reuse": "Of a stage with products: tiles that a block takes at least, with what they share loaded once.",
    "split_k": "Of a stage: parts into which the depth of its products is cut.",
    "buffers": "Of a stage: copies of its buffers.",
}
"""Keys of a tiling row, and of a stage in it, that are neither dims nor stages."""
assert {*STAGE_OPTIONS} <= {*ROW_DOCS}

STAGE_DOCS: Mapping[str, str] = {
    "when": "A comparison of dims, decided at build time: without it the stage is always there.",
    "if": "A comparison of dims, attrs and inputs of one element, decided in each call.",
    "loop": "The stage is a loop: `{over: dim, tile: 128}`.",
    "carry": "Values that go from iteration to iteration, and how they start.",
    "body": "Values of each iteration.",
    "next": "What the carried values are in the next iteration.",
    "collect": "Values whose iterations are put together.",
}
"""Keys of a stage of the graph that are no values."""
