"""The GitHub action, the GitLab template and the hooks of pre-commit, run in a scratch repository as a user's library
would have them. What they install is this checkout, which is there already."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
SPEC = """\
pyptogen: 1
operator: scaled
dims: {n: {min: 1, max: 64}, d: 64}
inputs: {x: "fp32[n, d]"}
outputs: {y: "fp32[n, d]"}
graph: {y: x * 2}
tiling: [{n: 8}]
verify: {cases: [{n: 1}, {n: 37}]}
targets: [cpu]
"""
pytestmark = pytest.mark.slow
BIN = Path(sys.executable).parent
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("GIT", "CI_"))},
    "PATH": os.pathsep.join([str(BIN), os.environ.get("PATH", "")]),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "me",
    "GIT_AUTHOR_EMAIL": "me@example.org",
    "GIT_COMMITTER_NAME": "me",
    "GIT_COMMITTER_EMAIL": "me@example.org",
}


def sh(text: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A script as GitHub runs it."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
    given = {**ENVIRONMENT, **more}
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one operator, built and committed."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "specs").mkdir(parents=True)
    (folder / "specs/scaled.yaml").write_text(SPEC)
    made = sh("git init -q -b main && pyptogen build specs/ -q && git add -A && git commit -qm 'A library'", folder)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture
def library(built: Path, tmp_path: Path) -> Path:
    """A clone in which something may be changed; `origin` is what it was."""
    assert sh(f"git clone -q {built} library", tmp_path).returncode == 0
    return tmp_path / "library"


def change(folder: Path, old: str, new: str) -> None:
    path = folder / "specs/scaled.yaml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def steps(folder: Path, **environment: str) -> dict[str, subprocess.CompletedProcess[str]]:
    """The steps of the action up to the first that fails, but for the installation."""
    action = YAML(typ="safe").load(ROOT / "action.yml")
    defaults = {name: given["default"] for name, given in action["inputs"].items()}
    summary = {"GITHUB_STEP_SUMMARY": str(folder.parent / "summary.md"), "GITHUB_BASE_REF": "", **environment}
    done = {}
    for step in action["runs"]["steps"][1:]:
        assert step["shell"] == "bash"
        given = {
            name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: defaults[found[1]], value)
            for name, value in step["env"].items()
        }
        done[step["name"]] = sh(step["run"], folder, **given, **summary)
        if done[step["name"]].returncode:
            break
    return done


def last(done: dict[str, subprocess.CompletedProcess[str]]) -> tuple[str, int, str]:
    name, result = list(done.items())[-1]
    return name, result.returncode, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("old", "new", "step", "said"),
    [
        ("x * 2", "z * 2", "Specs are in order", "file=specs/scaled.yaml,line=6"),
        ("x * 2", "x * 3", "The generated files are those of the specs", "PTG511"),
    ],
)
def test_the_action_refuses(library: Path, old: str, new: str, step: str, said: str) -> None:
    change(library, old, new)
    name, code, told = last(steps(library))
    assert (name, code) == (step, 1), told
    assert said in told


def test_the_action_goes_to_its_last_step_and_refuses_what_breaks_callers(library: Path) -> None:
    change(library, "max: 64}", "max: 32}")
    change(library, "n: 37", "n: 31")
    assert sh("pyptogen build specs/ -q", library).returncode == 0
    name, code, told = last(steps(library, GITHUB_BASE_REF="main"))
    assert (name, code) == ("What the change means", 1), told
    assert "::error" in told
    assert "BREAKING" in (library.parent / "summary.md").read_text()


def jobs(folder: Path) -> dict[str, int]:
    """Exit codes of the jobs of the GitLab template; each leaves a report that GitLab can read."""
    template = YAML(typ="safe").load(ROOT / "ci/gitlab.yml")
    codes = {}
    for name, job in template.items():
        if "script" not in job:
            continue
        environment = {**template["variables"], "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
        codes[name] = sh("\n".join(job["script"]), folder, **environment).returncode
        report: Any = json.loads((folder / job["artifacts"]["reports"]["codequality"]).read_text())
        assert bool(report) == bool(codes[name]), name
    return codes


def test_the_gitlab_template(library: Path) -> None:
    change(library, "x * 2", "x  * 2")
    change(library, "pyptogen: 1", "pyptogen:  1")
    found = jobs(library)
    assert found == {"pyptogen-check": 0, "pyptogen-fmt": 1, "pyptogen-build": 1, "pyptogen-breaking": 0}


def test_the_hooks_of_pre_commit(library: Path) -> None:
    """As local hooks: `pre-commit` would install the checkout into an environment of its own for each revision."""
    pytest.importorskip("pre_commit", reason="pip install pre-commit (it is in the extra dev)")
    hooks = YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")
    assert [hook["id"] for hook in hooks] == ["pyptogen-fmt", "pyptogen-check", "pyptogen-build"]
    local = [{**hook, "language": "system"} for hook in hooks]
    YAML().dump({"repos": [{"repo": "local", "hooks": local}]}, library / ".pre-commit-config.yaml")
    home = {"PRE_COMMIT_HOME": str(library.parent / "home")}
    (library / "specs/common").mkdir()
    (library / "specs/common/part.yaml").write_text("dims: {e: 8}\n")
    command = "git add -A && python -m pre_commit run --all-files"
    change(library, "graph: {y: x * 2}", "graph: {y:  x * 3}")  # fmt mends the blanks, build tells of the 3
    broken = sh(command, library, **home)
    assert broken.returncode == 1
    assert "formatted specs/scaled.yaml" in broken.stdout
    assert "PTG511" in broken.stdout
    assert re.search(r"pyptogen check\.+Passed", broken.stdout)
    assert "graph: {y: x * 3}" in (library / "specs/scaled.yaml").read_text()
