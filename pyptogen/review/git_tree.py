"""Files of a folder as they are in a commit, written to another folder: the working tree and the index stay as they
are, and nothing of the commit is run.

`git archive` would obey attributes that leave files out or change their text, so the objects themselves are read
(git-ls-tree(1), git-cat-file(1)).
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyptogen.diagnostics import fault
from pyptogen.diagnostics.plain_text import name_shown
from pyptogen.regular_files import MOST_BYTES

_REGULAR = (b"100644", b"100755")


class GitTree:
    """A commit of the repository in which ``place`` (a folder, or a file of one) lies.

    Raises:
        DiagnosticError: PTG620, no git, no repository there, or no such commit.
    """

    def __init__(self, place: Path, ref: str) -> None:
        self._at = place if place.is_dir() else place.parent
        top = self._git("rev-parse", "--show-toplevel").decode(errors="surrogateescape").rstrip("\n")
        self._root = Path(top).resolve()
        found = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        if found.returncode:
            fix = "name a branch, a tag or a commit that is here; in CI fetch it first"
            raise fault("PTG620", f"git has no commit `{name_shown(ref)}`", None, expected="git:REF", fix=fix)
        self._commit = found.stdout.decode().strip()

    def write(self, folder: Path, to: Path, suffixes: frozenset[str]) -> Path:
        """Write the regular files of ``folder`` and below that have one of ``suffixes`` below ``to``, where they lie in
        the repository, and give the place of ``folder`` there. Files that are too large for a spec, and links, are left
        out: reading them says that they are not there. Raises ``OSError``, and PTG620."""
        inside = folder.resolve().relative_to(self._root).as_posix()
        place = to / inside
        tree = f"{self._commit}:{'' if inside == '.' else inside}"
        if not self._has(tree):
            return place
        found = [
            (path, oid)
            for entry in self._git("ls-tree", "-r", "-z", "-l", "--full-tree", tree).split(b"\0")
            if (path := Path(entry.partition(b"\t")[2].decode(errors="surrogateescape"))).suffix in suffixes
            and (oid := _readable(entry))
        ]
        for path, data in zip((path for path, _ in found), self._blobs([oid for _, oid in found]), strict=True):
            target = place / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return place

    def _blobs(self, oids: Sequence[bytes]) -> Iterator[bytes]:
        said = self._git("cat-file", "--batch", given=b"".join(oid + b"\n" for oid in oids))
        for _ in oids:
            head, _, said = said.partition(b"\n")
            size = int(head.split()[2])
            yield said[:size]
            said = said[size + 1 :]

    def _has(self, tree: str) -> bool:
        return self._run("cat-file", "-e", tree).returncode == 0

    def _git(self, *arguments: str, given: bytes = b"") -> bytes:
        done = self._run(*arguments, given=given)
        if done.returncode:
            said = (done.stderr.decode(errors="replace").splitlines() or ["it gives no reason"])[0]
            raise fault("PTG620", f"git: {name_shown(said)}", None, expected="specs in a repository of git")
        return done.stdout

    def _run(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = ["git", "-C", str(self._at), *arguments]
        try:
            return subprocess.run(command, input=given, capture_output=True, check=False)
        except OSError as error:
            raise fault("PTG620", f"git cannot be run: {error.strerror}", None, fix="compare with a folder") from None


def _readable(entry: bytes) -> bytes | None:
    """The object of a line of ls-tree, of a regular file that is not too large: `mode type object size<TAB>path`."""
    mode, _, oid, size = entry.partition(b"\t")[0].split()
    return oid if mode in _REGULAR and int(size) <= MOST_BYTES else None
