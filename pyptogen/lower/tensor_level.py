"""The passes of the Tensor level, in order: a program as it was read → what tiles are cut from.

    opaque              stages with a kernel by hand
    update_after_loop   rows of rounds into a tensor, once the loop is over
    reduce_before_loop  what a loop reduces over axes of run-time length
    unlowered           what no pass can lower is refused

For one platform and its tiling rows:

    halves              64-bit numbers as two of 32, where the platform has no instructions for them
    fit                 dtypes and operations that the platform has
    late_reshapes       single elements first, another shape after them
    planes              small matrices of a long batch, element by element
    named_sizes         a dim for each size that loops may cut
    fixpipe             what the way out of an accumulator does
    host_scalars        numbers that the caller's processor computes
    literal_sizes       a dim for each axis whose size is a number, or no dim's
    product_depths      a dim for each depth of a product
    distinct_dims       each dim on one axis of a value
    split_products      products in parts of their depth
    turned_values       what a round computes and reads transposed
    overwritten         what overwrites an input behind what reads it
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from pyptogen.lower.hand import opaque
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor import fit, halves
from pyptogen.lower.tensor.building import layouts
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tensor.passes import (
    host_scalars,
    late_reshapes,
    planes,
    reduce_before_loop,
    unlowered,
    update_after_loop,
)
from pyptogen.lower.tile.cutting import fixpipe
from pyptogen.lower.tile.dims import distinct_dims, literal_sizes, named_sizes, product_depths
from pyptogen.lower.tile.kernels import overwritten, split_products
from pyptogen.lower.tile.rounds import turned_values
from pyptogen.lower.tile.sizes.sizes import Selected


def prepared(program: Program, target: str) -> Program:
    """The passes that every platform shares.

    Raises:
        DiagnosticError: PTG3xx, what cannot be lowered, with its place in the spec.
    """
    program = opaque.run(program, target)
    program = update_after_loop.run(program)
    program = reduce_before_loop.run(program)
    unlowered.check(program)
    layouts.check(program)
    return program


def fitted(
    program: Program, platform: Platform, rows: Sequence[Selected], copied: Set[str]
) -> tuple[Program, tuple[Selected, ...]]:
    """The passes for one platform. Gives the program, and the tiling rows in its dims.

    Args:
        program: as `prepared` gives it.
        platform: where it will run.
        rows: the tiling rows that can apply.
        copied: values that are to be copied, because neither strides nor an index lead to where they lie.
    """
    program = halves.run(program, platform)
    program = fit.run(program, platform, copied)
    program = late_reshapes.run(program)
    program = planes.run(program, platform)
    program = named_sizes.run(program)
    program = fixpipe.run(program, platform, rows)
    program = host_scalars.run(program)
    program, rows = product_depths.run(*literal_sizes.run(program, rows))
    program, rows = split_products.run(*distinct_dims.run(program, rows))
    return overwritten.last(turned_values.run(program, platform, rows)), tuple(rows)
