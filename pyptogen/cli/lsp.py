"""``pyptogen lsp``: the language server."""

from __future__ import annotations


def command() -> None:
    """Answer an editor over stdin and stdout, as a language server of specs."""
    from pyptogen.diagnostics import fault

    try:
        import pygls  # noqa: F401
    except ImportError:
        fix = "pip install 'pyptogen[lsp]'"
        raise fault("PTG506", "the language server needs pygls, which is not installed", None, fix=fix) from None
    from pyptogen.editor.server import make_server

    make_server().start_io()
