"""The one Jinja2 environment: strict, no autoescape, templates beside this file; and where each line comes from.

A template is cut into sections by comments ``{#: name #}`` on lines of their own; what ``{% serves mark %}`` …
``{% endserves %}`` stands around comes from what the mark says, and so does a line with a mark in it (`Marks`). While
a template is rendered the marks stand in the text; `render` takes them out again and keeps what they said. A line of a
value of several lines belongs to the end of that value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyptogen.lower.origins import Origin, Traced
from pyptogen.records import replace
from pyptogen.templates.ejected import own_folder
from pyptogen.templates.given import given

if TYPE_CHECKING:
    from jinja2 import Environment

_SECTION = re.compile(r"\s*\{#: (?P<name>.+) #\}\s*")
_NO_LINE_END = ("%}", "-}}", "#}")
"""What a line of a template ends with that has no line end in the text."""
_MARK = re.compile("\x01(?P<kind>[#=(]?)(?P<what>[^\x02]*)\x02")
"""A section, an origin, the begin of an origin, or its end. These control characters stand in no spec."""
_END = "\x01\x02"


class Marks:
    """Marks for values of one template: text that says what the line it ends up in comes from."""

    def __init__(self) -> None:
        self.origins: list[Origin] = []
        self._numbers: dict[Origin, int] = {}

    def __call__(self, origin: Origin) -> str:
        number = self._numbers.setdefault(origin, len(self.origins))
        if number == len(self.origins):
            self.origins.append(origin)
        return f"\x01={number}\x02"


def environment() -> Environment:
    """Strict environment: an undefined name in a template is an error. Templates that the project has ejected come from
    there, and are kept from Python that the generator does not hand them; then come those of plug-ins."""
    folder = own_folder()
    return _environment(folder if folder.is_dir() else None)


@cache
def _environment(own: Path | None) -> Environment:
    from jinja2 import (
        BaseLoader,
        ChoiceLoader,
        Environment,
        FileSystemLoader,
        FunctionLoader,
        PackageLoader,
        PrefixLoader,
        StrictUndefined,
        nodes,
    )
    from jinja2.ext import Extension
    from jinja2.parser import Parser
    from jinja2.sandbox import SandboxedEnvironment

    class Origins(Extension):
        """Marks the end of each line with its section; the tag ``serves``."""

        tags = {"serves"}  # noqa: RUF012  (as Jinja2 has it)

        def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
            return _with_sections(source)

        def parse(self, parser: Parser) -> list[nodes.Node]:
            line = next(parser.stream).lineno
            begin = nodes.Filter(parser.parse_expression(), "begin_of", [], [], None, None, lineno=line)
            body = parser.parse_statements(("name:endserves",), drop_needle=True)
            return [nodes.Output([begin], lineno=line), *body, nodes.Output([nodes.TemplateData(_END)], lineno=line)]

    def of_plug_in(name: str) -> tuple[str, str, None] | None:
        path = given()[name][0] if name in given() else None
        return None if path is None else (path.read_text(encoding="utf-8"), str(path), None)

    loaders: list[BaseLoader] = [FunctionLoader(of_plug_in)] if given() else []
    originals = PackageLoader("pyptogen", "templates")
    loaders += [originals, PrefixLoader({"pyptogen": originals})]  # `pyptogen/NAME` is the generator's in any case
    if own is not None:
        loaders.insert(0, FileSystemLoader(own))
    made = (Environment if own is None else SandboxedEnvironment)(
        loader=ChoiceLoader(loaders),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=[Origins],
    )
    made.filters["begin_of"] = lambda mark: mark.replace("=", "(")
    return made


def _with_sections(source: str) -> str:
    """The text of a template with marks of its sections in place of the comments that name them."""
    lines, section = [], "head"
    for line in source.split("\n"):
        named = _SECTION.fullmatch(line)
        if named:
            section = named["name"]
        else:
            lines.append(line if line.endswith(_NO_LINE_END) else f"{line}\x01#{section}\x02")
    return "\n".join(lines).removesuffix(f"\x01#{section}\x02")


def render(template: str, marks: Marks | None = None, **values: Any) -> Traced:
    """Text of one template; ``marks`` are those in the values."""
    text = environment().get_template(template).render(**values)
    lines = list(_unmarked(text.split("\n"), marks.origins if marks is not None else []))
    # By identity: those of the marks live as long as the lines.
    parts: dict[tuple[int, str], Origin] = {}
    origins = []
    section, own, region = "head", None, None
    for _, its_section, its_own, region in reversed(lines):
        if its_section:
            section, own = its_section, its_own
        origin = own or region or _NOWHERE
        key = id(origin), section
        part = parts.get(key)
        if part is None:
            part = parts[key] = replace(origin, part=f"{template}: {section}")
        origins.append(part)
    origins.reverse()
    plain = "\n".join([line[0] for line in lines])
    return Traced(plain, origins if lines[-1][0] else origins[:-1])


_NOWHERE = Origin()
_Line = tuple[str, str, Origin | None, Origin | None]
"""A line without its marks, and what they said: the section (empty: the line ends in the middle of a value), the origin
of the line, and the one that is served around it."""


def _unmarked(lines: list[str], known: list[Origin]) -> Iterator[_Line]:
    around: list[Origin] = []
    for line in lines:
        if "\x01" not in line:
            yield line, "", None, around[-1] if around else None
            continue
        section, own = "", None
        for mark in _MARK.finditer(line):
            kind, what = mark.groups()
            if kind == "#":
                section = what
            elif kind == "=":
                own = own or known[int(what)]
            elif kind == "(":
                around.append(known[int(what)])
            else:
                around.pop()
        yield _MARK.sub("", line), section, own, around[-1] if around else None


def docstring(text: str) -> str:
    """Text that stays itself between triple quotes."""
    if "\\" not in text and '"""' not in text and not text.endswith('"'):
        return text
    return text.replace("\\", "\\\\").replace('"', '\\"')
