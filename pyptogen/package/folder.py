"""Writing a package into its folder: what an earlier one wrote is replaced, what others put there stays."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pyptogen.builder.writer import exclusive, replace_file
from pyptogen.diagnostics import Diagnostic, DiagnosticError, fault
from pyptogen.lower.tensor.reading.targets import read_targets
from pyptogen.schema import load_spec
from pyptogen.schema.spec import Spec
from pyptogen.spec_files import find_specs, given_paths

MANIFEST = "package.json"
FORMS = {"a2a3": ("device", "simpler"), "a5": ("device", "simpler"), "cpu": ("cmake",)}
"""A target -> what its packages can be, the usual one first."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a build of a package did: paths relative to its folder, and notes for whoever asked."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    notes: tuple[str, ...]


def build_package(paths: Sequence[Path], target: str, folder: Path, form: str = "", force: bool = False) -> Written:
    """Write the operators of specs as a package.

    Args:
        paths: specs, or folders of specs; of a folder those that are made for the target.
        target: ``a2a3``, ``a5`` or ``cpu``.
        folder: where it goes. It is new, empty, or holds an earlier package; files of others in it stay.
        form: "device" for a library of the device's toolchain, "simpler" for scenes of the simpler runtime, "cmake" for
            a library of C and C++ on CPUs; by default the first that the target has.
        force: write over files that were edited by hand.

    Raises ``DiagnosticError``: the findings of all specs; PTG705 for a folder that holds something else; PTG514 for
    files that were edited by hand; PTG504 where it cannot be written.
    """
    files = _files(_specs(paths, target), target, folder, form or FORMS[target][0])
    before = _before(folder)
    edited = [path for path, digest in before.items() if _digest(folder / path) not in (digest, None)]
    if edited and not force:
        raise _edited(folder, edited)
    try:
        with exclusive(folder):
            return _write(folder, files, before, ())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        fix = "choose another folder with `--package`"
        raise fault("PTG504", f"cannot write `{error.filename or folder}`: {reason}", None, fix=fix) from None


def _files(specs: Sequence[Spec], target: str, folder: Path, form: str) -> Mapping[str, bytes]:
    if form == "cmake":
        from pyptogen.package import cmake_package

        return cmake_package.cmake_package(specs, cmake_package.library_name(folder))
    if form == "simpler":
        from pyptogen.package.simpler_package import simpler_package

        return simpler_package(specs, target)
    from pyptogen.package.device_package import device_package, library_name

    return device_package(specs, target, library_name(folder, specs))


def _specs(paths: Sequence[Path], target: str) -> list[Spec]:
    """The specs, those of folders where they are made for the target. Raises PTG705 where none is."""
    named, found, faults = set(given_paths(paths)), [], list[Diagnostic]()
    for path in find_specs(paths):
        try:
            spec = load_spec(path)
        except DiagnosticError as error:
            faults += error.diagnostics
            continue
        if path in named or target in read_targets(spec):
            found.append(spec)
    if faults:
        raise DiagnosticError(*faults)
    if not found:
        raise fault("PTG705", f"no spec here is made for {target}", None, fix=f"add {target} to the `targets` of one")
    return found


def _before(folder: Path) -> Mapping[str, str]:
    """What an earlier package wrote, with hashes. Raises PTG705 for a folder with something else in it."""
    try:
        if not folder.exists() or not any(folder.iterdir()):
            return {}
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files = {str(path): str(digest) for path, digest in found["files"].items()}
        if any(PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts for path in files):
            raise ValueError
        return files
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise fault(
            "PTG705",
            f"`{folder}` holds something else than a package",
            None,
            expected="a new folder, an empty one, or one with the `package.json` of an earlier package",
            fix="choose another folder with `--package`",
        ) from None


def _digest(path: Path) -> str | None:
    """The hash of a file; None where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def _edited(folder: Path, paths: Iterable[str]) -> DiagnosticError:
    listed = sorted(paths)
    found = Diagnostic(
        "PTG514",
        f"{len(listed)} files of the package `{folder}` were edited by hand: {', '.join(listed[:5])}",
        None,
        expected="the bytes that an earlier build wrote",
        fix="change the specs instead, or write over them with `--force`",
        file=str(folder / listed[0]),
    )
    return DiagnosticError(found)


def _write(folder: Path, files: Mapping[str, bytes], before: Mapping[str, str], notes: tuple[str, ...]) -> Written:
    new = {path: data for path, data in files.items() if _digest(folder / path) != hashlib.sha256(data).hexdigest()}
    for path, data in new.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        replace_file(folder / path, data)
        if path.endswith(".sh"):
            (folder / path).chmod(0o755)
    removed = sorted(path for path in before if path not in files)
    for path in removed:
        (folder / path).unlink(missing_ok=True)
    return Written(tuple(sorted(new)), tuple(removed), notes)
