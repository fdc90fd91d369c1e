"""What authors write, in Markdown: a renderer that is not ours shows it as it was written."""

from __future__ import annotations

from html import escape
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pyptogen.inspect.markdown import cell, code, prose

HOSTILE = (
    "1. # <script>alert(1)</script> [a](javascript:b) ![i](x) `one` `two | ``three` a|b\\| *c* __d__ &lt; ~~e~~ | end `"
)
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
TEXTS = st.text(st.sampled_from("ab1_ .)#-+=>`|\\*[]()<!&;~:"), max_size=24).filter(str.strip)


def shown(inline: Token) -> str:
    """The text that readers see; anything but text and code is a fault."""
    children = inline.children or []
    assert {child.type for child in children} <= {"text", "text_special", "code_inline"}
    return "".join(child.content for child in children).replace("`", "")


def written(text: str) -> str:
    """The same of what was written. Marks of code spans are not shown, nor blanks at their ends."""
    return "".join(text.replace("`", "").split())


@given(TEXTS)
@example(HOSTILE)
@example("- one")
@example("---")
@example("====")
@example("12) one")
def test_a_paragraph(text: str) -> None:
    begin, inline, end = RENDERER.parse(prose(text))
    assert (begin.type, end.type) == ("paragraph_open", "paragraph_close")
    assert written(shown(inline)) == written(text)


@given(TEXTS)
@example(HOSTILE)
@example("`a | b` c")
@example("`a\\` | c")
def test_a_cell(text: str) -> None:
    tokens = RENDERER.parse(f"| a | b |\n|---|---|\n| {cell(text)} | last |\n")
    cells = [inline for begin, inline in pairwise(tokens) if begin.type == "td_open"]
    assert [written(shown(inline)) for inline in cells] == [written(text), "last"]


@given(TEXTS)
@example("`")
@example("a``b` c.yaml")
def test_a_file_name(text: str) -> None:
    name = text.strip()
    assert RENDERER.render(code(name)) == f"<p><code>{escape(name, quote=False)}</code></p>\n"


@pytest.mark.parametrize("text", ["As `gated_delta_step`, of [t, h].", "log(x) - 1 of `a[b]`"])
def test_names_stay_code(text: str) -> None:
    """What is between backticks is as before."""
    for made in (prose(text), cell(text)):
        assert made.split("`")[1] == text.split("`")[1]
