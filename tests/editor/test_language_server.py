"""The language server itself, as an editor speaks with it: over pipes, in another process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from editor.json_rpc import Client, opened, started
from pyptogen.cli.app import app

pytest.importorskip("pygls", reason="pip install 'pyptogen[lsp]' (it is in the extra dev)")
TEXT = """\
pyptogen: 1
operator:  small   # é\U0001f600
dims: {t: {min: 1, max: 4096}, d: 64}
inputs: {x: "bf16[t, d]"}
outputs: {y: "bf16[t, d]"}
graph:
  first:
    a: cast(x, fp32)
  second:
    y: cast(a * a, bf16)
verify:
  cases: [{t: 1}, {t: 37}]
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path]]:
    folder = tmp_path_factory.mktemp("open")
    with started([sys.executable, "-m", "pyptogen", "lsp"], folder) as client:
        yield client, folder


def ask(client: Client, path: Path, method: str, line: int, character: int, **more: Any) -> Any:
    at = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
    return client.request(f"textDocument/{method}", {**at, **more})


def test_an_editor_is_answered(server: tuple[Client, Path]) -> None:
    """One conversation, as starting a server takes a second."""
    client, folder = server
    path = folder / "small.yaml"
    path.write_text(TEXT)
    client.notify("textDocument/didOpen", opened(path))
    assert client.until("textDocument/publishDiagnostics")["diagnostics"] == []

    slip = {"range": {"start": {"line": 9, "character": 12}, "end": {"line": 9, "character": 13}}, "text": "q"}
    versioned = {"uri": path.as_uri(), "version": 2}
    client.notify("textDocument/didChange", {"textDocument": versioned, "contentChanges": [slip]})
    (found,) = client.until("textDocument/publishDiagnostics")["diagnostics"]
    assert (found["code"], found["range"]["start"]) == ("PTG201", {"line": 9, "character": 12})
    offered = ask(client, path, "completion", 9, 12)
    assert {"exp", "x", "a"} <= {one["label"] for one in offered}
    back = {**slip, "text": "a"}
    versioned = {"uri": path.as_uri(), "version": 3}
    client.notify("textDocument/didChange", {"textDocument": versioned, "contentChanges": [back]})
    assert client.until("textDocument/publishDiagnostics")["diagnostics"] == []

    assert "`fp32[t, d]`" in ask(client, path, "hover", 7, 4)["contents"]["value"]
    (place,) = ask(client, path, "definition", 9, 12)
    assert place["range"]["start"] == {"line": 7, "character": 4}
    assert len(ask(client, path, "references", 7, 4, context={"includeDeclaration": True})) == 3
    changes = ask(client, path, "rename", 7, 4, newName="b")["changes"][path.as_uri()]
    assert sorted((one["range"]["start"]["line"], one["newText"]) for one in changes) == [(7, "b"), (9, "b"), (9, "b")]
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 12, "character": 0}}
    document = {"textDocument": {"uri": path.as_uri()}}
    hints = client.request("textDocument/inlayHint", {**document, "range": whole})
    assert [(one["position"]["line"], one["label"]) for one in hints] == [(7, " fp32[t, d]")]
    options = {"options": {"tabSize": 2, "insertSpaces": True}}
    (edit,) = client.request("textDocument/formatting", {**document, **options})
    assert edit["newText"] == TEXT.replace("operator:  small   #", "operator: small    #")

    # Lowering, in the other process, after a pause.
    told = client.until("textDocument/publishDiagnostics")["diagnostics"]
    assert {one["code"] for one in told} <= {"PTG240"}
    lenses = [one["command"] for one in client.request("textDocument/codeLens", document)]
    assert lenses[0]["command"] == "pyptogen.report"
    kernel = next(one for one in lenses if one["arguments"][1:2] == ["a2a3"])
    shown = client.request("workspace/executeCommand", {"command": kernel["command"], "arguments": kernel["arguments"]})
    assert shown.endswith(".cpp")
    assert Path(shown.removeprefix("file://")).read_text().startswith("//")
    page = client.request("workspace/executeCommand", {"command": "pyptogen.report", "arguments": [path.as_uri()]})
    assert "small" in Path(page.removeprefix("file://")).read_text()
    assert "cost" in ask(client, path, "hover", 9, 4)["contents"]["value"]


def test_an_editor_ends_it() -> None:
    """As the protocol has it: after `shutdown` the exit code is 0."""
    said = b"".join(
        b"Content-Length: %d\r\n\r\n%s" % (len(data), data)
        for message in (
            {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
            {"method": "initialized", "params": {}},
            {"id": 2, "method": "shutdown"},
            {"method": "exit"},
        )
        for data in [json.dumps({"jsonrpc": "2.0", **message}).encode()]
    )
    done = subprocess.run([sys.executable, "-m", "pyptogen", "lsp"], input=said, capture_output=True, check=False)
    assert (done.returncode, b"fault of the tool" in done.stderr) == (0, False), done.stderr


def test_without_pygls_the_command_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    result = CliRunner().invoke(app, ["lsp"])
    assert "PTG506" in str(result.exception)
    assert "pyptogen[lsp]" in str(result.exception)
