"""The JSON Schema in yaml-language-server itself, where it is installed (`npm install -g yaml-language-server`)."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from editor.json_rpc import Client, opened, started
from pyptogen.editor.json_schema import schema_text

ROOT = Path(__file__).parents[2]
SERVER = shutil.which("yaml-language-server")
pytestmark = pytest.mark.skipif(SERVER is None, reason="yaml-language-server, an npm package, is not on PATH")


def said_of(client: Client, path: Path, text: str) -> list[Any]:
    path.write_text(text)
    client.notify("textDocument/didOpen", opened(path))
    found = client.until("textDocument/publishDiagnostics")
    assert found["uri"] == path.as_uri()
    return list(found["diagnostics"])


def test_it_takes_specs_refuses_slips_and_explains_keys(tmp_path: Path) -> None:
    (tmp_path / "pyptogen.schema.json").write_text(schema_text())
    modeline = "# yaml-language-server: $schema=pyptogen.schema.json\n"
    assert SERVER is not None
    with started([SERVER, "--stdio"], tmp_path) as client:
        for name in ("indexer_prolog", "softmax", "block_sparse_attention", "transpose_copy"):
            text = modeline + (ROOT / "specs" / f"{name}.yaml").read_text()
            assert said_of(client, tmp_path / f"{name}.yaml", text) == [], name
        text = modeline + (ROOT / "specs" / "softmax.yaml").read_text()
        slip = said_of(client, tmp_path / "slip.yaml", text.replace("outputs:", "outpts:"))
        assert any("outpts" in one["message"] for one in slip)
        at = {"textDocument": {"uri": (tmp_path / "softmax.yaml").as_uri()}, "position": {"line": 1, "character": 2}}
        assert "Version of the spec language" in str(client.request("textDocument/hover", at))
        line = text.split("\n").index("  e: exp(x - m)")
        empty = said_of(client, tmp_path / "empty.yaml", text.replace("  e: exp(x - m)", "  e: "))
        assert empty
        at = {"textDocument": {"uri": (tmp_path / "empty.yaml").as_uri()}, "position": {"line": line, "character": 5}}
        offered = client.request("textDocument/completion", at)
        assert "softmax" in {one["label"] for one in offered["items"]}
