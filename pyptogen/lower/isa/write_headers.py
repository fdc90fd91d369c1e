"""The parts of the bundled headers that are written from the instruction table and the platforms. Run as a module it
writes them anew."""

from __future__ import annotations

from pathlib import Path

from pyptogen.lower.isa import (
    checked_header,
    element_types,
    operand_header,
    operations,
    platform_header,
    product_header,
)

FOLDER = Path(__file__).parents[2] / "runtime" / "include" / "pto"
"""What the paths of `render` are relative to."""

_WRITTEN = """\
Written from the instruction table (pyptogen/lower/isa) by `python -m pyptogen.lower.isa.write_headers`; a test proves
// that it is up to date."""


def render() -> dict[str, str]:
    """The texts by path."""
    sets = checked_header.rendered_sets() | operand_header.rendered_sets()
    checked = checked_header.render(_WRITTEN)
    return {
        "common/operation.hpp": operations.render(_WRITTEN),
        "cpu/core/platforms.hpp": platform_header.render(),
        "cpu/isa/element_types.hpp": element_types.render(sets, _WRITTEN),
        "cpu/isa/operands.hpp": operand_header.render(_WRITTEN),
        "cpu/isa/products.hpp": product_header.render(_WRITTEN),
        **{f"cpu/checked/{file}": text for file, text in checked.items()},
    }


if __name__ == "__main__":
    for path, text in render().items():
        (FOLDER / path).write_text(text)
