"""``import pyptogen`` is cheap, and its names are what they say."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pyptogen


def test_importing_is_light() -> None:
    program = "import sys, pyptogen; print(sorted(m for m in sys.modules if m.startswith('pyptogen')))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "['pyptogen', 'pyptogen._version']\n"


def test_every_public_name_is_there() -> None:
    public = ["Arg", "CompiledPackage", "Runtime", "TensorHandle", "__version__", "build", "compile", "load", "pack"]
    assert dir(pyptogen) == public
    assert all(callable(getattr(pyptogen, name)) for name in ("build", "compile", "load", "pack"))


def test_build_stays_callable_after_its_room_is_imported() -> None:
    program = "import pyptogen.builder.run, pyptogen; print(callable(pyptogen.build))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "True\n"


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'speling'"):
        _ = pyptogen.speling  # type: ignore[attr-defined]
