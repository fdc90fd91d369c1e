"""The one Jinja2 environment: strict, no autoescape, templates beside this file."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """Strict environment: an undefined name in a template is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("pyptogen", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(template: str, **values: Any) -> str:
    """Text of one template."""
    return environment().get_template(template).render(**values)


def docstring(text: str) -> str:
    """Text that stays itself between triple quotes."""
    if "\\" not in text and '"""' not in text and not text.endswith('"'):
        return text
    return text.replace("\\", "\\\\").replace('"', '\\"')
