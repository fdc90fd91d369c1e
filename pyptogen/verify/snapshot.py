"""Outputs of operators as files: whether a change of specs, compiler or machine changes results, to the bit."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from pyptogen.runtime.operator.compiled import CompiledOperator

Array = npt.NDArray[Any]


class Snapshot:
    """The outputs of one run of an operator, and those that an earlier one kept below ``folder``; None: nothing is kept
    or compared. ``written`` are the files that are new."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._outputs: dict[str, Array] = {}
        self.written: list[str] = []

    def recording(self, operator: CompiledOperator) -> Callable[..., Any]:
        """The operator; where something is kept, one that remembers what it gave."""
        if self._folder is None:
            return operator

        def run(**arguments: Any) -> Any:
            given = operator(**arguments)
            from pyptogen.layout.packing import PackedWeight

            for name, output in given._asdict().items():
                array = output.unpack() if isinstance(output, PackedWeight) else output
                self._outputs[name] = np.array(array, copy=True, order="C")
            return given

        return run

    def changes(self, case: str) -> list[str]:
        """What differs from the outputs that were kept under the name ``case``, such as ``softmax/cpu-rows37``, a line
        for each output. The first time they are kept. To take new ones, delete the file."""
        if self._folder is None:
            return []
        path = self._folder / f"{case}.npz"
        if path.is_file():
            return list(_differences(_read(path), self._outputs, path))
        self._write(path)
        return []

    def _write(self, path: Path) -> None:
        data = io.BytesIO()
        arrays: dict[str, Any] = {}
        for name, array in self._outputs.items():  # dtypes of ml_dtypes are bytes to numpy's format
            arrays[name] = np.frombuffer(array.tobytes(), np.uint8)
            arrays[f"{name}:type"] = np.array([str(array.dtype), *map(str, array.shape)])
        np.savez_compressed(data, **arrays)
        path.parent.mkdir(parents=True, exist_ok=True)
        stage = path.with_name(f".{path.name}.staged")
        stage.write_bytes(data.getvalue())
        stage.replace(path)
        self.written.append(str(path))


def _read(path: Path) -> dict[str, tuple[str, bytes]]:
    """By name, dtype and shape in words and the bytes; nothing of what is no such file."""
    try:
        with np.load(path, allow_pickle=False) as kept:
            names = [name for name in kept.files if not name.endswith(":type")]
            return {name: (" ".join(kept[f"{name}:type"]), kept[name].tobytes()) for name in names}
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile):
        return {}


def _differences(kept: Mapping[str, tuple[str, bytes]], outputs: Mapping[str, Array], path: Path) -> list[str]:
    found = []
    for name in sorted({*kept, *outputs}):
        if name not in kept or name not in outputs:
            found.append(f"{name}: {'was not' if name not in kept else 'is no longer'} an output ({path})")
            continue
        array, (type_, data) = outputs[name], kept[name]
        now = " ".join([str(array.dtype), *map(str, array.shape)])
        if now != type_:
            found.append(f"{name}: {now}, was {type_} ({path})")
        elif array.tobytes() != data:
            found.append(f"{name}: {_how(array, np.frombuffer(data, array.dtype).reshape(array.shape))} ({path})")
    return found


def _how(now: Array, before: Array) -> str:
    """How many elements changed, and by how much at most."""
    size = now.dtype.itemsize
    bits = [np.frombuffer(array.tobytes(), np.uint8).reshape(-1, size) for array in (now, before)]
    apart = (bits[0] != bits[1]).any(axis=1)
    with np.errstate(all="ignore"):
        far = np.abs(now.astype(np.float64) - before.astype(np.float64)).reshape(-1)[apart]
    most = float(np.nanmax(far)) if np.isfinite(far).any() else float("nan")
    return f"{int(apart.sum())} of {now.size} elements changed, by {most:.3g} at most"
