"""The same kernel files against an installation of the public PTO-ISA headers, where the user names one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from references.agreement import assert_close
from references.basic import rms_norm, softmax

from operators.cases import assert_matmul_close, matmul_inputs, rms_norm_inputs, softmax_inputs
from operators.conftest import SPECS

ROOT = os.environ.get("PTO_ISA_ROOT", "")
pytestmark = pytest.mark.skipif(not ROOT, reason="PTO_ISA_ROOT names no installation of the public PTO-ISA headers")
Load = Callable[[str], Any]


def compiled(name: str) -> Any:
    """An operator whose a2a3 kernels are compiled with the headers under PTO_ISA_ROOT."""
    import pyptogen

    return pyptogen.compile(SPECS / f"{name}.yaml", target="a2a3", isa=Path(ROOT))


def test_softmax(program: Load) -> None:
    x = softmax_inputs("plain", 37, program("softmax").dim("cols").value)
    assert_close("y", compiled("softmax")(x=x).y, softmax(x), atol=1e-37, rtol=1e-5)


def test_rms_norm(program: Load) -> None:
    x, gamma = rms_norm_inputs(37, program("rms_norm").dim("cols").value)
    got = compiled("rms_norm")(x=x, gamma=gamma).y
    assert_close("y", got, rms_norm(x, gamma, 1e-6), atol=1e-37, rtol=1e-5)


@pytest.mark.parametrize(("name", "dtype"), [("matmul_fp32", np.float32), ("matmul_int8", np.int8)])
def test_matmul(program: Load, name: str, dtype: Any) -> None:
    """fp32 and int8 only: the public simulator computes bf16 wrongly with some compilers."""
    a, b = matmul_inputs(dtype, 37, program(name).dim("k").value, program(name).dim("n").value)
    assert_matmul_close(compiled(name)(a=a, b=b).c, a, b)
