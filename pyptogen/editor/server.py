"""The language server: a thin skin over `pyptogen.editor`, by pygls.

While somebody types, text, names, shapes and dtypes are looked at in this process; tiles, memory and time, which take
seconds, in another one after a pause.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from pyptogen._version import __version__
from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span
from pyptogen.editor.complete import completions
from pyptogen.editor.document import Document
from pyptogen.editor.facts import lowered_facts
from pyptogen.editor.format_spec import formatted
from pyptogen.editor.hints import inlays, lenses
from pyptogen.editor.hover import hover
from pyptogen.editor.navigate import Location, definitions, references, renamable, rename
from pyptogen.editor.positions import Positions
from pyptogen.editor.session import OpenSpec
from pyptogen.editor.shown_files import kernel_file, report_file

PAUSE = 0.4
"""Seconds without a change after which a spec is lowered."""
_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
_KINDS = {
    "operation": lsp.CompletionItemKind.Function,
    "function": lsp.CompletionItemKind.Function,
    "value": lsp.CompletionItemKind.Variable,
    "dim": lsp.CompletionItemKind.Constant,
    "dtype": lsp.CompletionItemKind.TypeParameter,
    "key": lsp.CompletionItemKind.Property,
    "word": lsp.CompletionItemKind.EnumMember,
    "argument": lsp.CompletionItemKind.Field,
}


class SpecServer(LanguageServer):
    """Specs that are open, by URI, and the process that lowers them."""

    def __init__(self) -> None:
        super().__init__("pyptogen", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental)
        self.open: dict[str, OpenSpec] = {}
        self.waiting: dict[str, asyncio.Task[None]] = {}
        self._lowering: Executor | None = None
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    def spec(self, uri: str) -> OpenSpec:
        """The open spec; one that the editor did not open is read from disk."""
        if uri not in self.open:
            self.take(uri)
        return self.open[uri]

    def take(self, uri: str) -> OpenSpec:
        """Look at the text that the editor has now."""
        given = self.workspace.get_text_document(uri)
        spec = self.open.setdefault(uri, OpenSpec(Document("", "")))
        text = given.source.replace("\r\n", "\n").replace("\r", "\n")
        spec.change(Document(to_fs_path(uri) or uri, text), given.version or 0)
        return spec

    async def lower(self, document: Document) -> Any:
        """What lowering finds, from the other process; a new one takes the place of one that was killed."""
        if self._lowering is None:
            self._lowering = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._lowering, lowered_facts, document.file, document.text)
        except BrokenProcessPool:
            self._lowering = None
            return None

    @property
    def scratch(self) -> Path:
        """A folder for what is shown and was not built; gone at the end."""
        if self._scratch is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="pyptogen-lsp-")
        return Path(self._scratch.name)

    def close(self) -> None:
        """End the other process."""
        if self._lowering is not None:
            self._lowering.shutdown(wait=False, cancel_futures=True)
        if self._scratch is not None:
            self._scratch.cleanup()


def publish(server: SpecServer, uri: str, spec: OpenSpec) -> None:
    """Show what is wrong with a spec."""
    shown = [_diagnostic(one, spec.document) for one in spec.shown]
    server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, shown, spec.version))


def _diagnostic(one: Diagnostic, document: Document) -> lsp.Diagnostic:
    here = one.span if one.span is not None and one.span.file == document.file else None
    elsewhere = f"{one.span}: " if one.span is not None and here is None else ""
    related = [
        lsp.DiagnosticRelatedInformation(_location(span, document), text)
        for text, span in one.notes
        if span is not None
    ]
    return lsp.Diagnostic(
        _range_of(here, document),
        "\n".join([elsewhere + one.message, *one.ways, *(text for text, span in one.notes if span is None)]),
        severity=_SEVERITIES[one.severity],
        code=one.code,
        source="pyptogen",
        related_information=related or None,
    )


def _range_of(span: Span | None, document: Document) -> lsp.Range:
    if span is None:
        return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    places = Positions(document.text)
    start, end = places.of_character(span.line, span.col), places.of_character(span.end_line, span.end_col)
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


def _location(span: Span, document: Document) -> lsp.Location:
    if span.file == document.file:
        return lsp.Location(_uri(span.file), _range_of(span, document))
    at = lsp.Position(span.line - 1, span.col - 1)
    return lsp.Location(_uri(span.file), lsp.Range(at, lsp.Position(span.end_line - 1, span.end_col - 1)))


def _uri(file: str | Path) -> str:
    return from_fs_path(os.path.abspath(file)) or str(file)


def _place(found: Location) -> lsp.Location:
    return lsp.Location(_uri(found.document.file), _range(found.document, found.start, found.stop))


def _range(document: Document, start: int, stop: int) -> lsp.Range:
    places = Positions(document.text)
    return lsp.Range(lsp.Position(*places.position(start)), lsp.Position(*places.position(stop)))


def _offset(spec: OpenSpec, at: lsp.Position) -> int:
    return Positions(spec.document.text).offset(at.line, at.character)


def _refused(error: DiagnosticError) -> JsonRpcException:
    """What an editor shows of a request that cannot be met."""
    return JsonRpcException(code=-32803, message="; ".join(f"{one.message} {' '.join(one.ways)}".strip()
                                                           for one in error.diagnostics))  # fmt: skip


async def changed(server: SpecServer, uri: str) -> None:
    """Look at a text at once, and lower it when its author pauses."""
    spec = server.take(uri)
    publish(server, uri, spec)
    earlier = server.waiting.pop(uri, None)
    if earlier is not None:
        earlier.cancel()
    if not spec.found and spec.document.whole:
        server.waiting[uri] = asyncio.create_task(_lower_later(server, uri, spec.document))


async def _lower_later(server: SpecServer, uri: str, document: Document) -> None:
    await asyncio.sleep(PAUSE)
    facts = await server.lower(document)
    spec = server.open.get(uri)
    if facts is None or spec is None or spec.document != document:
        return
    spec.lowered = facts
    publish(server, uri, spec)
    capable = server.client_capabilities.workspace
    if capable is not None and capable.code_lens is not None and capable.code_lens.refresh_support:
        server.workspace_code_lens_refresh(None)


def make_server() -> SpecServer:
    """A server that answers; `start_io` runs it."""
    server = SpecServer()
    _register_text(server)
    _register_questions(server)
    _register_commands(server)
    return server


Handler = Callable[..., Any] | Callable[..., Awaitable[Any]]


def _register_text(server: SpecServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        await changed(server, params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def edited(params: lsp.DidChangeTextDocumentParams) -> None:
        await changed(server, params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.open.pop(uri, None)
        task = server.waiting.pop(uri, None)
        if task is not None:
            task.cancel()
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    @server.feature(lsp.SHUTDOWN)
    def ended(_params: Any) -> None:
        server.close()

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def format_it(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        document = server.spec(params.text_document.uri).document
        try:
            text = formatted(document.source)
        except DiagnosticError:
            return None
        return [lsp.TextEdit(_range(document, 0, len(document.text)), text)] if text != document.text else []


def _register_questions(server: SpecServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
        spec = server.spec(params.text_document.uri)
        text = hover(spec.document, _offset(spec, params.position), spec.types, spec.lowered)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text)) if text else None

    options = lsp.CompletionOptions(trigger_characters=["[", "(", " ", "@", ":", "{", ","])

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, options)
    def completed(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        spec = server.spec(params.text_document.uri)
        found = completions(spec.document, _offset(spec, params.position), spec.names, spec.types)
        return [
            lsp.CompletionItem(
                one.label,
                kind=_KINDS[one.kind],
                detail=one.detail,
                documentation=one.doc,
                insert_text=one.insert or None,
            )
            for one in found
        ]

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def defined(params: lsp.DefinitionParams) -> list[lsp.Location]:
        spec = server.spec(params.text_document.uri)
        return [_place(one) for one in definitions(spec.document, _offset(spec, params.position))]

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def referred(params: lsp.ReferenceParams) -> list[lsp.Location]:
        spec = server.spec(params.text_document.uri)
        found = references(spec.document, _offset(spec, params.position), params.context.include_declaration)
        return [_place(one) for one in found]

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepared(params: lsp.PrepareRenameParams) -> lsp.Range:
        spec = server.spec(params.text_document.uri)
        try:
            here = renamable(spec.document, _offset(spec, params.position))
        except DiagnosticError as error:
            raise _refused(error) from None
        return _range(spec.document, here.start, here.stop)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def renamed(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        spec = server.spec(params.text_document.uri)
        try:
            edits = rename(spec.document, _offset(spec, params.position), params.new_name)
        except DiagnosticError as error:
            raise _refused(error) from None
        changes = [lsp.TextEdit(_range(spec.document, start, stop), text) for start, stop, text in edits]
        return lsp.WorkspaceEdit({params.text_document.uri: changes})

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def hinted(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        spec = server.spec(params.text_document.uri)
        first, last = (_offset(spec, at) for at in (params.range.start, params.range.end))
        places = Positions(spec.document.text)
        return [
            lsp.InlayHint(lsp.Position(*places.position(one.offset)), one.text, kind=lsp.InlayHintKind.Type)
            for one in inlays(spec.document, spec.types)
            if first <= one.offset <= last
        ]


def _register_commands(server: SpecServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def lensed(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        spec = server.spec(params.text_document.uri)
        uri = params.text_document.uri
        return [
            lsp.CodeLens(
                _range(spec.document, one.offset, one.offset),
                command=lsp.Command(one.title, one.command, arguments=[uri, *one.arguments]),
            )
            for one in lenses(spec.document, spec.lowered)
        ]

    @server.command("pyptogen.kernel")
    async def kernel(uri: str, target: str, name: str) -> str:
        return await _show(server, uri, lambda: kernel_file(server.spec(uri).document, target, name, server.scratch))

    @server.command("pyptogen.report")
    async def report(uri: str) -> str:
        return await _show(server, uri, lambda: report_file(server.spec(uri).document, server.scratch))


async def _show(server: SpecServer, uri: str, make: Callable[[], Path]) -> str:
    """Make a file and have the editor show it; gives its URI."""
    try:
        path = await asyncio.get_running_loop().run_in_executor(None, make)
    except DiagnosticError as error:
        raise _refused(error) from None
    shown = _uri(path)
    server.window_show_document(lsp.ShowDocumentParams(shown, take_focus=True))
    return shown
