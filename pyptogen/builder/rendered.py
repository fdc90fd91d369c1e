"""A generated folder in memory: what a build compares with the disk, and writes."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from pathlib import Path

from pyptogen.builder.fingerprint import sha256
from pyptogen.records import dataclass, replace

_LEVEL = 6
"""Of zlib: generated folders shrink to a fifth."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A generated folder that is not on disk yet: operator name, and bytes by relative path with ``/``. No file at all
    where the operator is made for none of the targets that were asked for. ``notes``: what the compiler chose, a line
    each. ``includes``: the files that the spec includes. ``known``: SHA-256 of the files, where somebody has computed
    them. ``sources``: SHA-256 of the spec and of what it includes, as they were read."""

    name: str
    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()
    includes: tuple[Path, ...] = ()
    known: Mapping[str, str] | None = None
    sources: Mapping[Path, str] = field(default_factory=dict)

    def hashes(self) -> Mapping[str, str]:
        """SHA-256 of each file, by relative path."""
        return {path: sha256(data) for path, data in self.files.items()} if self.known is None else self.known

    def some(self, paths: Collection[str]) -> Mapping[str, bytes]:
        """The bytes of some of the files, by relative path in alphabetical order."""
        found = self.files.several(paths) if isinstance(self.files, Packed) else self.files
        return {path: found[path] for path in sorted(paths)}

    def packed(self) -> Rendered:
        """The same in a fifth of the memory."""
        return replace(self, files=Packed.of(self.files), known=self.hashes())


class Packed(Mapping[str, bytes]):
    """Files by relative path, compressed until one of them is asked for.

    A build holds those of all operators at a time, and needs the bytes of the few that changed.
    """

    def __init__(self, sizes: Mapping[str, int], data: bytes) -> None:
        self._sizes, self._data = dict(sizes), data

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> Packed:
        """These files."""
        if isinstance(files, cls):
            return files
        return cls({path: len(data) for path, data in files.items()}, zlib.compress(b"".join(files.values()), _LEVEL))

    @property
    def sizes(self) -> Mapping[str, int]:
        """Bytes of each file, in the order in which they lie in `data`."""
        return self._sizes

    @property
    def data(self) -> bytes:
        """All files behind each other, compressed by zlib."""
        return self._data

    def __getitem__(self, path: str) -> bytes:
        (data,) = self.several((path,)).values()
        return data

    def several(self, paths: Collection[str]) -> dict[str, bytes]:
        """Some of the files, in their order here; unpacked once. Raises ``KeyError`` where one is not there."""
        missing = [path for path in paths if path not in self._sizes]
        if missing:
            raise KeyError(missing[0])
        data, start, found = zlib.decompress(self._data), 0, {}
        for path, size in self._sizes.items():
            if path in paths:
                found[path] = data[start : start + size]
            start += size
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._sizes)

    def __len__(self) -> int:
        return len(self._sizes)
