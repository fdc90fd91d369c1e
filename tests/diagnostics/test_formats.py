"""Findings as documents: what the readers of each form rely on, by the published descriptions named in each room."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pyptogen.diagnostics import CODES, Diagnostic, Span
from pyptogen.diagnostics.formats import RENDERERS

FOUND = (
    Diagnostic(
        "PTG201",
        "`ä` is 100% unknown,\nreally: <&>",
        Span("specs/a b.yaml", 2, 4, 2, 7),
        "a name",
        "write `y`",
        (("defined here", Span("specs/a b.yaml", 1, 1, 1, 2)), ("and more", None)),
    ),
    Diagnostic("PTG240", "no case tells", Span("specs/a b.yaml", 1, 1, 3, 2), severity="warning"),
    Diagnostic("PTG501", "no compiler", None),
)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/a b.yaml").write_text("x: 1\nää:y z\nend\n")


def test_concise_is_a_line_a_finding() -> None:
    assert RENDERERS["concise"](FOUND).splitlines() == [
        "specs/a b.yaml:2:4: error PTG201: `ä` is 100% unknown,\\nreally: <&> (expected: a name; fix: write `y`)",
        "specs/a b.yaml:1:1: warning PTG240: no case tells",
        "error PTG501: no compiler",
    ]


def test_github_escapes_what_ends_a_property_or_a_line() -> None:
    first, second, third = RENDERERS["github"](FOUND).split("\n")
    assert first == (
        "::error title=PTG201 unknown name,file=specs/a b.yaml,line=2,endLine=2,col=4,endColumn=7::"
        "`ä` is 100%25 unknown,%0Areally: <&>%0Aexpected: a name%0Afix: write `y`"
        "%0Anote: defined here (specs/a b.yaml:1:1)%0Anote: and more"
    )
    assert second == "::warning title=PTG240 no case can tell,file=specs/a b.yaml,line=1,endLine=3::no case tells"
    assert third == "::error title=PTG501 no C++ compiler::no compiler"
    odd = Diagnostic("PTG201", "x", Span("a,b:c%.yaml", 1, 1, 1, 2))
    assert "file=a%2Cb%3Ac%25.yaml," in RENDERERS["github"]([odd])


def test_gitlab_has_the_keys_of_code_quality() -> None:
    found = json.loads(RENDERERS["gitlab"]((*FOUND, FOUND[1])))
    assert [set(one) for one in found] == [{"description", "check_name", "fingerprint", "severity", "location"}] * 4
    assert [one["severity"] for one in found] == ["major", "minor", "major", "minor"]
    assert found[0]["location"] == {"path": "specs/a b.yaml", "lines": {"begin": 2}}
    assert len({one["fingerprint"] for one in found}) == 4
    moved = Diagnostic(FOUND[0].code, FOUND[0].message, Span("./specs/a b.yaml", 9, 4, 9, 7))
    assert json.loads(RENDERERS["gitlab"]([moved]))[0]["fingerprint"] == found[0]["fingerprint"]


def test_sarif_has_what_the_standard_requires() -> None:
    log = json.loads(RENDERERS["sarif"](FOUND))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "pyptogen"
    assert [rule["id"] for rule in rules] == ["PTG201", "PTG240", "PTG501"]
    assert rules[0]["shortDescription"] == {"text": CODES["PTG201"].title}
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    assert [result["level"] for result in run["results"]] == ["error", "warning", "error"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
    first, _, last = run["results"]
    (location,) = first["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "specs/a%20b.yaml"},
        "region": {"startLine": 2, "startColumn": 4, "endLine": 2, "endColumn": 7},
    }
    assert [one["message"] for one in first["relatedLocations"]] == [{"text": "defined here"}]
    assert last["locations"] == []


def test_junit_counts_its_cases() -> None:
    root = ElementTree.fromstring(RENDERERS["junit"](FOUND).encode())
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "3", "2")
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in root] == [
        ("specs/a b.yaml", "2", "1"),
        ("pyptogen", "1", "1"),
    ]
    case, warned = root[0]
    assert (case.get("name"), case.get("classname")) == ("PTG201:2:4", "specs/a b.yaml")
    (failure,) = case
    assert failure.tag == "failure"
    assert failure.get("type") == "PTG201"
    assert (failure.text or "").startswith("`ä` is 100% unknown,\nreally: <&>\nexpected: a name\n")
    assert [part.tag for part in warned] == ["system-out"]


def test_rdjson_counts_bytes() -> None:
    result = json.loads(RENDERERS["rdjson"](FOUND))
    assert result["source"] == {"name": "pyptogen"}
    first, second, third = result["diagnostics"]
    # `ää:y z`: the character in column 4 is the sixth byte.
    assert first["location"]["range"] == {"start": {"line": 2, "column": 6}, "end": {"line": 2, "column": 9}}
    assert (first["severity"], first["code"]) == ("ERROR", {"value": "PTG201"})
    assert second["severity"] == "WARNING"
    assert "range" not in third["location"]


def test_no_findings_are_documents_too() -> None:
    empty = {form: render(()) for form, render in RENDERERS.items()}
    assert [empty[form] for form in ("full", "concise", "github")] == ["", "", ""]
    assert json.loads(empty["json"]) == json.loads(empty["gitlab"]) == []
    assert json.loads(empty["sarif"])["runs"][0]["results"] == []
    assert json.loads(empty["rdjson"])["diagnostics"] == []
    root = ElementTree.fromstring(empty["junit"].encode())
    assert (root.get("tests"), root.get("failures"), len(root[0])) == ("1", "0", 1)


def test_a_finding_without_a_place_names_its_file(tmp_path: Path) -> None:
    found = [Diagnostic("PTG514", "1 file edited by hand", None, file=str(tmp_path / "out/a b.cpp"))]
    assert "a b.cpp" not in RENDERERS["concise"](found)
    assert RENDERERS["github"](found).startswith(
        "::error title=PTG514 generated files edited by hand,file=out/a b.cpp::"
    )
    assert json.loads(RENDERERS["gitlab"](found))[0]["location"] == {"path": "out/a b.cpp", "lines": {"begin": 1}}
    (result,) = json.loads(RENDERERS["sarif"](found))["runs"][0]["results"]
    assert result["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "out/a%20b.cpp"}}}]
    assert json.loads(RENDERERS["rdjson"](found))["diagnostics"][0]["location"] == {"path": "out/a b.cpp"}
    assert json.loads(RENDERERS["json"](found))[0]["file"] == str(tmp_path / "out/a b.cpp")
    assert ElementTree.fromstring(RENDERERS["junit"](found).encode())[0].get("name") == "out/a b.cpp"


@pytest.mark.parametrize("form", RENDERERS)
def test_halves_of_characters_can_be_written(form: str) -> None:
    odd = Diagnostic("PTG110", "no \udc80", Span("a\udc80.yaml", 1, 1, 1, 2), notes=(("\udc80", None),))
    text = dict(RENDERERS)[form]([odd])  # type: ignore[index]
    text.encode()
    if form == "junit":
        ElementTree.fromstring(text.encode())
